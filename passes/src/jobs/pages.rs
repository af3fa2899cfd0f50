//! Packs the operations of a controller into pages.
//!
//! Pages are filled in program order, each as far as it goes: a page is closed when the next
//! operation doesn't fit. Long blocks are cut there; a descriptor's image never is. Operations are
//! taken at the size of their dearest form here, and the form is chosen afterwards, so that a page
//! can come out emptier than it was packed: `docs/src/jobs.md` states the bound that the tests
//! hold. Data are counted once for a page, however many users they have there.

use aiec_aie::ir::Loc;
use aiec_cert::bd::UC_BD_BYTES;
use aiec_cert::isa::{Barrier, Op, SymOp};
use aiec_cert::page::{END_JOB_BYTES, PAGE_BYTES, START_JOB_BYTES, page_bytes};
use aiec_cert::program::DataId;
use aiec_device::DeviceModel;
use rustc_hash::FxHashSet;

use super::encode::{PATCHED_WORDS, WAIT_FOR_CHAIN, in_run, instructions, patch, start_chain};
use crate::analysis::transfer::WORD_BYTES;
use crate::regops::{RegAction, RegOp};

/// Blocks of fewer words are never cut, so that no BD is half written between two pages.
const MIN_CUT_WORDS: usize = 64;

/// Steps of a controller, in order.
#[derive(Clone, Debug)]
pub enum PageItem {
    /// An operation of a node.
    Op {
        /// The operation.
        op: RegOp,
        /// Its node.
        node: usize,
    },
    /// A remote barrier.
    Meet {
        /// Its number.
        id: u8,
        /// Controllers that meet, a bit each.
        parties: u32,
        /// Of the operation it is before.
        loc: Loc,
    },
}

impl PageItem {
    /// The instruction of a meeting of controllers.
    pub const fn remote_barrier(id: u8, parties: u32) -> SymOp {
        Op::RemoteBarrier {
            barrier: Barrier::remote(id),
            party_mask: parties,
        }
    }
}

/// Where a node's operations go.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The lane: operations of one lane become one job.
    pub lane: u64,
    /// Operations of different kinds are never in one run.
    pub kind: u8,
    /// Whether it may be a chain of its own that runs beside the job.
    pub may_be_apart: bool,
}

/// Bytes of the text of a chain in its dearest form.
const CHAIN_TEXT: usize = start_chain(DataId(0)).size() + WAIT_FOR_CHAIN.size();

/// Fills pages.
pub struct Pager<'a> {
    model: &'static DeviceModel,
    of: &'a dyn Fn(usize) -> Placement,
    pages: Vec<Vec<PageItem>>,
    page: Vec<PageItem>,
    text: usize,
    data: usize,
    /// The run that the last operation is part of: lane and kind.
    run: Option<(u64, u8)>,
    lanes: FxHashSet<u64>,
    here: FxHashSet<Vec<u32>>,
}

