//! Listing of a disassembled instance: its pages with offsets, line by line.

use rustc_hash::FxHashMap;

use super::lift::LiftedPage;
use crate::isa::SymOp;
use crate::page::{END_JOB_BYTES, HEADER_BYTES, PAGE_BYTES, START_JOB_BYTES};
use crate::print::{GroupPrinter, scope_name};
use crate::program::{
    BodyItem, DataId, DataItem, Group, Job, JobKind, Program, Scope, ScopeId, Word,
};

/// Remarks about code by an implementation that knows the array.
pub trait Remarks {
    /// Effect of an instruction of a controller.
    fn inst(&self, uc: u32, op: &SymOp) -> Option<String>;

    /// Effect of a descriptor that moves `words` words to an array address.
    fn transfer(&self, uc: u32, address: u64, words: u32) -> Option<String>;

    /// Effect of a word that a descriptor moves to an array address; `first` is true for the first
    /// word of the transfer.
    fn written(&self, uc: u32, address: u64, value: u32, first: bool) -> Option<String>;

    /// The source line of the job or instruction at a byte offset of a page.
    fn source(&self, uc: u32, page: u32, at: usize) -> Option<String>;
}

/// A page. Offsets are bytes from the page's begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPage {
    /// Controller.
    pub uc: u32,
    /// Page number.
    pub page: u32,
    /// Scope it belongs to.
    pub scope: ScopeId,
    /// Its name in the text.
    pub scope_name: String,
    /// Its region in the scope.
    pub region: usize,
    /// Why it is kept as words, if it is; then it has no jobs and no data.
    pub raw: Option<String>,
    /// Jobs in page order.
    pub jobs: Vec<ListedJob>,
    /// Data blocks in page order.
    pub blocks: Vec<ListedBlock>,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedJob {
    /// Offset of its start instruction.
    pub at: usize,
    /// Bytes through END_JOB.
    pub bytes: usize,
    /// Number.
    pub id: u16,
    /// Its start condition.
    pub kind: JobKind,
    /// The line that begins it.
    pub line: String,
    /// Source, if it is known.
    pub source: Option<String>,
    /// The part between start and end.
    pub items: Vec<ListedItem>,
}

/// An instruction, or a word that doesn't decode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedItem {
    /// Offset.
    pub at: usize,
    /// Size in bytes.
    pub bytes: usize,
    /// The instruction; `None` for a word.
    pub op: Option<SymOp>,
    /// The line of text.
    pub line: String,
    /// Its effect, if it is known.
    pub remark: Option<String>,
    /// Source, if it is known.
    pub source: Option<String>,
}

impl ListedItem {
    /// The operands as written.
    pub fn operands(&self) -> impl Iterator<Item = &str> {
        let operands = self
            .line
            .trim()
            .split_once(' ')
            .map_or("", |(_, rest)| rest);
        operands.split(',').map(str::trim).filter(|o| !o.is_empty())
    }
}

/// A data block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedBlock {
    /// Offset.
    pub at: usize,
    /// Its label.
    pub label: String,
    /// Its contents.
    pub items: Vec<ListedData>,
}

/// A descriptor or a word of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedData {
    /// Offset.
    pub at: usize,
    /// The descriptor or word.
    pub item: DataItem,
    /// The label of its payload, if it is a descriptor.
    pub payload: Option<String>,
    /// The line of text.
    pub line: String,
    /// Its effect, if it is known.
    pub remark: Option<String>,
}

/// Lists the pages of a program.
pub(super) fn list(
    program: &Program,
    pages: &[LiftedPage],
    remarks: Option<&dyn Remarks>,
) -> Vec<ListedPage> {
    let mut listed = Vec::new();
    let mut rest = pages;
    for group in &program.groups {
        let count = rest.iter().take_while(|page| page.uc == group.uc).count();
        let (pages, others) = rest.split_at(count);
        rest = others;
        let mut out = String::new();
        let lister = Lister {
            pen: GroupPrinter::new(program, group, &mut out),
            group,
            remarks,
        };
        listed.extend(pages.iter().map(|page| lister.page(page)));
    }
    listed
}

