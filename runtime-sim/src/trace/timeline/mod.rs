//! A run as tracks of spans: one for each controller, job, uC-DMA, core, DMA channel and port,
//! with marks, and arrows from where a task is pushed to where its token is taken.
//!
//! [`build`] makes them of trace records one by one and gives each to a [`TimelineSink`] as soon as
//! nothing changes it any more, so that memory holds what goes on only; a [`Timeline`] has all of them.

mod array;
mod counts;
mod diagnosis;
mod jobs;
mod rows;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use aiec_device::{ChannelId, LockId, TileLoc};
use aiec_diag::named_enum;
use rustc_hash::FxHashMap;

use super::names::TraceNames;
use crate::array::{
    ActorId, ActorKind, ActorOrJob, FirmwareOperation, FirmwareProgram, JobId, LockNeed,
    TraceEvent, TraceRecord,
};
use crate::critical_path::{PathActivity, critical_path};
use crate::external_sort::{Decoder, Encoder, Field, field_enum, field_struct};
use crate::run::{SimResult, Status};
use crate::time::Cycle;
use counts::{ByteRates, RATE_WINDOW};
use jobs::Tasks;
use rows::{Row, Rows, TrackBuilder};

named_enum! {
    /// State of an actor or job during a span.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SpanState {
        /// It executes.
        Run => "run",
        /// It gets ready: loads a BD, waits for memory.
        Setup => "setup",
        /// It moves words.
        Move => "move",
        /// It waits for a lock.
        Lock => "lock_stall",
        /// It waits for a stream.
        Stream => "stream_stall",
        /// It waits for a cascade.
        Cascade => "cascade_stall",
        /// It waits for something else: tokens, a barrier, a register.
        Wait => "wait",
        /// It could run, but another has what it needs.
        Ready => "ready",
        /// A word is not taken.
        Stalled => "stood",
        /// A part of something longer: a task, a BD, an instruction, a page.
        Part => "part",
    }
}

impl SpanState {
    /// It waits for a lock, a stream or a cascade.
    fn is_stall(self) -> bool {
        matches!(
            self,
            SpanState::Lock | SpanState::Stream | SpanState::Cascade
        )
    }
}

/// A span of time in which one thing is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First cycle.
    pub begin: Cycle,
    /// The cycle after the last one.
    pub end: Cycle,
    /// Spans of a greater depth lie inside those of a smaller one.
    pub depth: u8,
    /// State of the actor.
    pub state: SpanState,
    /// In words.
    pub text: Cow<'static, str>,
    /// Not over at the end of the run.
    pub open: bool,
}

/// Something at one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Cycle.
    pub at: Cycle,
    /// Text.
    pub text: Cow<'static, str>,
}

/// The value of a counter from a cycle on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Cycle.
    pub at: Cycle,
    /// The value; of a rate, bytes in the window that begins then.
    pub value: u64,
}

named_enum! {
    /// Subject of a track.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TrackKind {
        /// The pages of a controller.
        Controller => "controller",
        /// A job.
        Job => "job",
        /// The uC-DMA of a controller.
        UcDma => "uc_dma",
        /// A core.
        Core => "core",
        /// The calls and loops of a core's program.
        Program => "program",
        /// A DMA channel.
        Channel => "channel",
        /// A port of a stream switch.
        Port => "port",
        /// A unit of another machine than CERT's.
        Unit => "unit",
        /// The value of a lock; objects that are filled, for the lock of a fifo's consumer.
        Lock => "lock",
        /// The bytes that a DMA channel moves.
        Rate => "rate",
    }
}

impl TrackKind {
    /// The divisor that makes samples values of a counter; `None` of tracks without samples.
    pub fn samples_per_value(self) -> Option<Cycle> {
        match self {
            TrackKind::Lock => Some(1),
            TrackKind::Rate => Some(RATE_WINDOW),
            _ => None,
        }
    }

