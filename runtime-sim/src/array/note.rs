//! What an observer of the whole array is told: the happenings that hardware has events for, and
//! what it has none for (who asked for which lock, which words stand where, what a controller
//! executes).
//!
//! With nobody observing a note costs the test of a flag, and words cost nothing at all: pipes
//! look only when they were told to ([`super::Array::observe`]).

use aiec_device::{DmaDir, TileLoc};

use super::event::Happening;
use super::lock::LockNeed;
use super::totals::Totals;
use super::waits::Party;
use crate::time::Cycle;

/// Something that happened, with its place and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// When. Notes come in the order of simulation; parts work ahead of the clock, so that this
    /// isn't always the order of time.
    pub at: Cycle,
    /// Where. For what controllers do, the shim tile of their column.
    pub tile: TileLoc,
    /// What.
    pub what: Note,
}

/// Why a core or a channel stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stall {
    /// A lock.
    Lock,
    /// Words from a stream, or room in it.
    Stream,
    /// Words from a cascade, or room in it.
    Cascade,
}

impl Stall {
    /// Name in reports and traces.
    pub fn name(self) -> &'static str {
        match self {
            Stall::Lock => "lock",
            Stall::Stream => "stream",
            Stall::Cascade => "cascade",
        }
    }
}

/// What an observer is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A happening that hardware has an event for.
    Event(Happening),
    /// Somebody asks for a lock of the tile.
    LockAsked {
        /// Who.
        by: Party,
        /// Its number in the tile.
        lock: u8,
        /// The condition.
        need: LockNeed,
    },
    /// The request was granted.
    LockTaken {
        /// Who asked.
        by: Party,
        /// Number of the lock in the tile.
        lock: u8,
        /// The condition.
        need: LockNeed,
        /// The value afterwards.
        value: i8,
    },
    /// Somebody released a lock of the tile.
    LockReleased {
        /// Who.
        by: Party,
        /// Its number in the tile.
        lock: u8,
        /// What was added.
        change: i8,
        /// The value afterwards.
        value: i8,
    },
    /// A register write set a lock of the tile.
    LockSet {
        /// Its number in the tile.
        lock: u8,
        /// The value.
        value: i8,
    },
    /// A core stands still until a cycle that is known beforehand.
    CoreStands {
        /// Why.
        why: Stall,
        /// Until when.
        until: Cycle,
    },
    /// A task was put into the queue of a channel.
    TaskPushed {
        /// Direction of the channel.
        dir: DmaDir,
        /// Its number.
        channel: u8,
        /// First BD.
        bd: u8,
        /// Runs of the chain.
        runs: u16,
        /// It sends a token at its end.
        token: bool,
        /// The job whose instruction pushed it; `None` if a uC-DMA or a control packet did.
        by: Option<JobSite>,
    },
    /// A channel begins with a BD.
    BdBegins {
        /// Direction of the channel.
        dir: DmaDir,
        /// Its number.
        channel: u8,
        /// The BD.
        bd: u8,
        /// Byte address it starts at: in the tile's memory, or of host memory.
        address: u64,
    },
    /// The lock of the BD is held: its words may move.
    BdMoves {
        /// Direction of the channel.
        dir: DmaDir,
        /// Its number.
        channel: u8,
        /// The BD.
        bd: u8,
    },
    /// A channel is over with a BD.
    BdEnds {
        /// Direction of the channel.
        dir: DmaDir,
        /// Its number.
        channel: u8,
        /// The BD.
        bd: u8,
        /// Words of memory that it moved.
        words: u32,
    },
    /// A channel waited for words of its stream, or for room.
    StreamStall {
        /// Direction of the channel.
        dir: DmaDir,
        /// Its number.
        channel: u8,
        /// Until when.
        until: Cycle,
    },
    /// A channel has nothing more to do.
    Idle {
        /// Direction of the channel.
        dir: DmaDir,
        /// Its number.
        channel: u8,
    },
    /// A channel accesses words of a memory.
    Access {
        /// Direction of the channel.
        dir: DmaDir,
        /// Its number.
        channel: u8,
        /// Byte address.
        address: u64,
        /// Words.
        words: u32,
    },
    /// A channel sends the token of its task.
    TokenSent {
        /// Direction of the channel.
        dir: DmaDir,
        /// Its number.
        channel: u8,
        /// Its actor id.
        actor: u8,
    },
    /// The token of an actor of the tile reached its controller.
    TokenArrived {
        /// The actor.
        actor: u8,
    },
    /// Words passed a port without a break.
    Words {
        /// A slave port, else a master port.
        slave: bool,
        /// Index of the port on its side.
        index: u8,
        /// End of the last word.
        until: Cycle,
        /// How many.
        words: u32,
        /// The first word, if a packet's header is to be expected there.
        header: Option<u32>,
        /// They begin a packet or a transfer.
        first: bool,
        /// They end with TLAST.
        last: bool,
    },
    /// A word stood at a port and was not taken.
    Stood {
        /// A slave port, else a master port.
        slave: bool,
        /// Index of the port on its side.
        index: u8,
        /// When it was taken, or the end of the run.
        until: Cycle,
    },
    /// A register was written.
    Written {
        /// Offset in the tile.
        offset: u32,
        /// The value.
        value: u32,
    },
    /// A controller begins or ends a page.
    Page {
        /// Number of the controller.
        uc: u8,
        /// The page.
        page: u16,
        /// It begins, else it ends.
        begins: bool,
    },
    /// A job executes an instruction.
    Op {
        /// Its place.
        site: JobSite,
        /// Byte offset of the instruction in the page.
        offset: u16,
        /// Opcode.
        mnemonic: &'static str,
    },
    /// A job gets the controller.
    JobRuns {
        /// Its place.
        site: JobSite,
    },
    /// A job begins to wait.
    JobWaits {
        /// Its place.
        site: JobSite,
        /// For what.
        on: JobWait,
    },
    /// A job takes tokens that were there already.
    TokensTaken {
        /// Its place.
        site: JobSite,
        /// The tile that sent them.
        tile: TileLoc,
        /// Its actor.
        actor: u8,
        /// How many.
        need: u8,
    },
    /// What a job waited for has come.
    JobWoken {
        /// Its place.
        site: JobSite,
    },
    /// A job is over.
    JobEnds {
        /// Its place.
        site: JobSite,
    },
    /// The controller is free of the instruction that was told last.
    OpEnds {
        /// Number of the controller.
        uc: u8,
    },
    /// The uC-DMA of a controller writes words of a chain.
    UcDma {
        /// Number of the controller.
        uc: u8,
        /// Number of the chain.
        chain: u32,
        /// Words.
        words: u32,
        /// Until when.
        until: Cycle,
    },
}

