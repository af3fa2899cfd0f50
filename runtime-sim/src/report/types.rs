//! Content of a report of a run. The JSON, its schema, tables and pages derive from these records.
//!
//! Units: cycles of the array clock, words of 32 bits.

use std::collections::BTreeMap;

use aiec_device::{DmaDir, TileLoc};
use aiec_diag::named_enum;

use crate::array::{ChannelCounts, ChannelTimes, CoreTimes};
use crate::cert::VmCounts;
use crate::critical_path::PathActivity;
use crate::diagnosis::{
    DeadlockKind, LeftoverReport, MistakeKind, NotAcquiredReport, OutsideReport, RaceReport,
    UnwrittenReport,
};
use crate::npu::FirmwareStats;
use crate::record::{column_and_row, described_by_name, lower_case, record};
use crate::run::Ending;
use crate::time::Cycle;

record! {
    /// Report that `aiec sim --report FILE.json` writes. Cycles are those of the array clock, words have 32 bits. Keys that are
    /// not listed may be added.
    pub struct SimReport {
        /// Outcome of the run; stopped is --break or --until.
        pub status: Ending,
        /// Cycles from the first fetch to the end.
        pub cycles: Cycle,
        /// Of these, until the runtime sequence began; 0 if the file doesn't mark it.
        pub config_cycles: Cycle,
        /// The rest.
        pub run_cycles: Cycle,
        /// The least cycles that the sequence of the design can take (`--emit=throughput`); null if they aren't known.
        pub bound_cycles: Option<Cycle>,
        /// Name of the device.
        pub device: &'static str,
        /// Controllers.
        pub uc: Vec<ControllerReport>,
        /// The firmware of an NPU; null for control code.
        pub firmware: Option<FirmwareReport>,
        /// Jobs by state; null if the run was not watched.
        pub jobs: Option<Vec<JobReport>>,
        /// Arguments of the host.
        pub arguments: Vec<ArgumentReport>,
        /// Tiles that were used.
        pub tiles: Vec<TileReport>,
        /// Ports that words passed.
        pub links: Vec<LinkReport>,
        /// Stalls by waiting actor and awaited event, the longest first; null if the run was not
        /// watched.
        pub stalls: Option<Vec<StallReport>>,
        /// The critical path of a completed run; null if it was not asked for (`--critical-path`).
        pub critical_path: Option<CriticalPathReport>,
        /// All waits of a deadlock.
        pub deadlock: Vec<WaitReport>,
        /// Explanation of a deadlock.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub diagnosis: Option<DiagnosisReport>,
        /// Why the run stopped with a fault.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fault: Option<String>,
        /// State of a run that was aborted at the limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub limit: Option<LimitReport>,
        /// Registers that have no effect here.
        pub unmodelled: Vec<UnmodelledReport>,
        /// Register writes whose effect depends on time.
        pub hazards: Vec<HazardReport>,
        /// Accesses to the same bytes, one a write, in no order but that of time.
        pub races: Vec<RaceReport>,
        /// Reads of memory that nothing has written.
        pub unwritten_reads: Vec<UnwrittenReport>,
        /// Accesses of cores outside of all buffers.
        pub outside_of_buffers: Vec<OutsideReport>,
        /// Accesses of cores to objects of fifos before they have acquired them, or after they have
        /// released them, except for races.
        pub not_acquired: Vec<NotAcquiredReport>,
        /// Every timing gives these data.
        pub determinate: bool,
        /// Why another timing may give other data, or that it isn't known.
        pub not_determinate_because: Vec<String>,
        /// Work that a completed run left unfinished.
        pub near_misses: Vec<LeftoverReport>,
        /// Writes to addresses at which the device has nothing.
        pub unmapped: Vec<UnmappedReport>,
    }

    /// A micro-controller.
    pub struct ControllerReport {
        /// Number of the controller.
        pub uc: u32,
        /// Its counters.
        #[serde(flatten)]
        pub counts: VmCounts,
        /// It executed nothing.
        pub idle_cycles: Cycle,
        /// Words that its uC-DMA wrote.
        pub dma_words: u64,
        /// When it was done.
        pub ended: Option<Cycle>,
        /// SAVE_TIMESTAMPS, SAVE_REGISTER and probes.
        pub records: Vec<RecordReport>,
    }

    /// A value that a controller kept.
    pub struct RecordReport {
        /// Of the instruction, or index of the probe.
        pub id: u32,
        /// Cycle.
        pub cycle: Cycle,
        /// Kind of the record.
        pub kind: RecordedAs,
        /// The register's value.
        pub value: Option<u32>,
    }

    /// The firmware of an NPU.
    pub struct FirmwareReport {
        /// Its counters.
        #[serde(flatten)]
        pub counts: FirmwareStats,
        /// Operations that had to wait, in order.
        pub stalls: Vec<FirmwareStallReport>,
        /// Values that the transaction kept for the host (READ_REGS, RECORD_TIMER).
        pub records: Vec<FirmwareRecordReport>,
    }

