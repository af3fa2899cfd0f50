//! Hazards: what a design does at its own risk.
//!
//! They don't stop a run, as the data of this run may be right; another latency, or silicon, may
//! give others. Each kind and place is reported once, with a count.
//!
//! * A BD is written while a task that runs or waits on one of the tile's channels uses it: which
//!   version a later load sees depends on time (BDs are read at load time).
//! * The packet rules of a switch input change while words wait there: whether the old or the new rule
//!   leads them depends on time. A packet that came before its first rule waits: on NPUs without CERT, where
//!   configurations of mlir-aie start channels before they set up switches; elsewhere it may be lost.
//! * A core's cascade input is turned to a neighbour whose core runs already: what that sent before
//!   waits here, but may be lost elsewhere.
//!
//! Accesses to memory without order are found by [`crate::race`].

use aiec_device::{ChannelId, TileLoc};
use indexmap::IndexMap;

use super::actor::ActorId;
use super::races::ThreadName;
use crate::race::Site;
use crate::time::Cycle;

/// Kinds of hazards.
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
    /// Rules of an input of a switch changed while packets were there.
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
}

impl HazardKind {
    /// The remedy that makes the result independent of time.
    pub fn way_out(&self) -> &'static str {
        match self {
            HazardKind::BdInUse { .. } => {
                "wait for the token of the task before its BD is written, or give the next task a BD of its own"
            }
            HazardKind::LateRule { .. } => {
                "write the packet rules before the task that sends the packets is started, \
                 or start it only when the rules are written"
            }
            HazardKind::LateCascade { .. } => {
                "write Accumulator_Control of both tiles before the core that sends is enabled"
            }
        }
    }
}

/// A hazard, reported once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// Kind of hazard.
    pub kind: HazardKind,
    /// When it happened first.
    pub at: Cycle,
    /// Number of times that it happened.
    pub times: u64,
    /// Whose register write it was the first time, and at which instruction: known if races are looked for.
    pub writer: Option<(ThreadName, Site)>,
}

/// Collects hazards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hazards {
    pub found: IndexMap<HazardKind, Hazard>,
}

impl Hazards {
    /// A hazard in cycle `at`, by a register write of `writer` if that is known.
    pub fn note(&mut self, at: Cycle, kind: HazardKind, writer: Option<(ThreadName, Site)>) {
        let entry = self.found.entry(kind.clone());
        let first = Hazard {
            kind,
            at,
            times: 0,
            writer,
        };
        entry.or_insert(first).times += 1;
    }
}
