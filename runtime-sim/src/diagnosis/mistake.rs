//! The likely mistake behind a deadlock, in the terms of the design: fifos, transfers, tokens,
//! locks. Rules look at the waits that explain the deadlock and at how far cores, channels and locks
//! have come.

use aiec_cert::debug::{CoreMarks, FifoUseMark};
use aiec_device::{ChannelId, LockId, TileLoc};
use aiec_diag::named_enum;

use super::classify::{Classification, DeadlockKind};
use super::job_wait::{JobWait, JobWaitReason};
use super::names::{DebugNames, source_of};
use super::wait_record::{NodeWaitReason, WaitRecord};
use crate::array::{ActorKind, ActorOrJob, Array, LockNeed, WaitReason};
use crate::cert::Machine;

named_enum! {
    /// A likely mistake, as a word.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum MistakeKind {
        /// A core acquires objects of a fifo and releases none.
        FifoNeverReleased => "fifo-never-released",
        /// A fifo has too few objects for the order in which its ends work.
        FifoTooShallow => "fifo-too-shallow",
        /// Cores wait for objects of each other's fifos before they send any.
        CircularFifos => "circular-fifos",
        /// A core that produces has ended.
        ProducerEnded => "producer-ended",
        /// A core that consumes has ended.
        ConsumerEnded => "consumer-ended",
        /// A transfer moves fewer or more words than its other end wants.
        TransferLength => "transfer-length",
        /// No transfer was started on a channel that others wait for.
        TransferMissing => "transfer-missing",
        /// The sequence waits before it starts a transfer that the wait depends on.
        WaitOrder => "wait-order",
        /// A task that is waited for sends no token.
        TokenMissing => "token-missing",
        /// More tokens are awaited than tasks send.
        ExtraWait => "extra-wait",
        /// No program releases the lock.
        LockNeverReleased => "lock-never-released",
        /// The core that releases the lock has ended.
        LockReleaserEnded => "lock-releaser-ended",
        /// The lock is released, but not to the value that is awaited.
        LockCount => "lock-count",
        /// All wait for one lock that nobody has first.
        LockInitialValue => "lock-initial-value",
        /// Locks are taken in an order in which each holds what the other wants.
        LockOrder => "lock-order",
        /// Packets of several flows share a way and block each other.
        PacketPathShared => "packet-path-shared",
        /// Words have no way to go.
        FlowMissing => "flow-missing",
        /// No rule takes a packet's id.
        PacketId => "packet-id",
        /// The ends of a cascade pass different numbers of transfers.
        CascadeCount => "cascade-count",
        /// Both ends wait for words before they send.
        StreamOrder => "stream-order",
        /// Fewer come to a barrier than it is for.
        BarrierCount => "barrier-count",
        /// Jobs come to barriers in contradictory orders.
        BarrierOrder => "barrier-order",
        /// A polled register never gets the value.
        Poll => "poll",
        /// Something is in reset or paused.
        NotRunning => "not-running",
        /// None of these.
        Other => "other",
    }
}

/// A likely mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// As a word.
    pub kind: MistakeKind,
    /// In one sentence.
    pub cause: String,
    /// What to do.
    pub help: String,
    /// `file:line:column` of the operation to change, if known.
    pub source: Option<String>,
}

/// What the rules look at.
pub(super) struct Evidence<'a> {
    pub machine: &'a Machine,
    pub array: &'a Array,
    pub names: &'a DebugNames<'a>,
    /// The waits that explain the deadlock.
    pub chain: &'a [WaitRecord],
    pub is_cycle: bool,
}

/// A wait for objects of a fifo, or for room in it.
struct FifoWait<'a> {
    fifo: String,
    /// Objects on this side.
    depth: Option<u32>,
    /// It waits for room, else for an object.
    for_room: bool,
    lock: LockId,
    wait: &'a WaitRecord,
}

