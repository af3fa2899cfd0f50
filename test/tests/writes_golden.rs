//! Holds device configuration and runtime sequences, as register operations, to the golden
//! vectors (`test/vectors/lowering/README.md`): final register values, pushes in order, and the
//! orders that hardware requires.
//!
//! Core bodies are emptied first: the vectors don't cover program memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aiec_device::regmap::{BdLayout, QueueEntry, RegisterRef};
use aiec_device::{DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_dialect::diag::Diags;
use aiec_dialect::ir::Module;
use aiec_dialect::ops::{Core, Device, OpKind, OpView, RuntimeSequence};
use aiec_dialect::source::{SourceFile, SourceMap};
use aiec_passes::configure::device_writes;
use aiec_passes::manager::{Step, run};
use aiec_passes::register_ops::{RegAction, RegOp};
use aiec_passes::sequence::sequence_ops;

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/lowering")
}

/// An operation of a golden file or of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    Write(u32, u32),
    /// Address, mask, value.
    Mask(u32, u32, u32),
    /// A whole BD with the argument that patches it, by the address of its first word.
    Bd(u32, Vec<u32>, Option<u32>),
    Wait(TileLoc, DmaDir, u8),
}

/// The lines of a golden file with their section.
struct Golden {
    lines: Vec<(String, Vec<String>)>,
}

impl Golden {
    fn read(path: &Path) -> Golden {
        let text = std::fs::read_to_string(path).unwrap();
        let mut section = String::new();
        let mut lines = Vec::new();
        for line in text.lines() {
            let line = line.split(';').next().unwrap().trim();
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']').to_string();
            } else if !line.is_empty() && !line.starts_with("drop") {
                let words = line.split_whitespace().map(str::to_string).collect();
                lines.push((section.clone(), words));
            }
        }
        Golden { lines }
    }

    /// Events of the sections that `wanted` accepts.
    fn events(&self, model: &'static DeviceModel, wanted: impl Fn(&str) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        for (_, words) in self.lines.iter().filter(|(section, _)| wanted(section)) {
            golden_line(model, words, &mut events);
        }
        events
    }
}

fn hex(text: &str) -> u32 {
    u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

/// The part of `key=value` behind the sign.
fn value<'a>(words: &'a [String], key: &str) -> &'a str {
    let found = words.iter().find_map(|w| w.strip_prefix(key));
    found.unwrap().trim_start_matches('=')
}

fn golden_line(model: &'static DeviceModel, words: &[String], events: &mut Vec<Event>) {
    match words[0].as_str() {
        "write" => events.push(Event::Write(hex(&words[1]), hex(&words[2]))),
        "mask" => {
            let (address, mask, bits) = (hex(&words[1]), hex(&words[2]), hex(&words[3]));
            if !change_bd(model, events, address, |word| *word = *word & !mask | bits) {
                events.push(Event::Mask(address, mask, bits & mask));
            }
        }
        "block" => {
            let data: Vec<u32> = words[2..].iter().map(|w| hex(w)).collect();
            push_block(model, hex(&words[1]), &data, events);
        }
        "patch" => {
            let argument: u32 = value(words, "arg").parse().unwrap();
            let plus: u32 = value(words, "plus").parse().unwrap();
            let address = hex(&words[1]);
            assert!(change_bd(model, events, address, |word| *word = plus));
            let Some(Event::Bd(_, _, patch)) = last_bd(model, events, address) else {
                panic!("patch without a BD");
            };
            *patch = Some(argument);
        }
        "sync" => {
            let number = |key| value(words, key).parse::<u8>().unwrap();
            let tile = TileLoc::new(number("col"), number("row"));
            let dir = DmaDir::by_name(value(words, "dir")).unwrap();
            events.push(Event::Wait(tile, dir, number("ch")));
        }
        other => panic!("unknown line {other}"),
    }
}

/// The last BD event with a word at an address.
fn last_bd<'e>(
    model: &DeviceModel,
    events: &'e mut [Event],
    address: u32,
) -> Option<&'e mut Event> {
    let (tile, what) = model.register_at(address)?;
    let RegisterRef::BdWord { bd, .. } = what else {
        return None;
    };
    let start = model.register_address(tile, RegisterRef::BdWord { bd, word: 0 })?;
    let mut events = events.iter_mut().rev();
    events.find(|e| matches!(e, Event::Bd(at, ..) if *at == start))
}

