//! A run as tracks of spans: one for each controller, job, uC-DMA, core, DMA channel and port,
//! with marks, and arrows from where a task is pushed to where its token is taken.

mod array;
mod jobs;
mod rows;

use std::collections::BTreeMap;

use aiec_device::{DmaDir, TileLoc};

use super::names::Naming;
use crate::array::{JobSite, Note, Noted, Party};
use crate::run::SimResult;
use crate::time::Cycle;
use jobs::Tasks;
use rows::Row;

/// What a part does during a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// It executes.
    Run,
    /// It gets ready: loads a BD, waits for memory.
    Setup,
    /// It moves words.
    Move,
    /// It waits for a lock.
    Lock,
    /// It waits for a stream.
    Stream,
    /// It waits for a cascade.
    Cascade,
    /// It waits for something else: tokens, a barrier, a register.
    Wait,
    /// It could run, but another has what it needs.
    Ready,
    /// A word stands and is not taken.
    Stood,
    /// A part of something longer: a task, a BD, an instruction, a page.
    Part,
}

impl State {
    /// All states.
    pub const ALL: [State; 10] = [
        State::Run,
        State::Setup,
        State::Move,
        State::Lock,
        State::Stream,
        State::Cascade,
        State::Wait,
        State::Ready,
        State::Stood,
        State::Part,
    ];

    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            State::Run => "run",
            State::Setup => "setup",
            State::Move => "move",
            State::Lock => "lock_stall",
            State::Stream => "stream_stall",
            State::Cascade => "cascade_stall",
            State::Wait => "wait",
            State::Ready => "ready",
            State::Stood => "stood",
            State::Part => "part",
        }
    }
}

/// A stretch of time in which a part does one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First cycle.
    pub begin: Cycle,
    /// The cycle behind the last one.
    pub end: Cycle,
    /// Spans of a greater depth lie inside those of a smaller one.
    pub depth: u8,
    /// What.
    pub state: State,
    /// In words.
    pub text: String,
}

/// Something at one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at: Cycle,
    /// What.
    pub text: String,
}

/// What a track is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The pages of a controller.
    Controller,
    /// A job.
    Job,
    /// The uC-DMA of a controller.
    UcDma,
    /// A core.
    Core,
    /// A DMA channel.
    Channel,
    /// A port of a stream switch.
    Port,
}

impl Sort {
    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Controller => "controller",
            Sort::Job => "job",
            Sort::UcDma => "uc_dma",
            Sort::Core => "core",
            Sort::Channel => "channel",
            Sort::Port => "port",
        }
    }
}

/// What one part did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// What it belongs to: a controller, a tile.
    pub group: String,
    /// Its name in its group.
    pub name: String,
    /// What it is.
    pub sort: Sort,
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
}

/// Identity of a track; its order is that of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Controller(u8),
    UcDma(u8),
    Job(JobSite),
    Core(TileLoc),
    Channel(TileLoc, DmaDir, u8),
    Port(TileLoc, bool, u8),
}

/// Groups come before what is in them: controllers, then tiles.
fn order(key: &Key) -> (u8, u8, u8, Key) {
    match *key {
        Key::Controller(uc) | Key::UcDma(uc) => (0, uc, 0, *key),
        Key::Job(site) => (0, site.uc, 0, *key),
        Key::Core(tile) | Key::Channel(tile, ..) | Key::Port(tile, ..) => {
            (1, tile.col, tile.row, *key)
        }
    }
}

struct Builder<'a> {
    names: Naming<'a>,
    rows: BTreeMap<Key, Row>,
    tasks: Tasks,
    /// The lock that a party asked for last, in words.
    asked: BTreeMap<Party, String>,
    /// The job whose instruction each controller executes.
    executing: BTreeMap<u8, JobSite>,
    end: Cycle,
}

impl Timeline {
    /// The timeline of a run.
    pub fn of(result: &SimResult) -> Timeline {
        let end = result.cycles.max(result.array.now());
        let mut builder = Builder {
            names: Naming::new(result),
            rows: BTreeMap::new(),
            tasks: Tasks::default(),
            asked: BTreeMap::new(),
            executing: BTreeMap::new(),
            end,
        };
        for noted in &result.notes {
            builder.add(noted);
        }
        let (tracks, arrows) = builder.finish();
        Timeline {
            device: result.array.device().name().to_string(),
            status: result.status.name(),
            cycles: end,
            run_began: result.config_cycles,
            full: result.array.notes_end(),
            tracks,
            arrows,
        }
    }
}

impl Builder<'_> {
    fn add(&mut self, noted: &Noted) {
        let Noted { at, tile, what } = *noted;
        match what {
            Note::Page { .. }
            | Note::Op { .. }
            | Note::OpEnds { .. }
            | Note::JobRuns { .. }
            | Note::JobWaits { .. }
            | Note::JobWoken { .. }
            | Note::JobEnds { .. }
            | Note::TokensTaken { .. }
            | Note::UcDma { .. } => self.controller(at, what),
            _ => self.array(at, tile, what),
        }
    }

    fn row(&mut self, key: Key) -> &mut Row {
        self.rows.entry(key).or_default()
    }

    fn finish(mut self) -> (Vec<Track>, Vec<Arrow>) {
        let arrows = std::mem::take(&mut self.tasks).arrows();
        for (key, _) in arrows.iter().flat_map(|arrow| &arrow.stops) {
            self.rows.entry(*key).or_default();
        }
        let mut rows: Vec<(Key, Row)> = std::mem::take(&mut self.rows).into_iter().collect();
        rows.sort_by_key(|(key, _)| order(key));
        let index: BTreeMap<Key, usize> = rows
            .iter()
            .enumerate()
            .map(|(index, (key, _))| (*key, index))
            .collect();
        let end = self.end;
        let tracks = rows.into_iter().map(|(key, row)| {
            let (group, name, sort, detail) = self.describe(key);
            let (spans, marks) = row.finish(end);
            Track {
                group,
                name,
                sort,
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
        (tracks, arrows.collect())
    }

    fn describe(&self, key: Key) -> (String, String, Sort, String) {
        let of_tile = |tile: TileLoc| format!("{} {tile}", self.names.kind(tile));
        let uc = |uc: u8| format!("uC {uc}");
        match key {
            Key::Controller(n) => (uc(n), "pages".into(), Sort::Controller, String::new()),
            Key::UcDma(n) => (uc(n), "uC-DMA".into(), Sort::UcDma, String::new()),
            Key::Job(site) => {
                let name = format!("page {} job {}", site.page, site.job);
                (uc(site.uc), name, Sort::Job, String::new())
            }
            Key::Core(tile) => {
                let detail = self.detail(Party::Core(tile));
                (of_tile(tile), "core".into(), Sort::Core, detail)
            }
            Key::Channel(tile, dir, channel) => {
                let detail = self.detail(Party::Channel { tile, dir, channel });
                let name = format!("DMA {dir} {channel}");
                (of_tile(tile), name, Sort::Channel, detail)
            }
            Key::Port(tile, slave, index) => {
                let way = if slave { "from" } else { "to" };
                let port = self.names.port(tile, slave, index);
                let port = port.map_or(String::new(), |p| format!("{} {}", p.bundle, p.channel));
                let name = format!("{way} {port}");
                (of_tile(tile), name, Sort::Port, String::new())
            }
        }
    }

    /// Name and line in the design.
    fn detail(&self, party: Party) -> String {
        let (name, source) = self.names.party(party);
        let parts = [name.map(|name| format!("'{name}'")), source];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
