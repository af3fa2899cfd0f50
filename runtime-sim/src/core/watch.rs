//! Observation of a core while it executes: cycles by instruction, and where it is to stop.

use std::collections::BTreeMap;
use std::ops::Range;

use super::scopes::ScopeLog;

/// Ways into functions that are distinguished; what is called by further ones counts for the caller.
const MAX_CONTEXTS: usize = 1 << 12;

/// Cycles of a program by instruction and by the calls that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreProfile {
    /// The ways into functions; the first is the core's body.
    pub contexts: Vec<CallContext>,
}

/// A way into a function, with the cycles of the instructions that were executed there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallContext {
    /// The context of the caller, and the number of the call instruction.
    pub caller: Option<(usize, u32)>,
    /// Cycles of execution.
    pub busy: InstructionCycles,
    /// Cycles of waiting.
    pub stalled: InstructionCycles,
}

/// Cycles by instruction, of the stretch of a program that was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionCycles {
    /// Number of the first instruction of the stretch.
    first: u32,
    cycles: Vec<u64>,
}

impl InstructionCycles {
    /// The instructions that took cycles, ascending, with those.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        let cycles = (self.first..).zip(self.cycles.iter().copied());
        cycles.filter(|(_, cycles)| *cycles > 0)
    }

    /// Adds cycles of an instruction.
    #[inline]
    fn add(&mut self, at: u32, cycles: u64) {
        let index = at.wrapping_sub(self.first) as usize;
        match self.cycles.get_mut(index) {
            Some(known) => *known += cycles,
            None => self.of(at, 1)[0] += cycles,
        }
    }

    /// The cycles of `count` instructions from one on.
    #[cold]
    fn of(&mut self, at: u32, count: usize) -> &mut [u64] {
        if self.cycles.is_empty() {
            self.first = at;
        }
        if at < self.first {
            // At least twice as long, so that a walk towards the start costs no more than one to the end.
            let least = self.first.saturating_sub(self.cycles.len() as u32);
            let first = at.min(least);
            let more = (self.first - first) as usize;
            self.cycles.splice(0..0, std::iter::repeat_n(0, more));
            self.first = first;
        }
        let index = (at - self.first) as usize;
        if self.cycles.len() < index + count {
            self.cycles.resize(index + count, 0);
        }
        &mut self.cycles[index..index + count]
    }
}

/// Observes a core.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    profile: CoreProfile,
    /// The context of each caller, the outermost first.
    callers: Vec<usize>,
    /// The context of the function that is executed.
    present: usize,
    /// Contexts by caller and call.
    known: BTreeMap<(usize, u32), usize>,
    /// Instructions that the core stops at, ascending.
    breaks: Vec<u32>,
    /// The instruction that the last run ended at; it has been reached already.
    reached: Option<usize>,
    /// The instruction that is executed, and the cycles of the run when it began.
    current: Option<(usize, u64)>,
    /// Calls and loops, if they are to be recorded.
    pub scopes: Option<ScopeLog>,
}

impl Watch {
    /// Observes a core at the start of its program, which is to stop at some instructions. With the loops of the
    /// program its calls and loops are recorded.
    pub fn new(stops: &[u32], loops: Option<&[Range<u32>]>) -> Watch {
        let mut breaks = stops.to_vec();
        breaks.sort_unstable();
        Watch {
            profile: CoreProfile {
                contexts: vec![CallContext::default()],
            },
            callers: Vec::new(),
            present: 0,
            known: BTreeMap::new(),
            breaks,
            reached: None,
            current: None,
            scopes: loops.map(ScopeLog::new),
        }
    }

    /// A core, which has come to an instruction, stops at these ones from now on; one that isn't observed is from there on.
    pub fn set_stops(watch: &mut Option<Box<Watch>>, at: usize, stops: &[u32]) {
        if watch.is_none() && stops.is_empty() {
            return;
        }
        let watch = watch.get_or_insert_with(|| {
            Box::new(Watch {
                reached: Some(at),
                ..Watch::new(&[], None)
            })
        });
        watch.breaks = stops.to_vec();
        watch.breaks.sort_unstable();
    }

    pub fn profile(&self) -> &CoreProfile {
        &self.profile
    }

    fn context(&mut self) -> &mut CallContext {
        &mut self.profile.contexts[self.present]
    }