fn change_bd(
    model: &DeviceModel,
    events: &mut [Event],
    address: u32,
    change: impl Fn(&mut u32),
) -> bool {
    match last_bd(model, events, address) {
        Some(Event::Bd(start, words, _)) => {
            change(&mut words[((address - *start) / 4) as usize]);
            true
        }
        _ => false,
    }
}

/// Cuts a block into BDs and words.
fn push_block(model: &DeviceModel, address: u32, data: &[u32], events: &mut Vec<Event>) {
    let mut at = 0;
    while at < data.len() {
        let here = address + 4 * at as u32;
        let (tile, what) = model.register_at(here).unwrap();
        if let RegisterRef::BdWord { word: 0, .. } = what {
            let layout = BdLayout::of(model.arch(), model.tile_kind(tile).unwrap()).unwrap();
            let count = usize::from(layout.words());
            if at + count <= data.len() {
                events.push(Event::Bd(here, data[at..at + count].to_vec(), None));
                at += count;
                continue;
            }
        }
        events.push(Event::Write(here, data[at]));
        at += 1;
    }
}

fn ours(model: &DeviceModel, ops: &[RegOp]) -> Vec<Event> {
    let mut events = Vec::new();
    for op in ops {
        match &op.action {
            RegAction::Write { address, value } => events.push(Event::Write(*address, *value)),
            RegAction::Mask {
                address,
                mask,
                value,
            } => events.push(Event::Mask(*address, *mask, *value)),
            // The program of an emptied core: the vectors have none.
            RegAction::Block { address, .. } if is_program(model, *address) => {}
            RegAction::Block { address, words } => {
                push_block(model, *address, words, &mut events);
            }
            RegAction::PatchedBd {
                address,
                words,
                argument,
            } => events.push(Event::Bd(*address, words.clone(), Some(*argument))),
            // Polls guard task queues; the reference has none.
            RegAction::Poll { .. } => {}
            RegAction::Wait {
                tile,
                dir,
                channel,
                tokens,
            } => {
                for _ in 0..*tokens {
                    events.push(Event::Wait(*tile, *dir, *channel));
                }
            }
        }
    }
    events
}

/// What registers hold in the end, as (bits that were written, their values), and the words
/// pushed to each queue.
#[derive(Default)]
struct Final {
    registers: BTreeMap<u32, (u32, u32)>,
    queues: BTreeMap<u32, Vec<u32>>,
}

impl Final {
    fn of(model: &DeviceModel, events: &[Event]) -> Final {
        let mut state = Final::default();
        for event in events {
            match event {
                Event::Write(address, value) => {
                    let what = model.register_at(*address).map(|(_, what)| what);
                    if matches!(what, Some(RegisterRef::DmaQueue { .. })) {
                        state.queues.entry(*address).or_default().push(*value);
                    } else {
                        state.registers.insert(*address, (u32::MAX, *value));
                    }
                }
                Event::Mask(address, mask, value) => {
                    let entry = state.registers.entry(*address).or_default();
                    *entry = (entry.0 | mask, entry.1 & !mask | value);
                }
                Event::Bd(start, words, _) => {
                    for (n, word) in words.iter().enumerate() {
                        let address = start + 4 * n as u32;
                        state.registers.insert(address, (u32::MAX, *word));
                    }
                }
                Event::Wait(..) => {}
            }
        }
        state
    }

