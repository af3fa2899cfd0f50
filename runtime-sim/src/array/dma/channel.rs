//! One DMA channel: its task queue and the state machine that runs tasks.
//!
//! A task runs a chain of BDs, `repeat` times; each BD is loaded, applies and advances its
//! iteration, acquires its lock, moves its words and releases its lock (AM020, chapter on AIE-ML
//! tile DMA; `aie-rt: driver/src/dma`). BDs belong to the tile and are read when they are loaded.
//!
//! Words move in bursts that may run ahead of the clock by
//! [`crate::array::Timing::lookahead`]; everything that others can see (locks, tokens, the next
//! BD) happens in an event at its own cycle. The memory is therefore read and written up to that
//! much early, which only a design with a data race can observe.

use std::collections::VecDeque;

use aiec_device::regmap::{BdFields, DmaCtrl};
use aiec_device::{ChannelId, DmaDir, LockId};

use super::compression::{Format, PackedStream};
use super::counts::{self, Count};
use super::target::{self, NearMemory};
use super::transfer::Transfer;
use crate::array::actor::ActorId;
use crate::array::bd::{BdBank, byte_address};
use crate::array::fault::{DmaFault, FaultKind};
use crate::array::hw_event::HwEvent;
use crate::array::lock::LockNeed;
use crate::array::pipe::PipeId;
use crate::array::stats::{ChannelCounts, ChannelStats, ChannelTimes};
use crate::array::stream_switch::Route;
use crate::array::stream_switch::packet::PacketHeader;
use crate::array::tile_context::TileContext;
use crate::array::token::Token;
use crate::array::trace_event::TraceEvent;
use crate::time::{Cycle, cycle_at, ticks};

/// An entry of the task queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub bd: u8,
    /// Runs of the chain, 1..=256.
    pub runs: u32,
    pub token: bool,
}

/// Most extra cycles of a step when latencies are random.
const JITTER: Cycle = 40;

/// State of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Idle,
    /// Out of order: waits for the header of the next packet.
    Header,
    /// The BD is in the registers of the channel at this cycle.
    Load {
        at: Cycle,
    },
    /// Waits for the grant of the lock, which is counted in the owner's bank.
    Acquire {
        lock: LockId,
        need: LockNeed,
        since: Cycle,
    },
    /// Moves words.
    Stream,
    /// All words moved; the BD ends at this cycle.
    Finish {
        at: Cycle,
    },
    /// The BD has finished, and the count FIFO has no place for its count.
    CountFifo,
    /// The task has finished, and the tile has no place for its token.
    Token,
    /// An error stopped the channel until its reset.
    Stopped,
}

/// Predecessors of a BD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BdPredecessor {
    /// Nothing: the channel was idle.
    Idle,
    /// Another task of the queue.
    Task,
    /// Another BD of the same task.
    Bd,
}

#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub id: ChannelId,
    /// S2MM: the pipe it takes from. MM2S: the pipe of its slave port.
    pub stream: PipeId,
    /// The shim mux connects the stream to this channel; always true elsewhere.
    pub connected: bool,
    pub depth: usize,
    pub control: DmaCtrl,
    pub queue: VecDeque<Task>,
    /// Sticky status bit Task_Queue_Overflow.
    pub overflow: bool,
    pub state: State,
    /// The task in progress; `runs` counts those still to begin.
    pub task: Option<Task>,
    /// Runs of its chain in all, and the words that the channel had moved when it began.
    pub(super) task_began: (u32, u64),
    /// Why it stopped.
    pub(super) fault: Option<DmaFault>,
    /// Number of the BD in progress.
    pub bd_id: u8,
    pub(super) bd: BdFields,
    pub transfer: Transfer,
    /// The compressed stream of the BD in progress, if it has one.
    pub(super) packed: Option<Box<PackedStream>>,
    pub(super) near: NearMemory,
    /// When the lock that was requested is granted.
    pub granted: Option<Cycle>,
    /// Predecessor of the next BD.
    pub(super) follows: BdPredecessor,
    /// When the registers of the BD in progress were loaded: those of the next one of its chain
    /// are loaded from then on.
    loaded_at: Cycle,
    /// The cycle after the last word of the BD before, if the one in progress was loaded meanwhile.
    prefetched: Option<Cycle>,
    route: Route,
    /// A task was begun since the last reset of the partition.
    pub started: bool,
    pub idle_since: Cycle,
    /// Value of padding words.
    pub pad_value: u32,
    /// Finish on TLAST, mode 3: counts that wait to be read.
    pub count_fifo: VecDeque<Count>,
    /// Finish on TLAST, mode 2: words of each BD of the task.
    task_counts: Vec<u32>,
    /// Totals since the last reset of the partition; the stall by the stream in ticks.
    pub counts: ChannelCounts,
    /// Cycles by cause of no movement; the stall by the stream in ticks.
    pub(super) times: ChannelTimes,
    /// Totals of the time before, if it ran a task then.
    pub(super) before: Option<ChannelStats>,
    /// Tokens sent.
    pub tokens: u64,
}

