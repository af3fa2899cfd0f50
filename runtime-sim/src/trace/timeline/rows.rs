//! Tracks while they are built: at each depth at most one span is open.

use std::borrow::Cow;
use std::io;

use rustc_hash::FxHashMap;

use super::{
    Mark, Span, SpanState, TimelineSink, TrackKey, TrackKind, TrackSubject, kind_of, track_key,
};
use crate::time::Cycle;

/// A track with its subject.
#[derive(Debug)]
pub(super) struct Row {
    pub who: TrackSubject,
    pub key: TrackKey,
    pub builder: TrackBuilder,
}

/// All tracks.
#[derive(Debug, Default)]
pub(super) struct Rows {
    all: Vec<Row>,
    /// Their numbers by key.
    numbers: FxHashMap<TrackKey, usize>,
    /// Numbers of those that may have something that is finished.
    touched: Vec<usize>,
}

impl Rows {
    /// Whether there is a track of a subject.
    pub fn has(&self, who: TrackSubject) -> bool {
        self.numbers.contains_key(&track_key(who))
    }

    /// The number of the track of a subject, which is made if there is none.
    fn number(&mut self, who: TrackSubject) -> usize {
        let key = track_key(who);
        *self.numbers.entry(key).or_insert_with(|| {
            self.all.push(Row {
                who,
                key,
                builder: TrackBuilder::default(),
            });
            self.all.len() - 1
        })
    }

    /// The key of the track of a subject, which is made if there is none.
    pub fn key_of(&mut self, who: TrackSubject) -> TrackKey {
        let number = self.number(who);
        self.all[number].key
    }

    /// The track of a subject, which is made if there is none.
    pub fn of(&mut self, who: TrackSubject) -> &mut TrackBuilder {
        let number = self.number(who);
        &mut self.all[number].builder
    }

    /// [`Rows::of`] for a track that may then have something that is finished.
    pub fn touch(&mut self, who: TrackSubject) -> &mut TrackBuilder {
        let number = self.number(who);
        if self.touched.last() != Some(&number) {
            self.touched.push(number);
        }
        &mut self.all[number].builder
    }

    /// Gives what is finished to a sink.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn give_finished(&mut self, sink: &mut dyn TimelineSink) -> io::Result<()> {
        for number in self.touched.drain(..) {
            let Row { who, key, builder } = &mut self.all[number];
            builder.give_finished(kind_of(*who), *key, sink)?;
        }
        Ok(())
    }

    /// The tracks in the order in which they were made.
    pub fn into_all(self) -> Vec<Row> {
        self.all
    }
}

/// Depths of a track.
const DEPTHS: usize = 3;

#[derive(Debug)]
struct OpenSpan {
    begin: Cycle,
    state: SpanState,
    text: Cow<'static, str>,
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
    pub fn open(
        &mut self,
        depth: u8,
        at: Cycle,
        state: SpanState,
        text: impl Into<Cow<'static, str>>,
    ) {
        self.close(depth, at);
        if let Some(slot) = self.open.get_mut(usize::from(depth)) {
            *slot = Some(OpenSpan {
                begin: at,
                state,
                text: text.into(),
            });
        }
    }

    /// Puts a span into the open one of its depth, which goes on after it.
    pub fn insert(
        &mut self,
        depth: u8,
        begin: Cycle,
        end: Cycle,
        state: SpanState,
        text: impl Into<Cow<'static, str>>,
    ) {
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
    pub fn add(
        &mut self,
        depth: u8,
        begin: Cycle,
        end: Cycle,
        state: SpanState,
        text: impl Into<Cow<'static, str>>,
    ) {
        if end > begin {
            self.spans.push(Span {
                begin,
                end,
                depth,
                state,
                text: text.into(),
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

    /// Gives a sink the spans that nothing changes any more, and the marks.
    fn give_finished(
        &mut self,
        kind: TrackKind,
        key: TrackKey,
        sink: &mut dyn TimelineSink,
    ) -> io::Result<()> {
        let finished = self.spans.len().saturating_sub(1);
        for span in self.spans.drain(..finished) {
            sink.span(kind, key, span)?;
        }
        for mark in self.marks.drain(..) {
            sink.mark(key, mark)?;
        }
        Ok(())
    }

    /// Gives a sink all spans and marks.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn give(
        mut self,
        kind: TrackKind,
        key: TrackKey,
        sink: &mut dyn TimelineSink,
    ) -> io::Result<()> {
        for span in self.spans.drain(..) {
            sink.span(kind, key, span)?;
        }
        self.give_finished(kind, key, sink)
    }

    /// The span that is open at a depth.
    pub fn state(&self, depth: u8) -> Option<SpanState> {
        let slot = self.open.get(usize::from(depth))?;
        slot.as_ref().map(|open| open.state)
    }

    pub fn mark(&mut self, at: Cycle, text: impl Into<Cow<'static, str>>) {
        let text = text.into();
        self.marks.push(Mark { at, text });
    }

    /// Names the cause of a wait since a cycle, which is known at the end of the run only. The span that is open
    /// there may be of before: a channel that moves words shows only later that it had to wait.
    pub fn open_wait(
        &mut self,
        depth: u8,
        since: Cycle,
        state: SpanState,
        text: impl Into<Cow<'static, str>>,
    ) {
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

    /// Ends what is open with the run.
    pub fn end(&mut self, end: Cycle) {
        for depth in 0..DEPTHS as u8 {
            self.show_last_wait(depth, end);
            let before = self.spans.len();
            self.close(depth, end);
            for span in &mut self.spans[before..] {
                span.open = true;
            }
        }
    }
}