    /// One line for each difference.
    fn differences(&self, golden: &Final, model: &DeviceModel) -> Vec<String> {
        let name = |address: u32| {
            let (tile, _) = model.split_address(address);
            let offset = address & (model.arch().tile_bytes() - 1);
            let name = model.register_map(tile).and_then(|m| m.name_at(offset));
            format!("{address:#010x} {tile} {}", name.unwrap_or_default())
        };
        // The reference zeroes all locks of a tile with a core, ours those that the design has.
        let is_zero_lock = |address: u32, value: u32| {
            let what = model.register_at(address).map(|(_, what)| what);
            value == 0 && matches!(what, Some(RegisterRef::LockValue { .. }))
        };
        let mut list = Vec::new();
        for (address, (mask, value)) in &golden.registers {
            if is_zero_lock(*address, *value) && !self.registers.contains_key(address) {
                continue;
            }
            let (known, have) = self.registers.get(address).copied().unwrap_or_default();
            if known & mask != *mask || have & mask != *value & mask {
                let have = format!("{have:#010x} (bits {known:#010x})");
                list.push(format!("{}: {have}, golden {value:#010x}", name(*address)));
            }
        }
        for (address, (_, value)) in &self.registers {
            if !golden.registers.contains_key(address) && !is_zero_lock(*address, *value) {
                list.push(format!(
                    "{}: {value:#010x}, golden has none",
                    name(*address)
                ));
            }
        }
        if self.queues != golden.queues {
            list.push(format!(
                "queues {:x?}, golden {:x?}",
                self.queues, golden.queues
            ));
        }
        list
    }
}

/// The orders that the hardware requires.
fn check_order(model: &'static DeviceModel, events: &[Event]) {
    let mut bds = BTreeSet::new();
    let mut pushed = BTreeSet::new();
    let mut enabled = BTreeSet::new();
    for event in events {
        let address = match event {
            Event::Write(address, _) | Event::Mask(address, ..) => *address,
            Event::Bd(address, ..) => *address,
            Event::Wait(..) => continue,
        };
        let (tile, what) = model.register_at(address).expect("a write to nothing");
        assert!(
            !enabled.contains(&tile),
            "{tile} is changed while its core runs"
        );
        match (what, event) {
            (RegisterRef::BdWord { bd, .. }, _) => {
                bds.insert((tile, bd));
            }
            (RegisterRef::DmaQueue { dir, .. }, Event::Write(_, word)) => {
                let kind = model.tile_kind(tile).unwrap();
                let entry = QueueEntry::unpack(model.arch(), kind, dir, *word).unwrap();
                assert!(
                    bds.contains(&(tile, entry.bd)),
                    "a push of a BD that isn't written"
                );
                pushed.insert(tile);
            }
            (RegisterRef::CoreControl, Event::Write(_, 1)) => {
                enabled.insert(tile);
            }
            _ => assert!(
                !pushed.contains(&tile),
                "{tile} is set up after its DMA started"
            ),
        }
    }
}

fn parse(path: &Path) -> Module {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new(path.display().to_string(), text));
    let mut diags = Diags::new();
    let mut module = aiec_dialect::text::parse(file, &sources, &mut diags);
    let lines: Vec<String> = diags.iter().map(|d| d.one_line(&sources)).collect();
    assert!(!diags.has_errors(), "{}", lines.join("\n"));
    empty_cores(&mut module);
    module
}

fn is_program(model: &DeviceModel, address: u32) -> bool {
    let at = model.register_at(address).map(|(_, what)| what);
    matches!(at, Some(RegisterRef::ProgramMemory { .. }))
}

fn empty_cores(module: &mut Module) {
    for core in module.find_all::<Core>(module.top()) {
        let region = module.region(core.op(), 0).unwrap();
        for block in module.blocks_of(region).to_vec() {
            for op in module.ops_in(block).into_iter().rev() {
                if module.kind(op) != OpKind::End {
                    module.erase(op);
                }
            }
        }
    }
}

fn lower(module: &mut Module) {
    const PASSES: [&str; 6] = [
        "aie-place-tiles",
        "aie-objectFifo-stateful-transform",
        "aie-assign-lock-ids",
        "aie-assign-bd-ids",
        "aie-lower-cascade-flows",
        "aie-assign-buffer-addresses",
    ];
    let steps = PASSES.map(|name| Step::new(aiec_passes::table::find(name).unwrap()));
    let mut diags = Diags::new();
    let done = run(module, &steps, &mut diags, &mut |_, _, _| {});
    assert!(done.is_ok(), "{:#?}", diags.into_vec());
}

/// One variant of the manifest.
struct Vector {
    json: serde_json::Value,
}