impl Channel {
    pub fn new(id: ChannelId, stream: PipeId, depth: u8, connected: bool) -> Channel {
        Channel {
            id,
            stream,
            connected,
            depth: usize::from(depth),
            control: DmaCtrl::default(),
            queue: VecDeque::new(),
            overflow: false,
            state: State::Idle,
            task: None,
            task_began: (0, 0),
            fault: None,
            bd_id: 0,
            bd: BdFields::default(),
            transfer: Transfer::new(&BdFields::default(), id),
            packed: None,
            near: NearMemory::default(),
            granted: None,
            follows: BdPredecessor::Idle,
            loaded_at: 0,
            prefetched: None,
            route: Route::default(),
            started: false,
            idle_since: 0,
            pad_value: 0,
            count_fifo: VecDeque::new(),
            task_counts: Vec::new(),
            counts: ChannelCounts::default(),
            times: ChannelTimes::default(),
            before: None,
            tokens: 0,
        }
    }

    /// The channel as an actor.
    pub fn actor(&self) -> ActorId {
        ActorId::channel(self.id)
    }

    /// It has no task.
    pub fn is_quiescent(&self) -> bool {
        self.task.is_none() && self.queue.is_empty()
    }

    /// Forgets queue and state (reset bit of the control register).
    pub fn reset(&mut self) {
        self.queue.clear();
        self.overflow = false;
        self.state = State::Idle;
        self.task = None;
        self.fault = None;
        self.packed = None;
        self.granted = None;
        self.follows = BdPredecessor::Idle;
        self.prefetched = None;
        self.count_fifo.clear();
        self.task_counts.clear();
    }

    /// The pipe whose fullness can stop this MM2S channel now.
    pub fn output(&mut self, ctx: &mut TileContext) -> PipeId {
        ctx.net.route(self.stream, &mut self.route)
    }

    /// Whether [`Channel::output`] is known, and the same for the next word.
    pub(super) fn knows_output(&self, ctx: &TileContext) -> bool {
        ctx.net.knows(&self.route)
    }

    /// Runs the channel as far as it gets at `ctx.now`.
    pub fn run(&mut self, bds: &mut BdBank, ctx: &mut TileContext) {
        if self.control.reset {
            return;
        }
        loop {
            let again = match self.state {
                State::Idle => self.begin_task(ctx),
                State::Header => self.connected && self.take_header(ctx),
                State::Load { at } => at <= ctx.now && self.load(bds, ctx),
                State::Acquire { since, .. } => match self.granted.take() {
                    Some(at) => {
                        ctx.emit(HwEvent::LockStall(self.id, false), at);
                        self.times.lock_stall += at - since;
                        self.prefetched = None;
                        self.start(at + ctx.timing.lock_acquire, ctx)
                    }
                    None => false,
                },
                State::Stream => self.connected && !self.paused() && self.stream(ctx),
                State::Finish { at } => at <= ctx.now && self.finish(ctx),
                State::CountFifo => self.keep_count(ctx),
                State::Token => self.end_task(ctx),
                State::Stopped => false,
            };
            if !again {
                return;
            }
        }
    }

    /// The pause bits of a shim channel, which stop its stream.
    pub fn paused(&self) -> bool {
        self.control.pause_memory || self.control.pause_stream
    }

    pub(super) fn later(&mut self, at: Cycle, ctx: &mut TileContext) {
        ctx.net.fabric.sched.schedule(at, ctx.me);
    }