/// A job of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobSite {
    /// Number of the controller.
    pub uc: u8,
    /// Page.
    pub page: u16,
    /// Number of the job.
    pub job: u16,
}

/// What a job waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobWait {
    /// A chain of uC-DMA descriptors.
    UcDma,
    /// Room in the queue of the uC-DMA.
    UcDmaQueue,
    /// Tokens.
    Tokens {
        /// Tile that sends, as the instruction names it.
        tile: TileLoc,
        /// Its actor.
        actor: u8,
        /// How many.
        need: u8,
    },
    /// Jobs of the page.
    LocalBarrier(u8),
    /// Jobs of other controllers.
    RemoteBarrier(u8),
    /// The value of a register.
    Poll,
    /// Pages that it runs.
    SubProgram,
    /// All controllers.
    Meeting,
    /// The controller, which another job has.
    Controller,
}

impl JobWait {
    /// Name in reports and traces.
    pub fn name(self) -> &'static str {
        match self {
            JobWait::UcDma => "uc_dma",
            JobWait::UcDmaQueue => "uc_dma_queue",
            JobWait::Tokens { .. } => "tokens",
            JobWait::LocalBarrier(_) => "local_barrier",
            JobWait::RemoteBarrier(_) => "remote_barrier",
            JobWait::Poll => "poll",
            JobWait::SubProgram => "sub_program",
            JobWait::Meeting => "meeting",
            JobWait::Controller => "controller",
        }
    }
}

/// The notes of a run, up to a limit, and whether one of them is waited for.
#[derive(Debug, Default)]
pub(crate) struct Log {
    notes: Vec<Noted>,
    /// Notes that are kept at most.
    room: usize,
    /// When the first was left out.
    full: Option<Cycle>,
    /// Sums of them, if somebody wants them.
    pub totals: Option<Totals>,
    /// The job whose instruction is executed now.
    executing: Option<JobSite>,
    /// Notes of cycles before this one are left out.
    pub from: Cycle,
    /// Somebody asks to stop at the first note that passes.
    breaks: Vec<Break>,
    /// The note that passed, and which of the breaks.
    pub hit: Option<(usize, Noted)>,
}

/// A place to stop: what has to happen, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// What.
    pub on: BreakOn,
    /// The run stops when it happens this many times, counted from 1.
    pub times: u32,
}

