"""Keys of reports of runs, made from the schema that ``aiec sim --report-schema`` prints.

``AIEC_BLESS=1 cargo test -p aiec-test --test project docs`` writes this file anew.
"""

from typing import Any, Literal, TypedDict

from typing_extensions import NotRequired


class ControllerReport(TypedDict):
    """A micro-controller."""

    uc: int
    instructions: int
    jobs: int
    pages: int
    busy_cycles: int
    idle_cycles: int
    dma_words: int
    ended: int | None
    records: list[RecordReport]


class RecordReport(TypedDict):
    """A value that a controller kept."""

    id: int
    cycle: int
    kind: Literal["time", "register", "probe"]
    value: int | None


class FirmwareReport(TypedDict):
    """The firmware of an NPU."""

    operations: int
    commands: int
    loads: int
    skipped_loads: int
    words: int
    switches: int
    stalls: list[FirmwareStallReport]
    records: list[FirmwareRecordReport]


class FirmwareStallReport(TypedDict):
    """An operation of a program of the firmware that had to wait."""

    operation: str
    program: str
    offset: int
    begin: int
    cycles: int
    source: str | None


class FirmwareRecordReport(TypedDict):
    """A value that a transaction kept for the host."""

    kind: Literal["register", "time"]
    id: int
    value: int


class JobReport(TypedDict):
    """A job by state."""

    uc: int
    page: int
    job: int
    run_cycles: int
    ready_cycles: int
    wait_cycles: dict[str, int]


class ArgumentReport(TypedDict):
    """Traffic from and to an argument of the host."""

    index: int
    name: str | None
    bytes_read: int
    bytes_written: int
    bytes_per_cycle: float


class TileReport(TypedDict):
    """A tile that was used."""

    column: int
    row: int
    channels: list[ChannelReport]
    core: CoreReport | None
    bank_conflicts: int


class ChannelReport(TypedDict):
    """A DMA channel that ran a task."""

    direction: Literal["s2mm", "mm2s"]
    channel: int
    tasks: int
    bds: int
    words: int
    bytes_per_cycle: float
    move_cycles: int
    lock_stall_cycles: int
    stream_stall_cycles: int
    overhead_cycles: int
    idle_cycles: int


class CoreReport(TypedDict):
    """A core that was enabled."""

    busy_cycles: int
    lock_stall_cycles: int
    stream_stall_cycles: int
    cascade_stall_cycles: int
    idle_cycles: int
    done: bool
    lines: list[LineReport] | None


class LineReport(TypedDict):
    """Cycles of a line of a core's source."""

    source: str
    busy_cycles: int
    stall_cycles: int


class LinkReport(TypedDict):
    """A port of a stream switch that words passed."""

    column: int
    row: int
    side: Literal["slave", "master"]
    port: str
    words: int
    bytes_per_cycle: float
    busy_cycles: int | None
    stalled_cycles: int | None
    idle_cycles: int | None
    packets: int | None


class StallReport(TypedDict):
    """Waits of a core, channel or port for one thing."""

    who: str
    name: str | None
    cause: Literal["lock", "stream", "cascade", "not_taken"]
    on: str | None
    cycles: int


class CriticalPathReport(TypedDict):
    """The critical path: a chain of causes from the last cycle back, whose cycles add up to the run."""

    shares: list[PathShareReport]
    links: list[PathLinkReport]


class PathShareReport(TypedDict):
    """All links of a part of the run with one activity."""

    who: str
    name: str | None
    activity: Literal["work", "setup", "lock", "stream", "token", "control"]
    links: int
    cycles: int


class PathLinkReport(TypedDict):
    """A link of the critical path."""

    who: str
    name: str | None
    activity: Literal["work", "setup", "lock", "stream", "token", "control"]
    begin: int
    cycles: int


class WaitReport(TypedDict):
    """A wait that is open."""

    who: str
    kind: Literal["job", "firmware", "core", "channel", "port", "bus"]
    tile: list[int] | None
    name: str | None
    waits_for: str
    since: int
    source: str | None
    on: list[str]