    /// Unit of the values of a counter.
    pub fn unit(self) -> &'static str {
        match self {
            TrackKind::Rate => "bytes per cycle",
            _ => "",
        }
    }
}

/// History of one actor or job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Owner: a controller, a tile.
    pub group: String,
    /// Its name in its group.
    pub name: String,
    /// Its kind.
    pub kind: TrackKind,
    /// Name and line in the design, if known.
    pub detail: String,
    /// By begin, then depth.
    pub spans: Vec<Span>,
    /// In order of time.
    pub marks: Vec<Mark>,
    /// Of a counter, in order of time.
    pub samples: Vec<Sample>,
}

/// From where a task is pushed, over the task, to where its token is taken: track and cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// In words.
    pub text: String,
    /// In order of time.
    pub stops: Vec<(usize, Cycle)>,
}

/// A link of the critical path of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPart {
    /// The track of its actor or job, if it has one.
    pub track: Option<usize>,
    /// Use of the time.
    pub activity: PathActivity,
    /// First cycle.
    pub begin: Cycle,
    /// The cycle after the last one.
    pub end: Cycle,
}

/// A line of what is known about the end of a run and about its hazards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosisLine {
    /// In words.
    pub text: String,
    /// The track that it is about.
    pub track: Option<usize>,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// The device.
    pub device: String,
    /// Outcome of the run.
    pub status: &'static str,
    /// Cycles of the run.
    pub cycles: Cycle,
    /// When the runtime sequence began; 0 if not known.
    pub run_began: Cycle,
    /// From here on something was left out.
    pub full: Option<Cycle>,
    /// By controller, then by tile.
    pub tracks: Vec<Track>,
    /// By begin.
    pub arrows: Vec<Arrow>,
    /// Why the run ended as it did, and its hazards; none of a run without.
    pub diagnosis: Vec<DiagnosisLine>,
    /// The critical path of a run that completed and of which all events are known, in order of time.
    pub path: Vec<PathPart>,
}

field_enum!(SpanState {
    0: Run,
    1: Setup,
    2: Move,
    3: Lock,
    4: Stream,
    5: Cascade,
    6: Wait,
    7: Ready,
    8: Stalled,
    9: Part,
});
field_struct!(Span {
    begin,
    end,
    depth,
    state,
    text,
    open
});
field_struct!(Mark { at, text });
field_struct!(Sample { at, value });

/// Content of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TrackSubject {
    /// States of an actor or a job.
    Does(ActorOrJob),
    /// The calls and loops of the program of a tile's core.
    Program(TileLoc),
    /// The value of a lock.
    Lock(LockId),
    /// The bytes that a channel moves.
    Rate(ChannelId),
}

impl From<ActorOrJob> for TrackSubject {
    fn from(who: ActorOrJob) -> TrackSubject {
        TrackSubject::Does(who)
    }
}

/// A track's place in the order of a timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TrackKey(pub u64);

/// All bytes, as the highest bits are in use.
impl Field for TrackKey {
    fn put(&self, out: &mut Encoder<'_>) {
        out.bytes.extend(self.0.to_le_bytes());
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        let (key, rest) = input.bytes.split_first_chunk()?;
        input.bytes = rest;
        Some(TrackKey(u64::from_le_bytes(*key)))
    }
}

/// Description of a track.
#[derive(Clone, Debug)]
pub(super) struct TrackHead {
    pub key: TrackKey,
    pub group: String,
    pub name: String,
    pub kind: TrackKind,
    pub detail: String,
}

impl TrackHead {
    /// The name with what the design calls it.
    pub fn full_name(&self) -> String {
        if self.detail.is_empty() {
            self.name.clone()
        } else {
            format!("{} {}", self.name, self.detail)
        }
    }
}

/// An arrow by the keys of its tracks.
#[derive(Clone, Debug)]
pub(super) struct KeyedArrow {
    /// Arrows are ordered by it.
    pub number: u64,
    pub text: String,
    pub stops: Vec<(TrackKey, Cycle)>,
}

