//! From operations to instructions: the cheapest form by the table of costs.
//!
//! A run of register writes becomes one chain of the uC-DMA, in order, with one descriptor for
//! neighbouring registers, or single writes if they are few. Where the order of a run is free and
//! the controller may overlap, the uC-DMA and the controller share the work.

use aiec_aie::ir::Loc;
use aiec_cert::bd::{UC_BD_BYTES, UcDmaBd};
use aiec_cert::isa::{ADDRESS_IS_IMMEDIATE, ArgOffset, Op, Reg, SymOp};
use aiec_cert::names::{ActorId, TileId};
use aiec_cert::patch::PatchKind;
use aiec_cert::program::DataId;
use aiec_device::{ChannelId, DeviceModel};
use rustc_hash::FxHashSet;

use super::cost::{self, TIMING};
use super::plan::{DataContent, Plan, PlanData};
use crate::analysis::transfer::WORD_BYTES;
use crate::regops::{RegAction, RegOp, Unsupported};

/// Register that keeps the handle of a chain that runs beside its job; private to the job, which
/// has one such chain at a time.
const HANDLE: Reg = Reg(0);

/// Register that a word passes which is read and written; private to the job too.
const COPY_REGISTER: Reg = Reg(1);

/// Words of a shim BD image that APPLY_OFFSET_57 reads and writes, whatever the image's BD uses of
/// them.
pub const PATCHED_WORDS: usize = PatchKind::ShimBd57.words();

/// Waits for the chain that was started last.
pub const WAIT_FOR_CHAIN: SymOp = Op::WaitUcDma {
    wait_handle: HANDLE,
};

/// Starts a chain that runs beside its job, until [`WAIT_FOR_CHAIN`].
pub const fn start_chain(descriptor: DataId) -> SymOp {
    Op::UcDmaWriteDes {
        wait_handle: HANDLE,
        descriptor,
    }
}

/// Adds the address of a host argument, at most [`ArgOffset::MAX_INDEX`], to an image.
pub const fn patch(table: DataId, argument: u32) -> SymOp {
    Op::ApplyOffset57 {
        table,
        num_entries: 1,
        offset: ArgOffset::argument(argument as u16),
    }
}

/// Longest block that is joined from shorter ones: no more data than the descriptor that it saves,
/// as the shorter ones may be on the page already.
const JOINED_WORDS: usize = UC_BD_BYTES / WORD_BYTES as usize;

/// A write, as the uC-DMA does it.
struct UcDmaWrite {
    address: u32,
    words: Vec<u32>,
    argument: Option<u32>,
    loc: Loc,
}

impl UcDmaWrite {
    fn of(op: RegOp) -> Option<UcDmaWrite> {
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
        Some(UcDmaWrite {
            address,
            words,
            argument,
            loc: op.loc,
        })
    }

    fn is_single(&self) -> bool {
        self.words.len() == 1 && self.argument.is_none()
    }

