//! Levels of detail: of runs with many events, samples of counters of a stretch are its greatest, and spans and marks that are short and close to one another
//! are merged, so that a page stays small and quick. What a merged span's parts were is kept as cycles
//! by state, so that shares are right at every zoom.

use crate::time::Cycle;
use crate::trace::timeline::{Mark, Sample, Span, SpanState, Track};

use super::position;

/// Spans of a page, merged ones included: about 5 MB of text.
const MAX_SPANS: usize = 200_000;
/// Marks of a page.
const MAX_MARKS: usize = 60_000;
/// Samples of counters of a page.
const MAX_SAMPLES: usize = 100_000;

/// A span of a page.
pub(super) struct LeveledSpan {
    pub begin: Cycle,
    pub end: Cycle,
    pub depth: u8,
    pub state: SpanState,
    pub text: String,
    pub open: bool,
    /// Of merged spans: cycles by the number of the state, those that there are.
    pub parts: Option<Vec<(usize, Cycle)>>,
}

/// Spans shorter than this, in cycles, are merged with their neighbours: the least power of two with
/// which the tracks have few enough; 1 merges nothing.
pub(super) fn span_limit(tracks: &[Track]) -> Cycle {
    least_limit(MAX_SPANS, |limit| {
        tracks.iter().map(|track| count_spans(track, limit)).sum()
    })
}

/// Marks of as many cycles are one; 1 merges nothing.
pub(super) fn mark_limit(tracks: &[Track]) -> Cycle {
    least_limit(MAX_MARKS, |limit| {
        tracks
            .iter()
            .map(|track| bins(&track.marks, limit).count())
            .sum()
    })
}

/// Samples of as many cycles are their greatest and the last.
pub(super) fn sample_limit(tracks: &[Track]) -> Cycle {
    least_limit(MAX_SAMPLES, |limit| {
        let counts = tracks.iter().map(|track| samples(track, limit).count());
        counts.sum()
    })
}

/// The samples of a counter: of a stretch with several, if only of a cycle, the greatest and then the last.
pub(super) fn samples(track: &Track, limit: Cycle) -> impl Iterator<Item = Sample> {
    let stretches = track
        .samples
        .chunk_by(move |a, b| a.at / limit == b.at / limit);
    stretches.flat_map(|stretch| {
        let greatest = stretch.iter().map(|sample| sample.value).max();
        let from = stretch.first().zip(greatest);
        let from = from.map(|(first, value)| Sample { value, ..*first });
        let last = stretch.last().copied();
        let last = last.filter(|last| Some(last.value) != greatest);
        from.into_iter().chain(last)
    })
}

fn least_limit(most: usize, count: impl Fn(Cycle) -> usize) -> Cycle {
    let mut limit: Cycle = 1;
    // A bin as long as the longest run leaves one span by track and depth.
    while count(limit) > most && limit < 1 << 62 {
        limit *= 2;
    }
    limit
}

/// Whether a span is merged with others of its bin.
fn is_short(span: &Span, limit: Cycle) -> bool {
    span.end - span.begin < limit && !span.open
}

fn count_spans(track: &Track, limit: Cycle) -> usize {
    let mut last: [Option<Cycle>; 256] = [None; 256];
    let mut count = 0;
    for span in &track.spans {
        let bin = span.begin / limit;
        let before = &mut last[usize::from(span.depth)];
        if is_short(span, limit) && *before == Some(bin) {
            continue;
        }
        *before = is_short(span, limit).then_some(bin);
        count += 1;
    }
    count
}

/// The spans of a track, by begin, then depth.
pub(super) fn spans(track: &Track, limit: Cycle) -> Vec<LeveledSpan> {
    let mut all: Vec<LeveledSpan> = Vec::new();
    // Of each depth: the bin of the merged span that the next short one may join, and its place.
    let mut last: [Option<(Cycle, usize)>; 256] = [None; 256];
    for span in &track.spans {
        let slot = &mut last[usize::from(span.depth)];
        let bin = span.begin / limit;
        if is_short(span, limit)
            && let Some((before, at)) = *slot
            && before == bin
        {
            join(&mut all[at], span);
            continue;
        }
        *slot = is_short(span, limit).then_some((bin, all.len()));
        all.push(LeveledSpan {
            begin: span.begin,
            end: span.end,
            depth: span.depth,
            state: span.state,
            text: span.text.clone().into_owned(),
            open: span.open,
            parts: None,
        });
    }
    for span in &mut all {
        if let Some(parts) = &span.parts {
            let cycles: Cycle = parts.iter().map(|(_, cycles)| cycles).sum();
            span.text = format!("short spans, {cycles} cycles in all");
        }
    }
    all
}