    /// An operation of a program of the firmware that had to wait.
    pub struct FirmwareStallReport {
        /// Name.
        pub operation: &'static str,
        /// The transaction, or another program that the firmware executed.
        pub program: String,
        /// Byte offset of the operation in the program.
        pub offset: u32,
        /// Cycle in which it began.
        pub begin: Cycle,
        /// Until it was done.
        pub cycles: Cycle,
        /// Line of the design.
        pub source: Option<String>,
    }

    /// A value that a transaction kept for the host.
    pub struct FirmwareRecordReport {
        /// The value of a register, or a cycle.
        pub kind: FirmwareRecordedAs,
        /// Address of the register, or number of the record.
        pub id: u64,
        /// Value.
        pub value: u64,
    }

    /// A job by state.
    pub struct JobReport {
        /// Controller.
        pub uc: u8,
        /// Page.
        pub page: u16,
        /// Number.
        pub job: u16,
        /// It had the controller.
        pub run_cycles: Cycle,
        /// Another job had it.
        pub ready_cycles: Cycle,
        /// Cycles in which it waited, by what for: `uc_dma` (a chain of the uC-DMA), `uc_dma_queue` (room in its queue),
        /// `tokens`, `local_barrier` (jobs of the page), `remote_barrier` (other controllers), `poll` (a register),
        /// `sub_program` (pages that it runs), `meeting` (all controllers), `controller` (it let others go first).
        pub wait_cycles: BTreeMap<&'static str, Cycle>,
    }

    /// Traffic from and to an argument of the host.
    pub struct ArgumentReport {
        /// Number of the argument.
        pub index: u32,
        /// Its name, if the file has it.
        pub name: Option<String>,
        /// Bytes that the array read from it, each time it did.
        pub bytes_read: u64,
        /// Bytes that the array wrote to it, each time it did.
        pub bytes_written: u64,
        /// Both by cycle of the run.
        pub bytes_per_cycle: f64,
    }

    /// A tile that was used.
    pub struct TileReport {
        /// Column.
        pub column: u8,
        /// Row, 0 is the shim.
        pub row: u8,
        /// DMA channels that ran a task.
        pub channels: Vec<ChannelReport>,
        /// The core, if it was enabled.
        pub core: Option<CoreReport>,
        /// Accesses of its data memory that had to wait for a bank.
        pub bank_conflicts: u64,
    }

    /// A DMA channel that ran a task.
    pub struct ChannelReport {
        /// Direction.
        #[serde(serialize_with = "lower_case")]
        pub direction: DmaDir,
        /// Number.
        pub channel: u8,
        /// Its counters.
        #[serde(flatten)]
        pub counts: ChannelCounts,
        /// Of the whole run.
        pub bytes_per_cycle: f64,
        /// Cycles that the words take at full rate.
        pub move_cycles: Cycle,
        /// Cycles in which it moved nothing, by cause.
        #[serde(flatten)]
        pub times: ChannelTimes,
        /// The rest.
        pub idle_cycles: Cycle,
    }

    /// A core that was enabled.
    pub struct CoreReport {
        /// Cycles by state.
        #[serde(flatten)]
        pub times: CoreTimes,
        /// The rest.
        pub idle_cycles: Cycle,
        /// Its program ended.
        pub done: bool,
        /// Cycles by line of the source, those with most first; null if the engine of the cores counts none.
        pub lines: Option<Vec<LineReport>>,
    }

    /// Cycles of a line of a core's source.
    pub struct LineReport {
        /// File and line.
        pub source: String,
        /// Operations of the line were executed.
        pub busy_cycles: Cycle,
        /// The core waited in the line.
        pub stall_cycles: Cycle,
    }

    /// A port of a stream switch that words passed.
    pub struct LinkReport {
        /// Column.
        pub column: u8,
        /// Row.
        pub row: u8,
        /// Input of the switch, or output into the tile.
        pub side: PortSide,
        /// BUNDLE : CHANNEL
        pub port: String,
        /// Words that passed.
        pub words: u64,
        /// Of the whole run.
        pub bytes_per_cycle: f64,
        /// Words left it; null if the run was not watched.
        pub busy_cycles: Option<Cycle>,
        /// A word was there and was not taken; null if the run was not watched.
        pub stalled_cycles: Option<Cycle>,
        /// The rest; null if the run was not watched.
        pub idle_cycles: Option<Cycle>,
        /// Words with TLAST; null if the run was not watched.
        pub packets: Option<u64>,
    }

    /// Waits of a core, channel or port for one thing.
    pub struct StallReport {
        /// Core, channel or port.
        pub who: String,
        /// Its name in the design.
        pub name: Option<String>,
        /// not_taken: a word was at the port and nothing took it.
        pub cause: StallCause,
        /// The lock.
        pub on: Option<String>,
        /// In all.
        pub cycles: Cycle,
    }

