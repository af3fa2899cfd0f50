//! What the checks find.

use std::fmt;

use crate::error::Place;
use crate::isa::Reg;
use crate::program::SourceLoc;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It cannot work on the machine.
    Error,
    /// It is hardly meant.
    Warning,
}

/// A finding and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {kind}")]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: FindingKind,
    /// Other places that have to do with it, and what they are.
    pub related: Vec<(SourceLoc, String)>,
}

impl Finding {
    /// A finding with one place.
    pub fn new(place: Place, kind: FindingKind) -> Self {
        Self {
            place,
            kind,
            related: Vec::new(),
        }
    }

    /// With another place, if it is known.
    pub fn with(mut self, at: Option<SourceLoc>, what: impl Into<String>) -> Self {
        self.related.extend(at.map(|at| (at, what.into())));
        self
    }
}

/// A register as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named(pub Reg);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.0.checked_sub(Reg::PRIVATE) {
            Some(shared) => write!(f, "$g{shared}"),
            None => write!(f, "$r{}", self.0.0),
        }
    }
}

/// What is found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindingKind {
    /// Fewer jobs come to a local barrier than it waits for.
    #[error(
        "local barrier $lb{barrier} waits for {participants} jobs, but {jobs} of them come to it"
    )]
    BarrierShort {
        /// The barrier.
        barrier: u8,
        /// Jobs it waits for.
        participants: u8,
        /// Jobs that come.
        jobs: usize,
    },
    /// The arrivals at a local barrier don't make whole rounds.
    #[error(
        "local barrier $lb{barrier} lets {participants} jobs go at a time, but {arrivals} arrivals \
         don't make whole rounds"
    )]
    BarrierUneven {
        /// The barrier.
        barrier: u8,
        /// Jobs of a round.
        participants: u8,
        /// All arrivals.
        arrivals: usize,
    },
    /// Jobs name different numbers of participants.
    #[error("local barrier $lb{barrier} is for {here} jobs here and for {there} elsewhere")]
    BarrierCounts {
        /// The barrier.
        barrier: u8,
        /// Participants here.
        here: u8,
        /// Participants at the other place.
        there: u8,
    },
    /// A controller is not in its own party mask.
    #[error("controller {uc} is not in the party mask 0x{mask:X}")]
    RemoteSelf {
        /// The controller.
        uc: u32,
        /// The mask.
        mask: u32,
    },
    /// A controller that a remote barrier waits for does not come.
    #[error("remote barrier $rb{barrier} waits for controller {absent}, which {}", absence(*.again))]
    RemoteAbsent {
        /// N of `$rbN`.
        barrier: u8,
        /// The controller that does not come.
        absent: u32,
        /// It came before, but not as often.
        again: bool,
    },
    /// Controllers come to a remote barrier with different masks.
    #[error(
        "remote barrier $rb{barrier} has party mask 0x{here:X} here, but 0x{there:X} on controller {other}"
    )]
    RemoteMasks {
        /// N of `$rbN`.
        barrier: u8,
        /// Mask here.
        here: u32,
        /// Mask there.
        there: u32,
        /// The other controller.
        other: u32,
    },
    /// Two jobs of a page come to one remote barrier.
    #[error("two jobs of a page come to remote barrier $rb{barrier}")]
    RemoteTwice {
        /// N of `$rbN`.
        barrier: u8,
    },
    /// Barriers that wait for one another.
    #[error("these barriers wait for one another: each comes before the next somewhere")]
    BarrierOrder,
    /// A wait for a handle that the job never got.
    #[error("{reg} holds no handle: no UC_DMA_WRITE_DES of this job set it before")]
    HandleNever {
        /// The register.
        reg: Named,
    },
    /// A wait for a handle that was overwritten.
    #[error("{reg} holds no handle any more")]
    HandleGone {
        /// The register.
        reg: Named,
    },
    /// A wait for a shared handle that no job sets.
    #[error("{reg} holds no handle: no UC_DMA_WRITE_DES of this controller sets it")]
    HandleNowhere {
        /// The register.
        reg: Named,
    },
    /// A wait for something that only a later page starts.
    #[error("{reg} is waited for on page {here}, but set on page {there} first")]
    HandleLater {
        /// The register.
        reg: Named,
        /// Page of the wait.
        here: usize,
        /// Page of the start.
        there: usize,
    },
    /// A chain that nobody waits for.
    #[error("nobody waits for the chain whose handle goes to {reg}")]
    HandleUnused {
        /// The register.
        reg: Named,
    },
    /// LAUNCH_JOB of a job that starts by itself.
    #[error("job {job} is not a deferred one")]
    LaunchKind {
        /// The job.
        job: u16,
    },
    /// A launched job is on another page.
    #[error("job {job} is on page {there}, its launcher on page {here}")]
    LaunchPage {
        /// The job.
        job: u16,
        /// Page of the launcher.
        here: usize,
        /// Page of the job.
        there: usize,
    },
    /// A job is launched twice.
    #[error("job {job} is launched a second time")]
    LaunchTwice {
        /// The job.
        job: u16,
    },
    /// A deferred job that nobody launches.
    #[error("nobody launches this deferred job")]
    NeverLaunched,
    /// A scope that nobody runs.
    #[error("nobody runs scope '{scope}'")]
    ScopeUnused {
        /// Its name.
        scope: String,
    },
    /// A poll that can never end.
    #[error("the value 0x{value:X} has bits outside the mask 0x{mask:X}: they are never equal")]
    PollNever {
        /// The value.
        value: u32,
        /// The mask.
        mask: u32,
    },
    /// Bits of a value that the mask takes away.
    #[error("the value 0x{value:X} has bits outside the mask 0x{mask:X}, which are not written")]
    MaskedAway {
        /// The value.
        value: u32,
        /// The mask.
        mask: u32,
    },
    /// An address within a register.
    #[error("the address 0x{address:X} is no multiple of 4")]
    Unaligned {
        /// The address.
        address: u32,
    },
    /// TRACE in a program.
    #[error("TRACE stands in for instructions under a probe; programs don't hold it")]
    Trace,
    /// Controllers run different numbers of a meeting instruction.
    #[error("controller {uc} runs {here} {what}, controller {other} runs {there}")]
    Meetings {
        /// The instruction.
        what: &'static str,
        /// This controller.
        uc: u32,
        /// How many it runs.
        here: usize,
        /// The other one.
        other: u32,
        /// How many that runs.
        there: usize,
    },
    /// Preemption points that don't agree.
    #[error(
        "preemption point {number} of controller {uc} has id {here}, on controller {other} it is {there}"
    )]
    PreemptIds {
        /// Which point, from 1.
        number: usize,
        /// This controller.
        uc: u32,
        /// Its id.
        here: u16,
        /// The other one.
        other: u32,
        /// The id there.
        there: u16,
    },
    /// One id for two configurations.
    #[error("id {id} stands for scope '{scope}' here and for '{other}' elsewhere")]
    LoadId {
        /// The id.
        id: u32,
        /// Scope here.
        scope: String,
        /// Scope there.
        other: String,
    },
    /// Two jobs of a page wait for one actor.
    #[error("another job of this page waits for the same actor")]
    ActorShared,
    /// A tile or controller outside of the partition.
    #[error("{what} {number} is outside of the partition of {columns} columns")]
    Outside {
        /// `column` or `controller`.
        what: &'static str,
        /// Its number.
        number: u32,
        /// Columns declared.
        columns: u32,
    },
    /// A copy of a BD image that is not patched.
    #[error("'{label}' is patched on page {patched} only; this uses its copy on page {page}")]
    Unpatched {
        /// Label of the image.
        label: String,
        /// Page with the APPLY_OFFSET_57.
        patched: usize,
        /// Page of the other copy.
        page: usize,
    },
    /// A descriptor moves more than its block holds.
    #[error(
        "a descriptor moves {words} words, but '{label}' has {have}, and nothing follows it in the page"
    )]
    ReadsPast {
        /// Label of the words.
        label: String,
        /// Words it moves.
        words: u32,
        /// Words there are.
        have: usize,
    },
}

