//! The traces of `aiec sim --trace`, read back: as a wave viewer, as Perfetto and as a script
//! would, and compared with the run without a trace.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use aiec_sim::external_sort::{MemoryScratch, Scratch, ScratchFile};
use aiec_sim::report::StallCause;
use aiec_sim::trace::timeline::TrackKind;
use aiec_sim::trace::{self, Format, Timeline};
use aiec_sim::{HostBuffer, Recording, SimOptions, SimResult, Status, simulate};
use aiec_test::driver::aiec;
use aiec_test::vcd_reader::{self, Wave};
use serde_json::Value;

/// Events that are kept here.
const ROOM: usize = 1_000_000;

fn example(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(name)
}

/// Compiles an example and runs it.
fn run(name: &str, recording: Recording) -> SimResult {
    let options = SimOptions {
        recording,
        ..SimOptions::default()
    };
    run_with(name, options)
}

fn run_with(name: &str, options: SimOptions) -> SimResult {
    let folder = example(name);
    let design = folder.join("design.mlir").into_os_string();
    let elf = aiec(
        [design, "--jobs=parallel".into(), "-o".into(), "-".into()],
        &[],
    );
    let elf = elf.output().unwrap_or_else(|error| panic!("{error}"));
    let inputs = (0..4).filter_map(|index| {
        let bytes = std::fs::read(folder.join(format!("arg{index}.bin"))).ok()?;
        Some(HostBuffer { index, bytes })
    });
    simulate(&elf, inputs.collect(), &options).expect("it starts")
}

fn traced(name: &str) -> SimResult {
    run(
        name,
        Recording::Trace {
            from: 0,
            limit: ROOM,
        },
    )
}

fn written(result: &SimResult, format: Format) -> Vec<u8> {
    trace::write(result, format).expect("a trace in memory")
}

#[test]
fn a_trace_changes_nothing() {
    for name in [
        "split-join",
        "packet-flows",
        "cascade",
        "deadlock",
        "transpose",
    ] {
        let without = run(name, Recording::Nothing);
        for recording in [
            Recording::Totals,
            Recording::Trace {
                from: 0,
                limit: ROOM,
            },
        ] {
            let with = run(name, recording);
            assert_eq!(with.status, without.status, "{name}");
            assert_eq!(with.cycles, without.cycles, "{name}");
            assert_eq!(with.outputs, without.outputs, "{name}");
        }
        assert!(without.trace.is_empty());
    }
}

#[test]
fn traces_are_the_same_each_time() {
    let (first, second) = (traced("split-join"), traced("split-join"));
    for (format, name, _) in Format::ALL {
        assert!(
            written(&first, format) == written(&second, format),
            "{name}"
        );
    }
}

/// Scratch files in memory, and room for some dozen events.
#[derive(Debug, Default)]
struct SmallScratch(Cell<usize>);

impl Scratch for SmallScratch {
    fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
        self.0.set(self.0.get() + 1);
        MemoryScratch.file()
    }

    fn room(&self) -> usize {
        512
    }
}

#[test]
fn traces_in_scratch_files_are_as_those_in_memory() {
    for name in ["split-join", "packet-flows", "deadlock"] {
        let small = Rc::new(SmallScratch::default());
        let scratch: Rc<dyn Scratch> = small.clone();
        let spilled = run_with(
            name,
            SimOptions {
                recording: Recording::Trace { from: 0, limit: 1 },
                scratch: Some(scratch.clone()),
                ..SimOptions::default()
            },
        );
        assert!(spilled.trace.is_empty() && small.0.get() > 3, "{name}");
        let kept = traced(name);
        for (format, ending, _) in Format::ALL {
            let mut bytes = Vec::new();
            trace::write_to(&spilled, format, &scratch, &mut bytes).expect("memory has room");
            if format.is_streamed() {
                assert!(bytes == written(&kept, format), "{name}.{ending}");
            }
        }
    }
}

/// A scratch file that can't be written ends the trace with an error, not the run.
#[test]
fn a_full_disk_is_an_error_of_the_trace() {
    #[derive(Debug)]
    struct FullScratch;

    impl Scratch for FullScratch {
        fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn room(&self) -> usize {
            2048
        }
    }

    let scratch: Rc<dyn Scratch> = Rc::new(FullScratch);
    let options = SimOptions {
        recording: Recording::Trace { from: 0, limit: 1 },
        scratch: Some(scratch.clone()),
        ..SimOptions::default()
    };
    let result = run_with("split-join", options);
    assert_eq!(result.status, Status::Completed);
    let written = trace::write_to(&result, Format::Text, &scratch, &mut io::sink());
    let kind = written.map_err(|error| error.kind());
    assert_eq!(kind, Err(io::ErrorKind::StorageFull));
}

