//! The map of the array over time: of each tile and controller, what share of each slice of the run it
//! was busy, and what share it waited.

use serde_json::{Value, json};

use crate::time::Cycle;
use crate::trace::timeline::{Span, SpanState, Timeline, Track, TrackKind};

/// Slices of the run.
const SLICES: u64 = 512;

/// Percent busy and percent waiting, by group and slice.
pub(super) fn data(timeline: &Timeline) -> Value {
    let cycles = timeline.cycles.max(1);
    let slice = cycles.div_ceil(SLICES).max(1);
    let slices = cycles.div_ceil(slice) as usize;
    // Groups in the order of their first tracks; tracks of a group follow one another.
    let groups = timeline.tracks.chunk_by(|a, b| a.group == b.group);
    let groups = groups.filter_map(|tracks| {
        let shown = representative(tracks);
        if shown.is_empty() {
            return None;
        }
        let mut busy = vec![0; slices];
        let mut waits = vec![0; slices];
        for track in &shown {
            for span in track.spans.iter().filter(|span| is_leaf(track.kind, span)) {
                match span.state {
                    SpanState::Run | SpanState::Move | SpanState::Setup => {
                        add(&mut busy, span, slice);
                    }
                    SpanState::Ready | SpanState::Part => {}
                    _ => add(&mut waits, span, slice),
                }
            }
        }
        let whole = slice * shown.len() as u64;
        let percent = |cycles: Vec<Cycle>| -> Vec<Cycle> {
            cycles
                .into_iter()
                .map(|cycles| (cycles * 100 / whole).min(100))
                .collect()
        };
        Some(json!({
            "group": tracks.first()?.group,
            "busy": percent(busy),
            "waits": percent(waits),
        }))
    });
    json!({ "slice": slice, "groups": groups.collect::<Vec<_>>() })
}

/// The tracks that say how busy a tile or controller is: its core; else its DMA channels; else its jobs.
fn representative(tracks: &[Track]) -> Vec<&Track> {
    let of = |kind: TrackKind| tracks.iter().filter(|track| track.kind == kind).collect();
    let kinds = [
        TrackKind::Core,
        TrackKind::Channel,
        TrackKind::Unit,
        TrackKind::Job,
        TrackKind::Controller,
    ];
    let mut found = kinds.into_iter().map(of);
    found
        .find(|found: &Vec<&Track>| !found.is_empty())
        .unwrap_or_default()
}

/// Whether a span says what its actor does, and no other lies in it that does.
fn is_leaf(kind: TrackKind, span: &Span) -> bool {
    match kind {
        TrackKind::Channel => span.depth == 2,
        _ => span.depth == 0,
    }
}

/// Adds the cycles of a span to the slices that it lies in.
fn add(slices: &mut [Cycle], span: &Span, slice: Cycle) {
    let (first, last) = (span.begin / slice, (span.end.max(1) - 1) / slice);
    for index in first..=last {
        if let Some(cycles) = slices.get_mut(index as usize) {
            let (begin, end) = (index * slice, (index + 1) * slice);
            *cycles += span.end.min(end).saturating_sub(span.begin.max(begin));
        }
    }
}