    #[inline(never)]
    fn begin_task(&mut self, ctx: &mut TileContext) -> bool {
        let Some(task) = self.queue.pop_front() else {
            if self.follows != BdPredecessor::Idle {
                let channel = self.id;
                ctx.trace(ctx.now, || TraceEvent::ChannelIdle(channel));
            }
            self.follows = BdPredecessor::Idle;
            return false;
        };
        let start = match self.follows {
            BdPredecessor::Idle => ctx.timing.channel_start,
            _ => 0,
        };
        self.task = Some(task);
        self.task_began = (task.runs, self.words_moved());
        self.started = true;
        ctx.task_begun(self.id, self.is_out_of_order());
        ctx.emit(HwEvent::StartTask(self.id), ctx.now);
        if self.is_out_of_order() {
            self.state = State::Header;
            return true;
        }
        self.load_next(task.bd, start, ctx)
    }

    /// Packets choose its descriptors.
    pub fn is_out_of_order(&self) -> bool {
        self.control.out_of_order && self.id.dir == DmaDir::S2mm
    }

    /// TLAST ends a BD before its length.
    pub fn ends_at_tlast(&self) -> bool {
        self.control.finish_on_tlast > 0 || self.is_out_of_order()
    }

    /// Out of order: the header of the next packet names its BD.
    #[inline(never)]
    fn take_header(&mut self, ctx: &mut TileContext) -> bool {
        let fabric = &mut ctx.net.fabric;
        let Some(head) = fabric.take_word(self.stream, ctx.me, ctx.now) else {
            return false;
        };
        ctx.stamp_taken(self.stream, 1);
        self.load_next(PacketHeader::named_bd(head.word), 0, ctx)
    }

    /// Loads a BD, for which the channel has to wait (false).
    fn load_next(&mut self, bd: u8, after: Cycle, ctx: &mut TileContext) -> bool {
        self.prefetched = None;
        let at = ctx.now + after + ctx.timing.bd_load;
        self.load_at(bd, at, ctx)
    }

    /// Goes on with the next BD of the chain, which was loaded while the one before moved its words,
    /// unless those were too few.
    #[inline(never)]
    fn load_chained(&mut self, bd: u8, ctx: &mut TileContext) -> bool {
        self.prefetched = Some(cycle_at(self.transfer.next));
        let at = ctx.now.max(self.loaded_at + ctx.timing.bd_load);
        self.load_at(bd, at, ctx)
    }

    fn load_at(&mut self, bd: u8, at: Cycle, ctx: &mut TileContext) -> bool {
        self.bd_id = bd;
        let at = at + ctx.net.fabric.sched.jitter.draw(JITTER);
        self.times.overhead += at - ctx.now;
        self.state = State::Load { at };
        if at > ctx.now {
            self.later(at, ctx);
        }
        at <= ctx.now
    }

    /// Stops with a fault: nothing is to be done any more (false).
    fn stop(&mut self, fault: DmaFault, ctx: &mut TileContext) -> bool {
        self.state = State::Stopped;
        if self.id.dir == DmaDir::S2mm {
            ctx.net.fabric.unclaim(self.stream);
        }
        ctx.emit(HwEvent::DmaError(self.id), ctx.now);
        self.fault = Some(fault.clone());
        let (channel, bd) = (self.id, self.bd_id);
        ctx.fault(FaultKind::Dma { channel, bd, fault });
        false
    }

    /// Reads the BD, advances its iteration and asks for its lock.
    #[inline(never)]
    fn load(&mut self, bds: &mut BdBank, ctx: &mut TileContext) -> bool {
        let dma = ctx.dma_model();
        let usable = dma.is_some_and(|dma| dma.bd_usable(self.id.index, self.bd_id));
        let Some(bd) = usable.then(|| bds.load(self.bd_id)).flatten() else {
            return self.stop(DmaFault::BdUnavailable, ctx);
        };
        self.bd = bd;
        if !self.bd.valid {
            return self.stop(DmaFault::BdInvalid, ctx);
        }
        self.transfer = Transfer::new(&self.bd, self.id);
        let is_packed = self.bd.compression && self.control.compression;
        let format = Format::of(ctx.device.arch());
        self.packed = is_packed.then(|| Box::new(PackedStream::new(format)));
        self.loaded_at = ctx.now;
        if self.id.dir == DmaDir::S2mm {
            // How many compressed words it takes shows only when it has taken them.
            let words = self
                .packed
                .as_ref()
                .map_or(self.bd.length, |packed| packed.most_taken(self.bd.length));
            let to_last = self.ends_at_tlast();
            ctx.net.fabric.claim(self.stream, words, to_last, ctx.now);
        }
        let (channel, bd) = (self.id, self.bd_id);
        let address = byte_address(&self.bd);
        ctx.trace(ctx.now, || TraceEvent::BdLoaded {
            channel,
            bd,
            address,
        });
        match self.bd.acquire() {
            None => self.start(ctx.now, ctx),
            Some((lock, operand)) => self.acquire(lock, operand.into(), ctx),
        }
    }

