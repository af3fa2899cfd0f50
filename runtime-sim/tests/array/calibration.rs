//! Our cycles beside the published figures: the table in `docs/src/calibration.md` is made here, by
//! measuring. `AIEC_BLESS=1` rewrites it.

use std::fmt::Write;

use aiec_device::regmap::{BdFields, QueueEntry};
use aiec_device::{Bundle, ChannelId, DmaDir, DmaDir::*, TileLoc};
use aiec_sim::array::HwEvent;

use super::support::*;

const A: TileLoc = TileLoc::new(0, 3);

/// A measured figure.
struct Row {
    what: &'static str,
    unit: &'static str,
    published: f64,
    ours: f64,
    source: &'static str,
}

/// Cycle of the first event that passes, with the array observed from the start.
fn when(bench: &mut Bench, tile: TileLoc, test: impl Fn(HwEvent) -> bool) -> u64 {
    let seen = bench.take_observed();
    let found = seen
        .iter()
        .find(|seen| seen.tile == tile && test(seen.event));
    found
        .unwrap_or_else(|| panic!("it never happened: {seen:?}"))
        .at
}

/// A switch with an input and an output that are connected.
type Step = (TileLoc, (Bundle, u8), (Bundle, u8));

/// The cycle in which a one-word transfer through `path` is over, counted from the start of the
/// sender: each step is a switch with its input and its output.
fn through(path: &[Step]) -> u64 {
    let mut bench = Bench::new("npu1");
    bench.observe();
    for &(tile, from, to) in path {
        bench.connect(tile, port(from.0, from.1), port(to.0, to.1));
    }
    let (first, last) = (path[0].0, path[path.len() - 1].0);
    bench.bd(first, 0, &bd(0, 1));
    bench.bd(last, 1, &bd(0x1000, 1));
    bench.push(last, S2mm, 0, once(1));
    bench.push(first, Mm2s, 0, once(0));
    bench.run_clean();
    let wanted = HwEvent::FinishedTask(ChannelId::new(last, S2mm, 0));
    when(&mut bench, last, |event| event == wanted)
}

fn up(rows: u8) -> Vec<Step> {
    let dma = (Bundle::Dma, 0);
    let (north, south) = ((Bundle::North, 0), (Bundle::South, 0));
    let step = |i: u8| {
        let tile = TileLoc::new(A.col, A.row - 1 + i);
        let from = if i == 0 { dma } else { south };
        let to = if i == rows { dma } else { north };
        (tile, from, to)
    };
    (0..=rows).map(step).collect()
}

/// Cycles of `words` words from the start of an idle channel of A to the end of its task.
fn send(words: u32, fields: BdFields, runs: u8) -> u64 {
    let mut bench = Bench::new("npu1");
    bench.observe();
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    let total = words * u32::from(runs);
    bench.bd(
        A,
        0,
        &BdFields {
            length: words,
            ..fields
        },
    );
    bench.bd(A, 1, &bd(0x1000, total));
    bench.push(A, S2mm, 0, once(1));
    let entry = QueueEntry {
        bd: 0,
        repeat: runs - 1,
        token: false,
    };
    bench.push(A, Mm2s, 0, entry);
    bench.run_clean();
    let wanted = HwEvent::FinishedTask(ChannelId::new(A, Mm2s, 0));
    when(&mut bench, A, |event| event == wanted)
}

/// Cycles of two shim tasks of `words` words each in a direction: until the end of the first, and
/// from there to the end of the second.
fn shim(dir: DmaDir, words: u32) -> (u64, u64) {
    let mut bench = Bench::new("npu1");
    let shim = TileLoc::new(0, 0);
    let m = TileLoc::new(0, 1);
    bench.observe();
    let host = bench
        .array
        .host
        .map("data", vec![0; words as usize * 8])
        .base;
    let south = bench.shim(0, dir, 0);
    let both = bd(host, words);
    bench.bd(shim, 0, &both);
    bench.bd(m, 0, &bd(0x8_0000, 2 * words));
    match dir {
        Mm2s => {
            bench.connect(shim, south, port(Bundle::North, 0));
            bench.connect(m, port(Bundle::South, 0), port(Bundle::Dma, 0));
            bench.push(m, S2mm, 0, once(0));
        }
        S2mm => {
            bench.connect(m, port(Bundle::Dma, 0), port(Bundle::South, 0));
            bench.connect(shim, port(Bundle::North, 0), south);
            bench.push(m, Mm2s, 0, once(0));
            // The words are ready when the shim starts.
            bench.run();
            bench.take_observed();
        }
    }
    let begin = bench.array.now();
    bench.at = begin;
    bench.push(shim, dir, 0, once(0));
    bench.push(shim, dir, 0, once(0));
    bench.run_clean();
    let finished = HwEvent::FinishedTask(ChannelId::new(shim, dir, 0));
    let ends: Vec<u64> = bench
        .take_observed()
        .iter()
        .filter(|seen| seen.tile == shim && seen.event == finished)
        .map(|seen| seen.at)
        .collect();
    (ends[0] - begin, ends[1] - ends[0])
}