field_struct!(KeyedArrow {
    number,
    text,
    stops
});

/// Takes the parts of a timeline. Spans of a track with the same begin, depth and end, and marks of a
/// track of the same cycle, come in their order; the rest comes in any.
pub(super) trait TimelineSink {
    fn span(&mut self, kind: TrackKind, track: TrackKey, span: Span) -> io::Result<()>;
    fn mark(&mut self, track: TrackKey, mark: Mark) -> io::Result<()>;
    fn sample(&mut self, kind: TrackKind, track: TrackKey, sample: Sample) -> io::Result<()>;
    fn arrow(&mut self, arrow: KeyedArrow) -> io::Result<()>;
}

/// The order of the timeline: groups come before what is in them, controllers before tiles.
fn track_key(track: TrackSubject) -> TrackKey {
    let (group, tile, rank): (u64, TileLoc, u64) = match track {
        TrackSubject::Does(ActorOrJob::Firmware) => (0, TileLoc::new(0, 0), 0),
        TrackSubject::Does(ActorOrJob::Job(job)) => (0, TileLoc::new(job.uc, 0), 2),
        TrackSubject::Does(ActorOrJob::Actor(actor)) => {
            let (group, rank) = match actor.kind() {
                ActorKind::Controller => (0, 0),
                ActorKind::ControllerDma => (0, 1),
                ActorKind::Core => (1, 0),
                ActorKind::MasterPort(_) => (1, 3),
                ActorKind::SlavePort(_) => (1, 4),
                _ => (1, 2),
            };
            (group, actor.tile(), rank)
        }
        TrackSubject::Program(tile) => (1, tile, 1),
        TrackSubject::Rate(channel) => (1, channel.tile, 2),
        TrackSubject::Lock(lock) => (1, lock.tile, 5),
    };
    let (high, low): (u64, u32) = match track {
        TrackSubject::Does(ActorOrJob::Job(job)) => {
            (0, u32::from(job.page) << 16 | u32::from(job.job))
        }
        TrackSubject::Does(ActorOrJob::Firmware) => (1, 0),
        TrackSubject::Does(ActorOrJob::Actor(actor)) => (2, actor.to_bits()),
        TrackSubject::Program(_) => (3, 0),
        TrackSubject::Rate(channel) => (4, ActorId::channel(channel).to_bits()),
        TrackSubject::Lock(lock) => (5, u32::from(lock.index)),
    };
    let parts = [
        (group, GROUP_BITS),
        (tile.col.into(), TILE_PART_BITS),
        (tile.row.into(), TILE_PART_BITS),
        (rank, RANK_BITS),
        (high, RANK_BITS),
        (low.into(), u32::BITS),
    ];
    let join = |key, (part, bits): (u64, u32)| key << bits | part;
    TrackKey(parts.into_iter().fold(0, join))
}

/// Bits of the parts of a [`TrackKey`]: controllers or tiles, a column or row, what of it.
const GROUP_BITS: u32 = 1;
const TILE_PART_BITS: u32 = u8::BITS;
const RANK_BITS: u32 = 3;

/// Subject of a track.
fn kind_of(track: TrackSubject) -> TrackKind {
    match track {
        TrackSubject::Program(_) => TrackKind::Program,
        TrackSubject::Lock(_) => TrackKind::Lock,
        TrackSubject::Rate(_) => TrackKind::Rate,
        TrackSubject::Does(ActorOrJob::Firmware) => TrackKind::Controller,
        TrackSubject::Does(ActorOrJob::Job(_)) => TrackKind::Job,
        TrackSubject::Does(ActorOrJob::Actor(actor)) => match actor.kind() {
            ActorKind::Controller => TrackKind::Controller,
            ActorKind::ControllerDma => TrackKind::UcDma,
            ActorKind::Core => TrackKind::Core,
            ActorKind::Channel(_) => TrackKind::Channel,
            _ => TrackKind::Port,
        },
    }
}

