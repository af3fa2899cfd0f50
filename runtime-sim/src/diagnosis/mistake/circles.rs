//! Rules for circles of packets, words or barriers.

use super::super::job_wait::JobWait;
use super::super::wait_record::NodeWaitReason;
use super::{Evidence, Mistake, MistakeKind, at_line};
use crate::array::{ActorOrJob, WaitReason};

impl Evidence<'_> {
    /// Packets, words or barriers in a circle.
    pub(super) fn other_cycle(&self) -> Option<Mistake> {
        if !self.is_cycle {
            return None;
        }
        let mut arbiters: Vec<String> = Vec::new();
        let mut barriers: Vec<String> = Vec::new();
        let mut words = Vec::new();
        for wait in self.chain {
            match &wait.reason {
                NodeWaitReason::Actor(WaitReason::Arbiter { arbiter, .. }) => {
                    if let ActorOrJob::Actor(actor) = wait.who {
                        arbiters.push(format!("arbiter {arbiter} of tile {}", actor.tile()));
                    }
                }
                NodeWaitReason::Actor(WaitReason::StreamData { .. }) => {
                    words.push(format!("{}{}", wait.named(), at_line(wait.place())));
                }
                NodeWaitReason::Actor(_) => {}
                NodeWaitReason::Job(JobWait { reason, .. }) => {
                    barriers.push(format!("{} for {reason}", wait.who));
                }
            }
        }
        arbiters.dedup();
        let source = self.chain.iter().find_map(|wait| wait.source.clone());
        let (kind, cause, help) = if !arbiters.is_empty() {
            (
                MistakeKind::PacketPathShared,
                format!(
                    "packets share a way and wait for each other at {}",
                    arbiters.join(" and ")
                ),
                "give the flows ways of their own (other channels or tiles), or let the compiler \
                 route them: it keeps such circles out",
            )
        } else if words.len() == self.chain.len() {
            (
                MistakeKind::StreamOrder,
                format!(
                    "all wait for a word before they send one: {}",
                    words.join(", ")
                ),
                "let one side of the circle send before it waits",
            )
        } else if barriers.len() == self.chain.len() {
            (
                MistakeKind::BarrierOrder,
                format!(
                    "jobs come to barriers in opposite orders: {}",
                    barriers.join("; ")
                ),
                "let all jobs and controllers come to the barriers in one order",
            )
        } else {
            return None;
        };
        Some(Mistake {
            kind,
            cause,
            help: help.to_string(),
            source,
        })
    }
}