/// What stops a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakOn {
    /// A lock of a tile changes; to the value, if one is given.
    Lock(TileLoc, u8, Option<i8>),
    /// A core begins to run, to wait, or ends.
    Core(TileLoc),
    /// A DMA channel begins a task, is over with a BD or a task, or begins to wait for a lock.
    Dma(TileLoc, DmaDir, u8),
    /// A register is written: offset in the tile, and the value if one is given.
    Register(TileLoc, u32, Option<u32>),
    /// The token of an actor of a tile arrives.
    Token(TileLoc, u8),
    /// A job begins, waits, goes on or ends: controller, page if one is given, job.
    Job(u8, Option<u16>, u16),
    /// A controller comes to a page: controller and page.
    Page(u8, u16),
    /// A controller executes the instruction at an offset of a page: controller, page, offset.
    Op(u8, u16, u16),
}

impl BreakOn {
    fn passes(self, noted: &Noted) -> bool {
        let here = noted.tile;
        match (self, noted.what) {
            (
                BreakOn::Lock(tile, id, wanted),
                Note::LockTaken { lock, value, .. }
                | Note::LockReleased { lock, value, .. }
                | Note::LockSet { lock, value },
            ) => tile == here && id == lock && wanted.is_none_or(|wanted| wanted == value),
            (
                BreakOn::Core(tile),
                Note::Event(
                    Happening::CoreActive(_)
                    | Happening::CoreLockStall(true)
                    | Happening::CoreStreamStall(true)
                    | Happening::CoreCascadeStall(true),
                ),
            ) => tile == here,
            (
                BreakOn::Dma(tile, wanted, number),
                Note::Event(
                    Happening::StartTask(dir, channel)
                    | Happening::FinishedBd(dir, channel)
                    | Happening::FinishedTask(dir, channel)
                    | Happening::DmaError(dir, channel)
                    | Happening::LockStall(dir, channel, true),
                ),
            ) => tile == here && (wanted, number) == (dir, channel),
            (BreakOn::Register(tile, at, wanted), Note::Written { offset, value }) => {
                tile == here && at == offset && wanted.is_none_or(|wanted| wanted == value)
            }
            (BreakOn::Token(tile, wanted), Note::TokenArrived { actor }) => {
                tile == here && wanted == actor
            }
            (
                BreakOn::Job(uc, page, job),
                Note::JobRuns { site } | Note::JobWaits { site, .. } | Note::JobEnds { site },
            ) => (site.uc, site.job) == (uc, job) && page.is_none_or(|page| page == site.page),
            (
                BreakOn::Page(uc, page),
                Note::Page {
                    uc: by,
                    page: at,
                    begins: true,
                },
            ) => (uc, page) == (by, at),
            (BreakOn::Op(uc, page, at), Note::Op { site, offset, .. }) => {
                (uc, page, at) == (site.uc, site.page, offset)
            }
            _ => false,
        }
    }
}

impl Log {
    /// Keeps notes from a cycle on, as many as there is room for.
    pub fn keep(&mut self, from: Cycle, room: usize) {
        (self.from, self.room) = (from, room);
    }

    /// Stops the run at the first of these.
    pub fn stop_at(&mut self, breaks: Vec<Break>) {
        self.breaks = breaks;
    }

    /// Takes a note.
    pub fn add(&mut self, mut noted: Noted) {
        match &mut noted.what {
            Note::Op { site, .. } => self.executing = Some(*site),
            Note::OpEnds { .. } => self.executing = None,
            Note::TaskPushed { by, .. } => *by = self.executing,
            _ => {}
        }
        if let Some(totals) = &mut self.totals {
            totals.add(&noted);
        }
        if !self.breaks.is_empty() && self.hit.is_none() {
            self.check(&noted);
        }
        if noted.at < self.from {
            return;
        }
        if self.notes.len() < self.room {
            self.notes.push(noted);
        } else if self.room > 0 {
            self.full.get_or_insert(noted.at);
        }
    }

    fn check(&mut self, noted: &Noted) {
        for (index, wanted) in self.breaks.iter_mut().enumerate() {
            if wanted.on.passes(noted) {
                wanted.times = wanted.times.saturating_sub(1);
                if wanted.times == 0 {
                    self.hit = Some((index, *noted));
                    return;
                }
            }
        }
    }

    /// The notes so far; it goes on empty.
    pub fn take(&mut self) -> Vec<Noted> {
        self.room = self.room.saturating_sub(self.notes.len());
        std::mem::take(&mut self.notes)
    }

    /// The cycle of the first note that there was no room for.
    pub fn full(&self) -> Option<Cycle> {
        self.full
    }
}