/// Words that a sender gets rid of while the receiver has no task, or waits for the lock of its BD.
fn room(device: &str, path: &[Step], has_bd: bool) -> u64 {
    let mut bench = Bench::new(device);
    for &(tile, from, to) in path {
        bench.connect(tile, port(from.0, from.1), port(to.0, to.1));
    }
    let (first, last) = (path[0].0, path[path.len() - 1].0);
    if has_bd {
        let locked = BdFields {
            lock_acq_enable: true,
            lock_acq_value: -1,
            ..bd(0, 1000)
        };
        bench.bd(last, 1, &locked);
        bench.push(last, S2mm, 0, once(1));
    }
    bench.bd(first, 0, &bd(0, 1000));
    bench.push(first, Mm2s, 0, once(0));
    bench.run();
    let stats = bench.array.view().stats();
    let mut channels = stats.channels.iter();
    let sender = channels.find(|found| found.channel.dir == Mm2s);
    sender.unwrap().counts.words
}

/// Words that leave a switch although the receiver has no BD for them.
fn open_words() -> u64 {
    let local = [(A, (Bundle::Dma, 0), (Bundle::Dma, 0))];
    // The sender's slave port takes 4 words, and so does the channel's FIFO.
    room("npu2", &local, false) - 4 - 4
}

/// Cycles that two chained BDs of 16 words with locks take more than 32 words.
fn chain_gap() -> u64 {
    let locked = |next_bd| BdFields {
        lock_acq_enable: true,
        lock_rel_id: 1,
        lock_rel_value: 1,
        next_bd,
        ..bd(0, 16)
    };
    let mut bench = Bench::new("npu1");
    bench.observe();
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    let first = BdFields {
        use_next: true,
        ..locked(2)
    };
    bench.bd(A, 0, &first);
    bench.bd(A, 2, &locked(0));
    bench.bd(A, 1, &bd(0x1000, 32));
    bench.push(A, S2mm, 0, once(1));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    let finished = HwEvent::FinishedTask(ChannelId::new(A, Mm2s, 0));
    let chained = when(&mut bench, A, |event| event == finished);
    let release = 1;
    chained - release - lock_cost() - send(32, bd(0, 1), 1)
}

fn lock_cost() -> u64 {
    let locked = BdFields {
        lock_acq_enable: true,
        lock_acq_id: 0,
        lock_acq_value: 0,
        ..bd(0, 8)
    };
    send(8, locked, 1) - send(8, bd(0, 8), 1)
}

fn broadcast(from: TileLoc, to: TileLoc, event: u8) -> u64 {
    let mut bench = Bench::new("npu1");
    let at = |bench: &Bench, offset| bench.array.device().tile_address(from, offset);
    // Timer of the receiver is reset by the broadcast: what it misses is the delay.
    let timer = bench.array.device().tile_address(to, 0x3_4000);
    bench
        .array
        .bus_write(0, timer, u32::from(event) << 8)
        .unwrap();
    let (drive, fire) = (at(&bench, 0x3_4010), at(&bench, 0x3_4008));
    bench.array.bus_write(0, drive, 124).unwrap();
    bench.array.bus_write(0, fire, 124).unwrap();
    bench.array.advance(100);
    let timer = bench.array.device().tile_address(to, 0x3_40F8);
    100 - u64::from(bench.array.bus_read(100, timer).unwrap())
}