impl Vector {
    fn all() -> Vec<Vector> {
        let text = std::fs::read_to_string(vectors().join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        let list = manifest["vectors"].as_array().unwrap().clone();
        list.into_iter().map(|json| Vector { json }).collect()
    }

    fn name(&self) -> &str {
        self.json["name"].as_str().unwrap()
    }

    fn file(&self, key: &str) -> Option<PathBuf> {
        self.json[key].as_str().map(|name| vectors().join(name))
    }

    /// Golden events of the device's configuration with the right words where it is wrong.
    fn writes(
        &self,
        model: &'static DeviceModel,
        wanted: impl Fn(&str) -> bool,
    ) -> Option<Vec<Event>> {
        let golden = Golden::read(&self.file("writes")?);
        let mut events = golden.events(model, wanted);
        for entry in self.json["overrides"].as_array().into_iter().flatten() {
            let correct = hex(entry["correct"].as_str().unwrap());
            let address = hex(entry["address"].as_str().unwrap());
            assert!(change_bd(model, &mut events, address, |word| *word = correct));
        }
        Some(events)
    }
}

fn device_of(module: &Module) -> (Device, &'static DeviceModel) {
    let device = module.children::<Device>(module.top())[0];
    (device, device.model(module).unwrap())
}

fn configure(module: &Module) -> Vec<RegOp> {
    let (device, _) = device_of(module);
    let mut diags = Diags::new();
    let ops = device_writes(module, device.op(), &mut diags);
    ops.unwrap_or_else(|_| panic!("{:#?}", diags.into_vec()))
}

/// Runs a check on each vector and reports all that fail.
fn each(check: impl Fn(&Vector) -> Option<Vec<String>>) {
    let mut failed = Vec::new();
    let mut checked = 0;
    for vector in Vector::all() {
        let Some(differences) = check(&vector) else {
            continue;
        };
        checked += 1;
        if !differences.is_empty() {
            failed.push(format!(
                "{}:\n  {}",
                vector.name(),
                differences.join("\n  ")
            ));
        }
    }
    assert!(checked > 10, "only {checked} vectors were compared");
    assert!(
        failed.is_empty(),
        "{} differ:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn routed_designs_are_configured_as_the_reference_does() {
    each(|vector| {
        let path = vector
            .file("routed")
            .filter(|_| vector.file("writes").is_some())?;
        let module = parse(&path);
        let (_, model) = device_of(&module);
        let events = ours(model, &configure(&module));
        check_order(model, &events);
        let golden = vector.writes(model, |_| true)?;
        Some(Final::of(model, &events).differences(&Final::of(model, &golden), model))
    });
}

#[test]
fn our_lowering_configures_tiles_as_the_reference_does() {
    each(|vector| {
        let path = vector
            .file("input")
            .filter(|_| vector.file("writes").is_some())?;
        let mut module = parse(&path);
        lower(&mut module);
        let (_, model) = device_of(&module);
        let events = ours(model, &configure(&module));
        check_order(model, &events);
        let exact = vector.json["routing_exact"].as_bool() == Some(true);
        let golden = vector.writes(model, |section| section == "tiles" || exact)?;
        Some(Final::of(model, &events).differences(&Final::of(model, &golden), model))
    });
}

/// Drops controller ids that are written again. The reference writes the five bits of the field
/// that name the controller, we write all eight.
fn without_repeats(events: Vec<Event>) -> Vec<Event> {
    let mut seen = BTreeSet::new();
    let mut list = Vec::new();
    for event in events {
        match event {
            Event::Mask(address, 0x1F00 | 0xFF00, value) => {
                if seen.insert((address, value)) {
                    list.push(Event::Mask(address, 0x1F00, value));
                }
            }
            event => list.push(event),
        }
    }
    list
}

/// On npu1 the reference leaves the window of a mem tile's own memory out of the addresses of
/// tasks, though it puts it into those of DMA programs, and into both on npu2. (File, words of
/// the golden BDs that lack it: address of the register and what must be added.)
const MISSING_WINDOWS: [(&str, u32, u32); 2] = [
    ("45_seq_onchip_tasks_npu1", 0x021A_0064, 0x2_0000),
    ("45_seq_onchip_tasks_npu1", 0x021A_0304, 0x2_0000),
];

fn compare_sequence(path: &Path, vector: &Vector, prepare: impl Fn(&mut Module)) -> Vec<String> {
    let mut module = parse(path);
    prepare(&mut module);
    let (device, model) = device_of(&module);
    let sequence = module.children::<RuntimeSequence>(device.op())[0];
    let mut diags = Diags::new();
    let ops = sequence_ops(&module, sequence.op(), &mut diags);
    let Ok(ops) = ops else {
        return vec![format!("{:#?}", diags.into_vec())];
    };
    let golden = Golden::read(&vector.file("sequence").unwrap());
    let mut golden = without_repeats(golden.events(model, |_| true));
    for (name, address, add) in MISSING_WINDOWS {
        if name == vector.name() {
            assert!(change_bd(model, &mut golden, address, |word| *word += add));
        }
    }
    let ours = without_repeats(ours(model, &ops));
    let mut list = Vec::new();
    for n in 0..ours.len().max(golden.len()) {
        if ours.get(n) != golden.get(n) {
            let (have, want) = (ours.get(n), golden.get(n));
            list.push(format!("{n}: {have:x?}\n     golden {want:x?}"));
        }
    }
    list
}

#[test]
fn sequences_are_those_of_the_reference() {
    each(|vector| {
        vector.file("sequence")?;
        let routed = compare_sequence(&vector.file("routed")?, vector, |_| {});
        let input = compare_sequence(&vector.file("input")?, vector, lower);
        Some(routed.into_iter().chain(input).collect())
    });
}

/// Designs of xcve3858, whose shim tiles have other addresses and longer BDs than the NPUs'; the
/// words were worked out by hand from AM029.
#[test]
fn shim_tiles_of_xcve3858() {
    let text = r#"
module {
  aie.device(xcve3858) {
    %s = aie.tile(3, 0)
    %m = aie.tile(3, 1)
    %l = aie.lock(%s, 2) {init = 5 : i32}
    aie.shim_dma_allocation @in(%s, MM2S, 1)
    aie.shim_dma_allocation @out(%s, S2MM, 0)
    %sw = aie.switchbox(%s) {
      aie.connect<South : 7, North : 0>
      aie.connect<North : 2, South : 1>
    }
    %mux = aie.shim_mux(%s) {
      aie.connect<DMA : 1, North : 7>
      aie.connect<North : 1, DMA : 0>
    }
    aie.runtime_sequence(%a : memref<1024xi32>, %b : memref<1024xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 16][1, 1, 8, 16][0, 0, 64, 1]) {metadata = @in, id = 2 : i64} : memref<1024xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {metadata = @out, id = 3 : i64} : memref<1024xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
"#;
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("xcve3858.mlir", text));
    let mut diags = Diags::new();
    let module = aiec_dialect::text::parse(file, &sources, &mut diags);
    assert!(!diags.has_errors(), "{:#?}", diags.into_vec());
    let (device, model) = device_of(&module);
    assert_eq!(model.tile_kind(TileLoc::new(3, 0)), Some(TileKind::ShimNoc));
    let base = 3 << 25;
    let state = Final::of(model, &ours(model, &configure(&module)));
    let expected = [
        // Lock 2: value registers begin at 0.
        (base + 0x20, (u32::MAX, 5)),
        // Mux: South7 from the DMA (bits 15:14 = 1). Demux: South1 to the DMA.
        (base + 0x2104, (0xC000, 0x4000)),
    ];
    for (address, value) in expected {
        assert_eq!(state.registers.get(&address), Some(&value), "{address:#x}");
    }
    let sequence = module.children::<RuntimeSequence>(device.op())[0];
    let ops = sequence_ops(&module, sequence.op(), &mut diags).unwrap();
    let expected = vec![
        Event::Bd(
            base + 0x9000 + 2 * 0x30,
            vec![
                128,
                64,
                0,
                0x0100_0000,
                0xC080_003F,
                0x0200_0000,
                0,
                0x0200_0000,
                0,
            ],
            Some(0),
        ),
        Event::Write(base + 0x9310 + 8 + 4, 2),
        Event::Bd(
            base + 0x9000 + 3 * 0x30,
            vec![128, 0, 0, 0, 0xC000_0000, 0x0200_0000, 0, 0x0200_0000, 0],
            Some(1),
        ),
        // Seven rows: a controller goes by its row, which is 0 here.
        Event::Mask(base + 0x9300, 0xFF00, 0),
        Event::Write(base + 0x9300 + 4, 0x8000_0003),
        Event::Wait(TileLoc::new(3, 0), DmaDir::S2mm, 0),
    ];
    assert_eq!(ours(model, &ops), expected);
}
