//! Calls and loops of a core in the trace, and what its machine code does step by step.

use aiec_device::TileLoc;

use super::{CoreState, CoreTile};
use crate::array::actor::ActorId;
use crate::array::event::Events;
use crate::array::trace_event::TraceEvent;
use crate::core::{CoreStepKind, ScopeLog};
use crate::time::Cycle;

impl CoreTile {
    fn scopes(&mut self) -> Option<&mut ScopeLog> {
        self.machine.as_mut()?.scopes()
    }

    /// A run of the core begins.
    pub fn begin_scopes(&mut self, at: Cycle) {
        if let Some(scopes) = self.scopes() {
            scopes.begin_run(at);
        }
    }

    /// Records the calls and loops that have ended in a run of the core, which ended at a cycle.
    pub fn record_scopes_of_run(&mut self, events: &mut Events, tile: usize, end: Cycle) {
        match self.state {
            CoreState::Done | CoreState::Failed => self.end_scopes(events, tile, Some(end)),
            _ => self.record_scopes(events, tile),
        }
    }

    /// Records the calls and loops that have ended.
    fn record_scopes(&mut self, events: &mut Events, tile: usize) {
        if events.log.is_none() {
            return;
        }
        let spans = self.scopes().map(ScopeLog::take_finished);
        for span in spans.unwrap_or_default() {
            events.trace(tile, span.begin, || TraceEvent::CoreScope {
                checksum: self.checksum,
                scope: span.scope,
                until: span.end,
                depth: span.depth,
                rounds: span.rounds,
                omitted: span.omitted,
            });
        }
    }

    /// Records the jumps, loads and stores of a run of machine code, which ended at a cycle. `owners` are the tiles of the
    /// windows.
    pub fn record_steps(
        &mut self,
        events: &mut Events,
        (tile, core): (usize, ActorId),
        owners: &[Option<TileLoc>; 4],
        end: Cycle,
    ) {
        let Some(steps) = &mut self.accesses.steps else {
            return;
        };
        for step in steps.take_watched() {
            let (CoreStepKind::Load(access) | CoreStepKind::Store(access)) = step.kind else {
                continue;
            };
            let owner = owners.get(usize::from(access.window));
            let Some(owner) = owner.copied().flatten() else {
                continue;
            };
            events.trace_at(owner, step.at, || TraceEvent::WatchedAccess {
                by: Some(core),
                address: access.inside,
                bytes: access.bytes,
                writes: matches!(step.kind, CoreStepKind::Store(_)),
            });
        }
        let goes_on = matches!(self.state, CoreState::Ready { .. });
        let pc = self.machine.as_ref().and_then(|machine| machine.position());
        let pc = pc.map_or(0, |(pc, _)| pc);
        for step in steps.take((!goes_on).then_some((end, pc))) {
            let access = match step.kind {
                CoreStepKind::Load(access) | CoreStepKind::Store(access) => Some(access),
                CoreStepKind::Jump(_) | CoreStepKind::Omitted(_) => None,
            };
            let window = access.and_then(|access| owners.get(usize::from(access.window)));
            events.trace(tile, step.at, || TraceEvent::CoreStep {
                pc: step.pc,
                step: step.kind,
                owner: window.copied().flatten(),
            });
        }
    }

    /// Ends and records all calls and loops that it is in; without a cycle, they go on when the trace is over.
    pub fn end_scopes(&mut self, events: &mut Events, tile: usize, at: Option<Cycle>) {
        if let Some(scopes) = self.scopes() {
            scopes.end_all(at);
            self.record_scopes(events, tile);
        }
    }
}
