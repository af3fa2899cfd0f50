//! Spans, marks, samples and arrows of a timeline, sorted in scratch files.

use super::timeline::{KeyedArrow, Mark, Sample, Span, TrackKey};
use crate::external_sort::{Sortable, field_enum, field_struct};
use crate::time::Cycle;

/// A span, a mark or a sample.
#[derive(Clone)]
pub(super) enum TrackPart {
    Span(Span),
    Mark(Mark),
    Sample(Sample),
}

field_enum!(TrackPart {
    0: Span(span),
    1: Mark(mark),
    2: Sample(sample)
});

/// A part of a track, by track, spans before marks, samples by time.
#[derive(Clone)]
pub(super) struct TrackItem {
    pub track: TrackKey,
    pub item: TrackPart,
}

field_struct!(TrackItem { track, item });

impl Sortable for TrackItem {
    type Key = (TrackKey, bool, Cycle, u8, Cycle);

    fn key(&self) -> Self::Key {
        match &self.item {
            TrackPart::Span(span) => (self.track, false, span.begin, span.depth, span.end),
            TrackPart::Mark(mark) => (self.track, true, mark.at, 0, 0),
            TrackPart::Sample(sample) => (self.track, true, sample.at, 0, 0),
        }
    }

    fn first_of_key(&self) -> u64 {
        self.track.0
    }

    fn text_bytes(&self) -> usize {
        match &self.item {
            TrackPart::Span(span) => span.text.len(),
            TrackPart::Mark(mark) => mark.text.len(),
            TrackPart::Sample(_) => 0,
        }
    }
}

impl Sortable for KeyedArrow {
    type Key = u64;

    fn key(&self) -> u64 {
        self.number
    }

    fn first_of_key(&self) -> u64 {
        self.number
    }

    fn text_bytes(&self) -> usize {
        self.text.len() + size_of_val(self.stops.as_slice())
    }
}
