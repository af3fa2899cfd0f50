//! From operations to instructions: the cheapest form by the table of costs.
//!
//! A run of register writes becomes one chain of the uC-DMA, in order, with one descriptor for
//! neighbouring registers, or single writes if they are few. Where the order of a run is free and
//! the controller may overlap, the uC-DMA and the controller share the work.

use aiec_aie::ir::Loc;
use aiec_device::DeviceModel;
use rustc_hash::FxHashSet;

use super::cost;
use super::plan::{Descriptor, Instruction, Plan};
use super::size;
use crate::analysis::register_ops::{RegAction, RegOp};
use crate::analysis::transfer::WORD_BYTES;

/// Register that keeps the handle of a chain that runs beside its job; private to the job, which
/// has one such chain at a time.
const HANDLE: u8 = 0;

/// Longest block that is joined from shorter ones: no more data than the descriptor that it saves,
/// as the shorter ones may be on the page already.
const JOINED_WORDS: usize = size::UC_DMA_BD / size::WORD;

/// A write, as the uC-DMA does it.
struct Sent {
    address: u32,
    words: Vec<u32>,
    argument: Option<u32>,
    loc: Loc,
}

impl Sent {
    fn of(op: RegOp) -> Option<Sent> {
        let (address, words, argument) = match op.action {
            RegAction::Write { address, value } => (address, vec![value], None),
            RegAction::Block { address, words } => (address, words, None),
            RegAction::PatchedBd {
                address,
                words,
                argument,
            } => (address, words, Some(argument)),
            _ => return None,
        };
        Some(Sent {
            address,
            words,
            argument,
            loc: op.loc,
        })
    }

    fn is_single(&self) -> bool {
        self.words.len() == 1 && self.argument.is_none()
    }

    fn write(&self) -> Instruction {
        Instruction::Write {
            address: self.address,
            value: self.words.first().copied().unwrap_or(0),
        }
    }
}

/// Whether an operation is part of a run.
pub fn in_run(op: &RegOp) -> bool {
    matches!(
        op.action,
        RegAction::Write { .. } | RegAction::Block { .. } | RegAction::PatchedBd { .. }
    )
}

/// Instructions of a job as they are made.
pub struct Code<'p> {
    /// The plan that holds the data.
    pub plan: &'p mut Plan,
    /// The instructions.
    pub list: Vec<(Instruction, Loc)>,
}

