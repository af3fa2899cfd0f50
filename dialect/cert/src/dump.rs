//! The vendor's debug record: which line of the source each instruction comes from, as JSON in
//! the section `.dump` (aiebu: src/cpp/encoder, XRT reads it to show where code stands).
//!
//! Only assembled programs have one: every instruction needs a source line.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::asm::{Annotation, Assembled};
use crate::image::{Image, PageImage};
use crate::isa::RawOp;
use crate::page::HEADER_BYTES;
use crate::program::SourceLoc;

/// What the record calls the main file.
const MAIN_FILE: &str = "default";

/// The record of an assembled text: one entry for each instruction, by controller and page.
pub fn record(assembled: &Assembled, image: &Image) -> String {
    let mut record = Record {
        out: String::from("{\"debug\":["),
        assembled,
        lines: assembled
            .sources
            .iter()
            .map(|s| s.text.split('\n').collect())
            .collect(),
        annotations: assembled.annotations.iter().map(|a| (a.at, a)).collect(),
        number: 0,
    };
    for uc in &image.ucs {
        for (page, code) in uc.pages.iter().enumerate() {
            record.page(uc.uc, page, code);
        }
    }
    record.out.push_str("]}");
    record.out
}

struct Record<'a> {
    out: String,
    assembled: &'a Assembled,
    /// Lines of each file.
    lines: Vec<Vec<&'a str>>,
    annotations: FxHashMap<SourceLoc, &'a Annotation>,
    /// Entries so far.
    number: usize,
}

impl Record<'_> {
    fn page(&mut self, uc: u32, page: usize, code: &PageImage) {
        let starts = code.jobs.iter().filter_map(|j| Some((j.at, j.source?)));
        let insts = code.lines.iter().map(|l| (l.at, l.source));
        let mut places: Vec<(usize, SourceLoc)> = starts
            .chain(insts)
            .map(|(at, source)| (usize::from(at), source))
            .collect();
        let mut end = HEADER_BYTES;
        for job in &code.jobs {
            // the size in the start instruction leads behind END_JOB
            let at = usize::from(job.at);
            if let Ok((op, _)) = RawOp::decode(&code.text, at)
                && let Some(size) = op.job_size()
            {
                end = at + usize::from(size);
                let last = RawOp::EndJob {}.size();
                places.extend(job.end.map(|source| (end - last, source)));
            }
        }
        places.extend(code.eof.map(|source| (end, source)));
        places.sort_by_key(|&(at, _)| at);
        for (at, source) in places {
            let size = RawOp::decode(&code.text, at).map_or(0, |(_, size)| size);
            self.entry(uc, page, at, size, source);
        }
    }

    fn entry(&mut self, uc: u32, page: usize, at: usize, size: usize, source: SourceLoc) {
        if self.number > 0 {
            self.out.push(',');
        }
        self.number += 1;
        let operation = self.operation(source);
        let file = match source.file {
            0 => MAIN_FILE,
            file => self
                .assembled
                .sources
                .get(file as usize)
                .map_or(MAIN_FILE, |s| &s.name),
        };
        // writing to a string cannot fail
        let _ = write!(
            self.out,
            "{{\"sno\":{},\"operation\":{},\"opcode_size\":{size},\"column\":{uc},\
             \"page_index\":{page},\"page_offset\":{at},\"line\":{},\"file\":{}",
            self.number,
            quoted(&operation),
            source.line,
            quoted(file)
        );
        if let Some(annotation) = self.annotations.get(&source) {
            let _ = write!(
                self.out,
                ",\"annotation\":{{\"id\":{},\"name\":{},\"description\":{}}}",
                quoted(&annotation.id),
                quoted(&annotation.name),
                quoted(&annotation.description)
            );
        }
        self.out.push('}');
    }

    /// The operation as written, its word in lower case and one blank behind it.
    fn operation(&self, source: SourceLoc) -> String {
        let line = self
            .lines
            .get(source.file as usize)
            .and_then(|lines| lines.get((source.line as usize).checked_sub(1)?))
            .map_or("", |line| line.trim());
        match line.split_once([' ', '\t']) {
            Some((word, rest)) => format!("{} {}", word.to_ascii_lowercase(), rest.trim_start()),
            None => line.to_ascii_lowercase(),
        }
    }
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
