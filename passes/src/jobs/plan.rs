//! From register operations to jobs: which instructions and data each has.
//!
//! Consecutive addresses are written together by one descriptor of the uC-DMA where that is
//! shorter, and descriptors that follow one another form one chain. A job is cut where its page
//! is full; the order of all operations is kept. Every job fits a page of its own.

use aiec_device::{DeviceModel, TileLoc};
use aiec_dialect::ir::Loc;
use rustc_hash::{FxHashMap, FxHashSet};

use super::size;
use crate::register_ops::{RegAction, RegOp};
use crate::transfer::WORD_BYTES;

/// Runs of fewer words are cheaper as single writes: a descriptor takes 16 bytes and 4 for each
/// word, a write 12.
const MIN_BLOCK_WORDS: usize = 3;

/// Blocks of fewer words are never cut, so that no BD is half written between two pages.
const MIN_CUT_WORDS: usize = 64;

/// Data of a plan, by place in [`Plan::data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataId(pub usize);

/// Words that descriptors name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataWords {
    /// The words.
    pub words: Vec<u32>,
    /// Whether the loader patches them: then no two descriptors share them.
    pub patched: bool,
    /// Where they come from.
    pub loc: Loc,
}

/// A descriptor of the uC-DMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The data.
    pub data: DataId,
    /// Where it goes.
    pub address: u32,
    /// How many words of it.
    pub words: usize,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// WRITE_32.
    Write {
        /// Where.
        address: u32,
        /// What.
        value: u32,
    },
    /// MASK_WRITE_32.
    Mask {
        /// Where.
        address: u32,
        /// Bits to change.
        mask: u32,
        /// Their new values.
        value: u32,
    },
    /// MASK_POLL_32.
    Poll {
        /// Where.
        address: u32,
        /// Bits to compare.
        mask: u32,
        /// What they must be.
        value: u32,
    },
    /// APPLY_OFFSET_57.
    Patch {
        /// The image.
        data: DataId,
        /// Argument of the sequence.
        argument: u32,
    },
    /// UC_DMA_WRITE_DES_SYNC of a chain.
    Chain(Vec<Descriptor>),
    /// WAIT_TCTS.
    Wait {
        /// The tile that sends.
        tile: TileLoc,
        /// The actor in it.
        actor: u8,
        /// How many tokens, at most [`size::MAX_TOKENS`].
        tokens: u32,
    },
}

/// A job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// Its instructions with their locations.
    pub code: Vec<(Instruction, Loc)>,
    /// Whether it configures the device, else it belongs to the runtime sequence.
    pub configures: bool,
}

/// Jobs that run one after the other, each on its own page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The jobs.
    pub jobs: Vec<Job>,
    /// Their data.
    pub data: Vec<DataWords>,
}

/// Makes jobs of register operations.
pub struct Planner {
    model: &'static DeviceModel,
    plan: Plan,
    /// Unpatched data by content.
    known: FxHashMap<Vec<u32>, DataId>,
    /// The job being filled, its sizes in bytes, and the data on its page.
    job: Job,
    text: usize,
    data: usize,
    here: FxHashSet<DataId>,
}

const EMPTY_JOB: usize = size::START_JOB + size::END_JOB;

impl Planner {
    /// A planner for a device.
    pub fn new(model: &'static DeviceModel) -> Planner {
        Planner {
            model,
            plan: Plan::default(),
            known: FxHashMap::default(),
            job: Job::default(),
            text: EMPTY_JOB,
            data: 0,
            here: FxHashSet::default(),
        }
    }

    /// Appends jobs that do the operations in order.
    pub fn add(&mut self, ops: Vec<RegOp>, configures: bool) {
        self.close();
        self.job.configures = configures;
        for op in coalesce(ops) {
            self.op(op);
        }
        self.close();
    }

    /// The jobs.
    pub fn finish(mut self) -> Plan {
        self.close();
        self.plan
    }

    /// Ends the job being filled, if it does anything.
    fn close(&mut self) {
        if self.job.code.is_empty() {
            return;
        }
        let next = Job {
            configures: self.job.configures,
            code: Vec::new(),
        };
        self.plan.jobs.push(std::mem::replace(&mut self.job, next));
        self.text = EMPTY_JOB;
        self.data = 0;
        self.here.clear();
    }

    fn fits(&self, text: usize, data: usize) -> bool {
        size::page_bytes(self.text + text, self.data + data) <= size::PAGE
    }