#[test]
fn text_is_in_order_of_time_and_stalls_end() {
    let result = traced("split-join");
    let text = String::from_utf8(written(&result, Format::Text)).expect("text");
    let mut before = 0;
    let mut open: BTreeMap<String, i32> = BTreeMap::new();
    for line in text.lines() {
        let (time, rest) = line.split_once(",event=").expect("an event");
        let time: u64 = time
            .strip_prefix("time=")
            .and_then(|time| time.parse().ok())
            .expect("a time");
        assert!(time >= before && time.is_multiple_of(1000), "{line}");
        before = time;
        let (event, place) = rest.split_once(',').expect("a place");
        let place = place.split(",cause").next().unwrap_or_default();
        match event {
            "CORE_WAIT" => *open.entry(place.to_string()).or_default() += 1,
            "CORE_READY" => *open.entry(place.to_string()).or_default() -= 1,
            _ => {}
        }
    }
    assert!(before <= result.cycles * 1000);
    // each core waits for its next object when the run ends
    assert_eq!(open.len(), 4);
    assert!(
        open.values().all(|count| (0..=1).contains(count)),
        "{open:?}"
    );
}

/// The waves of examples with jobs, packets, cascades, and one that hangs keep to the standard.
#[test]
fn waves_are_as_the_standard_says() {
    for name in [
        "split-join",
        "packet-flows",
        "cascade",
        "deadlock",
        "transpose",
    ] {
        let result = traced(name);
        let bytes = written(&result, Format::Vcd);
        let text = str::from_utf8(&bytes).expect("text");
        let dump = vcd_reader::read(text).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        assert_eq!(dump.timescale, "1 ps");
        // what is put off to the next cycle when nothing can move any more is reported
        let late = u64::from(result.status != Status::Completed) * 1000;
        let end = result.cycles * 1000;
        assert!((end..=end + late).contains(&dump.end), "{name}");
        let steps = dump.changes.iter().map(|(at, ..)| at);
        assert!(steps.copied().all(|at| at.is_multiple_of(1000)), "{name}");
    }
}

#[test]
fn waves_tell_what_happened() {
    let result = traced("split-join");
    let bytes = written(&result, Format::Vcd);
    let dump = vcd_reader::read(str::from_utf8(&bytes).expect("text")).expect("a dump");
    let values: Vec<u32> = dump
        .of("mem_tile_2_1.locks.lock_0_out_prod_lock_0")
        .map(|(_, wave)| match wave {
            Wave::Bits(bits) => u32::from_str_radix(bits, 2).expect("a number"),
            Wave::Text(text) => panic!("{text}"),
        })
        .collect();
    // 0 at first, 2 as configured, then taken and released for each object
    assert_eq!(values[..4], [0, 2, 1, 0]);
    assert!(values.iter().all(|value| *value <= 2));
    let (mut stalled, mut since) = (0, None);
    for (at, wave) in dump.of("tile_0_3.core.lock_stall") {
        let on = *wave == Wave::Bits("1".into());
        match since.filter(|_| !on) {
            Some(begin) => {
                stalled += at - begin;
                since = None;
            }
            None if on => since = Some(at),
            None => {}
        }
    }
    // the wait after the core's last object never ends, so that it isn't counted as a stall
    assert_eq!(since, None);
    let core = aiec_device::TileLoc::new(0, 3);
    let stats = result.array.view().stats();
    let cores = stats.cores.iter().find(|stats| stats.tile == core);
    assert_eq!(stalled / 1000, cores.expect("the core").times.lock_stall);
}

