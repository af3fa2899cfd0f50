//! Perfetto's own format: TrackEvents in protobuf, written by hand.
//!
//! Field numbers are those of `perfetto: protos/perfetto/trace/**` (trace.proto,
//! trace_packet.proto, track_event/*.proto). A controller or tile is a track, its parts are tracks
//! below it. Timestamps are nanoseconds: one is a cycle.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::timeline::{
    KeyedArrow, Mark, Sample, Span, SpanState, TimelineSink, TrackHead, TrackKey, TrackKind,
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

/// TracePacket.SequenceFlags: interned state of the sequence is reset.
const STATE_CLEARED: u64 = 1;
/// All packets come from one writer.
const SEQUENCE: u64 = 1;

/// A message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

/// The bytes of a number as a varint.
fn varint_bytes(value: u64) -> u64 {
    let bits = u64::BITS - (value | 1).leading_zeros();
    bits.div_ceil(VARINT_BITS).into()
}

/// Bits of a number in a byte of a varint.
const VARINT_BITS: u32 = 7;

impl Message {
    #[inline]
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= VARINT_BITS;
        }
        self.0.push(value as u8);
    }

    #[inline]
    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3 | VARINT);
        self.varint(value);
    }

    #[inline]
    fn fixed(&mut self, field: u64, value: u64) {
        self.varint(field << 3 | FIXED64);
        self.0.extend(value.to_le_bytes());
    }

    #[inline]
    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
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
    content: EventContent,
}

/// Content of an event.
#[derive(Clone)]
enum EventContent {
    Begin {
        state: SpanState,
        name: Cow<'static, str>,
    },
    End,
    Mark(Cow<'static, str>),
    /// The value of a counter, as the bits of a double.
    Sample(u64),
    /// An arrow, with its number, comes here, and perhaps ends.
    Arrow {
        name: Cow<'static, str>,
        number: u64,
        ends: bool,
    },
}

field_struct!(Event {
    at,
    order,
    track,
    other_end,
    content
});
field_enum!(EventContent {
    0: Begin { state, name },
    1: End,
    2: Mark(name),
    3: Sample(value),
    4: Arrow { name, number, ends }
});

impl Sortable for Event {
    type Key = (u64, (u8, u8), TrackKey, u64);

    fn key(&self) -> Self::Key {
        let (track, other_end) = match self.content {
            // Arrows come in their own order.
            EventContent::Arrow { .. } => (TrackKey::default(), 0),
            _ => (self.track, self.other_end),
        };
        (self.at, self.order, track, other_end)
    }

    fn first_of_key(&self) -> u64 {
        self.at
    }

    fn text_bytes(&self) -> usize {
        match &self.content {
            EventContent::Begin { name, .. }
            | EventContent::Mark(name)
            | EventContent::Arrow { name, .. } => name.len(),
            EventContent::End | EventContent::Sample(_) => 0,
        }
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
        self.events.push(Event {
            at: span.begin,
            order: (1, span.depth),
            track,
            other_end: span.end,
            content: EventContent::Begin {
                state: span.state,
                name: span.text,
            },
        })?;
        self.events.push(Event {
            at: span.end,
            order: (0, u8::MAX - span.depth),
            track,
            other_end: span.begin,
            content: EventContent::End,
        })
    }

    fn mark(&mut self, track: TrackKey, mark: Mark) -> io::Result<()> {
        let content = EventContent::Mark(mark.text);
        self.events.push(instant(mark.at, MARK, track, content))
    }

    fn sample(&mut self, kind: TrackKind, track: TrackKey, sample: Sample) -> io::Result<()> {
        let divisor = kind.samples_per_value().unwrap_or(1);
        let value = sample.value as f64 / divisor as f64;
        let content = EventContent::Sample(value.to_bits());
        self.events.push(instant(sample.at, MARK, track, content))
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
                let content = EventContent::Arrow {
                    name: arrow.text.clone().into(),
                    number: id,
                    ends: index + 1 == arrow.stops.len(),
                };
                self.events.push(instant(at, ARROW, track, content))?;
            }
        }
        let mut events = self.events.sorted()?;
        let mut packets = Packets::default();
        while let Some(event) = events.next()? {
            let uuid = identities.get(&event.track).copied().unwrap_or_default();
            packets.add(&event, uuid);
            if packets.done.0.len() >= PACKETS_AT_ONCE {
                out.write_all(&packets.done.0)?;
                packets.done.0.clear();
            }
        }
        out.write_all(&packets.done.0)
    }
}

fn instant(at: u64, order: (u8, u8), track: TrackKey, content: EventContent) -> Event {
    Event {
        at,
        order,
        track,
        other_end: at,
        content,
    }
}

/// Bytes of packets that are written at once.
const PACKETS_AT_ONCE: usize = 1 << 15;

/// Packets of events.
#[derive(Default)]
struct Packets {
    done: Message,
    /// The event of the packet under construction.
    body: Message,
}

impl Packets {
    /// Adds the packet of an event on a track.
    fn add(&mut self, event: &Event, uuid: u64) {
        let Packets { done, body } = self;
        body.0.clear();
        let kind = match &event.content {
            EventContent::Begin { .. } => Type::Begin,
            EventContent::End => Type::End,
            EventContent::Mark(_) | EventContent::Arrow { .. } => Type::Instant,
            EventContent::Sample(_) => Type::Counter,
        };
        body.number(event::TYPE, kind as u64);
        body.number(event::TRACK, uuid);
        let mut named = |category: &str, name: &str| {
            body.bytes(event::CATEGORIES, category.as_bytes());
            body.bytes(event::NAME, name.as_bytes());
        };
        match &event.content {
            EventContent::Begin { state, name } => named(state.name(), name),
            EventContent::End => {}
            EventContent::Mark(name) => named(MARK_CATEGORY, name),
            EventContent::Sample(value) => body.fixed(event::DOUBLE_COUNTER_VALUE, *value),
            EventContent::Arrow { name, number, ends } => {
                named(MARK_CATEGORY, name);
                let field = if *ends {
                    event::LAST_FLOWS
                } else {
                    event::FLOWS
                };
                body.fixed(field, *number);
            }
        }
        let length = body.0.len() as u64;
        let fields = [
            (packet::TIMESTAMP, event.at),
            (packet::SEQUENCE, SEQUENCE),
            (packet::TRACK_EVENT, length),
        ];
        let fields = fields.map(|(field, value)| varint_bytes(field << 3) + varint_bytes(value));
        done.varint(trace::PACKET << 3 | BYTES);
        done.varint(fields.into_iter().sum::<u64>() + length);
        done.number(packet::TIMESTAMP, event.at);
        done.number(packet::SEQUENCE, SEQUENCE);
        done.bytes(packet::TRACK_EVENT, &body.0);
    }
}

/// The category of what takes no time.
const MARK_CATEGORY: &str = "mark";

/// Writes the descriptors; the identity of each track.
fn describe(tracks: &[TrackHead], out: &mut Message) -> FxHashMap<TrackKey, u64> {
    let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
    let mut identities = FxHashMap::default();
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
