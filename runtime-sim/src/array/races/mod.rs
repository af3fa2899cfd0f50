//! Reports of the array to the race detector ([`crate::race`]): the acting threads, releases and
//! acquires, and accessed bytes.

mod acting;
mod pending_writes;

use std::collections::VecDeque;

use aiec_device::regmap::{BdFields, RegisterRef};
use aiec_device::{ChannelId, LockId, TileKind, TileLoc};
use rustc_hash::FxHashMap;

use super::Array;
use super::actor::{ActorId, ActorKind};
use super::dma::channel::Channel;
use super::lock::{Grant, LockNeed};
use crate::core::AccessLog;
use crate::race::{
    Detector, FifoEnd, Imprecision, Memory, PartName, RaceRecord, Site, Span, Stamp, StreamStamps,
    Thread, Time, Writer,
};
use crate::time::Cycle;

/// A job by its place: jobs of pages that follow one another share it, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobPlace {
    /// Index of the controller.
    pub vm: usize,
    /// Depth of its page in the stack of running pages.
    pub depth: usize,
    /// Index in its page.
    pub job: usize,
}

/// Names of threads of the race detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadName {
    /// The host.
    Host,
    /// An actor of the array.
    Actor(ActorId),
    /// A job.
    Job(JobPlace),
    /// The uC-DMA chains that a job queues.
    Chains(JobPlace),
    /// The pages of a controller (by index) at a depth, one after the other.
    Pages(usize, usize),
    /// The firmware of an NPU.
    Firmware,
}

impl ThreadName {
    /// Same for threads that often synchronise with one another: those of a column, the jobs of a controller.
    fn group(self) -> u32 {
        /// More than the columns of a device.
        const CONTROLLERS: u32 = 1 << 16;
        match self {
            ThreadName::Host | ThreadName::Firmware => 0,
            ThreadName::Actor(actor) => 1 + u32::from(actor.tile().col),
            ThreadName::Job(JobPlace { vm, .. })
            | ThreadName::Chains(JobPlace { vm, .. })
            | ThreadName::Pages(vm, _) => CONTROLLERS + vm as u32,
        }
    }
}

/// An order of the control code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlOrder {
    /// Orders the first after everything that the second has done.
    After(ThreadName, ThreadName),
    /// All earlier actions of each come before all later actions of any.
    Meet(Vec<ThreadName>),
    /// A thread has taken tokens: tile and id of the actor that sent them, and their number.
    TokensTaken(ThreadName, TileLoc, u8, u32),
    /// The firmware of an NPU has taken tokens of a channel: their number.
    ChannelTokensTaken(ChannelId, u32),
}

/// Tasks of a channel: the stamps of those not begun, and the last push.
#[derive(Clone, Debug, Default)]
struct TaskStamps {
    waiting: VecDeque<Stamp>,
    last: Option<(Thread, Time)>,
}

/// The race detector with the names of its threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Races {
    pub detector: Detector,
    /// By number of the thread.
    names: Vec<ThreadName>,
    threads: FxHashMap<ThreadName, Thread>,
    /// Those of actors, by the index of the actor.
    actors: Vec<Option<Thread>>,
    tasks: FxHashMap<ChannelId, TaskStamps>,
    /// Transfers of cascades, by the index of the receiving tile.
    transfers: FxHashMap<usize, VecDeque<Stamp>>,
    tokens: FxHashMap<ChannelId, VecDeque<Stamp>>,
    /// Channels that have sent tokens, by tile and actor id.
    senders: FxHashMap<(TileLoc, u8), ChannelId>,
    /// The current writer on the register bus; none while a job polls.
    writer: Option<Writer>,
}

/// Writes of the code that drives the array without controllers.
const HOST_WRITES: Writer = Writer {
    thread: Thread::HOST,
    site: Site(0),
};

impl Races {
    fn new() -> Races {
        Races {
            threads: [(ThreadName::Host, Thread::HOST)].into_iter().collect(),
            writer: Some(HOST_WRITES),
            ..Races::default()
        }
    }

    /// The thread with a name.
    pub fn thread(&mut self, name: ThreadName) -> Thread {
        if let Some(&thread) = self.threads.get(&name) {
            return thread;
        }
        let thread = self.detector.begin(name.group());
        if self.names.len() <= thread.index() {
            self.names.resize(thread.index() + 1, ThreadName::Host);
        }
        self.names[thread.index()] = name;
        self.threads.insert(name, thread);
        thread
    }

