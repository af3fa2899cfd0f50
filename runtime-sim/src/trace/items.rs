//! Spans, marks and arrows of a timeline, sorted in scratch files.

use super::timeline::{KeyedArrow, Mark, Span, TrackKey};
use crate::external_sort::{Sortable, field_enum, field_struct};
use crate::time::Cycle;

/// A span or a mark.
#[derive(Clone)]
pub(super) enum SpanOrMark {
    Span(Span),
    Mark(Mark),
}

field_enum!(SpanOrMark {
    0: Span(span),
    1: Mark(mark)
});

/// A part of a track, by track, spans before marks.
#[derive(Clone)]
pub(super) struct TrackItem {
    pub track: TrackKey,
    pub item: SpanOrMark,
}

field_struct!(TrackItem { track, item });

impl Sortable for TrackItem {
    type Key = (TrackKey, bool, Cycle, u8, Cycle);

    fn key(&self) -> Self::Key {
        match &self.item {
            SpanOrMark::Span(span) => (self.track, false, span.begin, span.depth, span.end),
            SpanOrMark::Mark(mark) => (self.track, true, mark.at, 0, 0),
        }
    }

    fn text_bytes(&self) -> usize {
        match &self.item {
            SpanOrMark::Span(span) => span.text.len(),
            SpanOrMark::Mark(mark) => mark.text.len(),
        }
    }
}

impl Sortable for KeyedArrow {
    type Key = u64;

    fn key(&self) -> u64 {
        self.number
    }

    fn text_bytes(&self) -> usize {
        self.text.len() + size_of_val(self.stops.as_slice())
    }
}