impl Code<'_> {
    /// A run in order.
    pub fn run(&mut self, ops: Vec<RegOp>) {
        let sent = join(ops);
        if sent.iter().all(Sent::is_single) && cost::writes_are_cheaper(sent.len()) {
            self.list.extend(sent.iter().map(|s| (s.write(), s.loc)));
            return;
        }
        if let Some(first) = sent.first().map(|s| s.loc) {
            let chain = self.chain(sent);
            self.list.push((Instruction::Chain(chain), first));
        }
    }

    /// A run in any order but for what isn't `free` and registers that are written more than once
    /// (task queues), which keep theirs: the uC-DMA and the controller work at the same time.
    pub fn shared_run(&mut self, ops: Vec<RegOp>, free: &dyn Fn(u32) -> bool) {
        let sent = join(ops);
        let by_dma = |sent: &[Sent]| -> u64 {
            let words = sent.iter().map(|s| cost::descriptor(s.words.len()));
            cost::CHAIN + words.sum::<u64>()
        };
        let mut seen = FxHashSet::default();
        let repeated = sent.iter().map(|s| s.address).filter(|a| !seen.insert(*a));
        let repeated: FxHashSet<u32> = repeated.collect();
        let free = |address: u32| free(address) && !repeated.contains(&address);
        let mut dma = by_dma(&sent);
        let mut controller = 0;
        let mut mine = Vec::new();
        let mut others = Vec::new();
        for sent in sent.into_iter().rev() {
            let single = sent.is_single() && free(sent.address);
            if single && controller + cost::write() + cost::descriptor(1) <= dma {
                controller += cost::write();
                dma -= cost::descriptor(1);
                mine.push(sent);
            } else {
                others.push(sent);
            }
        }
        others.reverse();
        mine.reverse();
        let Some(first) = others.first().map(|s| s.loc) else {
            self.list.extend(mine.iter().map(|s| (s.write(), s.loc)));
            return;
        };
        if mine.is_empty() {
            let chain = self.chain(others);
            self.list.push((Instruction::Chain(chain), first));
            return;
        }
        self.start(others);
        self.list.extend(mine.iter().map(|s| (s.write(), s.loc)));
        self.wait_for_chain(first);
    }

    /// Starts a run that goes on beside what follows, until [`Code::wait_for_chain`].
    pub fn start_run(&mut self, ops: Vec<RegOp>) {
        self.start(join(ops));
    }

    fn start(&mut self, sent: Vec<Sent>) {
        let Some(first) = sent.first().map(|s| s.loc) else {
            return;
        };
        let chain = self.chain(sent);
        let handle = HANDLE;
        self.list
            .push((Instruction::StartChain { handle, chain }, first));
    }

    /// Waits for the chain that was started last.
    pub fn wait_for_chain(&mut self, loc: Loc) {
        self.list
            .push((Instruction::WaitChain { handle: HANDLE }, loc));
    }

    /// The descriptors of a run; patches come in front.
    fn chain(&mut self, sent: Vec<Sent>) -> Vec<Descriptor> {
        let mut chain = Vec::with_capacity(sent.len());
        for mut sent in sent {
            let count = sent.words.len();
            let patched = sent.argument.is_some();
            if patched {
                // The patch reaches word 8, which the BDs of the NPUs don't have.
                sent.words.resize(count.max(size::PATCHED_WORDS), 0);
            }
            let data = self.plan.data(&sent.words, patched, sent.loc);
            if let Some(argument) = sent.argument {
                self.list
                    .push((Instruction::Patch { data, argument }, sent.loc));
            }
            chain.push(Descriptor {
                data,
                address: sent.address,
                words: count,
            });
        }
        chain
    }

    /// An operation that is no part of a run.
    pub fn plain(&mut self, instruction: Instruction, loc: Loc) {
        if let Instruction::Wait {
            tile,
            actor,
            tokens,
        } = instruction
            && let Some((
                Instruction::Wait {
                    tile: t,
                    actor: a,
                    tokens: n,
                },
                _,
            )) = self.list.last_mut()
            && (*t, *a) == (tile, actor)
            && *n + tokens <= size::MAX_TOKENS
        {
            // Tokens of an actor that follow one another are one wait.
            *n += tokens;
            return;
        }
        self.list.push((instruction, loc));
    }
}

/// Joins writes to consecutive addresses that follow one another.
fn join(ops: Vec<RegOp>) -> Vec<Sent> {
    let mut out: Vec<Sent> = Vec::with_capacity(ops.len());
    for sent in ops.into_iter().filter_map(Sent::of) {
        if let Some(last) = out.last_mut()
            && last.argument.is_none()
            && sent.argument.is_none()
            && last
                .address
                .wrapping_add(last.words.len() as u32 * WORD_BYTES as u32)
                == sent.address
            && last.words.len() + sent.words.len() <= JOINED_WORDS
        {
            last.words.extend(sent.words);
        } else {
            out.push(sent);
        }
    }
    out
}

/// An operation that is no part of a run.
pub fn instruction(model: &DeviceModel, op: &RegOp) -> Option<Instruction> {
    Some(match op.action {
        RegAction::Mask {
            address,
            mask,
            value,
        } => Instruction::Mask {
            address,
            mask,
            value,
        },
        RegAction::Copy { from, add, to } => Instruction::Copy { from, add, to },
        RegAction::Poll {
            address,
            mask,
            value,
        } => Instruction::Poll {
            address,
            mask,
            value,
        },
        RegAction::Wait {
            tile,
            dir,
            channel,
            tokens,
        } => {
            let kind = model.tile_kind(tile);
            // Channels are checked where the wait is made.
            let actor = kind.and_then(|k| model.arch().actor_id(k, dir, channel))?;
            Instruction::Wait {
                tile,
                actor,
                tokens,
            }
        }
        _ => return None,
    })
}