struct Builder<'a> {
    names: TraceNames<'a>,
    rows: Rows,
    tasks: Tasks,
    /// The last request of an actor.
    requested: FxHashMap<ActorId, (LockId, LockNeed)>,
    /// The job whose instruction each controller executes.
    executing: BTreeMap<u8, JobId>,
    rates: ByteRates,
    /// Values of counters that the sink doesn't have yet.
    samples: Vec<(TrackSubject, Sample)>,
    /// The cycle with which the run ended.
    end: Cycle,
    sink: &'a mut dyn TimelineSink,
}

/// The cycle with which all ends.
pub(super) fn end_of(result: &SimResult) -> Cycle {
    result.cycles.max(result.array.now())
}

/// Gives spans, marks and arrows of a run to a sink; the tracks in their order, and who each is of.
pub(super) fn build(
    result: &SimResult,
    sink: &mut dyn TimelineSink,
) -> io::Result<Vec<(TrackSubject, TrackHead)>> {
    let mut builder = Builder {
        names: TraceNames::new(result),
        rows: Rows::default(),
        tasks: Tasks::default(),
        requested: FxHashMap::default(),
        executing: BTreeMap::new(),
        rates: ByteRates::default(),
        samples: Vec::new(),
        end: end_of(result),
        sink,
    };
    result.each_record(&mut |record| {
        builder.tasks.advance(record.at);
        builder.add(record);
        builder.give_finished()
    })?;
    builder.end_in_waits(result);
    builder.finish(result.status == Status::Completed)
}

/// Spans, marks and samples of a track, in any order.
#[derive(Default)]
struct CollectedTrack {
    spans: Vec<Span>,
    marks: Vec<Mark>,
    samples: Vec<Sample>,
}

/// The parts of a timeline by track.
#[derive(Default)]
pub(super) struct Collector {
    rows: BTreeMap<TrackKey, CollectedTrack>,
    arrows: BTreeMap<u64, KeyedArrow>,
}

impl Collector {
    /// The track that a head describes.
    pub fn track(&mut self, head: TrackHead) -> Track {
        let collected = self.rows.remove(&head.key).unwrap_or_default();
        let CollectedTrack {
            mut spans,
            mut marks,
            mut samples,
        } = collected;
        spans.sort_by_key(|span| (span.begin, span.depth, span.end));
        marks.sort_by_key(|mark| mark.at);
        samples.sort_by_key(|sample| sample.at);
        Track {
            group: head.group,
            name: head.name,
            kind: head.kind,
            detail: head.detail,
            spans,
            marks,
            samples,
        }
    }
}

impl TimelineSink for Collector {
    fn span(&mut self, _: TrackKind, track: TrackKey, span: Span) -> io::Result<()> {
        self.rows.entry(track).or_default().spans.push(span);
        Ok(())
    }

    fn mark(&mut self, track: TrackKey, mark: Mark) -> io::Result<()> {
        self.rows.entry(track).or_default().marks.push(mark);
        Ok(())
    }

    fn sample(&mut self, _: TrackKind, track: TrackKey, sample: Sample) -> io::Result<()> {
        self.rows.entry(track).or_default().samples.push(sample);
        Ok(())
    }

    fn arrow(&mut self, arrow: KeyedArrow) -> io::Result<()> {
        self.arrows.insert(arrow.number, arrow);
        Ok(())
    }
}