    #[inline(never)]
    fn acquire(&mut self, lock: u8, operand: i32, ctx: &mut TileContext) -> bool {
        let Some(id) = target::lock(ctx, self.id.index, lock) else {
            return self.stop(DmaFault::LockUnavailable { lock }, ctx);
        };
        let need = LockNeed::from_operand(operand);
        let (me, now) = (ctx.me, ctx.now);
        ctx.trace_request(id, need);
        let locks = ctx.locks_of(id.tile);
        match locks.acquire(id.index.into(), me, need, now) {
            Some(grant) => {
                ctx.locks_granted(id, &[grant]);
                ctx.emit_acquired(id, need, grant.at);
                self.times.lock_stall += grant.at - ctx.now;
                // The lock of a BD that was loaded ahead is asked for between two words.
                let acquire = match self.prefetched {
                    Some(_) => 0,
                    None => ctx.timing.lock_acquire,
                };
                self.start(grant.at + acquire, ctx)
            }
            None => {
                ctx.emit(HwEvent::LockStall(self.id, true), ctx.now);
                let (lock, since) = (id, ctx.now);
                self.state = State::Acquire { lock, need, since };
                false
            }
        }
    }

    /// The lock is held from `at` on: words may move (true).
    #[inline(never)]
    fn start(&mut self, at: Cycle, ctx: &mut TileContext) -> bool {
        let switched = self.prefetched.take();
        let latency = match (ctx.kind.is_shim(), self.id.dir) {
            _ if self.bd.length == 0 => 0,
            (true, dir) => match self.follows {
                BdPredecessor::Idle => ctx.timing.host_first.get(dir),
                BdPredecessor::Task => ctx.timing.host_next.get(dir),
                // Requests of a chain are issued ahead of its data.
                BdPredecessor::Bd => 0,
            },
            // Its first words were read ahead.
            (false, DmaDir::Mm2s) if switched.is_some() => 0,
            (false, DmaDir::Mm2s) => ctx.timing.memory_read,
            (false, DmaDir::S2mm) => 0,
        };
        let at = match switched {
            Some(end) => at.max(end + ctx.timing.bd_switch),
            None => at,
        };
        let latency = latency + ctx.net.fabric.sched.jitter.draw(JITTER);
        self.follows = BdPredecessor::Bd;
        self.times.overhead += at + latency - ctx.now;
        self.transfer.next = ticks(at + latency);
        self.state = State::Stream;
        let (channel, bd) = (self.id, self.bd_id);
        ctx.trace(at + latency, || TraceEvent::BdStarted { channel, bd });
        true
    }

    fn stream(&mut self, ctx: &mut TileContext) -> bool {
        let result = match (&self.packed, self.id.dir) {
            (None, DmaDir::Mm2s) => self.send(ctx),
            (None, DmaDir::S2mm) => self.take(ctx),
            (Some(_), _) => self.stream_packed(ctx),
        };
        match result {
            Err(fault) => self.stop(fault, ctx),
            Ok(()) if self.is_done() && self.is_too_long() => self.stop(DmaFault::NoTlast, ctx),
            Ok(()) if self.is_done() => {
                // The BD finishes in the cycle after its last word.
                let lock = self.bd.release();
                let release = lock.map_or(0, |_| ctx.timing.lock_release);
                let at = cycle_at(self.transfer.next).max(ctx.now) + release;
                self.times.overhead += release;
                self.state = State::Finish { at };
                self.later(at, ctx);
                at <= ctx.now
            }
            Ok(()) => false,
        }
    }

    /// All words of the BD have moved, in the stream too.
    fn is_done(&self) -> bool {
        let packed = self.packed.as_ref();
        self.transfer.is_done() && packed.is_none_or(|packed| packed.is_between_units())
    }

