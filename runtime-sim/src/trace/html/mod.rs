//! The timeline as a page of its own: one file that needs no network and no other file.
//!
//! `page.html` is the page with its style and its script; the run is put into it as JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::timeline::{SpanState, Timeline};

/// The page; the run takes the place of [`PLACE`].
const PAGE: &str = include_str!("page.html");
const PLACE: &str = "/*DATA*/";

/// The page of a run.
pub fn write(timeline: &Timeline) -> String {
    // no text of the design may end the script that holds the data
    let data = data(timeline).to_string().replace("</", "<\\/");
    PAGE.replacen(PLACE, &data, 1)
}

/// The run. Texts are numbers into `texts`; spans and marks are flat lists: begin, end, depth,
/// state, text, and cycle, text.
fn data(timeline: &Timeline) -> Value {
    let mut texts = Texts::default();
    let tracks: Vec<Value> = timeline
        .tracks
        .iter()
        .map(|track| {
            let mut spans: Vec<u64> = Vec::new();
            for span in &track.spans {
                let state = SpanState::ALL.iter().position(|state| *state == span.state);
                spans.extend([span.begin, span.end, span.depth.into()]);
                spans.extend([state.unwrap_or(0) as u64, texts.number(&span.text)]);
            }
            let mut marks: Vec<u64> = Vec::new();
            for mark in &track.marks {
                marks.extend([mark.at, texts.number(&mark.text)]);
            }
            json!({
                "group": track.group,
                "name": track.name,
                "sort": track.kind.name(),
                "detail": track.detail,
                "spans": spans,
                "marks": marks,
            })
        })
        .collect();
    let arrows: Vec<Value> = timeline
        .arrows
        .iter()
        .map(|arrow| json!({ "text": arrow.text, "stops": arrow.stops }))
        .collect();
    json!({
        "device": timeline.device,
        "status": timeline.status,
        "cycles": timeline.cycles,
        "runBegan": timeline.run_began,
        "full": timeline.full,
        "states": SpanState::ALL.map(SpanState::name),
        "texts": texts.all,
        "tracks": tracks,
        "arrows": arrows,
    })
}

/// Texts, each once.
#[derive(Default)]
struct Texts<'a> {
    numbers: BTreeMap<&'a str, u64>,
    all: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    fn number(&mut self, text: &'a str) -> u64 {
        let next = self.all.len() as u64;
        *self.numbers.entry(text).or_insert_with(|| {
            self.all.push(text);
            next
        })
    }
}