struct Lister<'a> {
    pen: GroupPrinter<'a>,
    group: &'a Group,
    remarks: Option<&'a dyn Remarks>,
}

impl Lister<'_> {
    fn page(&self, page: &LiftedPage) -> ListedPage {
        let mut listed = ListedPage {
            uc: page.uc,
            page: page.page,
            scope: page.scope,
            scope_name: scope_name(self.group, page.scope),
            region: page.region,
            raw: page.raw.clone(),
            jobs: Vec::new(),
            blocks: Vec::new(),
        };
        let Some(scope) = self.group.scope(page.scope) else {
            return listed;
        };
        let jobs = scope.regions.get(page.region).map_or(&[][..], |r| &r.jobs);
        let mut at = HEADER_BYTES;
        let mut seen: FxHashMap<u16, usize> = FxHashMap::default();
        for job in jobs {
            let times = seen.entry(job.id).or_default();
            let line = self.pen.job_start(job, *times);
            *times += 1;
            let job = self.job(page, job, at, line);
            at += job.bytes;
            listed.jobs.push(job);
        }
        listed.blocks = self.blocks(page, scope);
        listed
    }

    fn job(&self, page: &LiftedPage, job: &Job, start: usize, line: String) -> ListedJob {
        let source = |at| self.remarks.and_then(|r| r.source(page.uc, page.page, at));
        let mut items = Vec::with_capacity(job.body.len());
        let mut at = start + START_JOB_BYTES;
        for item in &job.body {
            let (op, bytes, line, remark) = match item {
                BodyItem::Inst(inst) => {
                    let remark = self.remarks.and_then(|r| r.inst(page.uc, &inst.op));
                    let line = self.pen.inst(page.scope, inst);
                    (Some(inst.op), inst.op.size(), line, remark)
                }
                BodyItem::Word(word) => {
                    let line = self.pen.word_line(page.scope, *word);
                    (None, 4, line, Some("not an instruction".to_owned()))
                }
                // never lifted
                BodyItem::Align(_) => continue,
            };
            items.push(ListedItem {
                at,
                bytes,
                op,
                line,
                remark,
                source: source(at),
            });
            at += bytes;
        }
        ListedJob {
            at: start,
            bytes: at + END_JOB_BYTES - start,
            id: job.id,
            kind: job.kind,
            line,
            source: source(start),
            items,
        }
    }

    fn blocks(&self, page: &LiftedPage, scope: &Scope) -> Vec<ListedBlock> {
        let writes = match self.remarks {
            Some(_) => Writes::of(page, scope),
            None => Writes::default(),
        };
        let mut at = page.data_at;
        let mut blocks = Vec::new();
        for id in page.blocks.clone().map(DataId) {
            let Some(block) = scope.block(id) else {
                continue;
            };
            let begin = at;
            let mut items = Vec::with_capacity(block.items.len());
            for item in &block.items {
                let (payload, remark) = match item {
                    DataItem::Bd(bd) => (
                        Some(self.pen.block_name(page.scope, bd.local).to_owned()),
                        self.remarks
                            .and_then(|r| r.transfer(page.uc, bd.remote, bd.words)),
                    ),
                    DataItem::Word(word) => (None, self.written(page.uc, &writes, at, *word)),
                };
                items.push(ListedData {
                    at,
                    item: item.clone(),
                    payload,
                    line: self.pen.item(page.scope, item),
                    remark,
                });
                at += item.size();
            }
            blocks.push(ListedBlock {
                at: begin,
                label: self.pen.block_name(page.scope, id).to_owned(),
                items,
            });
        }
        blocks
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
        let blocks = blocks().filter_map(|id| scope.block(id));
        for item in blocks.flat_map(|block| &block.items) {
            let DataItem::Bd(bd) = item else { continue };
            let Some(&place) = places.get(&bd.local) else {
                continue;
            };
            for word in 0..bd.words as usize {
                let Some(slot) = by_word.get_mut(place / 4 + word) else {
                    break;
                };
                let first = (bd.remote.wrapping_add(4 * word as u64), word == 0, 0);
                slot.get_or_insert(first).2 += 1;
            }
        }
        Self { by_word }
    }
}