/// The keys that the Trace Event Format asks for in each phase, and those it allows besides.
#[test]
fn chrome_events_have_the_keys_of_their_phase() {
    let keys = |phase: &str| -> (&[&str], &[&str]) {
        match phase {
            "X" => (&["name", "ts", "dur", "pid", "tid"], &["cat", "args"]),
            "i" => (&["name", "ts", "s", "pid", "tid"], &["cat", "args"]),
            "s" | "t" => (&["name", "cat", "id", "ts", "pid", "tid"], &["args"]),
            "f" => (&["name", "cat", "id", "ts", "pid", "tid"], &["bp", "args"]),
            "M" => (&["name", "pid", "args"], &["tid"]),
            "C" => (&["name", "ts", "pid", "args"], &["id", "cat"]),
            other => panic!("phase {other}"),
        }
    };
    for name in ["split-join", "packet-flows", "cascade", "deadlock"] {
        let bytes = written(&traced(name), Format::Chrome);
        let json: Value = serde_json::from_slice(&bytes).expect("JSON");
        let mut named = BTreeSet::new();
        for event in json.as_array().expect("a list") {
            let event = event.as_object().expect("an object");
            let phase = event["ph"].as_str().expect("a phase");
            let (needed, allowed) = keys(phase);
            let has = |key: &&str| event.contains_key(*key);
            assert!(needed.iter().all(has), "{event:?}");
            let mut others = event.keys().filter(|key| *key != "ph");
            let known = |key: &String| [needed, allowed].concat().contains(&key.as_str());
            assert!(others.all(known), "{event:?}");
            for key in ["ts", "dur", "pid", "tid"] {
                assert!(event.get(key).is_none_or(Value::is_u64), "{event:?}");
            }
            // a slice or mark is on a track that has its names
            let place = (
                event["pid"].as_u64(),
                event.get("tid").and_then(Value::as_u64),
            );
            match (phase, event["name"].as_str()) {
                ("M", Some("thread_name")) => {
                    assert!(named.insert(place), "{event:?}");
                }
                ("M", _) => {}
                ("C", _) => assert!(event["args"]["value"].is_number(), "{event:?}"),
                _ => assert!(named.contains(&place), "{event:?}"),
            }
        }
    }
}

#[test]
fn chrome_events_nest_and_arrows_lead_from_push_to_token() {
    let result = traced("split-join");
    let json: Value = serde_json::from_slice(&written(&result, Format::Chrome)).expect("JSON");
    let events = json.as_array().expect("a list");
    let number = |event: &Value, key: &str| event[key].as_u64().expect("a number");
    let mut spans: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
    let mut arrows: BTreeMap<u64, String> = BTreeMap::new();
    for event in events {
        match event["ph"].as_str() {
            Some("X") => {
                let begin = number(event, "ts");
                let place = (number(event, "pid"), number(event, "tid"));
                let span = (begin, begin + number(event, "dur"));
                spans.entry(place).or_default().push(span);
            }
            Some(phase @ ("s" | "t" | "f")) => {
                arrows
                    .entry(number(event, "id"))
                    .or_default()
                    .push_str(phase);
            }
            _ => {}
        }
    }
    for (place, spans) in spans {
        let mut stack: Vec<(u64, u64)> = Vec::new();
        for (begin, end) in spans {
            while stack.last().is_some_and(|(_, outer)| *outer <= begin) {
                stack.pop();
            }
            let fits = stack.last().is_none_or(|(_, outer)| end <= *outer);
            assert!(fits, "{place:?}: {begin}..{end} in {stack:?}");
            stack.push((begin, end));
        }
    }
    // push, begin; for the one task with a token also its end and the wait for it
    assert!(
        arrows
            .values()
            .all(|way| way.starts_with('s') && way.ends_with('f'))
    );
    assert_eq!(arrows.values().filter(|way| *way == "sttf").count(), 1);
    assert_eq!(arrows.len(), 20);
}

/// The fields of a protobuf message: number, and its value or bytes.
fn fields(bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
    let typed = typed_fields(bytes).into_iter();
    typed
        .map(|(number, _, value, bytes)| (number, value, bytes))
        .collect()
}

/// The fields of a protobuf message: number, wire type, and its value or bytes.
fn typed_fields(mut bytes: &[u8]) -> Vec<(u64, u64, u64, &[u8])> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = bytes.split_first().expect("a byte");
            *bytes = rest;
            value |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        match key & 7 {
            0 => found.push((key >> 3, 0, varint(&mut bytes), &bytes[..0])),
            1 => {
                let (value, rest) = bytes.split_at(8);
                let value = u64::from_le_bytes(value.try_into().expect("eight bytes"));
                found.push((key >> 3, 1, value, &bytes[..0]));
                bytes = rest;
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (inner, rest) = bytes.split_at(length);
                found.push((key >> 3, 2, 0, inner));
                bytes = rest;
            }
            other => panic!("wire type {other}"),
        }
    }
    found
}