    /// Name of a thread.
    pub fn name(&self, thread: Thread) -> ThreadName {
        let name = self.names.get(thread.index());
        name.copied().unwrap_or(ThreadName::Host)
    }

    /// The thread of an actor.
    #[inline]
    fn actor(&mut self, actor: ActorId) -> Thread {
        match self.actors.get(actor.index()) {
            Some(Some(thread)) => *thread,
            _ => self.new_actor(actor),
        }
    }

    #[cold]
    fn new_actor(&mut self, actor: ActorId) -> Thread {
        let (index, thread) = (actor.index(), self.thread(ThreadName::Actor(actor)));
        if self.actors.len() <= index {
            self.actors.resize(index + 1, None);
        }
        self.actors[index] = Some(thread);
        thread
    }

    /// Who acts on the register bus, and at which instruction; `None` for a look at a register.
    pub fn register_writer(&self) -> Option<(ThreadName, Site)> {
        let Writer { thread, site } = self.writer?;
        Some((self.name(thread), site))
    }

    fn writer_thread(&self) -> Thread {
        self.writer.map_or(Thread::HOST, |writer| writer.thread)
    }

    /// Requests for a lock are granted, in this order.
    pub fn granted(&mut self, lock: LockId, grants: &[Grant]) {
        for grant in grants {
            let thread = self.actor(grant.who);
            let taken = units(grant.need);
            self.detector.acquire(thread, lock, taken, grant.at);
        }
    }

    /// A register write sets a lock.
    pub fn lock_set(&mut self, lock: LockId, value: u32) {
        let writer = self.writer_thread();
        self.detector.set_lock(writer, lock, value);
    }

    /// A request by the register bus has acquired a lock.
    pub fn lock_requested(&mut self, lock: LockId, need: LockNeed, at: Cycle) {
        let writer = self.writer_thread();
        self.detector.acquire(writer, lock, units(need), at);
    }

    /// A request by the register bus releases a lock.
    pub fn lock_released(&mut self, lock: LockId, change: i32, at: Cycle) {
        let writer = self.writer_thread();
        self.detector.release(writer, lock, change, at);
    }

    /// The register bus, or the control code, writes bytes of a memory.
    pub fn writes(&mut self, memory: Memory, start: u64, bytes: u64, at: Cycle) {
        if let Some(Writer { thread, site }) = self.writer {
            let span = span(memory, start, bytes);
            self.detector.write(thread, span, site, at);
        }
    }

    /// The register bus reads bytes of a memory.
    pub fn reads(&mut self, memory: Memory, start: u64, bytes: u64, at: Cycle) {
        if let Some(Writer { thread, site }) = self.writer {
            let span = span(memory, start, bytes);
            self.detector.read(thread, span, site, at);
        }
    }

    /// A task is pushed to a channel.
    pub fn task_pushed(&mut self, channel: ChannelId) {
        let writer = self.writer_thread();
        let stamp = self.detector.stamp(writer);
        let tasks = self.tasks.entry(channel).or_default();
        if let Some((thread, time)) = tasks.last.replace((stamp.thread, stamp.time))
            && !stamp.covers(thread, time)
        {
            self.detector.imprecise(Imprecision::Tasks(channel));
        }
        tasks.waiting.push_back(stamp);
    }

    /// A channel drops its tasks.
    pub fn channel_reset(&mut self, channel: ChannelId) {
        self.tasks.remove(&channel);
        let (me, writer) = (self.actor(ActorId::channel(channel)), self.writer_thread());
        self.detector.forget_balances(me);
        self.detector.join_thread(me, writer);
    }

    /// Resets the partition by the current writer: all that its parts have done comes before, and
    /// none of it goes on.
    pub fn partition_reset(&mut self) {
        let writer = self.writer_thread();
        for thread in self.detector.reset_all(writer) {
            if let ThreadName::Actor(actor) = self.name(thread)
                && let Some(part) = part_name(actor)
            {
                self.detector.imprecise(Imprecision::Reset(part));
            }
        }
        self.tasks.clear();
        self.transfers.clear();
        self.tokens.clear();
    }

    /// A register write enables a core.
    pub fn core_enabled(&mut self, tile: TileLoc) {
        let (core, writer) = (self.actor(ActorId::core(tile)), self.writer_thread());
        self.detector.join_thread(core, writer);
    }

