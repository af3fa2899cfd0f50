//! The text of a disassembled instance, page by page: jobs, EOF, data.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::lift::LiftedPage;
use crate::isa::SymOp;
use crate::page::{HEADER_BYTES, PAGE_BYTES, START_JOB_BYTES};
use crate::print::{GroupPrinter, scope_name};
use crate::program::{BodyItem, DataId, DataItem, Group, Job, Program, Scope, ScopeId, Word};

/// Column in which remarks begin.
const REMARKS: usize = 68;

/// What somebody who knows the array can say about code.
pub trait Remarks {
    /// What an instruction of a controller does.
    fn inst(&self, uc: u32, op: &SymOp) -> Option<String>;

    /// What a descriptor does that moves `words` words to an array address.
    fn transfer(&self, uc: u32, address: u64, words: u32) -> Option<String>;

    /// What a word does that a descriptor moves to an array address; `first` is true for the
    /// first word of the transfer.
    fn written(&self, uc: u32, address: u64, value: u32, first: bool) -> Option<String>;

    /// The source line of the job or instruction at a byte offset of a page.
    fn source(&self, uc: u32, page: u32, at: usize) -> Option<String>;
}

/// What stands at the head of the text.
pub(super) struct Head<'a> {
    /// Comment lines.
    pub comments: &'a [String],
    /// `.target`, if the text has one.
    pub target: Option<&'a str>,
    /// `.partition`, if the file says.
    pub columns: Option<u32>,
    /// Files that hold pads, by controller.
    pub pads: &'a [(u32, String)],
}

/// The text of an instance.
pub(super) fn text(
    program: &Program,
    pages: &[LiftedPage],
    head: &Head<'_>,
    remarks: Option<&dyn Remarks>,
) -> String {
    let mut out = String::new();
    for comment in head.comments {
        // writing to a string cannot fail
        let _ = writeln!(out, "; {comment}");
    }
    if let Some(target) = head.target {
        let _ = writeln!(out, ".target\t{target}");
    }
    if let Some(columns) = head.columns {
        let _ = writeln!(out, ".partition\t{columns}column");
    }
    let mut rest = pages;
    for group in &program.groups {
        let count = rest.iter().take_while(|page| page.uc == group.uc).count();
        let (pages, others) = rest.split_at(count);
        rest = others;
        let printer = TextPrinter {
            pen: GroupPrinter::new(program, group, &mut out),
            group,
            remarks,
        };
        printer.group(pages, head);
    }
    out
}

struct TextPrinter<'a> {
    pen: GroupPrinter<'a>,
    group: &'a Group,
    remarks: Option<&'a dyn Remarks>,
}

impl<'a> TextPrinter<'a> {
    fn group(mut self, pages: &[LiftedPage], head: &Head<'_>) {
        let uc = self.group.uc;
        self.pen.line("");
        self.pen.line(format!(".attach_to_group {uc}"));
        for pad in &self.group.pads {
            let file = head.pads.iter().find(|(of, _)| *of == uc);
            let contents = match file {
                Some((_, file)) => format!("\"{file}\""),
                None => (pad.bytes.len() / 4).to_string(),
            };
            self.pen.line(format!(".setpad {}, {contents}", pad.name));
        }
        let mut open: Option<ScopeId> = None;
        for page in pages {
            self.pen.line("");
            if open != Some(page.scope) {
                self.close(open);
                self.open(page.scope);
                open = Some(page.scope);
            } else {
                self.pen.line(".section .ctrltext");
                self.pen.line(".eop");
            }
            self.page(page);
        }
        self.close(open);
    }

    fn open(&mut self, scope: ScopeId) {
        self.pen.line(".section .ctrltext");
        if scope != ScopeId::MAIN {
            let name = scope_name(self.group, scope);
            self.pen.line(format!("{name}:"));
        }
    }

    fn close(&mut self, scope: Option<ScopeId>) {
        if let Some(scope) = scope.filter(|&scope| scope != ScopeId::MAIN) {
            let name = scope_name(self.group, scope);
            self.pen.line(format!(".endl {name}"));
        }
    }

    fn page(&mut self, page: &LiftedPage) {
        let group = self.group;
        let Some(scope) = group.scope(page.scope) else {
            return;
        };
        let Some(region) = scope.regions.get(page.region) else {
            return;
        };
        self.pen.line(format!("; page {}", page.page));
        if let Some(raw) = &region.raw {
            let why = page.raw.as_deref().unwrap_or_default();
            self.pen.line(format!("; kept as words: {why}"));
            self.pen.raw_page(raw);
            return self.pen.line("EOF");
        }
        let mut at = HEADER_BYTES;
        let mut seen: FxHashMap<u16, usize> = FxHashMap::default();
        for job in &region.jobs {
            let times = seen.entry(job.id).or_default();
            self.pen_source(page, at, true);
            self.pen.job_start(job, *times);
            *times += 1;
            at = self.job(page, job, at);
        }
        self.pen.line("EOF");
        self.data(page, scope);
    }