/// Fields of the messages that are used, with their wire types, and the message inside, copied
/// out of the public schema (perfetto: protos/perfetto/trace/trace.proto, trace_packet.proto,
/// track_event/track_event.proto, track_event/track_descriptor.proto).
const SCHEMA: [(&str, u64, u64, Option<&str>); 19] = [
    ("Trace", 1, 2, Some("TracePacket")),
    ("TracePacket", 8, 0, None),
    ("TracePacket", 10, 0, None),
    ("TracePacket", 11, 2, Some("TrackEvent")),
    ("TracePacket", 13, 0, None),
    ("TracePacket", 60, 2, Some("TrackDescriptor")),
    ("TrackDescriptor", 1, 0, None),
    ("TrackDescriptor", 2, 2, None),
    ("TrackDescriptor", 5, 0, None),
    ("TrackDescriptor", 8, 2, Some("CounterDescriptor")),
    ("CounterDescriptor", 6, 2, None),
    ("TrackEvent", 9, 0, None),
    ("TrackEvent", 11, 0, None),
    ("TrackEvent", 22, 2, None),
    ("TrackEvent", 23, 2, None),
    ("TrackEvent", 30, 0, None),
    ("TrackEvent", 44, 1, None),
    ("TrackEvent", 47, 1, None),
    ("TrackEvent", 48, 1, None),
];

/// Walks a message by the schema: fields that it doesn't have, or with another wire type, and
/// text that isn't UTF-8 are refused. Only categories and flows may come more than once.
fn keeps_to_schema(message: &str, bytes: &[u8]) {
    let mut seen = BTreeSet::new();
    for (number, wire, _, inner) in typed_fields(bytes) {
        let row = SCHEMA
            .iter()
            .find(|row| (row.0, row.1, row.2) == (message, number, wire));
        let Some((.., below)) = row else {
            panic!("{message} has no field {number} of wire type {wire}");
        };
        let repeated = message == "Trace" || [22, 47, 48].contains(&number);
        assert!(seen.insert(number) || repeated, "{message}: {number} twice");
        match below {
            Some(below) => keeps_to_schema(below, inner),
            None => assert!(str::from_utf8(inner).is_ok(), "{message}: {number}"),
        }
    }
}

#[test]
fn perfetto_packets_keep_to_the_schema() {
    for name in ["split-join", "packet-flows", "cascade", "deadlock"] {
        let bytes = written(&traced(name), Format::Perfetto);
        keeps_to_schema("Trace", &bytes);
    }
}

#[test]
fn perfetto_packets_are_read_back() {
    /// Fields: TracePacket.timestamp, .track_event, .track_descriptor.
    const PACKET: (u64, u64, u64) = (8, 11, 60);
    /// Fields of TrackEvent: type, track, name, flow ids, flow ids that end.
    const EVENT: (u64, u64, u64, u64, u64) = (9, 11, 23, 47, 48);
    /// Field of TrackEvent: value of a counter.
    const VALUE: u64 = 44;
    let result = traced("split-join");
    let timeline = Timeline::of(&result).expect("a trace in memory");
    let bytes = written(&result, Format::Perfetto);
    let (mut tracks, mut depth, mut begun, mut flows) = (BTreeMap::new(), BTreeMap::new(), 0, 0);
    let mut counted: BTreeMap<u64, Vec<(u64, f64)>> = BTreeMap::new();
    let mut now = 0;
    for (field, _, packet) in fields(&bytes) {
        assert_eq!(field, 1, "Trace.packet");
        let packet = fields(packet);
        let get = |list: &[(u64, u64, &[u8])], number| {
            let found = list.iter().find(|field| field.0 == number);
            found.map(|field| (field.1, field.2.to_vec()))
        };
        if let Some((_, descriptor)) = get(&packet, PACKET.2) {
            let descriptor = fields(&descriptor);
            let (uuid, _) = get(&descriptor, 1).expect("an identity");
            let (_, name) = get(&descriptor, 2).expect("a name");
            let parent = get(&descriptor, 5).map(|(uuid, _)| uuid);
            assert!(parent.is_none_or(|uuid| tracks.contains_key(&uuid)));
            tracks.insert(uuid, String::from_utf8(name).expect("text"));
        }
        let Some((_, event)) = get(&packet, PACKET.1) else {
            continue;
        };
        let (at, _) = get(&packet, PACKET.0).expect("a time");
        assert!(at >= now);
        now = at;
        let event = fields(&event);
        let (track, _) = get(&event, EVENT.1).expect("a track");
        assert!(tracks.contains_key(&track));
        let depth: &mut i32 = depth.entry(track).or_default();
        match get(&event, EVENT.0).expect("a type").0 {
            1 => {
                begun += 1;
                *depth += 1;
            }
            2 => *depth -= 1,
            3 => assert!(get(&event, EVENT.2).is_some()),
            4 => {
                let (value, _) = get(&event, VALUE).expect("a value");
                let samples = counted.entry(track).or_default();
                samples.push((at, f64::from_bits(value)));
            }
            other => panic!("type {other}"),
        }
        assert!((0..=3).contains(depth));
        flows += usize::from(get(&event, EVENT.3).is_some() || get(&event, EVENT.4).is_some());
    }
    assert!(depth.values().all(|depth| *depth == 0));
    assert_eq!(
        begun,
        timeline.tracks.iter().map(|t| t.spans.len()).sum::<usize>()
    );
    assert_eq!(
        flows,
        timeline.arrows.iter().map(|a| a.stops.len()).sum::<usize>()
    );
    // Each counter has its samples, and the bytes of a channel are those that it has moved.
    let counters = timeline.tracks.iter().filter(|t| !t.samples.is_empty());
    let samples: usize = counters.clone().map(|t| t.samples.len()).sum();
    assert_eq!(counted.values().map(Vec::len).sum::<usize>(), samples);
    for track in counters.filter(|t| t.kind == TrackKind::Rate) {
        let name = format!("{} {}", track.name, track.detail);
        let same = tracks
            .iter()
            .filter(|(_, other)| **other == name.trim_end());
        let per = TrackKind::Rate.samples_per_value().expect("a counter") as f64;
        let mut bytes = same.map(|(uuid, _)| {
            let values = counted[uuid].iter().map(|(_, value)| value * per);
            values.sum::<f64>()
        });
        let all: u64 = track.samples.iter().map(|sample| sample.value).sum();
        assert!(bytes.any(|bytes| bytes == all as f64), "{name}");
    }
    let stats = result.array.view().stats();
    let moved: u64 = stats
        .channels
        .iter()
        .map(|channel| channel.counts.words)
        .sum();
    let rates = timeline.tracks.iter().filter(|t| t.kind == TrackKind::Rate);
    let bytes: u64 = rates.flat_map(|t| &t.samples).map(|s| s.value).sum();
    assert_eq!(bytes, moved * 4);
    assert!(tracks.values().any(|name| name == "uC 2"));
    assert!(tracks.values().any(|name| name.starts_with("DMA MM2S 4")));
}

