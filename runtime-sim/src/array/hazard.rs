//! Hazards: what a design does at its own risk.
//!
//! They don't stop a run, as the data of this run may be right; another latency, or silicon, may
//! give others. Each kind and place is reported once, with a count.
//!
//! * A BD is written while a task that runs or waits on one of the tile's channels uses it: which
//!   version a later load sees depends on time (BDs are read at load time).
//! * The packet rules of a switch input change while words wait there: a packet that came before
//!   its rule waits here, but may be lost elsewhere.
//! * A core's cascade input is turned to a neighbour whose core runs already: what that sent before
//!   waits here, but may be lost elsewhere.
//! * Two transfers are in flight, one writes a word of host memory, and the other has yet to read
//!   it, reads it after that, or writes it too: nothing orders them.

use aiec_device::regmap::BdFields;
use aiec_device::{ChannelId, DmaDir, TileLoc};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use super::actor::ActorId;
use super::address::{Run, Walk};
use super::bd::{base_word, dims};
use crate::time::Cycle;

/// What a hazard is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum HazardKind {
    /// A BD was changed while a task could load it.
    #[error("BD {bd} of tile {tile} is written while a task of {user} uses it")]
    BdInUse {
        /// The tile.
        tile: TileLoc,
        /// The BD.
        bd: u8,
        /// The channel whose task it is.
        user: ChannelId,
    },
    /// Packets came to an input of a switch before the rules that lead them on.
    #[error("the packet rules of {slave} change while words wait there")]
    LateRule {
        /// The input.
        slave: ActorId,
    },
    /// A cascade was connected when its sender ran already.
    #[error("the cascade of tile {tile} is turned to tile {sender}, whose core runs already")]
    LateCascade {
        /// The tile that receives.
        tile: TileLoc,
        /// The tile that sends.
        sender: TileLoc,
    },
    /// Transfers to and from one place of host memory are in flight at once.
    #[error("{writer} writes host memory that {other} {} at the same time", if *.also_writes { "writes" } else { "reads" })]
    HostRange {
        /// The channel that writes.
        writer: ChannelId,
        /// The other channel.
        other: ChannelId,
        /// The other one writes too.
        also_writes: bool,
    },
}

/// A hazard, reported once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// What.
    pub kind: HazardKind,
    /// When it happened first.
    pub at: Cycle,
    /// How often it happened.
    pub times: u64,
}

/// Collects hazards.
#[derive(Debug, Default)]
pub(crate) struct Hazards {
    found: IndexMap<HazardKind, Hazard>,
    host: Vec<HostTransfer>,
}

/// A transfer in flight between host memory and a shim.
#[derive(Debug)]
struct HostTransfer {
    channel: ChannelId,
    /// A range of words that holds all of them.
    bounds: (u64, u64),
    walk: Walk,
    /// Words moved.
    progress: u32,
    /// Words to move and words moved, once another transfer overlaps.
    words: Option<Box<Words>>,
}

#[derive(Debug, Default)]
struct Words {
    left: FxHashSet<u64>,
    moved: FxHashSet<u64>,
}

/// The longest transfer that is compared word by word with one that it overlaps, in words (64 MiB). The
/// length is a number of the control code, up to 2³² words, which must not decide how much memory a
/// run takes.
const MOST_TRACKED_WORDS: u32 = 1 << 24;

/// The words of a walk of which so many were moved; none of a walk that is too long.
fn all_words(mut walk: Walk, mut progress: u32) -> Box<Words> {
    let mut words = Words::default();
    if walk.left() > MOST_TRACKED_WORDS {
        return Box::new(words);
    }
    while walk.left() > 0 {
        let mut run = walk.run();
        let set = match progress {
            0 => &mut words.left,
            _ => {
                run.count = run.count.min(progress);
                progress -= run.count;
                &mut words.moved
            }
        };
        set.extend(each(run));
        walk.advance(run.count);
    }
    Box::new(words)
}

/// Whether the transfers of a shim channel write host memory.
fn writes(channel: ChannelId) -> bool {
    channel.dir == DmaDir::S2mm
}

fn each(run: Run) -> impl Iterator<Item = u64> {
    (0..u64::from(run.count)).map(move |i| run.start.wrapping_add(i.wrapping_mul(run.step)))
}

impl Hazards {
    pub fn note(&mut self, at: Cycle, kind: HazardKind) {
        let entry = self.found.entry(kind.clone());
        entry.or_insert(Hazard { kind, at, times: 0 }).times += 1;
    }

    pub fn all(&self) -> impl Iterator<Item = &Hazard> {
        self.found.values()
    }

    /// A channel begins a transfer.
    pub fn begin(&mut self, channel: ChannelId, bd: &BdFields) {
        self.end(channel);
        let walk = Walk::new(base_word(bd), bd.length, dims(bd));
        let bounds = walk.extent();
        let mut shared = false;
        for other in &mut self.host {
            let overlaps = other.bounds.0 < bounds.1 && bounds.0 < other.bounds.1;
            if overlaps && (writes(channel) || writes(other.channel)) {
                shared = true;
                let (walk, progress) = (other.walk.clone(), other.progress);
                other.words.get_or_insert_with(|| all_words(walk, progress));
            }
        }
        let words = shared.then(|| all_words(walk.clone(), 0));
        self.host.push(HostTransfer {
            channel,
            bounds,
            walk,
            progress: 0,
            words,
        });
    }

    /// A channel is done with its transfer.
    pub fn end(&mut self, channel: ChannelId) {
        self.host.retain(|transfer| transfer.channel != channel);
    }

    /// A channel moves the words of a run.
    pub fn touch(&mut self, channel: ChannelId, run: Run, at: Cycle) {
        let Some(index) = self.host.iter().position(|t| t.channel == channel) else {
            return;
        };
        self.host[index].progress += run.count;
        if self.host[index].words.is_none() {
            return;
        }
        let mut found = Vec::new();
        for other in self.host.iter().filter(|other| other.channel != channel) {
            let Some(words) = &other.words else { continue };
            let meets = |word: u64| match (writes(channel), writes(other.channel)) {
                (true, true) => words.left.contains(&word) || words.moved.contains(&word),
                // A write before the other one reads, or a read of what it has just written.
                (true, false) => words.left.contains(&word),
                (false, true) => words.moved.contains(&word),
                (false, false) => false,
            };
            if each(run).any(meets) {
                let (writer, other, also_writes) = match writes(channel) {
                    true => (channel, other.channel, writes(other.channel)),
                    false => (other.channel, channel, false),
                };
                found.push(HazardKind::HostRange {
                    writer,
                    other,
                    also_writes,
                });
            }
        }
        for kind in found {
            self.note(at, kind);
        }
        if let Some(words) = &mut self.host[index].words {
            for word in each(run) {
                if words.left.remove(&word) {
                    words.moved.insert(word);
                }
            }
        }
    }
}