fn join(merged: &mut LeveledSpan, span: &Span) {
    let first = (position(merged.state), merged.end - merged.begin);
    let parts = merged.parts.get_or_insert_with(|| vec![first]);
    let state = position(span.state);
    match parts.iter_mut().find(|(other, _)| *other == state) {
        Some((_, cycles)) => *cycles += span.end - span.begin,
        None => parts.push((state, span.end - span.begin)),
    }
    merged.end = merged.end.max(span.end);
}

/// The marks of a track; merged ones say how many they are.
pub(super) fn marks(track: &Track, limit: Cycle) -> Vec<(Cycle, String)> {
    let merged = bins(&track.marks, limit).map(|marks| match marks {
        [mark] => (mark.at, mark.text.clone().into_owned()),
        marks => {
            let at = marks.first().map_or(0, |mark| mark.at);
            (at, format!("{} marks close to one another", marks.len()))
        }
    });
    merged.collect()
}

fn bins(marks: &[Mark], limit: Cycle) -> impl Iterator<Item = &[Mark]> {
    // Marks of one cycle remain apart as long as nothing has to be merged.
    marks.chunk_by(move |a, b| limit > 1 && a.at / limit == b.at / limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::timeline::TrackKind;

    fn track(spans: &[(Cycle, Cycle, u8, SpanState)]) -> Track {
        let spans = spans.iter().map(|&(begin, end, depth, state)| Span {
            begin,
            end,
            depth,
            state,
            text: state.name().into(),
            open: false,
        });
        Track {
            group: "tile (0, 2)".into(),
            name: "core".into(),
            kind: TrackKind::Core,
            detail: String::new(),
            spans: spans.collect(),
            marks: (0..10)
                .map(|at| Mark {
                    at,
                    text: format!("mark {at}").into(),
                })
                .collect(),
            samples: Vec::new(),
        }
    }

    #[test]
    fn short_spans_of_a_bin_are_one_with_the_cycles_of_each_state() {
        let track = track(&[
            (0, 100, 0, SpanState::Part),
            (0, 3, 1, SpanState::Run),
            (3, 5, 1, SpanState::Lock),
            (6, 8, 1, SpanState::Run),
            (8, 40, 1, SpanState::Run),
            (40, 41, 1, SpanState::Lock),
        ]);
        assert_eq!(spans(&track, 1).len(), 6);
        let merged = spans(&track, 8);
        let found: Vec<_> = merged
            .iter()
            .map(|span| (span.begin, span.end, span.depth, span.parts.clone()))
            .collect();
        let (run, lock) = (position(SpanState::Run), position(SpanState::Lock));
        assert_eq!(
            found,
            [
                (0, 100, 0, None),
                (0, 8, 1, Some(vec![(run, 5), (lock, 2)])),
                (8, 40, 1, None),
                (40, 41, 1, None),
            ]
        );
        assert_eq!(count_spans(&track, 8), merged.len());
        assert_eq!(merged[1].text, "short spans, 7 cycles in all");
    }

    #[test]
    fn pages_of_long_runs_have_a_bounded_number_of_spans_and_marks() {
        let many: Vec<_> = (0..400_000)
            .map(|n| (n * 3, n * 3 + 2, 0, SpanState::Run))
            .collect();
        let tracks = [track(&many)];
        let limit = span_limit(&tracks);
        assert_eq!(limit, 8);
        assert!(spans(&tracks[0], limit).len() <= MAX_SPANS);
        assert_eq!(mark_limit(&tracks), 1);
        assert_eq!(marks(&tracks[0], 1).len(), 10);
        assert_eq!(marks(&tracks[0], 8)[0].1, "8 marks close to one another");
        assert_eq!(marks(&tracks[0], 8)[1].1, "2 marks close to one another");
    }

    #[test]
    fn stretches_of_a_counter_show_their_peaks_and_end_as_it_does() {
        let sample = |at, value| Sample { at, value };
        let track = Track {
            samples: vec![
                sample(0, 1),
                sample(3, 2),
                sample(3, 0),
                sample(9, 1),
                sample(11, 5),
            ],
            ..track(&[])
        };
        let shown = |limit| -> Vec<(Cycle, u64)> {
            samples(&track, limit).map(|s| (s.at, s.value)).collect()
        };
        assert_eq!(shown(1), [(0, 1), (3, 2), (3, 0), (9, 1), (11, 5)]);
        assert_eq!(shown(8), [(0, 2), (3, 0), (9, 5)]);
        assert_eq!(sample_limit(&[track]), 1);
    }
}
