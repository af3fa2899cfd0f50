//! The vendor's debug record: which line of the source each instruction comes from, as JSON in
//! the section `.dump` (aiebu: src/cpp/encoder, XRT reads it to show where code is).
//!
//! Only assembled programs have one: every instruction needs a source line.

use std::fmt::Write;

use aiec_diag::FileId;
use rustc_hash::FxHashMap;

use crate::asm::{Annotation, Assembled};
use crate::bd::UC_BD_BYTES;
use crate::image::{Image, PageImage};
use crate::isa::RawOp;
use crate::page::{DATA_ALIGN, EOF_BYTES, HEADER_BYTES, PAGE_BYTES};
use crate::program::SourceLoc;

/// Name of the main file in the record.
const MAIN_FILE: &str = "default";

/// Level of detail of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Instructions.
    Text,
    /// Instructions, descriptors and words.
    Full,
}

/// The record of an assembled text: one entry for each instruction, by controller and page, and
/// for each item of data if wanted.
pub fn record(assembled: &Assembled, image: &Image, detail: Detail) -> String {
    let mut record = Record {
        out: String::from("{\"debug\":["),
        assembled,
        annotations: assembled.annotations.iter().map(|a| (a.at, a)).collect(),
        number: 0,
    };
    for uc in &image.ucs {
        for (page, code) in uc.pages.iter().enumerate() {
            let page = Page {
                uc: uc.uc,
                number: page,
                file: code
                    .jobs
                    .last()
                    .and_then(|job| job.source)
                    .or(code.eof)
                    .map_or(assembled.first_file.0, |source| source.file),
            };
            record.text(page, code);
            if detail == Detail::Full {
                record.data(page, code);
            }
        }
    }
    record.out.push_str("]}");
    record.out
}

struct Record<'a> {
    out: String,
    assembled: &'a Assembled,
    annotations: FxHashMap<SourceLoc, &'a Annotation>,
    /// Entries so far.
    number: usize,
}

/// A page of the record.
#[derive(Clone, Copy)]
struct Page {
    uc: u32,
    number: usize,
    /// File of the last job, to which the vendor's assembler counts what follows.
    file: u32,
}

/// An entry of the record.
struct Entry {
    /// Byte offset in the page.
    at: usize,
    size: usize,
    line: u32,
    /// File that it is counted to.
    file: u32,
    operation: String,
    /// Where it comes from; filler comes from nowhere.
    source: Option<SourceLoc>,
}

impl Record<'_> {
    fn text(&mut self, page: Page, code: &PageImage) {
        let starts = code.jobs.iter().filter_map(|j| Some((j.at, j.source?)));
        let insts = code.lines.iter().map(|l| (l.at, l.source));
        let mut places: Vec<(usize, SourceLoc)> = starts
            .chain(insts)
            .map(|(at, source)| (usize::from(at), source))
            .collect();
        let mut end = HEADER_BYTES;
        for job in &code.jobs {
            // the size in the start instruction leads after END_JOB
            let at = usize::from(job.at);
            if let Ok((op, _)) = RawOp::decode(&code.text, at)
                && let Some((_, _, size)) = op.job_start()
            {
                end = at + usize::from(size);
                let last = RawOp::EndJob {}.size();
                places.extend(job.end.map(|source| (end - last, source)));
            }
        }
        places.sort_by_key(|&(at, _)| at);
        let files = places.iter().map(|(_, source)| source.file);
        let files: Vec<u32> = files.chain([page.file]).collect();
        places.extend(code.eof.map(|source| (end, source)));
        for ((at, source), file) in places.into_iter().zip(files) {
            let size = RawOp::decode(&code.text, at).map_or(0, |(_, size)| size);
            let operation = self.operation(source);
            let line = source.line;
            self.entry(
                page,
                &Entry {
                    at,
                    size,
                    line,
                    file,
                    operation,
                    source: Some(source),
                },
            );
        }
        if !code.data.is_empty() {
            // the vendor's assembler counts from EOF's position instead of its end
            let size = end.next_multiple_of(DATA_ALIGN) - end;
            self.entry(
                page,
                &Entry {
                    at: end + EOF_BYTES,
                    size,
                    line: 0,
                    file: page.file,
                    operation: format!(".align {DATA_ALIGN}"),
                    source: None,
                },
            );
        }
    }

    /// The items of a block are the next lines after its label that hold such operations.
    fn data(&mut self, page: Page, code: &PageImage) {
        for block in &code.blocks {
            let mut at = usize::from(block.at);
            let mut items = Vec::new();
            let file = self.assembled.sources.file(FileId(block.source.file));
            let behind = file.and_then(|file| {
                let start = file.offset(block.source.line as usize + 1, 1)?;
                file.text.get(start as usize..)
            });
            let numbered = behind.unwrap_or("").lines().zip(block.source.line + 1..);
            for (line, number) in numbered {
                let word = line.split_whitespace().next().unwrap_or_default();
                let size = match word.to_ascii_lowercase().as_str() {
                    ".long" => size_of::<u32>(),
                    "uc_dma_bd" => UC_BD_BYTES,
                    _ => continue,
                };
                let source = SourceLoc {
                    line: number,
                    ..block.source
                };
                items.push(Entry {
                    at,
                    size,
                    line: number,
                    file: page.file,
                    operation: self.operation(source),
                    source: Some(source),
                });
                at += size;
                if items.len() == usize::from(block.items) {
                    break;
                }
            }
            for item in items {
                self.entry(page, &item);
            }
        }
    }

    fn entry(&mut self, page: Page, entry: &Entry) {
        let &Entry {
            at,
            size,
            line,
            file,
            ref operation,
            source,
        } = entry;
        let Page { uc, number, .. } = page;
        if self.number > 0 {
            self.out.push(',');
        }
        self.number += 1;
        let file = self.file_name(file);
        // writing to a string cannot fail
        let _ = write!(
            self.out,
            "{{\"sno\":{},\"operation\":{},\"opcode_size\":{size},\"column\":{uc},\
             \"page_index\":{number},\"page_offset\":{},\"line\":{},\"file\":{}",
            self.number,
            quoted(operation),
            number * PAGE_BYTES + at,
            line,
            quoted(file)
        );
        if let Some(annotation) = source.and_then(|at| self.annotations.get(&at)) {
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

    /// A file as the line that includes it calls it.
    fn file_name(&self, file: u32) -> &str {
        let Assembled {
            sources,
            included,
            first_file,
            ..
        } = self.assembled;
        let source = sources.file(FileId(file));
        let Some(source) = source.filter(|_| file != first_file.0) else {
            return MAIN_FILE;
        };
        let written = included.get(&FileId(file)).and_then(|line| {
            let text = &sources.file(line.file)?.text;
            text.get(line.start as usize..line.end as usize)
        });
        // programs that PREEMPT runs have names of their own
        let written = written.filter(|name| source.name.ends_with(name));
        written.unwrap_or(&source.name)
    }

    /// The operation in lower case, with one blank after its word.
    fn operation(&self, source: SourceLoc) -> String {
        let file = self.assembled.sources.file(FileId(source.file));
        let line = file.map_or("", |file| file.line_text(source.line as usize).trim());
        let line = line.to_ascii_lowercase();
        match line.split_once([' ', '\t']) {
            Some((word, rest)) => format!("{word} {}", rest.trim_start()),
            None => line,
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
