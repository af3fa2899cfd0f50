//! Nodes of the wait-for graph, with names and source lines.

use std::fmt;

use super::job_wait::JobWait;
use super::names::DebugNames;
use crate::array::{ActorKind, ActorOrJob, Array, Wait, WaitReason};
use crate::time::Cycle;

/// Cause of a wait of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeWaitReason {
    /// A job.
    Job(JobWait),
    /// An actor of the array.
    Actor(WaitReason),
}

/// One wait with its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitRecord {
    /// The waiting actor or job.
    pub who: ActorOrJob,
    /// Name in the source, if known.
    pub name: Option<String>,
    /// Awaited event.
    pub reason: NodeWaitReason,
    /// Name in the source of the lock it waits for, if known.
    pub lock_name: Option<String>,
    /// `file:line:column`, if known.
    pub source: Option<String>,
    /// The next operation of a core, in words.
    pub operation: Option<String>,
    /// Where a core waits in machine code: function and source line, or the address.
    pub code_place: Option<String>,
    /// Since when.
    pub since: Cycle,
    /// Who could end the wait.
    pub by: Vec<ActorOrJob>,
}

impl WaitRecord {
    pub(super) fn of_actor(names: &DebugNames<'_>, array: &Array, wait: Wait) -> WaitRecord {
        let resource = names.of_actor(wait.who);
        let line = match wait.who.kind() {
            ActorKind::Core => names.core_line(array, wait.who.tile()),
            _ => None,
        };
        let lock = match wait.reason {
            WaitReason::Lock { lock, .. } => names.lock(lock),
            _ => None,
        };
        let declared = || resource.and_then(|r| names.show(r.source));
        let source = match &line {
            Some(line) => names.show(Some(line.source)),
            None => declared(),
        };
        let name = resource.map(|r| r.name.clone());
        let code_place = match wait.who.kind() {
            ActorKind::Core => names.machine_code_place(array, wait.who.tile()),
            _ => None,
        };
        WaitRecord {
            who: ActorOrJob::Actor(wait.who),
            name: name.filter(|name| !name.is_empty()),
            source: source.or_else(|| names.show(lock?.source)),
            lock_name: lock.map(|lock| lock.name.clone()),
            operation: line.map(|line| line.to_string()),
            code_place,
            since: wait.since,
            by: wait
                .resolvers()
                .into_iter()
                .map(ActorOrJob::Actor)
                .collect(),
            reason: NodeWaitReason::Actor(wait.reason),
        }
    }

    /// Who waits, with its name in the source.
    pub(super) fn named(&self) -> String {
        let who = self.who.to_string();
        match &self.name {
            Some(name) if *name != who => format!("{who} '{name}'"),
            _ => who,
        }
    }

    /// Where it waits, as far as it is known.
    pub(super) fn place(&self) -> Option<&String> {
        self.code_place.as_ref().or(self.source.as_ref())
    }

    /// The cause of the wait, in words.
    pub fn on(&self) -> String {
        let reason = match &self.reason {
            NodeWaitReason::Job(wait) => wait.to_string(),
            NodeWaitReason::Actor(reason) => reason.to_string(),
        };
        match &self.lock_name {
            Some(lock) => format!("{reason} '{lock}'"),
            None => reason,
        }
    }
}

impl fmt::Display for WaitRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (who, since, on) = (self.named(), self.since, self.on());
        write!(f, "{who} waits since cycle {since}")?;
        if let Some(operation) = &self.operation {
            write!(f, " in {operation}")?;
        }
        write!(f, " for {on}")?;
        match &self.source {
            Some(source) => write!(f, " [{source}]"),
            None => Ok(()),
        }
    }
}
