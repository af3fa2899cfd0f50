//! Perfetto's own format: TrackEvents in protobuf, written by hand.
//!
//! Field numbers are those of `perfetto: protos/perfetto/trace/**` (trace.proto,
//! trace_packet.proto, track_event/*.proto). A controller or tile is a track, its parts are tracks
//! below it. Timestamps are nanoseconds: one is a cycle.

use std::collections::BTreeMap;

use super::timeline::Timeline;

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
}
mod event {
    pub const TYPE: u64 = 9;
    pub const TRACK: u64 = 11;
    pub const CATEGORIES: u64 = 22;
    pub const NAME: u64 = 23;
    pub const FLOWS: u64 = 47;
    pub const LAST_FLOWS: u64 = 48;
}

/// TrackEvent.Type.
#[derive(Clone, Copy)]
enum Type {
    Begin = 1,
    End = 2,
    Instant = 3,
}

/// TracePacket.SequenceFlags: interned state of the sequence begins anew.
const STATE_CLEARED: u64 = 1;
/// All packets come from one writer.
const SEQUENCE: u64 = 1;

/// A message in the making.
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
/// outer; then what begins, the outer first; then instants.
struct Event<'a> {
    at: u64,
    order: (u8, u8),
    track: u64,
    kind: Type,
    name: &'a str,
    category: &'a str,
    /// A flow, and whether it ends here.
    flow: Option<(u64, bool)>,
}

/// The bytes of a trace.
pub fn write(timeline: &Timeline) -> Vec<u8> {
    let mut out = Message::default();
    let tracks = describe(timeline, &mut out);
    let mut events: Vec<Event<'_>> = Vec::new();
    for (track, &uuid) in timeline.tracks.iter().zip(&tracks) {
        for span in &track.spans {
            let event = |at, kind, order| Event {
                at,
                order,
                track: uuid,
                kind,
                name: &span.text,
                category: span.state.name(),
                flow: None,
            };
            events.push(event(span.begin, Type::Begin, (1, span.depth)));
            events.push(event(span.end, Type::End, (0, u8::MAX - span.depth)));
        }
        for mark in &track.marks {
            events.push(instant(mark.at, uuid, &mark.text, None));
        }
    }
    for (id, arrow) in timeline.arrows.iter().enumerate() {
        for (index, &(track, at)) in arrow.stops.iter().enumerate() {
            let flow = (id as u64 + 1, index + 1 == arrow.stops.len());
            events.push(instant(at, tracks[track], &arrow.text, Some(flow)));
        }
    }
    events.sort_by_key(|event| (event.at, event.order));
    for event in &events {
        out.bytes(trace::PACKET, &packet_of(event).0);
    }
    out.0
}

fn instant<'a>(at: u64, track: u64, name: &'a str, flow: Option<(u64, bool)>) -> Event<'a> {
    Event {
        at,
        order: (2, 0),
        track,
        kind: Type::Instant,
        name,
        category: "mark",
        flow,
    }
}

fn packet_of(event: &Event<'_>) -> Message {
    let mut body = Message::default();
    body.number(event::TYPE, event.kind as u64);
    body.number(event::TRACK, event.track);
    if !matches!(event.kind, Type::End) {
        body.bytes(event::CATEGORIES, event.category.as_bytes());
        body.bytes(event::NAME, event.name.as_bytes());
    }
    match event.flow {
        Some((id, false)) => body.fixed(event::FLOWS, id),
        Some((id, true)) => body.fixed(event::LAST_FLOWS, id),
        None => &mut body,
    };
    let mut packet = Message::default();
    packet.number(packet::TIMESTAMP, event.at);
    packet.number(packet::SEQUENCE, SEQUENCE);
    packet.bytes(packet::TRACK_EVENT, &body.0);
    packet
}

/// Writes the descriptors; the identity of each track.
fn describe(timeline: &Timeline, out: &mut Message) -> Vec<u64> {
    let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
    let mut tracks = Vec::new();
    let mut next = 1;
    let mut identity = || {
        next += 1;
        next - 1
    };
    for track in &timeline.tracks {
        let parent = match groups.get(track.group.as_str()) {
            Some(&parent) => parent,
            None => {
                let uuid = identity();
                groups.insert(&track.group, uuid);
                describe_one(out, uuid, &track.group, None, uuid == 1);
                uuid
            }
        };
        let uuid = identity();
        let name = match track.detail.is_empty() {
            true => track.name.clone(),
            false => format!("{} {}", track.name, track.detail),
        };
        describe_one(out, uuid, &name, Some(parent), false);
        tracks.push(uuid);
    }
    tracks
}

fn describe_one(out: &mut Message, uuid: u64, name: &str, parent: Option<u64>, first: bool) {
    let mut descriptor = Message::default();
    descriptor.number(descriptor::UUID, uuid);
    descriptor.bytes(descriptor::NAME, name.as_bytes());
    if let Some(parent) = parent {
        descriptor.number(descriptor::PARENT, parent);
    }
    let mut packet = Message::default();
    packet.number(packet::SEQUENCE, SEQUENCE);
    if first {
        packet.number(packet::SEQUENCE_FLAGS, STATE_CLEARED);
    }
    packet.bytes(packet::TRACK_DESCRIPTOR, &descriptor.0);
    out.bytes(trace::PACKET, &packet.0);
}