    /// An event enables or disables a core.
    pub fn core_switched(&mut self, tile: TileLoc) {
        let core = self.actor(ActorId::core(tile));
        self.detector.imprecise(Imprecision::Event(tile));
        self.detector.join_everything(core);
    }

    /// The cascade to a tile is emptied.
    pub fn cascade_cleared(&mut self, receiver: usize) {
        self.transfers.remove(&receiver);
    }

    /// Records the accesses of a core so far; `windows` are the tiles that its windows show.
    pub fn core_accesses(
        &mut self,
        core: TileLoc,
        log: &mut AccessLog,
        windows: &[Option<TileLoc>; 4],
    ) {
        let thread = self.actor(ActorId::core(core));
        let memories = windows.map(|tile| tile.map(Memory::Tile));
        self.detector.core_accesses((thread, core), log, &memories);
    }

    /// Takes over an order of the control code.
    fn order(&mut self, order: ControlOrder) {
        match order {
            ControlOrder::After(later, earlier) => {
                let (later, earlier) = (self.thread(later), self.thread(earlier));
                self.detector.join_thread(later, earlier);
            }
            ControlOrder::Meet(names) => {
                let threads: Vec<Thread> =
                    names.into_iter().map(|name| self.thread(name)).collect();
                self.detector.join_all(&threads);
            }
            ControlOrder::ChannelTokensTaken(channel, count) => {
                self.tokens_taken(ThreadName::Firmware, channel, count);
            }
            ControlOrder::TokensTaken(name, tile, actor, count) => {
                if let Some(channel) = self.channel_of(tile, actor) {
                    self.tokens_taken(name, channel, count);
                }
            }
        }
    }

    /// The channel that sends tokens under an actor id of a tile.
    fn channel_of(&self, tile: TileLoc, actor: u8) -> Option<ChannelId> {
        self.senders.get(&(tile, actor)).copied()
    }

    fn tokens_taken(&mut self, name: ThreadName, channel: ChannelId, count: u32) {
        let thread = self.thread(name);
        let tokens = self.tokens.entry(channel).or_default();
        for stamp in tokens.drain(..tokens.len().min(count as usize)) {
            self.detector.join(thread, &stamp);
        }
    }
}

/// Role of an actor that accesses memory or takes words.
fn part_name(actor: ActorId) -> Option<PartName> {
    match actor.kind() {
        ActorKind::Channel(id) => Some(PartName::Channel(id)),
        ActorKind::Core => Some(PartName::Core(actor.tile())),
        ActorKind::ControlPort => Some(PartName::ControlPort(actor.tile())),
        _ => None,
    }
}

/// The units that an acquire takes; `None` if it waits for a value.
fn units(need: LockNeed) -> Option<u32> {
    match need {
        LockNeed::AtLeast(units) => Some(units.unsigned_abs()),
        LockNeed::Equal(_) => None,
    }
}

fn span(memory: Memory, start: u64, bytes: u64) -> Span {
    Span {
        memory,
        start,
        bytes,
    }
}

impl Array {
    /// Looks for races from now on.
    pub fn watch_races(&mut self) {
        if self.races.is_none() {
            self.races = Some(Box::new(Races::new()));
            let pipes = self.net.fabric.pipes.len();
            self.net.fabric.stamps = Some(Box::new(StreamStamps::new(pipes)));
        }
    }

    /// Watches the objects of fifos, if races are looked for.
    pub fn watch_fifos(&mut self, ends: Vec<FifoEnd>) {
        if let Some(races) = &mut self.races {
            races.detector.watch_fifos(ends);
        }
    }

    /// The races that were found.
    pub fn race_records(&self) -> impl Iterator<Item = &RaceRecord> {
        let races = self.races.iter();
        races.flat_map(|races| races.detector.races())
    }

    /// The units of a lock that the BD in progress of a channel has taken and not given.
    pub(crate) fn units_in_progress(&self, channel: ActorId) -> u64 {
        let found = channel.as_channel().and_then(|id| self.view().channel(id));
        found.map_or(0, Channel::units_in_progress)
    }

    /// A BD that a channel runs that only acquires (true) or only releases, though others of its chain do both.
    pub(crate) fn odd_descriptor(&self, channel: ActorId) -> Option<(u8, bool)> {
        let dma = &self.dma[self.grid.index(channel.tile())?];
        let channel = self.view().channel(channel.as_channel()?)?;
        let chain: Vec<_> = dma.loaded_by(channel).collect();
        let locks = |bd: &BdFields| (bd.acquire().is_some(), bd.release().is_some());
        let regular = chain.iter().any(|(_, bd)| locks(bd) == (true, true));
        let mut odd = chain.iter().filter(|(_, bd)| {
            let (acquires, releases) = locks(bd);
            acquires != releases
        });
        let (id, bd) = odd.next().filter(|_| regular)?;
        Some((*id, locks(bd).0))
    }

