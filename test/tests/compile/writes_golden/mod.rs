//! Holds device configuration and runtime sequences, as register operations, to the golden
//! vectors (`test/vectors/lowering/README.md`): final register values, pushes in order, and the
//! orders that hardware requires.
//!
//! Core bodies are emptied first: the vectors don't cover program memory.

mod events;
mod state;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use self::events::{Event, Golden, change_bd, hex, ours};
use self::state::{Final, check_order};
use aiec_aie::ir::Module;
use aiec_aie::ops::{Core, Device, OpKind, OpView, RuntimeSequence};
use aiec_codegen::CorePrograms;
use aiec_device::{ChannelId, DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_passes::configure::device_writes;
use aiec_passes::infra::manager::{PassStep, run};
use aiec_passes::regops::RegOp;
use aiec_passes::sequence::sequence_ops;

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/lowering")
}

fn parse(path: &Path) -> Module {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new(path.display().to_string(), text));
    let mut diags = Diags::new();
    let mut module = aiec_aie::text::parse(file, &sources, &mut diags);
    let lines: Vec<String> = diags.iter().map(|d| d.one_line(&sources)).collect();
    assert!(!diags.has_errors(), "{}", lines.join("\n"));
    empty_cores(&mut module);
    module
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
    const PASSES: [&str; 7] = [
        "aie-place-tiles",
        "aie-objectFifo-stateful-transform",
        CHAINS,
        "aie-assign-lock-ids",
        "aie-assign-bd-ids",
        "aie-lower-cascade-flows",
        "aie-assign-buffer-addresses",
    ];
    run_passes(module, &PASSES);
}

/// The pass that makes tasks of BD chains.
const CHAINS: &str = "aie-materialize-bd-chains";

fn run_passes(module: &mut Module, names: &[&str]) {
    let step = |name: &&str| PassStep::new(aiec_passes::pipelines::find_pass(name).unwrap());
    let steps: Vec<PassStep> = names.iter().map(step).collect();
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
    let ops = device_writes(
        module,
        device.op(),
        &mut CorePrograms::default(),
        &mut diags,
    );
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
        let routed = compare_sequence(&vector.file("routed")?, vector, |module| {
            run_passes(module, &[CHAINS])
        });
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
    let module = aiec_aie::text::parse(file, &sources, &mut diags);
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
        Event::Wait(ChannelId::new(TileLoc::new(3, 0), DmaDir::S2mm, 0)),
    ];
    assert_eq!(ours(model, &ops), expected);
}
