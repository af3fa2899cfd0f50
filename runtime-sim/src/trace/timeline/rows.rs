//! A track while it is built: at each depth at most one span is open.

use super::{Mark, Span, SpanState};
use crate::time::Cycle;

/// Depths of a track.
const DEPTHS: usize = 3;

#[derive(Debug)]
struct OpenSpan {
    begin: Cycle,
    state: SpanState,
    text: String,
}

#[derive(Debug, Default)]
pub(super) struct TrackBuilder {
    /// Spans that are over; the last may still go on.
    spans: Vec<Span>,
    marks: Vec<Mark>,
    open: [Option<OpenSpan>; DEPTHS],
    /// Where the last span of each depth ends.
    ends: [Cycle; DEPTHS],
}

impl TrackBuilder {
    /// Ends the open span of a depth.
    pub fn close(&mut self, depth: u8, at: Cycle) {
        let slot = self.open.get_mut(usize::from(depth));
        if let Some(OpenSpan { begin, state, text }) = slot.and_then(Option::take) {
            self.add(depth, begin, at, state, text);
        }
    }

    /// Ends the open span of a depth and begins another.
    pub fn open(&mut self, depth: u8, at: Cycle, state: SpanState, text: String) {
        self.close(depth, at);
        if let Some(slot) = self.open.get_mut(usize::from(depth)) {
            *slot = Some(OpenSpan {
                begin: at,
                state,
                text,
            });
        }
    }

    /// Puts a span into the open one of its depth, which goes on after it.
    pub fn insert(&mut self, depth: u8, begin: Cycle, end: Cycle, state: SpanState, text: String) {
        let slot = self.open.get_mut(usize::from(depth));
        let Some(open) = slot.and_then(|slot| slot.as_mut()) else {
            return self.add(depth, begin, end, state, text);
        };
        let begin = begin.max(open.begin);
        let (before, kind, words) = (open.begin, open.state, open.text.clone());
        open.begin = end.max(begin);
        self.add(depth, before, begin, kind, words);
        self.add(depth, begin, end, state, text);
    }

    /// Adds a span that has ended.
    pub fn add(&mut self, depth: u8, begin: Cycle, end: Cycle, state: SpanState, text: String) {
        if end > begin {
            self.spans.push(Span {
                begin,
                end,
                depth,
                state,
                text,
                open: false,
            });
            self.ended(depth, end);
        }
    }

    fn ended(&mut self, depth: u8, end: Cycle) {
        if let Some(last) = self.ends.get_mut(usize::from(depth)) {
            *last = end.max(*last);
        }
    }

    /// Lets the last span go on if it ends where this one begins and is of the same text.
    pub fn extend(&mut self, begin: Cycle, end: Cycle, text: &str) -> bool {
        match self.spans.last_mut() {
            Some(last) if last.end == begin && last.text == text => {
                last.end = end;
                let depth = last.depth;
                self.ended(depth, end);
                true
            }
            _ => false,
        }
    }

    /// Takes the spans that nothing changes any more, and the marks.
    pub fn take_finished(&mut self) -> (Vec<Span>, Vec<Mark>) {
        let last = self.spans.pop();
        let finished = std::mem::replace(&mut self.spans, last.into_iter().collect());
        (finished, std::mem::take(&mut self.marks))
    }

    /// The span that is open at a depth.
    pub fn state(&self, depth: u8) -> Option<SpanState> {
        let slot = self.open.get(usize::from(depth))?;
        slot.as_ref().map(|open| open.state)
    }

    pub fn mark(&mut self, at: Cycle, text: String) {
        self.marks.push(Mark { at, text });
    }

    /// Names the cause of a wait since a cycle, which is known at the end of the run only. The span that is open
    /// there may be of before: a channel that moves words shows only later that it had to wait.
    pub fn open_wait(&mut self, depth: u8, since: Cycle, state: SpanState, text: String) {
        let last = self.ends.get(usize::from(depth)).copied().unwrap_or(0);
        let slot = self.open.get(usize::from(depth)).and_then(Option::as_ref);
        let begin = match slot {
            Some(open) if open.state == state => open.begin,
            Some(open) => since.max(open.begin),
            None => since.max(last),
        };
        self.open(depth, begin, state, text);
    }

    /// Leaves out what is waited for at the end, as that is nothing that is still to come.
    pub fn drop_open_stalls(&mut self) {
        for slot in &mut self.open {
            slot.take_if(|open| open.state.is_stall());
        }
    }

    /// Gives a wait that begins when the run ends its last cycle: it is what the run ended of, and a
    /// span without length isn't drawn.
    fn show_last_wait(&mut self, depth: u8, end: Cycle) {
        let slot = self.open.get_mut(usize::from(depth));
        let Some(wait) = slot.and_then(Option::as_mut) else {
            return;
        };
        if wait.begin < end || !wait.state.is_stall() {
            return;
        }
        wait.begin = end.saturating_sub(1);
        let begin = wait.begin;
        let last = self.spans.last_mut();
        if let Some(last) = last.filter(|last| last.depth == depth && last.end > begin) {
            last.end = begin;
            if last.begin >= begin {
                self.spans.pop();
            }
        }
    }

    /// Ends what is open with the run; the last spans and marks.
    pub fn finish(mut self, end: Cycle) -> (Vec<Span>, Vec<Mark>) {
        for depth in 0..DEPTHS as u8 {
            self.show_last_wait(depth, end);
            let before = self.spans.len();
            self.close(depth, end);
            for span in &mut self.spans[before..] {
                span.open = true;
            }
        }
        (self.spans, self.marks)
    }
}
