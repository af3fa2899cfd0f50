//! The text of a disassembled instance, page by page: jobs, EOF, data.

use std::fmt::Write;

use super::listing::{ListedJob, ListedPage};
use crate::print::{raw_page, scope_name};
use crate::program::{Group, Program, ScopeId};

/// Column in which remarks begin.
const REMARKS: usize = 68;

/// Facts about the file that the text declares at its start.
pub(super) struct Heading<'a> {
    /// `.target`, if the text has one.
    pub target: Option<&'a str>,
    /// `.partition`, if the file says.
    pub columns: Option<u32>,
    /// Files that hold pads, by controller.
    pub pads: &'a [(u32, String)],
}

/// The text of an instance.
pub(super) fn text(program: &Program, pages: &[ListedPage], head: &Heading<'_>) -> String {
    let mut writer = Writer { out: String::new() };
    if let Some(target) = head.target {
        writer.line(&format!(".target\t{target}"));
    }
    if let Some(columns) = head.columns {
        writer.line(&format!(".partition\t{columns}column"));
    }
    let mut rest = pages;
    for group in &program.groups {
        let count = rest.iter().take_while(|page| page.uc == group.uc).count();
        let (pages, others) = rest.split_at(count);
        rest = others;
        writer.group(group, pages, head);
    }
    writer.out
}

struct Writer {
    out: String,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// A line with a remark after it.
    fn remarked(&mut self, line: &str, remark: Option<&str>) {
        match remark {
            // writing to a string cannot fail
            Some(remark) => {
                let _ = writeln!(self.out, "{line:REMARKS$} ; {}", plain(remark));
            }
            None => self.line(line),
        }
    }

    fn group(&mut self, group: &Group, pages: &[ListedPage], head: &Heading<'_>) {
        self.line("");
        self.line(&format!(".attach_to_group {}", group.uc));
        for pad in &group.pads {
            let file = head.pads.iter().find(|(uc, _)| *uc == group.uc);
            let contents = match file {
                Some((_, file)) => format!("\"{file}\""),
                None => (pad.bytes.len() / 4).to_string(),
            };
            self.line(&format!(".setpad {}, {contents}", pad.name));
        }
        let mut open: Option<ScopeId> = None;
        for page in pages {
            self.line("");
            if open != Some(page.scope) {
                self.close(group, open);
                self.line(".section .ctrltext");
                if page.scope != ScopeId::MAIN {
                    self.line(&format!("{}:", page.scope_name));
                }
                open = Some(page.scope);
            } else {
                self.line(".section .ctrltext");
                self.line(".eop");
            }
            self.page(group, page);
        }
        self.close(group, open);
    }

    fn close(&mut self, group: &Group, scope: Option<ScopeId>) {
        if let Some(scope) = scope.filter(|&scope| scope != ScopeId::MAIN) {
            self.line(&format!(".endl {}", scope_name(group, scope)));
        }
    }

    fn page(&mut self, group: &Group, page: &ListedPage) {
        self.line(&format!("; page {}", page.page));
        if let Some(why) = &page.raw {
            self.line(&format!("; kept as words: {}", plain(why)));
            let region = group
                .scope(page.scope)
                .and_then(|s| s.regions.get(page.region));
            if let Some(raw) = region.and_then(|region| region.raw.as_ref()) {
                raw_page(&mut self.out, raw);
            }
        }
        for job in &page.jobs {
            self.job(job);
        }
        self.line("EOF");
        for block in &page.blocks {
            self.line(&format!("{}:", block.label));
            for item in &block.items {
                self.remarked(&item.line, item.remark.as_deref());
            }
        }
    }

    fn job(&mut self, job: &ListedJob) {
        if let Some(source) = &job.source {
            self.line(&format!("; {}", plain(source)));
        }
        self.line(&job.line);
        let mut last = job.source.as_ref();
        for item in &job.items {
            let source = item.source.as_ref();
            if let Some(source) = source.filter(|_| source != last) {
                self.line(&format!("  ; {}", plain(source)));
                last = Some(source);
            }
            self.remarked(&item.line, item.remark.as_deref());
        }
        self.line("END_JOB");
    }
}

/// A remark as other assemblers read it: one line, and no `@` that they would take for a label.
fn plain(remark: &str) -> String {
    let shown = |c: char| if c.is_control() || c == '@' { '_' } else { c };
    remark.chars().map(shown).collect()
}
