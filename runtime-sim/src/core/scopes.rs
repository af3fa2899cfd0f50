//! The calls and loops that a core goes through, as spans of time.
//!
//! Between two operations of the bus there can be any number of rounds of small loops, so that of each
//! scope only the first few inside are recorded; an operation of the bus that waits starts a new count. The function
//! that the program begins with is not recorded: it is as long as the core runs.

use std::ops::Range;

use crate::time::Cycle;

/// Spans that are recorded inside a scope between two waits.
const MAX_INSIDE: u32 = 16;
/// Spans inside each other that are recorded.
const MAX_DEPTH: usize = 16;
/// Loops of a program that are followed, and instructions in which they are looked for. Program memory has 16 KiB
/// (AM020), an instruction of a core program 8 bytes.
const MAX_LOOPS: usize = 1 << 12;
const MAX_INSTRUCTIONS: u32 = 1 << 11;

/// Subject of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreScope {
    /// A call of the function whose first instruction this is.
    Call(u32),
    /// The loop of the program with this number, by the order in which they were given.
    Loop(u32),
}

/// A call or a loop, from its begin to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeSpan {
    /// The scope.
    pub scope: CoreScope,
    /// First cycle.
    pub begin: Cycle,
    /// The cycle after the last one; none if it still went on when the trace ended.
    pub end: Option<Cycle>,
    /// Number of recorded scopes around it.
    pub depth: u8,
    /// Times that a loop's body began; 1 for a call.
    pub rounds: u64,
    /// Scopes right inside that were not recorded.
    pub omitted: u64,
}

/// A scope that is not over.
#[derive(Clone, Debug)]
struct OpenScope {
    scope: CoreScope,
    begin: Cycle,
    rounds: u64,
    recorded: bool,
    /// Scopes right inside that were recorded since the last wait, and the number of that wait.
    inside: (u32, u64),
    omitted: u64,
}

/// A call that is not over: how many scopes were open before, and the caller's instruction.
#[derive(Clone, Copy, Debug)]
struct OpenCall {
    scopes: usize,
    caller: Option<u32>,
}

/// Follows the scopes of a core.
#[derive(Clone, Debug, Default)]
pub struct ScopeLog {
    loops: Vec<Range<u32>>,
    /// For each loop the one around it.
    outer: Vec<Option<u32>>,
    /// For each instruction the innermost loop around it.
    innermost: Vec<Option<u32>>,
    /// When the run began.
    started: Cycle,
    open: Vec<OpenScope>,
    calls: Vec<OpenCall>,
    /// The instruction that comes next is the first of a function.
    is_entering: bool,
    /// The last instruction of the function that is executed.
    last: Option<u32>,
    /// Number of the core's waits.
    waits: u64,
    finished: Vec<ScopeSpan>,
}

impl ScopeLog {
    /// Follows the loops of a program: of each the first instruction and the one after its last, outer loops
    /// first.
    pub fn new(loops: &[Range<u32>]) -> ScopeLog {
        let mut log = ScopeLog::default();
        for (number, range) in (0..).zip(loops.iter().take(MAX_LOOPS)) {
            let range = range.start..range.end.min(MAX_INSTRUCTIONS);
            let end = range.end as usize;
            if log.innermost.len() < end {
                log.innermost.resize(end, None);
            }
            let inside = log.innermost.get_mut(range.start as usize..end);
            let inside = inside.unwrap_or_default();
            log.outer.push(inside.first().copied().flatten());
            inside.fill(Some(number));
            log.loops.push(range);
        }
        log
    }

    /// A run of the core begins at a cycle.
    pub fn begin_run(&mut self, at: Cycle) {
        self.started = at;
    }

    /// The core has waited.
    pub(super) fn waited(&mut self) {
        self.waits += 1;
    }

    fn innermost(&self, at: u32) -> Option<u32> {
        self.innermost.get(at as usize).copied().flatten()
    }