type Rule = fn(&Evidence<'_>) -> Option<Mistake>;

/// The first rule that applies names the mistake.
const RULES: [Rule; 8] = [
    |evidence| evidence.other_cycle(),
    |evidence| evidence.fifo_never_released(),
    |evidence| evidence.tokens(),
    |evidence| evidence.end_has_no_task(),
    |evidence| evidence.fifo_cycle(),
    |evidence| evidence.core_has_ended(),
    |evidence| evidence.lock_cycle(),
    |evidence| evidence.lock_at_end(),
];

/// The likely mistake.
pub(super) fn find(evidence: &Evidence<'_>, classified: &Classification) -> Mistake {
    let found = RULES.iter().find_map(|rule| rule(evidence));
    found.unwrap_or_else(|| Mistake {
        kind: by_class(classified.kind),
        cause: classified.cause.clone(),
        help: classified.help.clone(),
        source: evidence.chain.last().and_then(|wait| wait.source.clone()),
    })
}

/// The mistake that a class of deadlocks stands for by itself.
fn by_class(kind: DeadlockKind) -> MistakeKind {
    match kind {
        DeadlockKind::LockCycle => MistakeKind::LockOrder,
        DeadlockKind::NeverReleasedLock => MistakeKind::LockNeverReleased,
        DeadlockKind::FifoTooShallow => MistakeKind::FifoTooShallow,
        DeadlockKind::Arbiter => MistakeKind::PacketPathShared,
        DeadlockKind::CircularWait => MistakeKind::StreamOrder,
        DeadlockKind::MissingTransfer => MistakeKind::TransferMissing,
        DeadlockKind::UnroutedStream => MistakeKind::FlowMissing,
        DeadlockKind::UnroutedPacket => MistakeKind::PacketId,
        DeadlockKind::TokenCount => MistakeKind::ExtraWait,
        DeadlockKind::BarrierOrder => MistakeKind::BarrierOrder,
        DeadlockKind::BarrierCount => MistakeKind::BarrierCount,
        DeadlockKind::Poll => MistakeKind::Poll,
        DeadlockKind::NotRunning => MistakeKind::NotRunning,
        DeadlockKind::Cascade => MistakeKind::CascadeCount,
        DeadlockKind::Other => MistakeKind::Other,
    }
}

/// `line N`, or the whole place if it isn't one.
fn line(source: &str) -> String {
    let mut parts = source.rsplit(':').skip(1);
    match parts.next().filter(|line| line.parse::<u32>().is_ok()) {
        Some(line) => format!("line {line}"),
        None => source.to_string(),
    }
}

fn at_line(source: Option<&String>) -> String {
    source.map_or(String::new(), |source| format!(" ({})", line(source)))
}

fn objects(count: u64) -> String {
    match count {
        1 => "1 object".to_string(),
        n => format!("{n} objects"),
    }
}

impl Evidence<'_> {
    // ---- facts ----

    /// The lock waits of the chain that are for fifos.
    fn fifo_waits(&self) -> Vec<FifoWait<'_>> {
        let waits = self.chain.iter().filter_map(|wait| self.fifo_wait(wait));
        waits.collect()
    }

    fn fifo_wait<'w>(&self, wait: &'w WaitRecord) -> Option<FifoWait<'w>> {
        let NodeWaitReason::Actor(WaitReason::Lock { lock, .. }) = wait.reason else {
            return None;
        };
        let part = self.names.lock(lock)?.fifo.as_ref()?;
        let ActorOrJob::Actor(actor) = wait.who else {
            return None;
        };
        let for_room = match actor.kind() {
            ActorKind::Core => self.core_use(wait)?.produces,
            // A channel of a fifo fills its objects (S2MM) or empties them.
            ActorKind::Channel(id) => id.dir == aiec_device::DmaDir::S2mm,
            _ => return None,
        };
        Some(FifoWait {
            fifo: part.fifo.clone(),
            depth: Some(part.depth),
            for_room,
            lock,
            wait,
        })
    }

    /// The acquire that a core waits in.
    fn core_use(&self, wait: &WaitRecord) -> Option<FifoUseMark> {
        let ActorOrJob::Actor(actor) = wait.who else {
            return None;
        };
        self.names.core_line(self.array, actor.tile())?.fifo_use
    }

    /// The programs that cores have loaded, with their tiles.
    fn programs(&self) -> impl Iterator<Item = (TileLoc, &CoreMarks)> {
        let programs = self.names.debug.map_or(&[][..], |debug| &debug.programs);
        programs.iter().filter_map(|marks| {
            let tile = TileLoc::new(marks.column, marks.row);
            let position = self.array.core_position(tile)?;
            (position.checksum == marks.checksum).then_some((tile, marks))
        })
    }

    /// The cores that use one side of a fifo, with the first use of each sort.
    fn users(&self, fifo: &str, produces: bool) -> Vec<FifoUser> {
        let mut users = Vec::new();
        for (tile, marks) in self.programs() {
            let of_side = |used: &&FifoUseMark| used.fifo == fifo && used.produces == produces;
            let first = |acquires: bool| {
                let mut uses = marks.fifo_uses.iter().filter(of_side);
                let used = uses.find(|used| used.acquires == acquires)?;
                let operation = marks.operation(used.at)?;
                self.names.show(Some(operation.source))
            };
            let any = marks.fifo_uses.iter().any(|used| of_side(&used));
            if any {
                users.push(FifoUser {
                    tile,
                    acquire: first(true),
                    release: first(false),
                });
            }
        }
        users
    }

    fn named(&self, channel: ChannelId) -> String {
        self.names
            .with_name(crate::array::ActorId::channel(channel))
    }

    /// The fifo that a channel is an end of; else the channel itself.
    fn channel_words(&self, channel: ChannelId) -> String {
        let resource = self.names.of_actor(crate::array::ActorId::channel(channel));
        let name = resource.map(|resource| resource.name.as_str());
        match name.and_then(|name| name.strip_suffix("_shim_alloc")) {
            Some(fifo) => format!("@{fifo}"),
            None => self.named(channel),
        }
    }

    /// A lock by its name, or by number and tile.
    fn lock_words(&self, lock: LockId) -> String {
        match self.names.lock(lock) {
            Some(resource) => format!("lock '{}'", resource.name),
            None => lock.to_string(),
        }
    }

    /// Where the job of the chain waits.
    fn job_source(&self) -> Option<&String> {
        let jobs = self.chain.iter();
        let mut jobs = jobs.filter(|wait| matches!(wait.who, ActorOrJob::Job(_)));
        jobs.find_map(|wait| wait.source.as_ref())
    }

    // ---- rules ----

    fn fifo_never_released(&self) -> Option<Mistake> {
        for waits in self.fifo_waits() {
            // Room comes from consumers, objects from producers.
            let produces = !waits.for_room;
            for user in self.users(&waits.fifo, produces) {
                let (Some(acquire), None) = (&user.acquire, &user.release) else {
                    continue;
                };
                let fifo = &waits.fifo;
                let port = if produces { "Produce" } else { "Consume" };
                let tile = user.tile;
                return Some(Mistake {
                    kind: MistakeKind::FifoNeverReleased,
                    cause: format!(
                        "core {tile} acquires objects of @{fifo} ({}) and never releases one",
                        line(acquire)
                    ),
                    help: format!(
                        "add `aie.objectfifo.release @{fifo}({port}, 1)` behind the last use of the \
                         object"
                    ),
                    source: Some(acquire.clone()),
                });
            }
        }
        None
    }

    /// A job waits for tokens of a channel that has nothing to do.
    fn tokens(&self) -> Option<Mistake> {
        let last = self.chain.last()?;
        let waits = match &last.reason {
            NodeWaitReason::Actor(WaitReason::Task { pending: false }) => {
                self.chain.get(self.chain.len().checked_sub(2)?)?
            }
            NodeWaitReason::Job(_) => last,
            NodeWaitReason::Actor(_) => return None,
        };
        let NodeWaitReason::Job(JobWait {
            reason:
                JobWaitReason::Tokens {
                    sender,
                    need,
                    arrived,
                    ..
                },
            ..
        }) = &waits.reason
        else {
            return None;
        };
        let source = waits.source.clone();
        let Some(channel) = *sender else {
            return Some(Mistake {
                kind: MistakeKind::ExtraWait,
                cause: format!(
                    "{} waits for tokens of an actor that no tile has",
                    waits.who
                ),
                help: "use the actor id of a channel of this target".into(),
                source,
            });
        };
        let progress = self.array.channel_progress(channel)?;
        if self.array.is_channel_busy(channel) {
            return None;
        }
        let (who, wait) = (self.channel_words(channel), at_line(source.as_ref()));
        // Assembly without lines has no sequence to name.
        let job = match &source {
            Some(_) => "the sequence".to_string(),
            None => waits.who.to_string(),
        };
        if let Some(mistake) = self.wait_order(channel, source.as_ref()) {
            return Some(mistake);
        }
        let (kind, cause, help) = match (progress.tasks, progress.tokens) {
            (0, _) => (
                MistakeKind::TransferMissing,
                format!("{job} waits for {who}{wait}, and no transfer was started there"),
                "start a transfer with a token in front of the wait, or leave the wait out".into(),
            ),
            (tasks, 0) => (
                MistakeKind::TokenMissing,
                format!(
                    "{job} waits for {who}{wait}, whose {tasks} finished task(s) ask for no \
                     token"
                ),
                "write `issue_token = true` in the transfer that is waited for".into(),
            ),
            (_, tokens) => (
                MistakeKind::ExtraWait,
                format!(
                    "{job} waits for {need} token(s) of {who}{wait} once more: its transfers \
                     sent {tokens} in all, of which {arrived} are left"
                ),
                "wait once for each transfer with a token; where its tokens get lost, lead its \
                 TileControl port to the controller"
                    .into(),
            ),
        };
        Some(Mistake {
            kind,
            cause,
            help,
            source,
        })
    }

    /// The control code would start the channel if it didn't wait.
    fn wait_order(&self, channel: ChannelId, waits: Option<&String>) -> Option<Mistake> {
        let site = self.machine.later_start(self.array, channel)?;
        let start = source_of(site, self.names.debug);
        let who = self.channel_words(channel);
        let (waited, started) = (at_line(waits), at_line(start.as_ref()));
        let help = match (waits, &start) {
            (Some(waits), Some(start)) => format!(
                "swap them: start the transfer of {} before the wait of {}",
                line(start),
                line(waits)
            ),
            _ => "start the transfer before the wait".to_string(),
        };
        Some(Mistake {
            kind: MistakeKind::WaitOrder,
            cause: format!(
                "the sequence waits{waited} before it starts the transfer of {who}{started} that \
                 the wait depends on"
            ),
            help,
            source: waits.cloned(),
        })
    }

    /// The chain ends at a channel that has no task, or that never got one.
    fn end_has_no_task(&self) -> Option<Mistake> {
        if self.is_cycle {
            return None;
        }
        let last = self.chain.last()?;
        let NodeWaitReason::Actor(reason) = &last.reason else {
            return None;
        };
        let actor = match (reason, last.who) {
            (WaitReason::Task { .. }, ActorOrJob::Actor(actor)) => actor,
            (WaitReason::StreamData { from }, _) => *from.first()?,
            (WaitReason::StreamSpace { to }, _) => *to.first()?,
            _ => return None,
        };
        let channel = Array::channel_of(actor)?;
        if self.array.is_channel_busy(channel) {
            return None;
        }
        if let Some(mistake) = self.wait_order(channel, self.job_source()) {
            return Some(mistake);
        }
        let who = self.channel_words(channel);
        let progress = self.array.channel_progress(channel)?;
        if progress.tasks == 0 {
            let verb = match channel.dir {
                aiec_device::DmaDir::Mm2s => "sends",
                aiec_device::DmaDir::S2mm => "takes",
            };
            return Some(Mistake {
                kind: MistakeKind::TransferMissing,
                cause: format!("no transfer {verb} the words of {who}"),
                help: "start a transfer on it before the wait".into(),
                source: last.source.clone(),
            });
        }
        let done = progress.words;
        let other = self.chain.iter().rev().find_map(|wait| {
            let ActorOrJob::Actor(actor) = wait.who else {
                return None;
            };
            let id = Array::channel_of(actor)?;
            let (moved, wanted) = self.array.channel_progress(id)?.task?;
            (id != channel && moved < wanted).then_some((id, moved, wanted, wait.source.clone()))
        });
        let cause = match &other {
            Some((id, moved, wanted, _)) => format!(
                "the transfers of {who} are over after {done} words, and that of {} has moved \
                 {moved} of {wanted} words",
                self.channel_words(*id)
            ),
            None => format!(
                "the transfers of {who} are over after {done} words, and its other end goes on"
            ),
        };
        Some(Mistake {
            kind: MistakeKind::TransferLength,
            cause,
            help: "make the transfers as long as the cores consume and produce, or start another"
                .into(),
            source: last.source.clone(),
        })
    }

    /// Cores and channels wait for each other's fifos.
    fn fifo_cycle(&self) -> Option<Mistake> {
        if !self.is_cycle {
            return None;
        }
        let waits = self.fifo_waits();
        let arbiter = |wait: &WaitRecord| {
            matches!(
                wait.reason,
                NodeWaitReason::Actor(WaitReason::Arbiter { .. })
            )
        };
        if waits.is_empty() || self.chain.iter().any(arbiter) {
            return None;
        }
        let mut full: Vec<&FifoWait<'_>> = Vec::new();
        for wait in waits.iter().filter(|wait| wait.for_room) {
            if full.iter().all(|known| known.fifo != wait.fifo) {
                full.push(wait);
            }
        }
        // The core that waits for room tells more than the channel behind it.
        full.sort_by_key(|wait| self.core_use(wait.wait).is_none());
        if let Some(first) = full.first() {
            let names: Vec<String> = full
                .iter()
                .map(|wait| match wait.depth {
                    Some(depth) => format!("@{} ({})", wait.fifo, objects(depth.into())),
                    None => format!("@{}", wait.fifo),
                })
                .collect();
            let are = if names.len() == 1 { "is" } else { "are" };
            let places = at_line(first.wait.place());
            return Some(Mistake {
                kind: MistakeKind::FifoTooShallow,
                cause: format!(
                    "{} {are} full, and what would empty them waits in turn{places}: too few objects \
                     for this order",
                    names.join(" and ")
                ),
                help: format!(
                    "give @{} a larger depth, or acquire in another order: take objects before more \
                     are sent",
                    first.fifo
                ),
                source: first.wait.source.clone(),
            });
        }
        let cores = waits
            .iter()
            .filter(|wait| self.core_use(wait.wait).is_some());
        let cores: Vec<String> = cores
            .map(|wait| {
                format!(
                    "{} for @{}{}",
                    wait.wait.who,
                    wait.fifo,
                    at_line(wait.wait.place())
                )
            })
            .collect();
        let first = waits.first()?;
        Some(Mistake {
            kind: MistakeKind::CircularFifos,
            cause: format!(
                "the cores wait for each other's objects before they send any: {}",
                cores.join(", ")
            ),
            help: "let one of them produce before it consumes, or give its fifo a first object \
                   (init_values)"
                .into(),
            source: first.wait.source.clone(),
        })
    }

    /// Packets, words or barriers in a circle.
    fn other_cycle(&self) -> Option<Mistake> {
        if !self.is_cycle {
            return None;
        }
        let mut arbiters: Vec<String> = Vec::new();
        let mut barriers: Vec<String> = Vec::new();
        let mut words = Vec::new();
        for wait in self.chain {
            match &wait.reason {
                NodeWaitReason::Actor(WaitReason::Arbiter { arbiter, .. }) => {
                    if let ActorOrJob::Actor(actor) = wait.who {
                        arbiters.push(format!("arbiter {arbiter} of tile {}", actor.tile()));
                    }
                }
                NodeWaitReason::Actor(WaitReason::StreamData { .. }) => {
                    words.push(format!("{}{}", wait.named(), at_line(wait.place())));
                }
                NodeWaitReason::Actor(_) => {}
                NodeWaitReason::Job(JobWait { reason, .. }) => {
                    barriers.push(format!("{} for {reason}", wait.who));
                }
            }
        }
        arbiters.dedup();
        let source = self.chain.iter().find_map(|wait| wait.source.clone());
        let (kind, cause, help) = if !arbiters.is_empty() {
            (
                MistakeKind::PacketPathShared,
                format!(
                    "packets share a way and wait for each other at {}",
                    arbiters.join(" and ")
                ),
                "give the flows ways of their own (other channels or tiles), or let the compiler \
                 route them: it keeps such circles out",
            )
        } else if words.len() == self.chain.len() {
            (
                MistakeKind::StreamOrder,
                format!(
                    "all wait for a word before they send one: {}",
                    words.join(", ")
                ),
                "let one side of the circle send before it waits",
            )
        } else if barriers.len() == self.chain.len() {
            (
                MistakeKind::BarrierOrder,
                format!(
                    "jobs come to barriers in opposite orders: {}",
                    barriers.join("; ")
                ),
                "let all jobs and controllers come to the barriers in one order",
            )
        } else {
            return None;
        };
        Some(Mistake {
            kind,
            cause,
            help: help.to_string(),
            source,
        })
    }

    /// The chain ends at a fifo whose other side is a core that has ended.
    fn core_has_ended(&self) -> Option<Mistake> {
        let wait = self.fifo_wait(self.chain.last()?)?;
        let produces = !wait.for_room;
        let users = self.users(&wait.fifo, produces).into_iter();
        let mut ended = users.filter(|user| self.array.core_has_ended(user.tile));
        let user = ended.next()?;
        let given = objects(self.array.lock_given(wait.lock));
        let (tile, fifo) = (user.tile, &wait.fifo);
        let (kind, verb) = match produces {
            true => (MistakeKind::ProducerEnded, "produced"),
            false => (MistakeKind::ConsumerEnded, "consumed"),
        };
        // The transfer that wants more says how much.
        let wanted = self.chain.iter().find_map(|wait| {
            let ActorOrJob::Actor(actor) = wait.who else {
                return None;
            };
            self.array.channel_progress(Array::channel_of(actor)?)?.task
        });
        let wanted = wanted.map_or(String::new(), |(moved, wanted)| {
            format!("; the transfer has {moved} of {wanted} words")
        });
        Some(Mistake {
            kind,
            cause: format!("core {tile} has ended after it {verb} {given} of @{fifo}{wanted}"),
            help: "let the core loop as often as the other end wants, or make the transfer shorter"
                .into(),
            source: user.release.or(user.acquire),
        })
    }

    /// Cores wait for plain locks of each other.
    fn lock_cycle(&self) -> Option<Mistake> {
        if !self.is_cycle {
            return None;
        }
        let mut locks: Vec<LockId> = Vec::new();
        for wait in self.chain {
            let NodeWaitReason::Actor(WaitReason::Lock { lock, .. }) = wait.reason else {
                return None;
            };
            if !locks.contains(&lock) {
                locks.push(lock);
            }
        }
        let names: Vec<String> = locks.iter().map(|lock| self.lock_words(*lock)).collect();
        let source = self.chain.first().and_then(|wait| wait.source.clone());
        let places = self.chain.iter().filter_map(|wait| wait.source.as_deref());
        let places: Vec<String> = places.map(line).collect();
        let places = match places.is_empty() {
            true => String::new(),
            false => format!(" ({})", places.join(" and ")),
        };
        Some(match &names[..] {
            [only] => Mistake {
                kind: MistakeKind::LockInitialValue,
                cause: format!(
                    "all wait for {only}{places}, and each would release it only afterwards: \
                     nobody has it first"
                ),
                help: format!("give {only} an initial value: `init = 1`"),
                source,
            },
            _ => Mistake {
                kind: MistakeKind::LockOrder,
                cause: format!(
                    "{} are each awaited by the one that would release the other{places}",
                    names.join(" and ")
                ),
                help:
                    "release before the acquire on one side, or give one of the locks an initial \
                       value"
                        .into(),
                source,
            },
        })
    }

    /// The chain ends at a plain lock.
    fn lock_at_end(&self) -> Option<Mistake> {
        if self.is_cycle {
            return None;
        }
        let last = self.chain.last()?;
        let NodeWaitReason::Actor(WaitReason::Lock {
            lock, need, value, ..
        }) = last.reason
        else {
            return None;
        };
        let name = self.lock_words(lock);
        let place = at_line(last.place());
        let who = last.named();
        let given = self.array.lock_given(lock);
        let ended = self.array.ended_releasers(lock);
        let source = last.source.clone();
        let (kind, cause, help) = match (need, ended.first()) {
            (LockNeed::Equal(n), _) if given > 0 || value > 0 => (
                MistakeKind::LockCount,
                format!("{who} waits{place} until {name} is {n}, and it is {value}"),
                "wait with AcquireGreaterEqual, or release by amounts that reach the value"
                    .to_string(),
            ),
            (LockNeed::AtLeast(n), _) if value > 0 && value < n => (
                MistakeKind::LockCount,
                format!(
                    "{who} wants {n} of {name}{place}, which is {value}: released by {given} in \
                     all"
                ),
                "release as much as is acquired".to_string(),
            ),
            (_, Some(tile)) => (
                MistakeKind::LockReleaserEnded,
                format!(
                    "core {tile}, which releases {name}, has ended after it gave {given}; {who} \
                     wants it once more{place}"
                ),
                "release the lock as often as it is acquired".to_string(),
            ),
            _ => (
                MistakeKind::LockNeverReleased,
                format!("{who} waits for {name}{place}, which no program that runs releases"),
                "add the release, enable the core that has it, or give the lock an initial value"
                    .to_string(),
            ),
        };
        Some(Mistake {
            kind,
            cause,
            help,
            source,
        })
    }
}

/// A core that uses one side of a fifo.
struct FifoUser {
    tile: TileLoc,
    /// Where it acquires first.
    acquire: Option<String>,
    /// Where it releases first.
    release: Option<String>,
}
