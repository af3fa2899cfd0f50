//! Chrome trace events: a list of objects that <https://ui.perfetto.dev>, chrome://tracing and
//! speedscope open.
//!
//! A process is a controller or a tile, a thread one of its parts. `ts` and `dur` are microseconds
//! in the format; here, as in the traces of mlir-aie, one is a cycle. Arrows are flow events
//! (`s`, `t`, `f`).

use serde_json::{Value, json};

use super::timeline::{Timeline, Track};

/// The events of a run, one a line.
pub fn write(timeline: &Timeline) -> String {
    let places = places(timeline);
    let mut events = names(timeline, &places);
    for (track, &(pid, tid)) in timeline.tracks.iter().zip(&places) {
        for span in &track.spans {
            events.push(json!({
                "ph": "X",
                "name": span.text,
                "cat": span.state.name(),
                "ts": span.begin,
                "dur": span.end - span.begin,
                "pid": pid,
                "tid": tid,
            }));
        }
        for mark in &track.marks {
            events.push(json!({
                "ph": "i",
                "s": "t",
                "name": mark.text,
                "ts": mark.at,
                "pid": pid,
                "tid": tid,
            }));
        }
    }
    for (id, arrow) in timeline.arrows.iter().enumerate() {
        for (index, &(track, at)) in arrow.stops.iter().enumerate() {
            let phase = match index {
                0 => "s",
                last if last + 1 == arrow.stops.len() => "f",
                _ => "t",
            };
            let (pid, tid) = places[track];
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
            events.push(event);
        }
    }
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// Process and thread of each track.
fn places(timeline: &Timeline) -> Vec<(usize, usize)> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut before: Option<&Track> = None;
    for track in &timeline.tracks {
        let place = match (before, places.last()) {
            (Some(other), Some(&(pid, tid))) if other.group == track.group => (pid, tid + 1),
            (_, Some(&(pid, _))) => (pid + 1, 0),
            _ => (0, 0),
        };
        places.push(place);
        before = Some(track);
    }
    places
}

fn names(timeline: &Timeline, places: &[(usize, usize)]) -> Vec<Value> {
    let mut events = Vec::new();
    for (track, &(pid, tid)) in timeline.tracks.iter().zip(places) {
        if tid == 0 {
            events.push(json!({
                "ph": "M", "name": "process_name", "pid": pid, "args": { "name": track.group },
            }));
            events.push(json!({
                "ph": "M", "name": "process_sort_index", "pid": pid, "args": { "sort_index": pid },
            }));
        }
        let name = match track.detail.is_empty() {
            true => track.name.clone(),
            false => format!("{} {}", track.name, track.detail),
        };
        events.push(json!({
            "ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": { "name": name },
        }));
        events.push(json!({
            "ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid,
            "args": { "sort_index": tid },
        }));
    }
    events
}