impl Timeline {
    /// The timeline of a run.
    ///
    /// # Errors
    /// A trace in scratch files can't be read; one in memory always can.
    pub fn of(result: &SimResult) -> io::Result<Timeline> {
        let mut parts = Collector::default();
        let heads = build(result, &mut parts)?;
        let (mut index, mut by_key) = (BTreeMap::new(), BTreeMap::new());
        for (at, (who, head)) in heads.iter().enumerate() {
            index.insert(*who, at);
            by_key.insert(head.key, at);
        }
        let heads = heads.into_iter();
        let tracks = heads.map(|(_, head)| parts.track(head)).collect();
        let arrows = parts.arrows.into_values().map(|arrow| {
            let stops = arrow.stops.iter();
            let stops = stops.filter_map(|(key, at)| Some((*by_key.get(key)?, *at)));
            Arrow {
                stops: stops.collect(),
                text: arrow.text,
            }
        });
        let arrows = arrows.collect();
        let path = path(result, &index)?;
        Ok(Timeline {
            device: result.array.device().name().to_string(),
            status: result.status.name(),
            cycles: end_of(result),
            run_began: result.config_cycles,
            full: result.array.trace_overflow(),
            tracks,
            arrows,
            diagnosis: diagnosis::lines(result, &index),
            path,
        })
    }
}

/// The critical path of a run, if all of its events are known.
fn path(result: &SimResult, tracks: &BTreeMap<TrackSubject, usize>) -> io::Result<Vec<PathPart>> {
    if result.array.trace_overflow().is_some() || result.array.trace_begin() > 0 {
        return Ok(Vec::new());
    }
    let path = critical_path(result)?;
    let links = path.iter().flat_map(|path| path.links());
    let parts = links.map(|link| PathPart {
        track: tracks.get(&TrackSubject::Does(link.who)).copied(),
        activity: link.activity,
        begin: link.begin,
        end: link.end,
    });
    Ok(parts.collect())
}