    /// The BD is full, but the packet goes on, in a mode in which a BD ends with its packet.
    fn is_too_long(&self) -> bool {
        let counted = self.control.finish_on_tlast > 1 || self.is_out_of_order();
        let ends_open = self.bd.length > 0 && !self.transfer.tlast;
        self.id.dir == DmaDir::S2mm && counted && ends_open
    }

    /// The BD has finished: releases its lock and continues with the chain, the repeats, the queue.
    #[inline(never)]
    fn finish(&mut self, ctx: &mut TileContext) -> bool {
        self.counts.bds += 1;
        ctx.words_done();
        if self.id.dir == DmaDir::S2mm && (self.transfer.cut || self.packed.is_some()) {
            ctx.net.fabric.unclaim(self.stream);
        }
        if let Some((lock, change)) = self.bd.release() {
            let Some(id) = target::lock(ctx, self.id.index, lock) else {
                return self.stop(DmaFault::LockUnavailable { lock }, ctx);
            };
            ctx.release(id, change.into());
        }
        let (channel, bd, words) = (self.id, self.bd_id, self.moved());
        ctx.trace(ctx.now, || TraceEvent::BdFinished { channel, bd, words });
        ctx.emit(HwEvent::FinishedBd(self.id), ctx.now);
        match self.control.finish_on_tlast {
            2 if self.id.dir == DmaDir::S2mm => self.task_counts.push(self.moved()),
            3 if self.id.dir == DmaDir::S2mm => {
                self.state = State::CountFifo;
                return self.keep_count(ctx);
            }
            _ => {}
        }
        self.advance_chain(ctx)
    }

    /// Words of memory that the BD has moved.
    pub fn moved(&self) -> u32 {
        self.bd.length.saturating_sub(self.transfer.left())
    }

    /// Finish on TLAST, mode 3: the count of the BD waits to be read.
    fn keep_count(&mut self, ctx: &mut TileContext) -> bool {
        if self.count_fifo.len() >= counts::DEPTH {
            return false;
        }
        let (bd, words) = (self.bd_id, self.moved());
        let last = self.bd.next().is_none() && self.task.is_none_or(|task| task.runs <= 1);
        self.count_fifo.push_back(Count { bd, words, last });
        self.advance_chain(ctx)
    }

    /// After a BD: the chain, the repeats, the queue.
    fn advance_chain(&mut self, ctx: &mut TileContext) -> bool {
        let out_of_order = self.is_out_of_order();
        if let Some(next) = self.bd.next().filter(|_| !out_of_order) {
            return self.load_chained(next, ctx);
        }
        let Some(task) = &mut self.task else {
            return false;
        };
        task.runs = task.runs.saturating_sub(1);
        let task = *task;
        if task.runs > 0 && out_of_order {
            self.state = State::Header;
            return true;
        }
        if task.runs > 0 {
            return self.load_next(task.bd, ctx.timing.bd_repeat, ctx);
        }
        self.counts.tasks += 1;
        ctx.emit(HwEvent::FinishedTask(self.id), ctx.now);
        self.state = State::Token;
        self.end_task(ctx)
    }

    /// Sends the token of the finished task, if it has one and there is a place for it.
    #[inline(never)]
    fn end_task(&mut self, ctx: &mut TileContext) -> bool {
        if self.task.is_some_and(|task| task.token) && !self.issue_token(ctx) {
            return false;
        }
        self.task = None;
        self.follows = BdPredecessor::Task;
        self.state = State::Idle;
        self.idle_since = ctx.now;
        true
    }

    /// False if there is no place for the token.
    fn issue_token(&mut self, ctx: &mut TileContext) -> bool {
        let arch = ctx.device.arch();
        let Some(actor) = arch.actor_id(ctx.kind, self.id.dir, self.id.index) else {
            return true;
        };
        let counts = std::mem::take(&mut self.task_counts);
        let token = Token {
            tile: ctx.loc,
            actor,
            controller: self.control.controller_id,
            at: ctx.now,
            routed: false,
            counts,
        };
        match ctx.send_token(token) {
            Ok(()) => {
                self.tokens += 1;
                let channel = self.id;
                ctx.token_stamped(channel, actor);
                ctx.trace(ctx.now, || TraceEvent::TokenSent { channel, actor });
                true
            }
            Err(token) => {
                self.task_counts = token.counts;
                false
            }
        }
    }
}