    /// Appends an instruction without data.
    fn plain(&mut self, instruction: Instruction, bytes: usize, loc: Loc) {
        if !self.fits(bytes, 0) {
            self.close();
        }
        self.text += bytes;
        self.job.code.push((instruction, loc));
    }

    fn op(&mut self, op: RegOp) {
        let loc = op.loc;
        match op.action {
            RegAction::Write { address, value } => {
                let write = Instruction::Write { address, value };
                self.plain(write, size::WRITE_32, loc);
            }
            RegAction::Mask {
                address,
                mask,
                value,
            } => {
                let write = Instruction::Mask {
                    address,
                    mask,
                    value,
                };
                self.plain(write, size::MASK_WRITE_32, loc);
            }
            RegAction::Block { address, words } => self.block(address, words, loc),
            RegAction::PatchedBd {
                address,
                words,
                argument,
            } => self.patched(address, words, argument, loc),
            RegAction::Poll {
                address,
                mask,
                value,
            } => {
                let poll = Instruction::Poll {
                    address,
                    mask,
                    value,
                };
                self.plain(poll, size::MASK_POLL_32, loc);
            }
            RegAction::Wait {
                tile,
                dir,
                channel,
                tokens,
            } => {
                let kind = self.model.tile_kind(tile);
                let actor = kind.and_then(|k| self.model.arch().actor_id(k, dir, channel));
                // Channels are checked where the wait is made.
                let Some(actor) = actor else { return };
                self.wait(tile, actor, tokens, loc);
            }
        }
    }

    /// Waits; tokens of an actor that follow one another are one wait.
    fn wait(&mut self, tile: TileLoc, actor: u8, tokens: u32, loc: Loc) {
        if let Some((
            Instruction::Wait {
                tile: t,
                actor: a,
                tokens: n,
            },
            _,
        )) = self.job.code.last_mut()
            && (*t, *a) == (tile, actor)
            && *n + tokens <= size::MAX_TOKENS
        {
            *n += tokens;
            return;
        }
        let wait = Instruction::Wait {
            tile,
            actor,
            tokens,
        };
        self.plain(wait, size::WAIT_TCTS, loc);
    }

    /// Bytes of text that one more descriptor takes: none if it joins a chain.
    fn chain_text(&self) -> usize {
        match self.job.code.last() {
            Some((Instruction::Chain(_), _)) => 0,
            _ => size::UC_DMA_WRITE_DES_SYNC,
        }
    }

    /// Writes consecutive words, on as many pages as it takes.
    fn block(&mut self, mut address: u32, mut words: Vec<u32>, loc: Loc) {
        while !words.is_empty() {
            let bytes = self.words_bytes(&words);
            if self.fits(self.chain_text(), size::UC_DMA_BD + bytes) {
                self.descriptor(address, words, loc);
                return;
            }
            let room = self.room_words();
            let cut = words.len() >= MIN_CUT_WORDS && room >= MIN_CUT_WORDS;
            if cut || self.job.code.is_empty() {
                let rest = words.split_off(room.clamp(1, words.len()));
                let len = words.len() as u32 * WORD_BYTES as u32;
                self.descriptor(address, words, loc);
                address = address.wrapping_add(len);
                words = rest;
            } else {
                self.close();
            }
        }
    }

    /// Words of data that one more descriptor could bring along.
    fn room_words(&self) -> usize {
        let used = size::page_bytes(self.text + self.chain_text(), self.data + size::UC_DMA_BD);
        size::PAGE.saturating_sub(used) / size::WORD
    }

    /// Bytes that data adds to the page.
    fn words_bytes(&self, words: &[u32]) -> usize {
        match self.known.get(words) {
            Some(id) if self.here.contains(id) => 0,
            _ => words.len() * size::WORD,
        }
    }

    /// Appends a descriptor that fits.
    fn descriptor(&mut self, address: u32, words: Vec<u32>, loc: Loc) {
        self.data += size::UC_DMA_BD + self.words_bytes(&words);
        let count = words.len();
        let data = match self.known.get(&words) {
            Some(id) => *id,
            None => {
                let id = self.new_data(words.clone(), false, loc);
                self.known.insert(words, id);
                id
            }
        };
        self.here.insert(data);
        let descriptor = Descriptor {
            data,
            address,
            words: count,
        };
        self.chain(descriptor, loc);
    }