    /// A line with the source of what follows.
    fn pen_source(&mut self, page: &LiftedPage, at: usize, outside: bool) {
        let source = self.remarks.and_then(|r| r.source(page.uc, page.page, at));
        if let Some(source) = source {
            let indent = if outside { "" } else { "  " };
            self.pen.line(format!("{indent}; {source}"));
        }
    }

    /// The job that begins at a byte offset of the page, without its first line; the offset
    /// behind it.
    fn job(&mut self, page: &LiftedPage, job: &Job, at: usize) -> usize {
        let mut at = at + START_JOB_BYTES;
        let mut last = None;
        for item in &job.body {
            match item {
                BodyItem::Inst(inst) => {
                    let source = self.remarks.and_then(|r| r.source(page.uc, page.page, at));
                    if source.is_some() && source != last {
                        self.pen_source(page, at, false);
                        last = source;
                    }
                    let line = self.pen.inst(page.scope, inst);
                    let remark = self.remarks.and_then(|r| r.inst(page.uc, &inst.op));
                    self.remarked(line, remark);
                    at += inst.op.size();
                }
                BodyItem::Word(word) => {
                    let line = self.pen.word_line(page.scope, *word);
                    self.remarked(line, Some("not an instruction".to_owned()));
                    at += 4;
                }
                // never lifted
                BodyItem::Align(_) => {}
            }
        }
        self.pen.line("END_JOB");
        at + crate::page::END_JOB_BYTES
    }

    fn remarked(&mut self, line: String, remark: Option<String>) {
        match remark {
            Some(remark) => self
                .pen
                .line(format!("{line:REMARKS$} ; {}", plain(&remark))),
            None => self.pen.line(line),
        }
    }

    fn data(&mut self, page: &LiftedPage, scope: &Scope) {
        let blocks = page.blocks.clone().map(DataId);
        let blocks = blocks.filter_map(|id| Some((id, scope.block(id)?)));
        let writes = match self.remarks {
            Some(_) => Writes::of(page, scope),
            None => Writes::default(),
        };
        let mut at = page.data_at;
        for (id, block) in blocks {
            let name = self.pen.block_name(page.scope, id).to_owned();
            self.pen.line(format!("{name}:"));
            for item in &block.items {
                let line = self.pen.item(page.scope, item);
                let remark = match item {
                    DataItem::Bd(bd) => self
                        .remarks
                        .and_then(|r| r.transfer(page.uc, bd.remote, bd.words)),
                    DataItem::Word(word) => self.written(page.uc, &writes, at, *word),
                };
                self.remarked(line, remark);
                at += item.size();
            }
        }
    }

    fn written(&self, uc: u32, writes: &Writes, at: usize, word: Word) -> Option<String> {
        let Word::Value(value) = word else {
            return None;
        };
        let &(address, first, times) = writes.by_word.get(at / 4)?.as_ref()?;
        let remark = self.remarks?.written(uc, address, value, first)?;
        Some(match times {
            1 => remark,
            _ => format!("{remark} (and {} more)", times - 1),
        })
    }
}

/// Where the words of a page are moved to: for each word of the page the array address of the
/// first descriptor that moves it, whether it is the transfer's first word, and how many
/// descriptors move it.
#[derive(Default)]
struct Writes {
    by_word: Vec<Option<(u64, bool, u32)>>,
}

impl Writes {
    fn of(page: &LiftedPage, scope: &Scope) -> Self {
        let mut by_word = vec![None; PAGE_BYTES / 4];
        let mut places: FxHashMap<DataId, usize> = FxHashMap::default();
        let mut at = page.data_at;
        let blocks = || page.blocks.clone().map(DataId);
        for id in blocks() {
            places.insert(id, at);
            at += scope.block(id).map_or(0, |block| block.size());
        }
        let items = blocks()
            .filter_map(|id| scope.block(id))
            .flat_map(|b| &b.items);
        for item in items {
            let DataItem::Bd(bd) = item else { continue };
            let Some(&place) = places.get(&bd.local) else {
                continue;
            };
            for word in 0..bd.words as usize {
                let Some(slot) = by_word.get_mut(place / 4 + word) else {
                    break;
                };
                let first = (bd.remote + 4 * word as u64, word == 0, 0);
                slot.get_or_insert(first).2 += 1;
            }
        }
        Self { by_word }
    }
}

/// A remark as other assemblers read it: one line, and no `@` that they would take for a label.
fn plain(remark: &str) -> String {
    remark
        .chars()
        .map(|c| if c.is_control() || c == '@' { '_' } else { c })
        .collect()
}
