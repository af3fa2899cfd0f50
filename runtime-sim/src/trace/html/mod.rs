//! The timeline as a page: one file that needs no network and no other file.
//!
//! The page has what all pages share ([`aiec_page`]); the run is put into it as JSON, long runs in
//! levels of detail ([`levels`]) that keep the file below 10 MB, with a map of the array over time
//! ([`overview`]).

mod levels;
mod overview;

use std::collections::BTreeMap;

use aiec_page::Page;
use serde_json::{Value, json};

use super::timeline::{SpanState, Timeline};

/// The page of a run.
pub fn write(timeline: &Timeline) -> String {
    let page = Page {
        title: "Timeline of a run",
        style: include_str!("page.css"),
        body: include_str!("page.html"),
        script: include_str!("page.js"),
        data: &data(timeline),
    };
    page.render()
}

/// Arrows of tasks on a page; of a run with more, the first.
const MAX_ARROWS: usize = 20_000;

/// The greatest depth of spans that a page shows.
const DEEPEST: u8 = 3;

/// Links of the critical path on a page; of a longer one, the last.
const MAX_LINKS: usize = 20_000;

/// The run. Texts are numbers into `texts`; samples of a counter are pairs of cycles since the one before and a value, of
/// which `per` make one of the unit; links of the critical path are a track, -1 for none, an activity, and first cycle and end; spans are flat lists: cycles since the begin of the span
/// before, length, depth (plus 4 when not over at the end of the run), state, text; marks: cycles
/// since the mark before, text. A span of the state after the last represents many short ones;
/// `mixed` has for each of these the state and cycles of its parts.
fn data(timeline: &Timeline) -> Value {
    let mut texts = Texts::default();
    let mixed_state = SpanState::ALL.len();
    let limit = levels::span_limit(&timeline.tracks);
    let mark_limit = levels::mark_limit(&timeline.tracks);
    let sample_limit = levels::sample_limit(&timeline.tracks);
    let mut tracks: Vec<Value> = Vec::with_capacity(timeline.tracks.len());
    for track in &timeline.tracks {
        let (mut spans, mut mixed) = (Vec::new(), Vec::new());
        let mut before = 0;
        let spans_shown = levels::spans(track, limit).into_iter();
        for span in spans_shown.filter(|span| span.depth <= DEEPEST) {
            let state = match &span.parts {
                Some(parts) => {
                    mixed.push(
                        parts
                            .iter()
                            .flat_map(|(s, c)| [*s as u64, *c])
                            .collect::<Vec<_>>(),
                    );
                    mixed_state
                }
                None => position(span.state),
            };
            let depth = u64::from(span.depth) + if span.open { 4 } else { 0 };
            spans.extend([span.begin - before, span.end - span.begin, depth]);
            spans.extend([state as u64, texts.number(&span.text)]);
            before = span.begin;
        }
        let mut marks = Vec::new();
        let mut before = 0;
        for (at, text) in levels::marks(track, mark_limit) {
            marks.extend([at - before, texts.number(&text)]);
            before = at;
        }
        let mut value = json!({
            "group": track.group,
            "name": track.name,
            "sort": track.kind.name(),
            "detail": track.detail,
            "spans": spans,
            "mixed": mixed,
            "marks": marks,
        });
        if let Some(per) = track.kind.samples_per_value() {
            let mut samples = Vec::new();
            let mut before = 0;
            for sample in levels::samples(track, sample_limit) {
                samples.extend([sample.at - before, sample.value]);
                before = sample.at;
            }
            value["samples"] = samples.into();
            value["per"] = per.into();
            value["unit"] = track.kind.unit().into();
        }
        tracks.push(value);
    }
    let arrows = timeline.arrows.iter().take(MAX_ARROWS);
    let arrows = arrows.map(|arrow| json!({ "text": arrow.text, "stops": arrow.stops }));
    let diagnosis = timeline.diagnosis.iter();
    let diagnosis = diagnosis.map(|line| json!({ "text": line.text, "track": line.track }));
    let links = timeline.path.iter();
    let links = links.skip(timeline.path.len().saturating_sub(MAX_LINKS));
    let path = links.map(|link| {
        let track = link.track.map_or(-1, |track| track as i64);
        json!([track, link.activity.name(), link.begin, link.end])
    });
    json!({
        "device": timeline.device,
        "status": timeline.status,
        "cycles": timeline.cycles,
        "runBegan": timeline.run_began,
        "full": timeline.full,
        "merged": (limit > 1).then_some(limit),
        "states": SpanState::ALL.map(SpanState::name),
        "texts": texts.all,
        "tracks": tracks,
        "arrows": arrows.collect::<Vec<_>>(),
        "moreArrows": timeline.arrows.len().saturating_sub(MAX_ARROWS),
        "diagnosis": diagnosis.collect::<Vec<_>>(),
        "path": path.collect::<Vec<_>>(),
        "overview": overview::data(timeline),
    })
}

/// The number of a state.
fn position(state: SpanState) -> usize {
    let mut all = SpanState::ALL.iter();
    all.position(|other| *other == state).unwrap_or(0)
}

/// Texts, each once.
#[derive(Default)]
struct Texts {
    numbers: BTreeMap<String, u64>,
    all: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let next = self.all.len() as u64;
        self.numbers.insert(text.to_string(), next);
        self.all.push(text.to_string());
        next
    }
}