fn absence(again: bool) -> &'static str {
    match again {
        true => "comes to it less often",
        false => "never comes to it",
    }
}

impl FindingKind {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        match self {
            Self::RemoteTwice { .. }
            | Self::HandleUnused { .. }
            | Self::NeverLaunched
            | Self::ScopeUnused { .. }
            | Self::MaskedAway { .. }
            | Self::Unaligned { .. }
            | Self::Trace
            | Self::LoadId { .. }
            | Self::ActorShared
            | Self::Outside { .. }
            | Self::Unpatched { .. }
            | Self::ReadsPast { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// Stable code for diagnostics.
    pub fn code_name(&self) -> &'static str {
        match self {
            Self::BarrierShort { .. } | Self::BarrierUneven { .. } | Self::BarrierCounts { .. } => {
                "cert::local-barrier"
            }
            Self::RemoteSelf { .. }
            | Self::RemoteAbsent { .. }
            | Self::RemoteMasks { .. }
            | Self::RemoteTwice { .. } => "cert::remote-barrier",
            Self::BarrierOrder => "cert::barrier-order",
            Self::HandleNever { .. }
            | Self::HandleGone { .. }
            | Self::HandleNowhere { .. }
            | Self::HandleUnused { .. } => "cert::handle",
            Self::HandleLater { .. } => "cert::later-page",
            Self::LaunchKind { .. } | Self::LaunchPage { .. } | Self::LaunchTwice { .. } => {
                "cert::launch"
            }
            Self::NeverLaunched => "cert::never-launched",
            Self::ScopeUnused { .. } => "cert::unused-scope",
            Self::PollNever { .. } => "cert::poll",
            Self::MaskedAway { .. } => "cert::mask",
            Self::Unaligned { .. } => "cert::unaligned",
            Self::Trace => "cert::trace",
            Self::Meetings { .. } | Self::PreemptIds { .. } => "cert::meeting",
            Self::LoadId { .. } => "cert::load-id",
            Self::ActorShared => "cert::actor-shared",
            Self::Outside { .. } => "cert::outside-partition",
            Self::Unpatched { .. } => "cert::unpatched-copy",
            Self::ReadsPast { .. } => "cert::reads-past",
        }
    }