    fn write(&self) -> SymOp {
        Op::Write32 {
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
pub struct JobBuilder<'p> {
    /// The plan that holds the data.
    pub plan: &'p mut Plan,
    /// The instructions.
    pub list: Vec<(SymOp, Loc)>,
}

impl JobBuilder<'_> {
    /// A run in order.
    pub fn run(&mut self, ops: Vec<RegOp>) {
        let sent = join(ops);
        if sent.iter().all(UcDmaWrite::is_single) && cost::writes_are_cheaper(sent.len()) {
            self.list.extend(sent.iter().map(|s| (s.write(), s.loc)));
            return;
        }
        self.send(sent);
    }

    /// Sends words off and waits until they are written.
    fn send(&mut self, sent: Vec<UcDmaWrite>) {
        if let Some(first) = sent.first().map(|s| s.loc) {
            let descriptor = self.chain(sent, first);
            self.list
                .push((Op::UcDmaWriteDesSync { descriptor }, first));
        }
    }

    /// A run in any order except for what isn't `free` and registers that are written more than once
    /// (task queues), which keep theirs: the uC-DMA and the controller work at the same time.
    pub fn shared_run(&mut self, ops: Vec<RegOp>, free: &dyn Fn(u32) -> bool) {
        let sent = join(ops);
        let mut seen = FxHashSet::default();
        let repeated = sent.iter().map(|s| s.address).filter(|a| !seen.insert(*a));
        let repeated: FxHashSet<u32> = repeated.collect();
        let free = |address: u32| free(address) && !repeated.contains(&address);
        let descriptors = sent.iter().map(|s| TIMING.descriptor(s.words.len() as u64));
        let mut dma = cost::CHAIN + descriptors.sum::<u64>();
        let mut controller = 0;
        let mut mine = Vec::new();
        let mut others = Vec::new();
        for sent in sent.into_iter().rev() {
            let single = sent.is_single() && free(sent.address);
            let write = cost::cycles(&sent.write());
            if single && controller + write + TIMING.descriptor(1) <= dma {
                controller += write;
                dma -= TIMING.descriptor(1);
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
            self.send(others);
            return;
        }
        self.start(others);
        self.list.extend(mine.iter().map(|s| (s.write(), s.loc)));
        self.wait_for_chain(first);
    }

    /// Starts a run that goes on beside what follows, until [`JobBuilder::wait_for_chain`].
    pub fn start_run(&mut self, ops: Vec<RegOp>) {
        self.start(join(ops));
    }

    fn start(&mut self, sent: Vec<UcDmaWrite>) {
        let Some(first) = sent.first().map(|s| s.loc) else {
            return;
        };
        let descriptor = self.chain(sent, first);
        self.list.push((start_chain(descriptor), first));
    }

    /// Waits for the chain that was started last.
    pub fn wait_for_chain(&mut self, loc: Loc) {
        self.list.push((WAIT_FOR_CHAIN, loc));
    }

    /// The descriptors of a run; patches come in front.
    fn chain(&mut self, sent: Vec<UcDmaWrite>, loc: Loc) -> DataId {
        let mut chain = Vec::with_capacity(sent.len());
        for mut sent in sent {
            let count = sent.words.len();
            let patched = sent.argument.is_some();
            if patched {
                // The patch reaches word 8, which the BDs of the NPUs don't have.
                sent.words.resize(count.max(PATCHED_WORDS), 0);
            }
            let data = self.plan.add_words(&sent.words, patched, sent.loc);
            if let Some(argument) = sent.argument {
                self.list.push((patch(data, argument), sent.loc));
            }
            chain.push(UcDmaBd::write(sent.address, data, count as u32));
        }
        self.plan.add(PlanData {
            name: String::new(),
            content: DataContent::Chain(chain),
            loc,
        })
    }

    /// An instruction that isn't a part of a run.
    pub fn push(&mut self, op: SymOp, loc: Loc) {
        if let Op::WaitTcts {
            tile,
            actor,
            target_tcts: more,
        } = op
            && let Some((
                Op::WaitTcts {
                    tile: t,
                    actor: a,
                    target_tcts: tokens,
                },
                _,
            )) = self.list.last_mut()
            && (*t, *a) == (tile, actor)
            && let Some(sum) = tokens.checked_add(more)
        {
            // Tokens of an actor that follow one another are one wait.
            *tokens = sum;
            return;
        }
        self.list.push((op, loc));
    }
}

/// Joins writes to consecutive addresses that follow one another.
fn join(ops: Vec<RegOp>) -> Vec<UcDmaWrite> {
    let mut out: Vec<UcDmaWrite> = Vec::with_capacity(ops.len());
    for sent in ops.into_iter().filter_map(UcDmaWrite::of) {
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

/// The instructions of an operation by itself, outside a run.
///
/// # Errors
/// The operation has none: it needs data beside the code ([`JobBuilder::run`]), an address field or a
/// section to save state, or no tile has its channel.
pub fn instructions(model: &DeviceModel, action: &RegAction) -> Result<Vec<SymOp>, Unsupported> {
    Ok(match *action {
        RegAction::Write { address, value } => vec![Op::Write32 { address, value }],
        RegAction::Mask {
            address,
            mask,
            value,
        } => {
            vec![Op::MaskWrite32 {
                address,
                mask,
                value,
            }]
        }
        RegAction::Poll {
            address,
            mask,
            value,
        } => vec![Op::MaskPoll32 {
            address,
            mask,
            value,
        }],
        RegAction::Copy { from, add, to } => copy(from, add, to),
        RegAction::Wait { .. } | RegAction::Sync { .. } => {
            let wait = |(channel, tokens): (ChannelId, u8)| {
                let ChannelId { tile, dir, index } = channel;
                let kind = model.tile_kind(tile);
                let actor = kind.and_then(|kind| model.arch().actor_id(kind, dir, index));
                Ok(Op::WaitTcts {
                    tile: TileId::new(tile.col, tile.row),
                    actor: ActorId(actor.ok_or(Unsupported::Channel(channel))?),
                    target_tcts: tokens,
                })
            };
            action.awaited().map(wait).collect::<Result<_, _>>()?
        }
        RegAction::Block { .. } | RegAction::PatchedBd { .. } => return Err(Unsupported::Data),
        RegAction::Patch { .. } => return Err(Unsupported::HostAddress),
        RegAction::Read { .. } => return Err(Unsupported::Read),
        RegAction::Preempt { .. } => return Err(Unsupported::Preemption),
        RegAction::CreateScratchpad { .. } | RegAction::UpdateFromScratchpad { .. } => {
            return Err(Unsupported::Scratchpad);
        }
    })
}

/// A word is read, changed and written.
fn copy(from: u32, add: u32, to: u32) -> Vec<SymOp> {
    let mut list = vec![Op::Read32 {
        value: COPY_REGISTER,
        address: from,
    }];
    if add != 0 {
        list.push(Op::Add {
            dest: COPY_REGISTER,
            value: add,
        });
    }
    list.push(Op::Write32D {
        flags: ADDRESS_IS_IMMEDIATE,
        address: to,
        value: COPY_REGISTER.0.into(),
    });
    list
}