impl<'a> Pager<'a> {
    /// An empty pager; `of` returns where a node's operations go.
    pub fn new(model: &'static DeviceModel, of: &'a dyn Fn(usize) -> Placement) -> Pager<'a> {
        Pager {
            model,
            of,
            pages: Vec::new(),
            page: Vec::new(),
            text: 0,
            data: 0,
            run: None,
            lanes: FxHashSet::default(),
            here: FxHashSet::default(),
        }
    }

    /// Pages of steps that fit.
    pub fn pack(mut self, steps: Vec<PageItem>) -> Vec<Vec<PageItem>> {
        for step in steps {
            match step {
                PageItem::Op {
                    op:
                        RegOp {
                            action: RegAction::Block { address, words },
                            loc,
                        },
                    node,
                } => self.block(address, words, loc, node),
                step => {
                    let (text, data) = self.bytes(&step);
                    if !self.fits(text, data) {
                        self.close();
                    }
                    self.push(step);
                }
            }
        }
        self.close();
        self.pages
    }

    fn fits(&self, text: usize, data: usize) -> bool {
        page_bytes(self.text + text, self.data + data) <= PAGE_BYTES
    }

    fn close(&mut self) {
        if !self.page.is_empty() {
            self.pages.push(std::mem::take(&mut self.page));
        }
        (self.text, self.data, self.run) = (0, 0, None);
        self.lanes.clear();
        self.here.clear();
    }

    /// Bytes that a step adds to the page: those of its dearest form.
    fn bytes(&self, step: &PageItem) -> (usize, usize) {
        let (op, node) = match step {
            PageItem::Op { op, node } => (op, node),
            PageItem::Meet { id, parties, .. } => {
                return (
                    PageItem::remote_barrier(*id, *parties).size() + self.job(0),
                    0,
                );
            }
        };
        let place = (self.of)(*node);
        let (text, data) = match &op.action {
            RegAction::Write { value, .. } => (self.run(place), self.words(&[*value])),
            RegAction::Block { words, .. } => (self.run(place), self.words(words)),
            RegAction::PatchedBd { words, .. } => {
                let words = words.len().max(PATCHED_WORDS);
                let text = self.run(place) + patch(DataId(0), 0).size();
                (text, UC_BD_BYTES + words * WORD_BYTES as usize)
            }
            _ => {
                // Only operations with instructions come here.
                let ops = instructions(self.model, &op.action).unwrap_or_default();
                (ops.iter().map(SymOp::size).sum(), 0)
            }
        };
        let apart = if place.may_be_apart { CHAIN_TEXT } else { 0 };
        (text + apart + self.job(place.lane), data)
    }

    /// Start and end of a lane's job, if it is the first of its lane here.
    fn job(&self, lane: u64) -> usize {
        if self.lanes.contains(&lane) {
            0
        } else {
            START_JOB_BYTES + END_JOB_BYTES
        }
    }

    /// Text of a run's chain, if one begins.
    fn run(&self, place: Placement) -> usize {
        if self.run == Some((place.lane, place.kind)) {
            0
        } else {
            CHAIN_TEXT
        }
    }

    fn words(&self, words: &[u32]) -> usize {
        if self.here.contains(words) {
            UC_BD_BYTES
        } else {
            UC_BD_BYTES + words.len() * WORD_BYTES as usize
        }
    }

    fn push(&mut self, step: PageItem) {
        let (text, data) = self.bytes(&step);
        self.text += text;
        self.data += data;
        let lane = match &step {
            PageItem::Op { op, node } => {
                let place = (self.of)(*node);
                self.run = in_run(op).then_some((place.lane, place.kind));
                match &op.action {
                    RegAction::Write { value, .. } => drop(self.here.insert(vec![*value])),
                    RegAction::Block { words, .. } => drop(self.here.insert(words.clone())),
                    _ => {}
                }
                place.lane
            }
            PageItem::Meet { .. } => {
                self.run = None;
                0
            }
        };
        self.lanes.insert(lane);
        self.page.push(step);
    }

    /// Writes consecutive words, on as many pages as it takes.
    fn block(&mut self, mut address: u32, mut words: Vec<u32>, loc: Loc, node: usize) {
        while !words.is_empty() {
            let op = RegOp::block(address, words, loc);
            let step = PageItem::Op { op, node };
            let (text, data) = self.bytes(&step);
            if self.fits(text, data) {
                self.push(step);
                return;
            }
            let PageItem::Op {
                op:
                    RegOp {
                        action: RegAction::Block { words: all, .. },
                        ..
                    },
                ..
            } = step
            else {
                return;
            };
            words = all;
            let used = page_bytes(self.text + text, self.data + UC_BD_BYTES);
            let room = PAGE_BYTES.saturating_sub(used) / WORD_BYTES as usize;
            let cut = words.len() >= MIN_CUT_WORDS && room >= MIN_CUT_WORDS;
            if cut || self.page.is_empty() {
                let rest = words.split_off(room.clamp(1, words.len()));
                let len = words.len() as u32 * WORD_BYTES as u32;
                let op = RegOp::block(address, std::mem::replace(&mut words, rest), loc);
                self.push(PageItem::Op { op, node });
                address = address.wrapping_add(len);
            } else {
                self.close();
            }
        }
    }
}