    /// A way out.
    pub fn help_text(&self) -> &'static str {
        match self {
            Self::BarrierShort { .. } => {
                "lower the number of participants, or let more jobs of this scope come to the barrier"
            }
            Self::BarrierUneven { .. } => {
                "let every job come to the barrier equally often, or use another barrier for the rest"
            }
            Self::BarrierCounts { .. } => {
                "a barrier number is one group for its whole scope: give all its jobs one number"
            }
            Self::RemoteSelf { .. } => {
                "bit N of the mask is controller N: add this controller's bit"
            }
            Self::RemoteAbsent { .. } => {
                "take its bit out of the mask, or add a REMOTE_BARRIER to its code"
            }
            Self::RemoteMasks { .. } => "all controllers of a barrier name the same mask",
            Self::RemoteTwice { .. } => "one job of each controller stands for it at a barrier",
            Self::BarrierOrder => "let all jobs and controllers come to the barriers in one order",
            Self::HandleNever { .. } => {
                "$r0 to $r7 belong to a job: start the chain in this job, or pass the handle in a \
                 shared register ($g0 to $g15)"
            }
            Self::HandleGone { .. } => "wait before the register is used for something else",
            Self::HandleNowhere { .. } => "add UC_DMA_WRITE_DES, or take the wait out",
            Self::HandleLater { .. } => {
                "a page ends before the next begins: put both on one page, or wait later"
            }
            Self::HandleUnused { .. } => {
                "add WAIT_UC_DMA: the page may be replaced while the chain runs"
            }
            Self::LaunchKind { .. } => "begin it with START_JOB_DEFERRED, or take the launch out",
            Self::LaunchPage { .. } => {
                "a launched job is pulled to its launcher's page, but not if the launcher itself \
                 is there for a barrier: put the launcher first"
            }
            Self::LaunchTwice { .. } => "a job runs once: make a second job",
            Self::NeverLaunched => "add a LAUNCH_JOB, or begin it with START_JOB",
            Self::ScopeUnused { .. } => "LOAD_PDI, LOAD_CORES or PREEMPT run a scope",
            Self::PollNever { .. } => "compare only bits that the mask lets through",
            Self::MaskedAway { .. } => "widen the mask, or take the bits out of the value",
            Self::Unaligned { .. } => "registers are 32 bits wide",
            Self::Trace => "take it out",
            Self::Meetings { .. } => "all controllers meet there, so each needs equally many",
            Self::PreemptIds { .. } => "all controllers meet there: give the point one id",
            Self::LoadId { .. } => "what was loaded last is told apart by its id: use another",
            Self::ActorShared => "only one job at a time may wait for tokens of an actor",
            Self::Outside { .. } => {
                "columns are counted from the partition's first: see .partition"
            }
            Self::Unpatched { .. } => {
                "each page has its own copy of the data: apply the offset in this job too"
            }
            Self::ReadsPast { .. } => "lower the length, or add the words",
        }
    }

    /// Further remarks.
    pub fn note(&self) -> Option<&'static str> {
        match self {
            Self::BarrierShort { .. } | Self::RemoteAbsent { .. } => {
                Some("the jobs that come would wait for ever")
            }
            _ => None,
        }
    }
}

impl Finding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}
