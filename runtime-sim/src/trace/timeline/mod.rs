//! A run as tracks of spans: one for each controller, job, uC-DMA, core, DMA channel and port,
//! with marks, and arrows from where a task is pushed to where its token is taken.

mod array;
mod diagnosis;
mod jobs;
mod rows;

use std::collections::BTreeMap;

use aiec_device::TileLoc;
use aiec_diag::named_enum;

use super::names::TraceNames;
use crate::array::{
    ActorId, ActorKind, ActorOrJob, FirmwareOperation, FirmwareProgram, JobId, TraceEvent,
    TraceRecord,
};
use crate::run::SimResult;
use crate::time::Cycle;
use jobs::Tasks;
use rows::TrackBuilder;

named_enum! {
    /// What an actor or job does during a span.
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

/// A span of time in which one thing is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First cycle.
    pub begin: Cycle,
    /// The cycle after the last one.
    pub end: Cycle,
    /// Spans of a greater depth lie inside those of a smaller one.
    pub depth: u8,
    /// What.
    pub state: SpanState,
    /// In words.
    pub text: String,
    /// Not over at the end of the run.
    pub open: bool,
}

/// Something at one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at: Cycle,
    /// What.
    pub text: String,
}

named_enum! {
    /// What a track is of.
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
        /// A DMA channel.
        Channel => "channel",
        /// A port of a stream switch.
        Port => "port",
        /// A unit of another machine than CERT's.
        Unit => "unit",
    }
}

/// What one actor or job did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// What it belongs to: a controller, a tile.
    pub group: String,
    /// Its name in its group.
    pub name: String,
    /// What it is.
    pub kind: TrackKind,
    /// Name and line in the design, if known.
    pub detail: String,
    /// By begin, then depth.
    pub spans: Vec<Span>,
    /// In order of time.
    pub marks: Vec<Mark>,
}

/// From where a task is pushed, over the task, to where its token is taken: track and cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// In words.
    pub text: String,
    /// In order of time.
    pub stops: Vec<(usize, Cycle)>,
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
    /// How the run ended.
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
}

/// The order of the timeline: groups come before what is in them, controllers before tiles.
fn order(track: &ActorOrJob) -> (u8, u8, u8, u8, ActorOrJob) {
    let (group, tile, rank) = match track {
        ActorOrJob::Firmware => (0, TileLoc::new(0, 0), 0),
        ActorOrJob::Job(job) => (0, TileLoc::new(job.uc, 0), 2),
        ActorOrJob::Actor(actor) => {
            let (group, rank) = match actor.kind() {
                ActorKind::Controller => (0, 0),
                ActorKind::ControllerDma => (0, 1),
                ActorKind::MasterPort(_) => (1, 1),
                ActorKind::SlavePort(_) => (1, 2),
                _ => (1, 0),
            };
            (group, actor.tile(), rank)
        }
    };
    (group, tile.col, tile.row, rank, *track)
}

struct Builder<'a> {
    names: TraceNames<'a>,
    rows: BTreeMap<ActorOrJob, TrackBuilder>,
    tasks: Tasks,
    /// The lock that an actor requested last, in words.
    requested: BTreeMap<ActorId, String>,
    /// The job whose instruction each controller executes.
    executing: BTreeMap<u8, JobId>,
    end: Cycle,
}

impl Timeline {
    /// The timeline of a run.
    pub fn of(result: &SimResult) -> Timeline {
        let end = result.cycles.max(result.array.now());
        let mut builder = Builder {
            names: TraceNames::new(result),
            rows: BTreeMap::new(),
            tasks: Tasks::default(),
            requested: BTreeMap::new(),
            executing: BTreeMap::new(),
            end,
        };
        for record in &result.trace {
            builder.add(record);
        }
        builder.end_in_waits(result);
        let (tracks, arrows, index) = builder.finish();
        Timeline {
            device: result.array.device().name().to_string(),
            status: result.status.name(),
            cycles: end,
            run_began: result.config_cycles,
            full: result.array.trace_overflow(),
            tracks,
            arrows,
            diagnosis: diagnosis::lines(result, &index),
        }
    }
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

    fn row(&mut self, actor: ActorId) -> &mut TrackBuilder {
        self.rows.entry(ActorOrJob::Actor(actor)).or_default()
    }

    fn firmware_row(&mut self) -> &mut TrackBuilder {
        self.rows.entry(ActorOrJob::Firmware).or_default()
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
        self.rows.entry(ActorOrJob::Job(job)).or_default()
    }

    fn finish(mut self) -> (Vec<Track>, Vec<Arrow>, BTreeMap<ActorOrJob, usize>) {
        let arrows = std::mem::take(&mut self.tasks).arrows();
        for (key, _) in arrows.iter().flat_map(|arrow| &arrow.stops) {
            self.rows.entry(*key).or_default();
        }
        let mut rows: Vec<(ActorOrJob, TrackBuilder)> =
            std::mem::take(&mut self.rows).into_iter().collect();
        rows.sort_by_key(|(key, _)| order(key));
        let index: BTreeMap<ActorOrJob, usize> = rows
            .iter()
            .enumerate()
            .map(|(index, (key, _))| (*key, index))
            .collect();
        let end = self.end;
        let tracks = rows.into_iter().map(|(key, row)| {
            let (group, name, kind, detail) = self.describe(key);
            let (spans, marks) = row.finish(end);
            Track {
                group,
                name,
                kind,
                detail,
                spans,
                marks,
            }
        });
        let tracks = tracks.collect();
        let arrows = arrows.into_iter().map(|arrow| Arrow {
            text: arrow.text,
            stops: arrow
                .stops
                .iter()
                .filter_map(|(key, at)| Some((*index.get(key)?, *at)))
                .collect(),
        });
        let arrows = arrows.collect();
        (tracks, arrows, index)
    }

    /// Group, name, kind and detail of a track.
    fn describe(&self, track: ActorOrJob) -> (String, String, TrackKind, String) {
        let uc = |uc: u8| format!("uC {uc}");
        let actor = match track {
            ActorOrJob::Firmware => {
                return (
                    "NPU".into(),
                    "firmware".into(),
                    TrackKind::Controller,
                    String::new(),
                );
            }
            ActorOrJob::Job(job) => {
                let name = format!("page {} job {}", job.page, job.job);
                return (uc(job.uc), name, TrackKind::Job, String::new());
            }
            ActorOrJob::Actor(actor) => actor,
        };
        let tile = actor.tile();
        let group = format!("{} {tile}", self.names.kind(tile));
        let detail = self.detail(actor);
        match actor.kind() {
            ActorKind::Controller => (uc(tile.col), "pages".into(), TrackKind::Controller, detail),
            ActorKind::ControllerDma => (uc(tile.col), "uC-DMA".into(), TrackKind::UcDma, detail),
            ActorKind::Core => (group, "core".into(), TrackKind::Core, detail),
            ActorKind::Channel(id) => {
                let name = format!("DMA {} {}", id.dir, id.index);
                (group, name, TrackKind::Channel, detail)
            }
            _ => {
                let side = if actor.is_slave_port() { "from" } else { "to" };
                let port = actor.port();
                let port = port.map_or(String::new(), |p| format!("{} {}", p.bundle, p.channel));
                (group, format!("{side} {port}"), TrackKind::Port, detail)
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