    /// The race detector, if races are looked for.
    pub(crate) fn races(&self) -> Option<&Races> {
        self.races.as_deref()
    }

    /// Same as [`Self::races`], to report events elsewhere.
    pub(crate) fn races_mut(&mut self) -> Option<&mut Races> {
        self.races.as_deref_mut()
    }

    /// Attributes the following accesses on the register bus to a thread, at an instruction of its
    /// page; `None` for one that no race can involve (a look at a register).
    pub(crate) fn act_as(&mut self, who: Option<(ThreadName, Site)>) {
        if let Some(races) = self.races_mut() {
            races.writer = who.map(|(name, site)| Writer {
                thread: races.thread(name),
                site,
            });
        }
    }

    /// Ends the run: the cores' accesses that were not handed on are recorded, and the host reads
    /// its memory if the run has `completed`.
    pub(crate) fn end_races(&mut self, at: Cycle, completed: bool) {
        self.record_core_accesses();
        if completed {
            self.record_pending_writes(at);
        }
        if let Some(races) = self.races_mut() {
            if let Some(&firmware) = races.threads.get(&ThreadName::Firmware) {
                races.detector.join_thread(Thread::HOST, firmware);
            }
            races.detector.end(completed.then_some(at));
        }
    }

    /// The memory tiles are saved whole, whatever the design has written to them.
    pub(crate) fn lend_mem_tiles(&mut self) {
        let Some(races) = &mut self.races else { return };
        let tiles = self.grid.tiles.iter();
        for info in tiles.filter(|info| info.kind == TileKind::Mem) {
            let bytes = info.model.memory_bytes.into();
            races.detector.lent(span(Memory::Tile(info.loc), 0, bytes));
        }
    }

    /// Records the cores' accesses that were not handed on, if races are looked for.
    pub(super) fn record_core_accesses(&mut self) {
        let Some(races) = &mut self.races else { return };
        for (tile, core) in self.cores.iter_mut().enumerate() {
            if let Some(core) = core {
                core.record_accesses(&self.grid, self.grid.loc(tile), races);
            }
        }
    }

    /// Takes over orders of the control code.
    pub(crate) fn control_orders(&mut self, orders: impl IntoIterator<Item = ControlOrder>) {
        if let Some(races) = self.races_mut() {
            orders.into_iter().for_each(|order| races.order(order));
        }
    }

    /// Orders a job after the change of the register that its poll has seen.
    pub(crate) fn poll_succeeded(&mut self, job: ThreadName, uc: u32, address: u32) {
        let Some((tile, register)) = self.device.register_at(address) else {
            return;
        };
        let Some(races) = self.races_mut() else {
            return;
        };
        let job = races.thread(job);
        races.detector.imprecise(Imprecision::Poll(uc));
        match register {
            RegisterRef::DmaStatus { dir, channel } => {
                let channel = races.actor(ActorId::channel(ChannelId::new(tile, dir, channel)));
                races.detector.join_thread(job, channel);
            }
            RegisterRef::CoreStatus => {
                let core = races.actor(ActorId::core(tile));
                races.detector.join_thread(job, core);
            }
            RegisterRef::LockValue { id } => {
                races.detector.see_lock(job, LockId::new(tile, id));
            }
            // A count, a counter, an event, a word of memory: the thread that changed it isn't
            // known.
            _ => races.detector.join_everything(job),
        }
    }

    /// A job has read the register at an address into a register of its own.
    pub(crate) fn register_read(&mut self, uc: u32, address: u32) {
        let constant = matches!(
            self.device.register_at(address),
            Some((_, RegisterRef::BdWord { .. } | RegisterRef::CoreControl))
        );
        if let Some(races) = self.races_mut().filter(|_| !constant) {
            races.detector.imprecise(Imprecision::Read(uc));
        }
    }

    /// The control code writes host memory.
    pub(crate) fn host_written(&mut self, start: u64, bytes: u64, at: Cycle) {
        if let Some(races) = self.races_mut() {
            races.writes(Memory::Host, start, bytes, at);
        }
    }
}