fn rows() -> Vec<Row> {
    const MANUAL: &str = "AM020";
    const XDNA: &str = "xdna-emu";
    let cycles = |what, published: u64, ours: u64, source| Row {
        what,
        unit: "cycles",
        published: published as f64,
        ours: ours as f64,
        source,
    };
    let words = |what, published: u64, ours: u64, source| Row {
        unit: "words",
        ..cycles(what, published, ours, source)
    };
    let local = [(A, (Bundle::Dma, 0), (Bundle::Dma, 0))];
    let inside = through(&local);
    // One switch further costs a local to external crossing and an external to local one, instead
    // of the local one; one more costs an external crossing.
    let (one, two) = (through(&up(1)), through(&up(2)));
    let start_and_load = send(1, bd(0, 1), 1);
    let (first_in, next_in) = shim(Mm2s, 64);
    let (first_out, next_out) = shim(S2mm, 64);
    let (long_in, _) = shim(Mm2s, 1064);
    let own = room("npu1", &local, true);
    let far = room("npu1", &up(1), true);
    vec![
        cycles("switch: local to local", 3, inside - start_and_load, MANUAL),
        cycles(
            "switch: local to external and external to local",
            7,
            one - inside + 3,
            MANUAL,
        ),
        cycles("switch: external to external", 4, two - one, MANUAL),
        words(
            "buffers of a switch: local to local, with DMA FIFOs of 12 and 16",
            34,
            own,
            MANUAL,
        ),
        words(
            "buffers: one switch more, local to external and external to local",
            8,
            far - own,
            MANUAL,
        ),
        words(
            "after a switch of AIE2P, towards a receiver without a BD",
            5,
            open_words(),
            "mlir-aie",
        ),
        cycles(
            "channel start, BD load, memory read: first word of an idle channel",
            11,
            start_and_load - 1,
            XDNA,
        ),
        cycles("BD to BD of a chain", 1, chain_gap(), XDNA),
        cycles(
            "BD to BD of a repeated task: repeat, load, memory read",
            12,
            send(1, bd(0, 1), 2) - start_and_load - 1,
            XDNA,
        ),
        cycles("lock acquire, free", 1, lock_cost(), XDNA),
        Row {
            what: "stream throughput of a channel",
            unit: "words/cycle",
            published: 1.0,
            ours: 1000.0 / (send(1064, bd(0, 1), 1) - send(64, bd(0, 1), 1)) as f64,
            source: MANUAL,
        },
        cycles(
            "shim MM2S: first task after idle, to its first word",
            1330,
            first_in - 63 - 1 - 6,
            XDNA,
        ),
        cycles(
            "shim S2MM: first task after idle, to its first word",
            341,
            first_out - 63 - 1 - 6,
            XDNA,
        ),
        cycles(
            "shim MM2S: a task after another, to its first word",
            325,
            next_in - 63 - 1 - 4,
            XDNA,
        ),
        cycles(
            "shim S2MM: a task after another, to its first word",
            179,
            next_out - 63 - 1 - 4,
            XDNA,
        ),
        Row {
            what: "shim throughput of a channel",
            unit: "words/cycle",
            published: 1.0,
            ours: 1000.0 / (long_in - first_in) as f64,
            source: XDNA,
        },
        cycles(
            "broadcast: tile to tile, upwards",
            2,
            broadcast(A, TileLoc::new(0, 4), 107),
            XDNA,
        ),
        cycles(
            "broadcast: tile to tile, sideways, with the memory module",
            6,
            broadcast(A, TileLoc::new(1, 3), 107),
            XDNA,
        ),
    ]
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

fn page() -> String {
    let mut text = String::from(
        "# Calibration\n\n\
         What the model takes, measured by running it, beside published figures. The table is made by\n\
         `runtime-sim/tests/array/calibration.rs`, which also says how each figure is measured;\n\
         `AIEC_BLESS=1 cargo test -p aiec-sim --test array calibration` rewrites it.\n\n\
         AM020 is the manual of AIE-ML. Figures of xdna-emu were measured or modelled by that\n\
         emulator on Phoenix, those of mlir-aie follow from routings that passed or hung on a Strix\n\
         (`test/create-packet-flows`, `hw_verdicts/ovr_*`). There are no public figures for CERT; its costs are our own\n\
         (`dialect/cert/src/timing.rs`). What is coarser than silicon is in the\n\
         [fidelity registry](fidelity.md).\n\n\
         | figure | unit | published | ours | deviation | source |\n\
         | --- | --- | ---: | ---: | ---: | --- |\n",
    );
    for row in rows() {
        let deviation = 100.0 * (row.ours - row.published) / row.published;
        let Row {
            what,
            unit,
            published,
            ours,
            source,
        } = row;
        let (published, ours) = (number(published), number(ours));
        writeln!(
            text,
            "| {what} | {unit} | {published} | {ours} | {deviation:+.1} % | {source} |"
        )
        .unwrap();
    }
    text
}

#[test]
fn the_table_in_the_book_is_what_the_model_does() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/calibration.md");
    let made = page();
    if std::env::var_os("AIEC_BLESS").is_some() {
        std::fs::write(path, &made).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(made == written, "AIEC_BLESS=1 rewrites the page:\n{made}");
}

/// The model is a model of these figures: none is further off than this.
#[test]
fn no_figure_is_far_off() {
    /// Per cent.
    const MOST: f64 = 5.0;
    for row in rows() {
        let deviation = 100.0 * (row.ours - row.published) / row.published;
        assert!(
            deviation.abs() <= MOST,
            "{}: {} instead of {}",
            row.what,
            row.ours,
            row.published
        );
    }
}
