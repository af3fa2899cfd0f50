//! Traces of machines other than CERT's, whose units record spans of their own.

use std::fmt::Write;

use super::PICOSECONDS;
use super::timeline::{Mark, Span, SpanState, Timeline, Track, TrackKind};
use crate::drive::MachineOutcome;

/// Lines `time=<ps>,event=<NAME>,unit=<name>,…`.
pub fn text(outcome: &MachineOutcome) -> String {
    let mut text = String::new();
    for record in &outcome.trace.records {
        let (time, unit) = (
            record.at * PICOSECONDS,
            outcome.trace.unit_name(record.unit),
        );
        let unit = unit.replace(' ', "_");
        let _ = write!(text, "time={time},event={},unit={unit}", record.event);
        if !record.text.is_empty() {
            let _ = write!(text, ",{}", record.text);
        }
        if record.until > record.at {
            let _ = write!(text, ",cycles={}", record.until - record.at);
        }
        text.push('\n');
    }
    text
}

/// A track for each unit; what takes no time is a mark. Spans of a unit that lie inside others
/// are drawn below them.
pub fn timeline(outcome: &MachineOutcome) -> Timeline {
    let units = outcome.trace.units.iter();
    let mut tracks: Vec<Track> = units
        .map(|(group, name)| Track {
            group: group.clone(),
            name: name.clone(),
            kind: TrackKind::Unit,
            detail: String::new(),
            spans: Vec::new(),
            marks: Vec::new(),
        })
        .collect();
    let mut open: Vec<Vec<u64>> = vec![Vec::new(); tracks.len()];
    for record in &outcome.trace.records {
        let at = record.unit.0 as usize;
        let (Some(track), Some(open)) = (tracks.get_mut(at), open.get_mut(at)) else {
            continue;
        };
        let text = match record.text.is_empty() {
            true => record.event.to_owned(),
            false => format!("{} {}", record.event, record.text),
        };
        if record.until == record.at {
            track.marks.push(Mark {
                at: record.at,
                text,
            });
            continue;
        }
        open.retain(|end| *end > record.at);
        track.spans.push(Span {
            begin: record.at,
            end: record.until,
            depth: u8::try_from(open.len()).unwrap_or(u8::MAX),
            state: SpanState::Run,
            text,
            open: false,
        });
        open.push(record.until);
    }
    Timeline {
        device: outcome.machine.to_owned(),
        status: outcome.status.name(),
        cycles: outcome.cycles,
        run_began: 0,
        full: outcome.trace.full,
        tracks,
        arrows: Vec::new(),
        diagnosis: Vec::new(),
    }
}