#[test]
fn what_a_trace_has_no_room_for_is_told() {
    let result = run(
        "split-join",
        Recording::Trace {
            from: 0,
            limit: 100,
        },
    );
    assert_eq!(result.status, Status::Completed);
    assert!(result.array.trace_overflow().is_some());
    assert_eq!(traced("split-join").array.trace_overflow(), None);
}

#[test]
fn reports_keep_to_their_schema_and_states_add_up() {
    let schema = aiec(["sim", "--report-schema"], &[]).output();
    let schema: Value = serde_json::from_slice(&schema.expect("a schema")).expect("JSON");
    for name in [
        "split-join",
        "packet-flows",
        "cascade",
        "deadlock",
        "transpose",
    ] {
        for recording in [Recording::Nothing, Recording::Totals] {
            let result = run(name, recording);
            let report = serde_json::to_value(aiec_sim::report(&result)).expect("JSON");
            let wrong = aiec_test::schema::violations(&schema, &report);
            assert!(wrong.is_empty(), "{name}: {wrong:#?}");
        }
        let result = run(name, Recording::Totals);
        let report = aiec_sim::report(&result);
        let all = result.array.now();
        for tile in &report.tiles {
            for channel in &tile.channels {
                let sum = channel.move_cycles + channel.times.total() + channel.idle_cycles;
                assert_eq!(sum, all, "{name}: {channel:?}");
            }
            if let Some(core) = &tile.core {
                let sum = core.times.total() + core.idle_cycles;
                assert_eq!(sum, all, "{name}: {tile:?}");
            }
        }
        // the waits by lock add up to the stalls of the waiting actors
        let mut by_lock: BTreeMap<&str, u64> = BTreeMap::new();
        for stall in report.stalls.as_ref().expect("stalls") {
            if stall.cause == StallCause::Lock {
                *by_lock.entry(&stall.who).or_default() += stall.cycles;
            }
        }
        for core in &result.array.view().stats().cores {
            let who = format!("core {}", core.tile);
            let stalls = by_lock.get(who.as_str()).copied().unwrap_or(0);
            assert_eq!(stalls, core.times.lock_stall, "{name}: {who}");
        }
        for channel in &result.array.view().stats().channels {
            let id = channel.channel;
            let (dir, number, tile) = (id.dir, id.index, id.tile);
            let who = format!("DMA {dir} {number} of tile {tile}");
            let stalls = by_lock.get(who.as_str()).copied().unwrap_or(0);
            assert_eq!(stalls, channel.times.lock_stall, "{name}: {who}");
        }
    }
}