    /// The loop that is executed, if the innermost scope is one.
    fn present_loop(&self) -> Option<u32> {
        let inside = self.calls.last().map_or(0, |call| call.scopes + 1);
        match self.open.get(inside..)?.last()?.scope {
            CoreScope::Loop(number) => Some(number),
            CoreScope::Call(_) => None,
        }
    }

    /// The core comes to an instruction, `spent` cycles after the start of the run.
    #[inline]
    pub(super) fn arrive(&mut self, at: u32, spent: u64) {
        let goes_back = self.last.replace(at).is_some_and(|last| at <= last);
        if goes_back || self.is_entering || self.innermost(at) != self.present_loop() {
            self.change(at, self.started + spent, goes_back);
        }
    }

    /// A loop that is executed as a whole has begun `rounds` rounds after the one whose first instruction the core came to, and
    /// the core will come to an instruction after `last`, or back from it.
    pub(super) fn repeated(&mut self, rounds: u64, last: Option<u32>) {
        self.last = last;
        if self.present_loop().is_some()
            && let Some(scope) = self.open.last_mut()
        {
            scope.rounds += rounds;
        }
    }

    fn change(&mut self, at: u32, now: Cycle, goes_back: bool) {
        if std::mem::take(&mut self.is_entering) {
            self.begin(CoreScope::Call(at), now);
        }
        while let Some(present) = self.present_loop()
            && !self.loops[present as usize].contains(&at)
        {
            self.end_last(Some(now));
        }
        let present = self.present_loop();
        if goes_back
            && present.is_some()
            && let Some(scope) = self.open.last_mut()
        {
            scope.rounds += 1;
        }
        let mut begun = Vec::new();
        let mut inner = self.innermost(at);
        while let Some(number) = inner.filter(|_| inner != present) {
            begun.push(number);
            inner = self.outer[number as usize];
        }
        for number in begun.into_iter().rev() {
            self.begin(CoreScope::Loop(number), now);
        }
    }

    /// The call that is executed leads into a function.
    pub(super) fn enter(&mut self) {
        self.calls.push(OpenCall {
            scopes: self.open.len(),
            caller: self.last.take(),
        });
        self.is_entering = true;
    }

    /// The return that is executed leads back.
    pub(super) fn leave(&mut self, spent: u64) {
        let Some(call) = self.calls.pop() else {
            return;
        };
        while self.open.len() > call.scopes {
            self.end_last(Some(self.started + spent));
        }
        (self.last, self.is_entering) = (call.caller, false);
    }

    fn begin(&mut self, scope: CoreScope, begin: Cycle) {
        let is_shallow = self.open.len() < MAX_DEPTH;
        let waits = self.waits;
        let recorded = match self.open.last_mut() {
            None => true,
            Some(around) => {
                if around.inside.1 != waits {
                    around.inside = (0, waits);
                }
                let has_room = around.recorded && is_shallow && around.inside.0 < MAX_INSIDE;
                if has_room {
                    around.inside.0 += 1
                } else {
                    around.omitted += 1
                }
                has_room
            }
        };
        self.open.push(OpenScope {
            scope,
            begin,
            rounds: 1,
            recorded,
            inside: (0, waits),
            omitted: 0,
        });
    }

    fn end_last(&mut self, end: Option<Cycle>) {
        let depth = self.open.len().saturating_sub(1) as u8;
        if let Some(scope) = self.open.pop()
            && scope.recorded
        {
            self.finished.push(ScopeSpan {
                scope: scope.scope,
                begin: scope.begin,
                end,
                depth,
                rounds: scope.rounds,
                omitted: scope.omitted,
            });
        }
    }

    /// Ends all that is open, at a cycle where the program has ended or the core is in reset, without one where the
    /// trace is over.
    pub fn end_all(&mut self, at: Option<Cycle>) {
        while !self.open.is_empty() {
            self.end_last(at);
        }
        self.calls.clear();
        (self.last, self.is_entering) = (None, false);
    }