    /// The critical path: a chain of causes from the last cycle back, whose cycles add up to the run.
    pub struct CriticalPathReport {
        /// Cycles by part and activity, the most first.
        pub shares: Vec<PathShareReport>,
        /// The chain in order of time, without gaps.
        pub links: Vec<PathLinkReport>,
    }

    /// All links of a part of the run with one activity.
    pub struct PathShareReport {
        /// Core, channel, controller or firmware.
        pub who: String,
        /// Its name in the design.
        pub name: Option<String>,
        /// Use of the time.
        pub activity: PathActivity,
        /// Number of links.
        pub links: u64,
        /// In all.
        pub cycles: Cycle,
    }

    /// A link of the critical path.
    pub struct PathLinkReport {
        /// Core, channel, job or firmware.
        pub who: String,
        /// Its name in the design.
        pub name: Option<String>,
        /// Use of the time.
        pub activity: PathActivity,
        /// First cycle.
        pub begin: Cycle,
        /// Cycles.
        pub cycles: Cycle,
    }

    /// A wait that is open.
    pub struct WaitReport {
        /// Job, core, channel or port.
        pub who: String,
        /// Its kind.
        pub kind: WaiterKind,
        /// Column and row.
        #[serde(serialize_with = "column_and_row")]
        pub tile: Option<TileLoc>,
        /// Its name in the design.
        pub name: Option<String>,
        /// The cause of the wait, and who touched that last.
        pub waits_for: String,
        /// First cycle of the wait.
        pub since: Cycle,
        /// file:line:column
        pub source: Option<String>,
        /// Who could end the wait.
        pub on: Vec<String>,
    }

    /// Explanation of a deadlock.
    pub struct DiagnosisReport {
        /// Likely cause, as a word.
        pub kind: DeadlockKind,
        /// The likely mistake, as a word.
        pub mistake: MistakeKind,
        /// The likely mistake, in words.
        pub cause: String,
        /// A way out.
        pub help: String,
        /// The chain in words, one wait a line, and the likely mistake: 12 lines at most.
        pub story: Vec<String>,
        /// The chain closes.
        pub is_cycle: bool,
        /// The waits that explain it.
        pub chain: Vec<WaitReport>,
    }

    /// State of a run that was aborted at the limit.
    pub struct LimitReport {
        /// The parts that were still at work.
        pub cause: String,
        /// When the control code last went on.
        pub last_progress: Cycle,
        /// Parts at work.
        pub active: Vec<String>,
        /// All waits.
        pub waiting: Vec<WaitReport>,
    }

    /// A register that has no effect here.
    pub struct UnmodelledReport {
        /// Name.
        pub register: String,
        /// Column and row of the first.
        #[serde(serialize_with = "column_and_row")]
        pub tile: TileLoc,
        /// Number of writes.
        pub writes: u64,
    }

    /// A register write whose effect depends on time.
    pub struct HazardReport {
        /// In words.
        pub what: String,
        /// First.
        pub cycle: Cycle,
        /// Number of times.
        pub times: u64,
        /// file:line:column where the register writes begin among which the first one is, if races are looked for.
        pub source: Option<String>,
    }

    /// Writes to an address at which the device has nothing.
    pub struct UnmappedReport {
        /// Address.
        pub address: String,
        /// Number of writes.
        pub writes: u64,
    }
}

named_enum! {
    /// Kinds of records of a controller.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RecordedAs {
        /// The cycle alone.
        Time => "time",
        /// The value of a register.
        Register => "register",
        /// A probe.
        Probe => "probe",
    }
}

named_enum! {
    /// Kinds of records of a transaction.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FirmwareRecordedAs {
        /// The value of a register.
        Register => "register",
        /// A cycle.
        Time => "time",
    }
}

named_enum! {
    /// Sides of a stream switch.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PortSide {
        /// Words enter the switch.
        Slave => "slave",
        /// Words leave the switch.
        Master => "master",
    }
}

named_enum! {
    /// Causes of stalls.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StallCause {
        /// A lock.
        Lock => "lock",
        /// Words of a stream, or room in it.
        Stream => "stream",
        /// Words of a cascade, or room in it.
        Cascade => "cascade",
        /// A receiver that takes the word.
        NotTaken => "not_taken",
    }
}

named_enum! {
    /// Kinds of what waits.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum WaiterKind {
        /// A job of a controller.
        Job => "job",
        /// The firmware of an NPU.
        Firmware => "firmware",
        /// A core.
        Core => "core",
        /// A DMA channel.
        Channel => "channel",
        /// A port of a stream switch.
        Port => "port",
        /// Another actor on the register bus.
        Bus => "bus",
    }
}

described_by_name!(
    DeadlockKind Ending FirmwareRecordedAs MistakeKind PathActivity PortSide RecordedAs StallCause WaiterKind
);
