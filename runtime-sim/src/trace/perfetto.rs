//! Perfetto's own format: TrackEvents in protobuf, written by hand.
//!
//! Field numbers are those of `perfetto: protos/perfetto/trace/**` (trace.proto,
//! trace_packet.proto, track_event/*.proto). A controller or tile is a track, its parts are tracks
//! below it. Timestamps are nanoseconds: one is a cycle.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use super::timeline::{
    KeyedArrow, Mark, Sample, Span, TimelineSink, TrackHead, TrackKey, TrackKind,
};
use crate::external_sort::{Scratch, Sortable, Sorter, field_enum, field_struct};

/// Wire types of protobuf.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;

/// Fields by message.
mod trace {
    pub const PACKET: u64 = 1;
}
mod packet {
    pub const TIMESTAMP: u64 = 8;
    pub const SEQUENCE: u64 = 10;
    pub const TRACK_EVENT: u64 = 11;
    pub const SEQUENCE_FLAGS: u64 = 13;
    pub const TRACK_DESCRIPTOR: u64 = 60;
}
mod descriptor {
    pub const UUID: u64 = 1;
    pub const NAME: u64 = 2;
    pub const PARENT: u64 = 5;
    pub const COUNTER: u64 = 8;
}
mod counter {
    pub const UNIT_NAME: u64 = 6;
}
mod event {
    pub const TYPE: u64 = 9;
    pub const TRACK: u64 = 11;
    pub const CATEGORIES: u64 = 22;
    pub const NAME: u64 = 23;
    pub const DOUBLE_COUNTER_VALUE: u64 = 44;
    pub const FLOWS: u64 = 47;
    pub const LAST_FLOWS: u64 = 48;
}

/// TrackEvent.Type.
#[derive(Clone, Copy)]
enum Type {
    Begin = 1,
    End = 2,
    Instant = 3,
    Counter = 4,
}

field_enum!(Type {
    1: Begin,
    2: End,
    3: Instant,
    4: Counter
});

/// TracePacket.SequenceFlags: interned state of the sequence is reset.
const STATE_CLEARED: u64 = 1;
/// All packets come from one writer.
const SEQUENCE: u64 = 1;