impl Builder<'_> {
    fn add(&mut self, record: &TraceRecord) {
        let TraceRecord { at, tile, event } = *record;
        match event {
            TraceEvent::Page { .. }
            | TraceEvent::Instruction { .. }
            | TraceEvent::InstructionEnded { .. }
            | TraceEvent::JobStarted(_)
            | TraceEvent::JobBlocked { .. }
            | TraceEvent::JobReady(_)
            | TraceEvent::JobEnded(_)
            | TraceEvent::TokensTaken { .. }
            | TraceEvent::UcDma { .. } => self.controller(at, event),
            TraceEvent::FirmwareOperation(operation) => self.firmware_operation(at, operation),
            TraceEvent::FirmwareOperationEnded => self.firmware_row().close(0, at),
            _ => self.array(at, tile, event),
        }
    }

    fn row_of(&mut self, who: impl Into<TrackSubject>) -> &mut TrackBuilder {
        self.rows.touch(who.into())
    }

    fn row(&mut self, actor: ActorId) -> &mut TrackBuilder {
        self.row_of(ActorOrJob::Actor(actor))
    }

    fn firmware_row(&mut self) -> &mut TrackBuilder {
        self.row_of(ActorOrJob::Firmware)
    }

    fn firmware_operation(&mut self, at: Cycle, operation: FirmwareOperation) {
        let FirmwareOperation {
            program,
            offset,
            name,
            source,
        } = operation;
        let source = source.and_then(|source| self.names.show(source));
        let source = source.map_or(String::new(), |source| format!(" ({source})"));
        let place = match program {
            FirmwareProgram::XclbinPdi | FirmwareProgram::Pdi(_) => format!("command {offset}"),
            _ => format!("0x{offset:X}"),
        };
        let text = format!("{name} at {place} of {program}{source}");
        self.firmware_row().open(0, at, SpanState::Run, text);
    }

    fn job_row(&mut self, job: JobId) -> &mut TrackBuilder {
        self.row_of(ActorOrJob::Job(job))
    }

    /// Gives the sink what the record finished.
    fn give_finished(&mut self) -> io::Result<()> {
        self.rows.give_finished(self.sink)?;
        for (who, sample) in self.samples.drain(..) {
            let key = self.rows.key_of(who);
            self.sink.sample(kind_of(who), key, sample)?;
        }
        for (number, path) in self.tasks.take_finished() {
            let stops = path.stops.iter();
            let stops = stops.map(|&(who, at)| (self.rows.key_of(who.into()), at));
            self.sink.arrow(KeyedArrow {
                number,
                text: path.text,
                stops: stops.collect(),
            })?;
        }
        Ok(())
    }

    /// Ends all scopes with the run; if that `has_completed`, waits that are open then count as
    /// rest.
    fn finish(mut self, has_completed: bool) -> io::Result<Vec<(TrackSubject, TrackHead)>> {
        self.tasks.finish();
        for (channel, last) in self.rates.finish() {
            let last = last.into_iter().filter(|sample| sample.at < self.end);
            let last = last.map(|sample| (TrackSubject::Rate(channel), sample));
            self.samples.extend(last);
        }
        self.give_finished()?;
        let mut heads = Vec::new();
        for Row {
            who,
            key,
            builder: mut row,
        } in std::mem::take(&mut self.rows).into_all()
        {
            if has_completed {
                row.drop_open_stalls();
            }
            row.end(self.end);
            row.give(kind_of(who), key, self.sink)?;
            let (group, name, detail) = self.describe(who);
            let head = TrackHead {
                key,
                group,
                name,
                kind: kind_of(who),
                detail,
            };
            heads.push((who, head));
        }
        heads.sort_by_key(|(_, head)| head.key);
        Ok(heads)
    }

    /// Group, name and detail of a track.
    fn describe(&self, track: TrackSubject) -> (String, String, String) {
        let uc = |uc: u8| format!("uC {uc}");
        let actor = match track {
            TrackSubject::Does(ActorOrJob::Firmware) => {
                return ("NPU".into(), "firmware".into(), String::new());
            }
            TrackSubject::Does(ActorOrJob::Job(job)) => {
                let name = format!("page {} job {}", job.page, job.job);
                return (uc(job.uc), name, String::new());
            }
            TrackSubject::Program(tile) => {
                let group = format!("{} {tile}", self.names.kind(tile));
                return (group, "calls and loops".into(), String::new());
            }
            TrackSubject::Lock(lock) => {
                let group = format!("{} {}", self.names.kind(lock.tile), lock.tile);
                let name = self.names.lock(lock).unwrap_or_default();
                return match self.names.filled_objects(lock) {
                    Some(fifo) => (group, format!("objects in @{fifo}"), format!("'{name}'")),
                    None if name.is_empty() => {
                        (group, format!("lock {}", lock.index), String::new())
                    }
                    None => (group, format!("lock {}", lock.index), format!("'{name}'")),
                };
            }
            TrackSubject::Rate(channel) => {
                let group = format!("{} {}", self.names.kind(channel.tile), channel.tile);
                let name = format!("{} {}, bytes per cycle", channel.dir, channel.index);
                return (group, name, self.detail(ActorId::channel(channel)));
            }
            TrackSubject::Does(ActorOrJob::Actor(actor)) => actor,
        };
        let tile = actor.tile();
        let group = format!("{} {tile}", self.names.kind(tile));
        let detail = self.detail(actor);
        match actor.kind() {
            ActorKind::Controller => (uc(tile.col), "pages".into(), detail),
            ActorKind::ControllerDma => (uc(tile.col), "uC-DMA".into(), detail),
            ActorKind::Core => (group, "core".into(), detail),
            ActorKind::Channel(id) => (group, format!("DMA {} {}", id.dir, id.index), detail),
            _ => {
                let side = if actor.is_slave_port() { "from" } else { "to" };
                let port = actor.port();
                let port = port.map_or(String::new(), |p| format!("{} {}", p.bundle, p.channel));
                (group, format!("{side} {port}"), detail)
            }
        }
    }

    /// Object fifo, name and line in the design.
    fn detail(&self, actor: ActorId) -> String {
        let (name, source) = self.names.actor(actor);
        let fifo = self.names.fifo(actor).map(|fifo| format!("@{fifo}"));
        let parts = [fifo, name.map(|name| format!("'{name}'")), source];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
