//! Tracks of controllers, jobs and uC-DMAs; the way of each task from push to token.

use std::collections::{BTreeMap, VecDeque};

use aiec_device::{DmaDir, TileLoc};

use super::{Builder, Key, State};
use crate::array::{JobSite, JobWait, Note};
use crate::time::Cycle;

/// Depths of a job's track.
const STATE: u8 = 0;
const OP: u8 = 1;

/// A channel: tile, direction, number.
type Channel = (TileLoc, DmaDir, u8);

/// The way of a task.
#[derive(Debug)]
pub(super) struct Way {
    pub text: String,
    pub stops: Vec<(Key, Cycle)>,
}

/// The tasks of a run, each on its way.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    ways: Vec<Way>,
    /// Pushed by something that is not known yet, in this cycle.
    pushes: Vec<(usize, Cycle)>,
    /// In the queue of a channel.
    queued: BTreeMap<Channel, VecDeque<usize>>,
    /// In progress.
    current: BTreeMap<Channel, usize>,
    /// Tokens on their way, and those that arrived, by actor.
    sent: BTreeMap<(TileLoc, u8), VecDeque<usize>>,
    here: BTreeMap<(TileLoc, u8), VecDeque<usize>>,
    /// Jobs that wait for tokens.
    waiting: BTreeMap<JobSite, (TileLoc, u8, u8)>,
}

impl Tasks {
    pub fn pushed(&mut self, channel: Channel, at: Cycle, text: String, by: Option<JobSite>) {
        let index = self.ways.len();
        let stops = by.map(|site| (Key::Job(site), at)).into_iter().collect();
        self.ways.push(Way { text, stops });
        if by.is_none() {
            self.pushes.push((index, at));
        }
        self.queued.entry(channel).or_default().push_back(index);
    }

    /// A uC-DMA wrote in a cycle: what was pushed then and by nobody else was pushed by it.
    fn wrote(&mut self, uc: u8, at: Cycle) {
        for (index, pushed) in std::mem::take(&mut self.pushes) {
            if pushed == at {
                self.ways[index].stops.insert(0, (Key::UcDma(uc), at));
            }
        }
    }

    /// A channel begins its next task; what it is, in words.
    pub fn begins(&mut self, channel: Channel, at: Cycle) -> String {
        let next = self.queued.get_mut(&channel).and_then(VecDeque::pop_front);
        let Some(index) = next else {
            return "task".into();
        };
        self.current.insert(channel, index);
        let (tile, dir, number) = channel;
        let way = &mut self.ways[index];
        way.stops.push((Key::Channel(tile, dir, number), at));
        way.text.clone()
    }

    /// The token of a channel's task leaves.
    pub fn sent(&mut self, channel: Channel, actor: u8, at: Cycle) {
        let Some(index) = self.current.remove(&channel) else {
            return;
        };
        let (tile, dir, number) = channel;
        let stop = (Key::Channel(tile, dir, number), at);
        self.ways[index].stops.push(stop);
        self.sent.entry((tile, actor)).or_default().push_back(index);
    }

    /// A token reached its controller.
    pub fn arrived(&mut self, tile: TileLoc, actor: u8) {
        let sent = self.sent.get_mut(&(tile, actor));
        if let Some(index) = sent.and_then(VecDeque::pop_front) {
            self.here.entry((tile, actor)).or_default().push_back(index);
        }
    }

    /// A job takes tokens.
    fn taken(&mut self, site: JobSite, at: Cycle, (tile, actor, need): (TileLoc, u8, u8)) {
        let Some(here) = self.here.get_mut(&(tile, actor)) else {
            return;
        };
        for _ in 0..need {
            let Some(index) = here.pop_front() else {
                return;
            };
            self.ways[index].stops.push((Key::Job(site), at));
        }
    }

    /// The ways that lead somewhere.
    pub fn arrows(self) -> Vec<Way> {
        let ways = self.ways.into_iter();
        ways.filter(|way| way.stops.len() > 1).collect()
    }
}

impl Builder<'_> {
    pub(super) fn controller(&mut self, at: Cycle, what: Note) {
        match what {
            Note::Page { uc, page, begins } => {
                let row = self.row(Key::Controller(uc));
                match begins {
                    true => row.open(0, at, State::Run, format!("page {page}")),
                    false => row.close(0, at),
                }
            }
            Note::Op {
                site,
                offset,
                mnemonic,
            } => {
                let source = self.names.source(site, offset);
                let text = match source {
                    Some(source) => format!("{mnemonic} ({source})"),
                    None => mnemonic.to_string(),
                };
                self.executing.insert(site.uc, site);
                self.row(Key::Job(site)).open(OP, at, State::Part, text);
            }
            Note::OpEnds { uc } => {
                if let Some(site) = self.executing.remove(&uc) {
                    self.row(Key::Job(site)).close(OP, at);
                }
            }
            Note::JobRuns { site } => {
                let row = self.row(Key::Job(site));
                row.open(STATE, at, State::Run, "runs".into());
            }
            Note::JobWaits { site, on } => {
                let words = self.names.wait_words(on);
                let state = match on {
                    JobWait::Controller => State::Ready,
                    _ => State::Wait,
                };
                let row = self.row(Key::Job(site));
                row.close(OP, at);
                row.open(STATE, at, state, format!("waits for {words}"));
                if let JobWait::Tokens { tile, actor, need } = on {
                    self.tasks.waiting.insert(site, (tile, actor, need));
                }
            }
            Note::JobWoken { site } => {
                let row = self.row(Key::Job(site));
                row.open(STATE, at, State::Ready, "waits for the controller".into());
                if let Some(tokens) = self.tasks.waiting.remove(&site) {
                    self.tasks.taken(site, at, tokens);
                }
            }
            Note::TokensTaken {
                site,
                tile,
                actor,
                need,
            } => self.tasks.taken(site, at, (tile, actor, need)),
            Note::JobEnds { site } => {
                let row = self.row(Key::Job(site));
                row.close(OP, at);
                row.close(STATE, at);
            }
            Note::UcDma {
                uc, chain, until, ..
            } => {
                let text = format!("chain {chain}");
                let row = self.row(Key::UcDma(uc));
                if !row.extend(at, until, &text) {
                    row.add(0, at, until, State::Move, text);
                }
                self.tasks.wrote(uc, at);
            }
            _ => {}
        }
    }
}