    /// The core comes to an instruction `spent` cycles after the start of the run; whether it is
    /// to stop there.
    #[inline]
    pub fn arrive(&mut self, at: usize, spent: u64) -> bool {
        self.finish(spent);
        self.current = Some((at, spent));
        let again = self.reached.take() == Some(at);
        if !again && let Some(scopes) = &mut self.scopes {
            scopes.arrive(at as u32, spent);
        }
        !again && !self.breaks.is_empty() && self.breaks.binary_search(&(at as u32)).is_ok()
    }

    /// The core comes to the first of `count` instructions, a loop that is executed as a whole: the
    /// cycles of each, to be counted by the caller that executes it; `None` where the core has to
    /// come to each.
    pub fn begin_loop(&mut self, at: usize, count: usize, spent: u64) -> Option<&mut [u64]> {
        if !self.breaks.is_empty() {
            return None;
        }
        self.finish(spent);
        if let Some(scopes) = &mut self.scopes {
            scopes.arrive(at as u32, spent);
        }
        Some(self.context().busy.of(at as u32, count))
    }

    /// That loop has begun `rounds` rounds more, and leads on to an instruction after `last` or back from it.
    pub fn end_loop(&mut self, rounds: u64, last: Option<usize>) {
        if let Some(scopes) = &mut self.scopes {
            scopes.repeated(rounds, last.map(|last| last as u32));
        }
    }

    /// The instruction that is executed ends.
    #[inline]
    fn finish(&mut self, spent: u64) {
        if let Some((at, since)) = self.current.take()
            && spent > since
        {
            self.context().busy.add(at as u32, spent - since);
        }
    }

    /// The call that is executed leads into a function.
    pub fn enter(&mut self, call: usize, spent: u64) {
        self.finish(spent);
        if let Some(scopes) = &mut self.scopes {
            scopes.enter();
        }
        let present = self.present;
        let key = (present, call as u32);
        let count = self.profile.contexts.len();
        let context = match self.known.get(&key) {
            Some(known) => *known,
            None if count >= MAX_CONTEXTS => present,
            None => {
                self.known.insert(key, count);
                self.profile.contexts.push(CallContext {
                    caller: Some(key),
                    ..CallContext::default()
                });
                count
            }
        };
        self.callers
            .push(std::mem::replace(&mut self.present, context));
    }

    /// The return that is executed leads back.
    pub fn leave(&mut self, spent: u64) {
        self.finish(spent);
        if let Some(scopes) = &mut self.scopes {
            scopes.leave(spent);
        }
        if let Some(caller) = self.callers.pop() {
            self.present = caller;
        }
    }

    /// A run ends at an instruction, which the next one comes to again if `stays`.
    pub fn end_run(&mut self, at: usize, spent: u64, stays: bool) {
        self.finish(spent);
        self.reached = stays.then_some(at);
        if stays && let Some(scopes) = &mut self.scopes {
            scopes.waited();
        }
    }

    /// The core has waited in the instruction that comes next.
    pub fn stalled(&mut self, at: usize, cycles: u64) {
        if cycles > 0 {
            self.context().stalled.add(at as u32, cycles);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_go_to_their_instruction_and_call() {
        let mut watch = Watch::new(&[7], None);
        assert!(!watch.arrive(0, 0));
        assert!(!watch.arrive(1, 2));
        watch.enter(1, 5);
        assert!(watch.arrive(7, 5));
        watch.end_run(7, 5, true);
        watch.stalled(7, 100);
        assert!(!watch.arrive(7, 0), "it stops once only");
        watch.leave(3);
        assert!(!watch.arrive(2, 3));
        watch.end_run(2, 4, false);
        let [body, function] = &watch.profile().contexts[..] else {
            panic!("two contexts");
        };
        let all = |cycles: &InstructionCycles| cycles.iter().collect::<Vec<_>>();
        assert_eq!(all(&body.busy), [(0, 2), (1, 3), (2, 1)]);
        assert_eq!(function.caller, Some((0, 1)));
        assert_eq!(all(&function.busy), [(7, 3)]);
        assert_eq!(all(&function.stalled), [(7, 100)]);
    }

    #[test]
    fn cycles_of_instructions_in_any_order() {
        let mut cycles = InstructionCycles::default();
        for (at, count) in [(100, 1), (99, 2), (500, 3), (0, 4), (99, 5)] {
            cycles.add(at, count);
        }
        cycles.of(498, 4)[3] += 6;
        let all: Vec<(u32, u64)> = cycles.iter().collect();
        assert_eq!(all, [(0, 4), (99, 7), (100, 1), (500, 3), (501, 6)]);
    }
}
