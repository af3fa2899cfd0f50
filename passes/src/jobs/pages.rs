//! Packs the operations of a controller into pages.
//!
//! Pages are filled in program order, each as far as it goes: a page is closed when the next
//! operation doesn't fit. Long blocks are cut there; a descriptor's image never is. Operations are
//! taken at the size of their dearest form here, and the form is chosen afterwards, so that a page
//! can come out emptier than it was packed: `docs/src/jobs.md` states the bound that the tests
//! hold. Data are counted once for a page, however many users they have there.

use aiec_aie::ir::Loc;
use rustc_hash::FxHashSet;

use super::size;
use crate::analysis::register_ops::{RegAction, RegOp};
use crate::analysis::transfer::WORD_BYTES;

/// Blocks of fewer words are never cut, so that no BD is half written between two pages.
const MIN_CUT_WORDS: usize = 64;

/// What a controller does, in order.
#[derive(Clone, Debug)]
pub enum Step {
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
        /// Of the operation it stands before.
        loc: Loc,
    },
}

/// Where a node's operations go.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The lane: operations of one lane become one job.
    pub lane: u64,
    /// Operations of different kinds are never in one run.
    pub kind: u8,
    /// Bytes of text that it takes beside its operations.
    pub extra: usize,
}

/// Fills pages.
pub struct Pager<'a> {
    of: &'a dyn Fn(usize) -> Place,
    pages: Vec<Vec<Step>>,
    page: Vec<Step>,
    text: usize,
    data: usize,
    /// The run that the last operation is part of: lane and kind.
    run: Option<(u64, u8)>,
    lanes: FxHashSet<u64>,
    here: FxHashSet<Vec<u32>>,
}

impl<'a> Pager<'a> {
    /// An empty pager; `of` tells of nodes.
    pub fn new(of: &'a dyn Fn(usize) -> Place) -> Pager<'a> {
        Pager {
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
    pub fn pack(mut self, steps: Vec<Step>) -> Vec<Vec<Step>> {
        for step in steps {
            match step {
                Step::Op {
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
        size::page_bytes(self.text + text, self.data + data) <= size::PAGE
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
    fn bytes(&self, step: &Step) -> (usize, usize) {
        let Step::Op { op, node } = step else {
            return (size::REMOTE_BARRIER + self.job(0), 0);
        };
        let place = (self.of)(*node);
        let (text, data) = match &op.action {
            RegAction::Write { value, .. } => (self.run(place), self.words(&[*value])),
            RegAction::Block { words, .. } => (self.run(place), self.words(words)),
            RegAction::PatchedBd { words, .. } => {
                let words = words.len().max(size::PATCHED_WORDS);
                let text = self.run(place) + size::APPLY_OFFSET_57;
                (text, size::UC_DMA_BD + words * size::WORD)
            }
            RegAction::Mask { .. } => (size::MASK_WRITE_32, 0),
            RegAction::Copy { .. } => (size::COPY, 0),
            RegAction::Poll { .. } => (size::MASK_POLL_32, 0),
            RegAction::Wait { .. } => (size::WAIT_TCTS, 0),
        };
        (text + place.extra + self.job(place.lane), data)
    }

    /// Start and end of a lane's job, if it is the first of its lane here.
    fn job(&self, lane: u64) -> usize {
        match self.lanes.contains(&lane) {
            true => 0,
            false => size::START_JOB + size::END_JOB,
        }
    }

    /// Text of a run's chain, if one begins.
    fn run(&self, place: Place) -> usize {
        match self.run == Some((place.lane, place.kind)) {
            true => 0,
            false => size::UC_DMA_WRITE_DES + size::WAIT_UC_DMA,
        }
    }

    fn words(&self, words: &[u32]) -> usize {
        match self.here.contains(words) {
            true => size::UC_DMA_BD,
            false => size::UC_DMA_BD + words.len() * size::WORD,
        }
    }

    fn push(&mut self, step: Step) {
        let (text, data) = self.bytes(&step);
        self.text += text;
        self.data += data;
        let lane = match &step {
            Step::Op { op, node } => {
                let place = (self.of)(*node);
                self.run = super::encode::in_run(op).then_some((place.lane, place.kind));
                match &op.action {
                    RegAction::Write { value, .. } => drop(self.here.insert(vec![*value])),
                    RegAction::Block { words, .. } => drop(self.here.insert(words.clone())),
                    _ => {}
                }
                place.lane
            }
            Step::Meet { .. } => {
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
            let step = Step::Op { op, node };
            let (text, data) = self.bytes(&step);
            if self.fits(text, data) {
                self.push(step);
                return;
            }
            let Step::Op {
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
            let used = size::page_bytes(self.text + text, self.data + size::UC_DMA_BD);
            let room = size::PAGE.saturating_sub(used) / size::WORD;
            let cut = words.len() >= MIN_CUT_WORDS && room >= MIN_CUT_WORDS;
            if cut || self.page.is_empty() {
                let rest = words.split_off(room.clamp(1, words.len()));
                let len = words.len() as u32 * WORD_BYTES as u32;
                let op = RegOp::block(address, std::mem::replace(&mut words, rest), loc);
                self.push(Step::Op { op, node });
                address = address.wrapping_add(len);
            } else {
                self.close();
            }
        }
    }
}