class DiagnosisReport(TypedDict):
    """Explanation of a deadlock."""

    kind: Literal["lock-cycle", "never-released-lock", "fifo-too-shallow", "arbiter", "circular-wait", "missing-transfer", "unrouted-stream", "unrouted-packet", "token-count", "barrier-order", "barrier-count", "poll", "not-running", "cascade", "other"]
    mistake: Literal["fifo-never-released", "fifo-too-shallow", "circular-fifos", "producer-ended", "consumer-ended", "transfer-length", "transfer-missing", "wait-order", "token-missing", "extra-wait", "lock-never-released", "lock-releaser-ended", "lock-count", "lock-initial-value", "lock-order", "packet-path-shared", "flow-missing", "packet-id", "cascade-count", "stream-order", "barrier-count", "barrier-order", "poll", "not-running", "other"]
    cause: str
    help: str
    story: list[str]
    is_cycle: bool
    chain: list[WaitReport]


class LimitReport(TypedDict):
    """State of a run that was aborted at the limit."""

    cause: str
    last_progress: int
    active: list[str]
    waiting: list[WaitReport]


class UnmodelledReport(TypedDict):
    """A register that has no effect here."""

    register: str
    tile: list[int]
    writes: int


class HazardReport(TypedDict):
    """A register write whose effect depends on time."""

    what: str
    cycle: int
    times: int
    source: str | None


class RaceReport(TypedDict):
    """Two accesses to the same bytes, one a write, that nothing but time puts in order."""

    tile: list[int] | None
    place: str
    accesses: list[AccessReport]
    remedy: str
    this_run: str
    times: int


class AccessReport(TypedDict):
    """An access of a race, or to memory that nothing has written."""

    who: str
    writes: bool
    cycle: int
    source: str | None
    operation: str | None


class UnwrittenReport(TypedDict):
    """A read of memory that nothing has written."""

    tile: list[int] | None
    place: str
    access: AccessReport
    times: int


class OutsideReport(TypedDict):
    """Accesses of a core outside of all buffers: past the end of the memref that it names."""

    tile: list[int]
    place: str
    access: AccessReport
    times: int


class NotAcquiredReport(TypedDict):
    """Accesses of a core to an object of a fifo before it has acquired it, or after it has released it."""

    tile: list[int]
    place: str
    fifo: str
    object: int
    is_released: bool
    access: AccessReport
    times: int


class LeftoverReport(TypedDict):
    """Something that a completed run left unfinished. The next run of the design, or a run with other latencies, may fail because of it."""

    what: str
    source: str | None


class UnmappedReport(TypedDict):
    """Writes to an address at which the device has nothing."""

    address: str
    writes: int


class SimReport(TypedDict):
    """Report that `aiec sim --report FILE.json` writes. Cycles are those of the array clock, words have 32 bits. Keys that are not listed may be added."""

    status: Literal["completed", "deadlock", "fault", "limit", "stopped"]
    cycles: int
    config_cycles: int
    run_cycles: int
    bound_cycles: int | None
    device: str
    uc: list[ControllerReport]
    firmware: FirmwareReport | None
    jobs: list[JobReport] | None
    arguments: list[ArgumentReport]
    tiles: list[TileReport]
    links: list[LinkReport]
    stalls: list[StallReport] | None
    critical_path: CriticalPathReport | None
    deadlock: list[WaitReport]
    diagnosis: NotRequired[DiagnosisReport]
    fault: NotRequired[str]
    limit: NotRequired[LimitReport]
    unmodelled: list[UnmodelledReport]
    hazards: list[HazardReport]
    races: list[RaceReport]
    unwritten_reads: list[UnwrittenReport]
    outside_of_buffers: list[OutsideReport]
    not_acquired: list[NotAcquiredReport]
    determinate: bool
    not_determinate_because: list[str]
    near_misses: list[LeftoverReport]
    unmapped: list[UnmappedReport]