    fn chain(&mut self, descriptor: Descriptor, loc: Loc) {
        self.text += self.chain_text();
        match self.job.code.last_mut() {
            Some((Instruction::Chain(chain), _)) => chain.push(descriptor),
            _ => {
                let chain = Instruction::Chain(vec![descriptor]);
                self.job.code.push((chain, loc));
            }
        }
    }

    fn new_data(&mut self, words: Vec<u32>, patched: bool, loc: Loc) -> DataId {
        let data = DataWords {
            words,
            patched,
            loc,
        };
        self.plan.data.push(data);
        DataId(self.plan.data.len() - 1)
    }

    /// Writes a BD from an image of its own, patched before it is written.
    fn patched(&mut self, address: u32, mut words: Vec<u32>, argument: u32, loc: Loc) {
        let count = words.len();
        // The patch reaches word 8, which the BDs of the NPUs don't have.
        words.resize(count.max(size::PATCHED_WORDS), 0);
        let text = size::APPLY_OFFSET_57 + self.chain_text();
        let data = size::UC_DMA_BD + words.len() * size::WORD;
        if !self.fits(text, data) {
            self.close();
        }
        self.data += data;
        self.text += size::APPLY_OFFSET_57;
        let data = self.new_data(words, true, loc);
        self.here.insert(data);
        // In front of the chain that it joins.
        let at = match self.job.code.last() {
            Some((Instruction::Chain(_), _)) => self.job.code.len() - 1,
            _ => self.job.code.len(),
        };
        let patch = Instruction::Patch { data, argument };
        self.job.code.insert(at, (patch, loc));
        let descriptor = Descriptor {
            data,
            address,
            words: count,
        };
        self.chain(descriptor, loc);
    }
}

/// Joins writes to consecutive addresses that follow one another, and takes short blocks apart.
fn coalesce(ops: Vec<RegOp>) -> Vec<RegOp> {
    let mut out: Vec<RegOp> = Vec::with_capacity(ops.len());
    let mut run: Option<(u32, Vec<u32>, Vec<Loc>)> = None;
    for op in ops {
        let (address, words) = match op.action {
            RegAction::Write { address, value } => (address, vec![value]),
            RegAction::Block { address, words } => (address, words),
            action => {
                flush(&mut run, &mut out);
                out.push(RegOp { action, ..op });
                continue;
            }
        };
        let end = |(start, words, _): &(u32, Vec<u32>, Vec<Loc>)| {
            start.wrapping_add(words.len() as u32 * WORD_BYTES as u32)
        };
        if run.as_ref().is_none_or(|run| end(run) != address) {
            flush(&mut run, &mut out);
        }
        let (_, all, locs) = run.get_or_insert_with(|| (address, Vec::new(), Vec::new()));
        locs.resize(locs.len() + words.len(), op.loc);
        all.extend(words);
    }
    flush(&mut run, &mut out);
    out
}

