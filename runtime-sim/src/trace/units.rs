//! Traces of machines other than CERT's, whose units record spans of their own.

use std::borrow::Cow;
use std::io::{self, Write};
use std::rc::Rc;

use aiec_run_loop::{MachineOutcome, RecordStore, UnitId, UnitRecord};

use super::PICOSECONDS;
use super::timeline::{
    Collector, Mark, Span, SpanState, Timeline, TimelineSink, TrackHead, TrackKey, TrackKind,
};
use crate::external_sort::{
    Decoder, Encoder, Field, Scratch, Sortable, SpilledItems, field_struct,
};
use crate::time::Cycle;

impl Field for UnitId {
    fn put(&self, out: &mut Encoder<'_>) {
        self.0.put(out);
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        u32::get(input).map(UnitId)
    }
}

field_struct!(UnitRecord {
    at,
    until,
    unit,
    event,
    key,
    text
});

impl Sortable for UnitRecord {
    type Key = Cycle;

    fn key(&self) -> Cycle {
        let UnitRecord { at, .. } = self;
        *at
    }

    fn first_of_key(&self) -> u64 {
        self.key()
    }

    fn text_bytes(&self) -> usize {
        self.text.len()
    }
}

impl RecordStore for SpilledItems<UnitRecord> {
    fn push(&mut self, record: UnitRecord) {
        SpilledItems::push(self, record);
    }

    fn each_sorted(
        &mut self,
        visit: &mut dyn FnMut(&UnitRecord) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut records = self.sorted()?;
        while let Some(record) = records.next()? {
            visit(&record)?;
        }
        Ok(())
    }
}

/// A store of a machine's records in scratch files.
pub fn record_store(scratch: &Rc<dyn Scratch>) -> Box<dyn RecordStore> {
    Box::new(SpilledItems::new(scratch))
}

/// Lines `time=<ps>,event=<NAME>,unit=<name>,…`.
///
/// # Errors
/// The trace can't be read, or the output not be written.
pub fn text(outcome: &MachineOutcome, out: &mut dyn Write) -> io::Result<()> {
    let trace = &outcome.trace;
    trace.each_record(&mut |record| {
        let (time, unit) = (record.at * PICOSECONDS, trace.unit_name(record.unit));
        let unit = unit.replace(' ', "_");
        write!(out, "time={time},event={},unit={unit}", record.event)?;
        if !record.text.is_empty() {
            write!(out, ",{}", record.text)?;
        }
        if record.until > record.at {
            write!(out, ",cycles={}", record.until - record.at)?;
        }
        writeln!(out)
    })
}

/// Gives the sink a track for each unit, and returns what describes the tracks; what takes no time is a mark. Spans of
/// a unit that lie inside others are drawn below them.
///
/// # Errors
/// The trace can't be read; what the sink ends with.
pub(super) fn give(
    outcome: &MachineOutcome,
    sink: &mut dyn TimelineSink,
) -> io::Result<Vec<TrackHead>> {
    let units = (0..).zip(&outcome.trace.units);
    let heads: Vec<TrackHead> = units
        .map(|(key, (group, name))| TrackHead {
            key: TrackKey(key),
            group: group.clone(),
            name: name.clone(),
            kind: TrackKind::Unit,
            detail: String::new(),
        })
        .collect();
    let mut open: Vec<Vec<Cycle>> = vec![Vec::new(); heads.len()];
    outcome.trace.each_record(&mut |record| {
        let Some(open) = open.get_mut(record.unit.0 as usize) else {
            return Ok(());
        };
        let key = TrackKey(record.unit.0.into());
        let text = record_text(record);
        let (at, end) = (record.at, record.until);
        if end == at {
            return sink.mark(key, Mark { at, text });
        }
        open.retain(|end| *end > at);
        let depth = u8::try_from(open.len()).unwrap_or(u8::MAX);
        open.push(end);
        let span = Span {
            begin: at,
            end,
            depth,
            state: SpanState::Run,
            text,
            open: false,
        };
        sink.span(TrackKind::Unit, key, span)
    })?;
    Ok(heads)
}

/// A record in words.
fn record_text(record: &UnitRecord) -> Cow<'static, str> {
    if record.text.is_empty() {
        record.event.into()
    } else {
        format!("{} {}", record.event, record.text).into()
    }
}

/// The timeline of a run.
///
/// # Errors
/// The trace can't be read; one in memory always can.
pub fn timeline(outcome: &MachineOutcome) -> io::Result<Timeline> {
    let mut parts = Collector::default();
    let heads = give(outcome, &mut parts)?;
    Ok(Timeline {
        device: outcome.machine.to_owned(),
        status: outcome.status.name(),
        cycles: outcome.cycles,
        run_began: 0,
        full: outcome.trace.full,
        tracks: heads.into_iter().map(|head| parts.track(head)).collect(),
        arrows: Vec::new(),
        diagnosis: Vec::new(),
        path: Vec::new(),
    })
}