/// A message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(&mut self, field: u64, value: u64) -> &mut Message {
        self.varint(field << 3 | VARINT);
        self.varint(value);
        self
    }

    fn fixed(&mut self, field: u64, value: u64) -> &mut Message {
        self.varint(field << 3 | FIXED64);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Message {
        self.varint(field << 3 | BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }
}

/// An event with what orders it: at one time what ends comes first, the innermost before the
/// outer; then what begins, the outer first; then instants, those of arrows the last.
#[derive(Clone)]
struct Event {
    at: u64,
    order: (u8, u8),
    track: TrackKey,
    /// The other end of the span.
    other_end: u64,
    kind: Type,
    name: String,
    category: &'static str,
    /// A flow, and whether it ends here.
    flow: Option<(u64, bool)>,
    /// The value of a counter, as the bits of a double.
    value: u64,
}

field_struct!(Event {
    at,
    order,
    track,
    other_end,
    kind,
    name,
    category,
    flow,
    value
});

impl Sortable for Event {
    type Key = (u64, (u8, u8), Option<(TrackKey, u64)>);

    fn key(&self) -> Self::Key {
        // arrows come in their own order
        let place = self.flow.is_none().then_some((self.track, self.other_end));
        (self.at, self.order, place)
    }

    fn text_bytes(&self) -> usize {
        self.name.len()
    }
}

/// The order of instants in one cycle: of marks and of arrows.
const MARK: (u8, u8) = (2, 0);
const ARROW: (u8, u8) = (2, 1);

/// A trace under construction.
pub(super) struct PerfettoTrace {
    events: Sorter<Event>,
    arrows: Sorter<KeyedArrow>,
}

impl TimelineSink for PerfettoTrace {
    fn span(&mut self, _: TrackKind, track: TrackKey, span: Span) -> io::Result<()> {
        let category = span.state.name();
        self.events.push(Event {
            at: span.begin,
            order: (1, span.depth),
            track,
            other_end: span.end,
            kind: Type::Begin,
            name: span.text,
            category,
            flow: None,
            value: 0,
        })?;
        self.events.push(Event {
            at: span.end,
            order: (0, u8::MAX - span.depth),
            track,
            other_end: span.begin,
            kind: Type::End,
            name: String::new(),
            category,
            flow: None,
            value: 0,
        })
    }

    fn mark(&mut self, track: TrackKey, mark: Mark) -> io::Result<()> {
        self.events
            .push(instant(mark.at, MARK, track, mark.text, None))
    }

    fn sample(&mut self, kind: TrackKind, track: TrackKey, sample: Sample) -> io::Result<()> {
        let divisor = kind.samples_per_value().unwrap_or(1);
        self.events.push(Event {
            kind: Type::Counter,
            category: "counter",
            value: (sample.value as f64 / divisor as f64).to_bits(),
            ..instant(sample.at, MARK, track, String::new(), None)
        })
    }

    fn arrow(&mut self, arrow: KeyedArrow) -> io::Result<()> {
        self.arrows.push(arrow)
    }
}

impl PerfettoTrace {
    pub fn new(scratch: &Rc<dyn Scratch>) -> PerfettoTrace {
        PerfettoTrace {
            events: Sorter::new(scratch),
            arrows: Sorter::new(scratch),
        }
    }

    /// Writes the packets.
    pub fn write(mut self, tracks: &[TrackHead], out: &mut dyn Write) -> io::Result<()> {
        let mut descriptors = Message::default();
        let identities = describe(tracks, &mut descriptors);
        out.write_all(&descriptors.0)?;
        let mut arrows = self.arrows.sorted()?;
        let mut id = 0;
        while let Some(arrow) = arrows.next()? {
            id += 1;
            for (index, &(track, at)) in arrow.stops.iter().enumerate() {
                let flow = (id, index + 1 == arrow.stops.len());
                let name = arrow.text.clone();
                self.events
                    .push(instant(at, ARROW, track, name, Some(flow)))?;
            }
        }
        let mut events = self.events.sorted()?;
        let mut messages = std::array::from_fn(|_| Message::default());
        while let Some(event) = events.next()? {
            let uuid = identities.get(&event.track).copied().unwrap_or_default();
            out.write_all(packet_of(&event, uuid, &mut messages))?;
        }
        Ok(())
    }
}

fn instant(
    at: u64,
    order: (u8, u8),
    track: TrackKey,
    name: String,
    flow: Option<(u64, bool)>,
) -> Event {
    Event {
        at,
        order,
        track,
        other_end: at,
        kind: Type::Instant,
        name,
        category: "mark",
        flow,
        value: 0,
    }
}

/// The bytes of an event's packet. The messages are those of the event before: the event, the packet, and the trace.
fn packet_of<'m>(event: &Event, uuid: u64, messages: &'m mut [Message; 3]) -> &'m [u8] {
    messages.iter_mut().for_each(|message| message.0.clear());
    let [body, packet, trace] = messages;
    body.number(event::TYPE, event.kind as u64);
    body.number(event::TRACK, uuid);
    match event.kind {
        Type::End => {}
        Type::Counter => {
            body.fixed(event::DOUBLE_COUNTER_VALUE, event.value);
        }
        Type::Begin | Type::Instant => {
            body.bytes(event::CATEGORIES, event.category.as_bytes());
            body.bytes(event::NAME, event.name.as_bytes());
        }
    }
    match event.flow {
        Some((id, false)) => body.fixed(event::FLOWS, id),
        Some((id, true)) => body.fixed(event::LAST_FLOWS, id),
        None => body,
    };
    packet.number(packet::TIMESTAMP, event.at);
    packet.number(packet::SEQUENCE, SEQUENCE);
    packet.bytes(packet::TRACK_EVENT, &body.0);
    trace.bytes(trace::PACKET, &packet.0);
    &trace.0
}

/// Writes the descriptors; the identity of each track.
fn describe(tracks: &[TrackHead], out: &mut Message) -> BTreeMap<TrackKey, u64> {
    let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
    let mut identities = BTreeMap::new();
    let mut next = 1;
    let mut identity = || {
        next += 1;
        next - 1
    };
    for track in tracks {
        let parent = match groups.get(track.group.as_str()) {
            Some(&parent) => parent,
            None => {
                let uuid = identity();
                groups.insert(&track.group, uuid);
                describe_one(out, uuid, &track.group, None, None);
                uuid
            }
        };
        let uuid = identity();
        let counts = track.kind.samples_per_value().is_some();
        let unit = counts.then(|| track.kind.unit());
        describe_one(out, uuid, &track.full_name(), Some(parent), unit);
        identities.insert(track.key, uuid);
    }
    identities
}

/// Writes a descriptor; of a counter with its unit. The first one clears the state of the sequence.
fn describe_one(out: &mut Message, uuid: u64, name: &str, parent: Option<u64>, unit: Option<&str>) {
    let mut descriptor = Message::default();
    descriptor.number(descriptor::UUID, uuid);
    descriptor.bytes(descriptor::NAME, name.as_bytes());
    if let Some(parent) = parent {
        descriptor.number(descriptor::PARENT, parent);
    }
    if let Some(unit) = unit {
        let mut counter = Message::default();
        if !unit.is_empty() {
            counter.bytes(counter::UNIT_NAME, unit.as_bytes());
        }
        descriptor.bytes(descriptor::COUNTER, &counter.0);
    }
    let mut packet = Message::default();
    packet.number(packet::SEQUENCE, SEQUENCE);
    if uuid == 1 {
        packet.number(packet::SEQUENCE_FLAGS, STATE_CLEARED);
    }
    packet.bytes(packet::TRACK_DESCRIPTOR, &descriptor.0);
    out.bytes(trace::PACKET, &packet.0);
}