fn flush(run: &mut Option<(u32, Vec<u32>, Vec<Loc>)>, out: &mut Vec<RegOp>) {
    let Some((address, words, locs)) = run.take() else {
        return;
    };
    if words.len() >= MIN_BLOCK_WORDS {
        let loc = locs.first().copied().unwrap_or(Loc::UNKNOWN);
        out.push(RegOp::block(address, words, loc));
        return;
    }
    for (n, (value, loc)) in words.into_iter().zip(locs).enumerate() {
        let address = address.wrapping_add(n as u32 * WORD_BYTES as u32);
        out.push(RegOp::write(address, value, loc));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_device::DmaDir;

    fn planner() -> Planner {
        Planner::new(DeviceModel::by_name("npu2").unwrap())
    }

    fn write(address: u32, value: u32) -> RegOp {
        RegOp::write(address, value, Loc::UNKNOWN)
    }

    /// Executes a plan on a memory of words; patches are noted.
    fn execute(plan: &Plan) -> Vec<(u32, u32)> {
        let mut writes = Vec::new();
        for job in &plan.jobs {
            for (instruction, _) in &job.code {
                match instruction {
                    Instruction::Write { address, value } => writes.push((*address, *value)),
                    Instruction::Chain(chain) => {
                        for bd in chain {
                            let words = plan.data[bd.data.0].words.iter().take(bd.words);
                            for (n, word) in words.enumerate() {
                                writes.push((bd.address + 4 * n as u32, *word));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        writes
    }

    /// The size of a job's page, counted anew.
    fn page_of(plan: &Plan, job: &Job) -> usize {
        let mut text = EMPTY_JOB;
        let mut data = 0;
        let mut seen = FxHashSet::default();
        for (instruction, _) in &job.code {
            match instruction {
                Instruction::Write { .. } => text += size::WRITE_32,
                Instruction::Mask { .. } => text += size::MASK_WRITE_32,
                Instruction::Poll { .. } => text += size::MASK_POLL_32,
                Instruction::Patch { .. } => text += size::APPLY_OFFSET_57,
                Instruction::Wait { .. } => text += size::WAIT_TCTS,
                Instruction::Chain(chain) => {
                    text += size::UC_DMA_WRITE_DES_SYNC;
                    for bd in chain {
                        data += size::UC_DMA_BD;
                        if seen.insert(bd.data) {
                            data += plan.data[bd.data.0].words.len() * size::WORD;
                        }
                    }
                }
            }
        }
        size::page_bytes(text, data)
    }

    #[test]
    fn thousands_of_writes_keep_their_order_and_fit_their_pages() {
        let mut ops = Vec::new();
        for n in 0..4000u32 {
            ops.push(write(n * 16, n));
        }
        for n in 0..300u32 {
            ops.push(RegOp::block(0x10_0000 + n * 0x40, vec![n; 8], Loc::UNKNOWN));
        }
        ops.push(RegOp::block(0x20_0000, (0..9000).collect(), Loc::UNKNOWN));
        let mut planner = planner();
        planner.add(ops.clone(), true);
        let plan = planner.finish();
        assert!(plan.jobs.len() > 5);
        for job in &plan.jobs {
            assert!(page_of(&plan, job) <= size::PAGE);
        }
        let expected: Vec<(u32, u32)> = ops
            .iter()
            .flat_map(|op| match &op.action {
                RegAction::Write { address, value } => vec![(*address, *value)],
                RegAction::Block { address, words } => {
                    let place = |n: usize| address + 4 * n as u32;
                    let words = words.iter().enumerate();
                    words.map(|(n, w)| (place(n), *w)).collect()
                }
                _ => Vec::new(),
            })
            .collect();
        assert_eq!(execute(&plan), expected);
    }

    #[test]
    fn short_runs_are_writes_and_longer_ones_descriptors() {
        let mut planner = planner();
        planner.add(
            vec![
                write(0, 1),
                write(4, 2),
                write(100, 3),
                write(104, 4),
                write(108, 5),
            ],
            true,
        );
        let code = &planner.finish().jobs[0].code;
        assert_eq!(code.len(), 3);
        assert!(matches!(&code[2].0, Instruction::Chain(c) if c[0].words == 3));
    }

    #[test]
    fn patched_images_are_never_shared_and_patched_before_they_are_written() {
        let patched = |address, argument| RegOp {
            action: RegAction::PatchedBd {
                address,
                words: vec![7; 8],
                argument,
            },
            loc: Loc::UNKNOWN,
        };
        let mut planner = planner();
        planner.add(vec![patched(0x1D000, 0), patched(0x1D020, 1)], false);
        let plan = planner.finish();
        let code = &plan.jobs[0].code;
        assert!(matches!(
            code[0].0,
            Instruction::Patch {
                argument: 0,
                data: DataId(0)
            }
        ));
        assert!(matches!(
            code[1].0,
            Instruction::Patch {
                argument: 1,
                data: DataId(1)
            }
        ));
        let Instruction::Chain(chain) = &code[2].0 else {
            panic!("no chain");
        };
        assert_eq!((chain[0].data, chain[1].data), (DataId(0), DataId(1)));
        assert_eq!(chain[0].words, 8);
        assert_eq!(plan.data[0].words.len(), size::PATCHED_WORDS);
    }

    #[test]
    fn waits_for_one_actor_join() {
        let wait =
            |channel| RegOp::wait(TileLoc::new(0, 0), DmaDir::S2mm, channel, 1, Loc::UNKNOWN);
        let mut planner = planner();
        planner.add(vec![wait(0), wait(0), wait(1)], false);
        let code = &planner.finish().jobs[0].code;
        assert!(matches!(
            code[0].0,
            Instruction::Wait {
                tokens: 2,
                actor: 0,
                ..
            }
        ));
        assert!(matches!(
            code[1].0,
            Instruction::Wait {
                tokens: 1,
                actor: 1,
                ..
            }
        ));
    }
}