    /// The spans that ended since the last call.
    pub fn take_finished(&mut self) -> Vec<ScopeSpan> {
        std::mem::take(&mut self.finished)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(log: &mut ScopeLog) -> Vec<(CoreScope, Cycle, Cycle, u8, u64, u64)> {
        let finished = log.take_finished().into_iter();
        finished
            .map(|span| {
                (
                    span.scope,
                    span.begin,
                    span.end.expect("an end"),
                    span.depth,
                    span.rounds,
                    span.omitted,
                )
            })
            .collect()
    }

    #[test]
    fn loops_and_calls_nest() {
        let mut log = ScopeLog::new(&[1..6, 2..4]);
        log.begin_run(100);
        // An outer loop of two rounds, in each an inner loop of three, then a call.
        let mut now = 0;
        let mut arrive = |log: &mut ScopeLog, at| {
            log.arrive(at, now);
            now += 1;
            now
        };
        arrive(&mut log, 0);
        for _ in 0..2 {
            arrive(&mut log, 1);
            for _ in 0..3 {
                arrive(&mut log, 2);
                arrive(&mut log, 3);
            }
            arrive(&mut log, 4);
            log.enter();
            arrive(&mut log, 10);
            let now = arrive(&mut log, 11);
            log.leave(now);
            arrive(&mut log, 5);
        }
        let now = arrive(&mut log, 6);
        log.end_all(Some(100 + now));
        assert_eq!(
            spans(&mut log),
            [
                (CoreScope::Loop(1), 102, 108, 1, 3, 0),
                (CoreScope::Call(10), 109, 111, 1, 1, 0),
                (CoreScope::Loop(1), 113, 119, 1, 3, 0),
                (CoreScope::Call(10), 120, 122, 1, 1, 0),
                (CoreScope::Loop(0), 101, 123, 0, 2, 0),
            ]
        );
    }

    #[test]
    fn of_many_scopes_without_a_wait_the_first_are_recorded() {
        let mut log = ScopeLog::new(&[0..3, 1..2]);
        for round in 0..100 {
            log.arrive(0, 3 * round);
            log.arrive(1, 3 * round + 1);
            log.arrive(2, 3 * round + 2);
            if round == 50 {
                log.waited();
            }
        }
        log.end_all(Some(300));
        let all = spans(&mut log);
        assert_eq!(all.len(), 2 * MAX_INSIDE as usize + 1);
        let outer = (CoreScope::Loop(0), 0, 300, 0, 100, 100 - 32);
        assert_eq!(all.last(), Some(&outer));
    }

    #[test]
    fn a_loop_of_one_instruction_has_rounds() {
        let mut log = ScopeLog::new(std::slice::from_ref(&(1..2)));
        log.arrive(0, 0);
        for round in 0..5 {
            log.arrive(1, 1 + round);
        }
        log.arrive(2, 6);
        assert_eq!(spans(&mut log), [(CoreScope::Loop(0), 1, 6, 0, 5, 0)]);
    }

    #[test]
    fn what_goes_on_at_the_end_of_the_trace_has_no_end() {
        let mut log = ScopeLog::new(std::slice::from_ref(&(1..3)));
        log.arrive(1, 1);
        log.end_all(None);
        let ends: Vec<_> = log.take_finished().iter().map(|span| span.end).collect();
        assert_eq!(ends, [None]);
    }

    #[test]
    fn loops_of_a_malformed_file_do_no_harm() {
        let backward = Range { start: 5, end: 2 };
        let mut log = ScopeLog::new(&[backward, 7..u32::MAX, 0..u32::MAX, 3..3]);
        for at in [0, 8, 2, 4000, u32::MAX, 0] {
            log.arrive(at, 0);
        }
        log.end_all(Some(1));
    }
}
