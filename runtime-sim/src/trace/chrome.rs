//! Chrome trace events: a list of objects that <https://ui.perfetto.dev>, chrome://tracing and
//! speedscope open.
//!
//! A process is a controller or a tile, a thread one of its parts. `ts` and `dur` are microseconds
//! in the format; here, as in the traces of mlir-aie, one is a cycle. Arrows are flow events
//! (`s`, `t`, `f`).

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use serde_json::{Value, json};

use super::items::{TrackItem, TrackPart};
use super::timeline::{
    KeyedArrow, Mark, Sample, Span, TimelineSink, TrackHead, TrackKey, TrackKind,
};
use crate::external_sort::{Scratch, Sorter};

/// The events of a run under construction.
pub(super) struct ChromeTrace {
    items: Sorter<TrackItem>,
    arrows: Sorter<KeyedArrow>,
}

impl TimelineSink for ChromeTrace {
    fn span(&mut self, _: TrackKind, track: TrackKey, span: Span) -> io::Result<()> {
        let item = TrackPart::Span(span);
        self.items.push(TrackItem { track, item })
    }

    fn mark(&mut self, track: TrackKey, mark: Mark) -> io::Result<()> {
        let item = TrackPart::Mark(mark);
        self.items.push(TrackItem { track, item })
    }

    fn sample(&mut self, _: TrackKind, track: TrackKey, sample: Sample) -> io::Result<()> {
        let item = TrackPart::Sample(sample);
        self.items.push(TrackItem { track, item })
    }

    fn arrow(&mut self, arrow: KeyedArrow) -> io::Result<()> {
        self.arrows.push(arrow)
    }
}

impl ChromeTrace {
    pub fn new(scratch: &Rc<dyn Scratch>) -> ChromeTrace {
        ChromeTrace {
            items: Sorter::new(scratch),
            arrows: Sorter::new(scratch),
        }
    }

    /// Writes the events, one a line.
    pub fn write(mut self, tracks: &[TrackHead], out: &mut dyn Write) -> io::Result<()> {
        let places = places(tracks);
        let mut list = EventList {
            out,
            is_empty: true,
        };
        list.out.write_all(b"[\n")?;
        for event in names(tracks, &places) {
            list.add(&event)?;
        }
        let place = |track: &TrackKey| places.get(track).copied().unwrap_or_default();
        let counters = counters(tracks);
        let mut items = self.items.sorted()?;
        while let Some(TrackItem { track, item }) = items.next()? {
            let (pid, tid) = place(&track);
            list.add(&match item {
                TrackPart::Span(span) => json!({
                    "ph": "X",
                    "name": span.text,
                    "cat": span.state.name(),
                    "ts": span.begin,
                    "dur": span.end - span.begin,
                    "pid": pid,
                    "tid": tid,
                }),
                TrackPart::Mark(mark) => json!({
                    "ph": "i",
                    "s": "t",
                    "name": mark.text,
                    "ts": mark.at,
                    "pid": pid,
                    "tid": tid,
                }),
                TrackPart::Sample(sample) => {
                    // Each sample is of a track with a head.
                    let counter = counters.get(&track);
                    let (name, divisor) = counter.map_or(("", 1.0), |(name, by)| (name, *by));
                    json!({
                        "ph": "C",
                        "name": name,
                        "ts": sample.at,
                        "pid": pid,
                        "args": { "value": sample.value as f64 / divisor },
                    })
                }
            })?;
        }
        let mut arrows = self.arrows.sorted()?;
        let mut id = 0;
        while let Some(arrow) = arrows.next()? {
            for (index, (track, at)) in arrow.stops.iter().enumerate() {
                let phase = match index {
                    0 => "s",
                    last if last + 1 == arrow.stops.len() => "f",
                    _ => "t",
                };
                let (pid, tid) = place(track);
                let mut event = json!({
                    "ph": phase,
                    "name": arrow.text,
                    "cat": "task",
                    "id": id,
                    "ts": at,
                    "pid": pid,
                    "tid": tid,
                });
                if phase == "f" {
                    // the arrow ends at the slice around it, not at the next
                    event["bp"] = json!("e");
                }
                list.add(&event)?;
            }
            id += 1;
        }
        list.out.write_all(b"\n]\n")
    }
}

/// A list of events while it is written.
struct EventList<'a> {
    out: &'a mut dyn Write,
    is_empty: bool,
}

impl EventList<'_> {
    fn add(&mut self, event: &Value) -> io::Result<()> {
        if !std::mem::take(&mut self.is_empty) {
            self.out.write_all(b",\n")?;
        }
        write!(self.out, "{event}")
    }
}

/// Name and divisor of each counter.
fn counters(tracks: &[TrackHead]) -> BTreeMap<TrackKey, (String, f64)> {
    let counters = tracks.iter().filter_map(|track| {
        let divisor = track.kind.samples_per_value()? as f64;
        Some((track.key, (track.full_name(), divisor)))
    });
    counters.collect()
}

/// Process and thread of each track.
fn places(tracks: &[TrackHead]) -> BTreeMap<TrackKey, (usize, usize)> {
    let mut places = BTreeMap::new();
    let mut before: Option<(&TrackHead, (usize, usize))> = None;
    for track in tracks {
        let place = match before {
            Some((other, (pid, tid))) if other.group == track.group => (pid, tid + 1),
            Some((_, (pid, _))) => (pid + 1, 0),
            None => (0, 0),
        };
        places.insert(track.key, place);
        before = Some((track, place));
    }
    places
}

fn names(tracks: &[TrackHead], places: &BTreeMap<TrackKey, (usize, usize)>) -> Vec<Value> {
    let mut events = Vec::new();
    for track in tracks {
        let (pid, tid) = places.get(&track.key).copied().unwrap_or_default();
        if tid == 0 {
            events.push(json!({
                "ph": "M", "name": "process_name", "pid": pid, "args": { "name": track.group },
            }));
            events.push(json!({
                "ph": "M", "name": "process_sort_index", "pid": pid, "args": { "sort_index": pid },
            }));
        }
        // A counter belongs to the process.
        if track.kind.samples_per_value().is_some() {
            continue;
        }
        events.push(json!({
            "ph": "M", "name": "thread_name", "pid": pid, "tid": tid,
            "args": { "name": track.full_name() },
        }));
        events.push(json!({
            "ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid,
            "args": { "sort_index": tid },
        }));
    }
    events
}
