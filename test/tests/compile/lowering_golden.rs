//! Lowers the golden designs and compares resources with what the reference made of them:
//! buffers, locks, DMA programs, flows, shim allocations, cascades and the symbols that runtime
//! sequences use. Order, SSA names and the control overlay are not significant
//! (`test/vectors/lowering/README.md`).

use std::path::{Path, PathBuf};

use aiec_aie::ir::{Attr, Module, Op, Value};
use aiec_aie::ops::netlist::{BdSlot, dma_channels, tile_loc};
use aiec_aie::ops::{
    Buffer, CascadeFlow, ConfigureCascade, Device, Flow, Lock, OpKind, OpView, PacketDest,
    PacketFlow, PacketSource, ShimDmaAllocation, UseLock,
};
use aiec_device::TileLoc;
use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_passes::infra::manager::{PassStep, run};
use aiec_passes::infra::self_check::Defect;

/// The passes between a netlist and its lowered form.
const PASSES: [&str; 6] = [
    "aie-place-tiles",
    "aie-objectFifo-stateful-transform",
    "aie-assign-lock-ids",
    "aie-assign-bd-ids",
    "aie-lower-cascade-flows",
    "aie-assign-buffer-addresses",
];

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/lowering")
}

fn parse(path: &Path) -> Module {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new(path.display().to_string(), text));
    let mut diags = Diags::new();
    let module = aiec_aie::text::parse(file, &sources, &mut diags);
    let lines: Vec<String> = diags.iter().map(|d| d.one_line(&sources)).collect();
    assert!(!diags.has_errors(), "{}", lines.join("\n"));
    module
}

fn lower(module: &mut Module) -> Result<(), String> {
    let step = |name: &&str| PassStep::new(aiec_passes::pipelines::find_pass(name).unwrap());
    let steps: Vec<PassStep> = PASSES.iter().map(step).collect();
    let mut diags = Diags::new();
    let done = run(module, &steps, &mut diags, &mut |_, _, _| {});
    done.map(|_| ())
        .map_err(|_| format!("{:#?}", diags.into_vec()))
}

/// One line for each resource, sorted.
fn summary(module: &Module) -> Vec<String> {
    let mut lines = Vec::new();
    for device in module.children::<Device>(module.top()) {
        let device = device.op();
        for op in module.walk(device) {
            line(module, op, &mut lines);
        }
    }
    lines.sort();
    lines
}

fn line(m: &Module, op: Op, lines: &mut Vec<String>) {
    match m.kind(op) {
        OpKind::Buffer => {
            let buffer = Buffer(op);
            let contents = match buffer.initial_value(m) {
                Some(Attr::Dense(dense)) => format!("{:?}", dense.expand()),
                other => format!("{other:?}"),
            };
            let place = (buffer.address(m), buffer.mem_bank(m));
            let loc = at(buffer.tile_loc(m));
            let ty = m.ty(m.result(op, 0).unwrap());
            let name = name(m, op);
            lines.push(format!("buffer {name} {loc} {place:?} {ty:?} {contents}"));
        }
        OpKind::Lock => {
            let lock = Lock(op);
            let (id, init) = (lock.lockID(m), lock.init(m));
            lines.push(format!(
                "lock {} {} {id:?} {init:?}",
                name(m, op),
                at(lock.tile_loc(m))
            ));
        }
        OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma => {
            let loc = at(tile_loc(m, m.operand(op, 0).unwrap()));
            for channel in dma_channels(m, op) {
                let start = format!("{loc} {} {}", channel.dir, channel.channel);
                let pad = m.int_attr(channel.op, "pad_value").unwrap_or(0);
                let repeat = channel.repeat_count;
                lines.push(format!("channel {start} repeat {repeat} pad value {pad}"));
                for slot in &channel.bds {
                    lines.push(format!("bd {start}: {}", bd(m, slot)));
                }
            }
        }
        OpKind::ShimDmaAllocation => {
            let a = ShimDmaAllocation(op);
            let place = (
                a.channel_dir(m),
                a.channel_index(m),
                a.plio(m).unwrap_or(false),
            );
            let loc = at(a.tile_loc(m));
            lines.push(format!(
                "allocation {} {loc} {place:?} {:?}",
                a.sym_name(m),
                a.packet(m)
            ));
        }
        OpKind::Flow => {
            let flow = Flow(op);
            lines.push(format!("flow {:?} {:?}", flow.from(m), flow.to(m)));
        }
        OpKind::PacketFlow => packet_flow(m, PacketFlow(op), lines),
        OpKind::CascadeFlow => {
            let ends = CascadeFlow(op).source_tile(m).map(|t| at(tile_loc(m, t)));
            lines.push(format!("cascade flow {ends:?}"));
        }
        OpKind::ConfigureCascade => {
            let c = ConfigureCascade(op);
            let loc = at(tile_loc(m, c.tile(m).unwrap()));
            lines.push(format!(
                "cascade {loc} {} {}",
                c.inputDir(m),
                c.outputDir(m)
            ));
        }
        OpKind::NpuDmaMemcpyNd => {
            lines.push(format!("memcpy {:?}", m.symbol_attr(op, "metadata")));
        }
        OpKind::NpuDmaWait => lines.push(format!("wait {:?}", m.symbol_attr(op, "symbol"))),
        _ => {}
    }
}

fn packet_flow(m: &Module, flow: PacketFlow, lines: &mut Vec<String>) {
    // The control overlay of the reference; here tokens go to the micro-controller's port.
    if flow.priority_route(m) == Some(true) {
        return;
    }
    let end = |tile: Option<Value>, port| (at(tile.and_then(|t| tile_loc(m, t))), port);
    let sources = m.children::<PacketSource>(flow.op());
    let mut ends: Vec<String> = sources
        .iter()
        .map(|s| format!("from {:?}", end(s.tile(m), (s.bundle(m), s.channel(m)))))
        .collect();
    let dests = m.children::<PacketDest>(flow.op());
    let dest = |d: &PacketDest| format!("to {:?}", end(d.tile(m), (d.bundle(m), d.channel(m))));
    ends.extend(dests.iter().map(dest));
    ends.sort();
    let keep = flow.keep_pkt_header(m).unwrap_or(false);
    lines.push(format!(
        "packet flow {} {keep} {}",
        flow.ID(m),
        ends.join(" ")
    ));
}

fn bd(m: &Module, slot: &BdSlot) -> String {
    let buffer = slot.bd.buffer(m).and_then(|b| m.def_op(b)).unwrap();
    let lock = |used: Option<UseLock>| {
        used.map(|u| {
            let lock = u.lock_op(m).unwrap();
            let place = (at(lock.tile_loc(m)), lock.lockID(m));
            (place, u.action(m), u.const_value(m))
        })
    };
    let range = (slot.bd.offset_elems(m), slot.bd.len_elems(m));
    let ids = (slot.bd.bd_id(m), slot.bd.next_bd_id(m));
    let header = m.ops_in(slot.block).into_iter().find_map(|o| {
        (m.kind(o) == OpKind::DmaBdPacket)
            .then(|| (m.int_attr(o, "packet_type"), m.int_attr(o, "packet_id")))
    });
    let extras = (
        slot.bd.dims(m),
        slot.bd.pad_dimensions(m).unwrap_or_default(),
        slot.bd.packet(m),
        header,
        slot.bd.burst_length(m).unwrap_or(0),
        slot.bd.iteration(m),
    );
    format!(
        "{} {range:?} {ids:?} take {:?} give {:?} {extras:?}",
        name(m, buffer),
        lock(slot.acquire),
        lock(slot.release)
    )
}

fn name(m: &Module, op: Op) -> String {
    m.str_attr(op, "sym_name")
        .unwrap_or("(unnamed)")
        .to_string()
}

fn at(loc: Option<TileLoc>) -> String {
    loc.map_or("(?)".to_string(), |l| l.to_string())
}

#[test]
fn lowered_forms_equal_the_references() {
    let mut failures = Vec::new();
    let mut compared = 0;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(vectors())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.to_string_lossy().ends_with(".lowered.mlir"))
        .collect();
    paths.sort();
    for lowered in paths {
        let input = lowered.to_string_lossy().replace(".lowered.mlir", ".mlir");
        let mut ours = parse(Path::new(&input));
        let title = Path::new(&input)
            .file_name()
            .unwrap()
            .to_string_lossy()
            .to_string();
        if let Err(error) = lower(&mut ours) {
            failures.push(format!("{title}: {error}"));
            continue;
        }
        let (ours, theirs) = (summary(&ours), summary(&parse(&lowered)));
        compared += 1;
        let only = |a: &[String], b: &[String], sign: char| -> Vec<String> {
            let missing = a.iter().filter(|l| !b.contains(l));
            missing.map(|l| format!("  {sign} {l}")).collect()
        };
        let mut differences = only(&theirs, &ours, '-');
        differences.extend(only(&ours, &theirs, '+'));
        if !differences.is_empty() || ours.len() != theirs.len() {
            failures.push(format!("{title}:\n{}", differences.join("\n")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(compared, 75, "all variants of the folder");
}

/// A checker of a pass.
type Check = fn(&Module, Op) -> Result<(), Defect>;

/// Each checker accepts what the passes made and notices when one number of it is changed.
#[test]
fn checkers_notice_a_changed_number() {
    let path = vectors().join("34_of_distribute_join_npu1.mlir");
    let mut lowered = parse(&path);
    lower(&mut lowered).unwrap();
    let device = lowered.children::<Device>(lowered.top())[0].op();
    let cases: [(&str, Check, OpKind, &str, i32); 6] = [
        (
            "lock id",
            aiec_passes::allocate::assign_lock_ids::check,
            OpKind::Lock,
            "lockID",
            1,
        ),
        (
            "BD id",
            aiec_passes::allocate::assign_bd_ids::check,
            OpKind::DmaBd,
            "bd_id",
            1,
        ),
        (
            "successor",
            aiec_passes::allocate::assign_bd_ids::check,
            OpKind::DmaBd,
            "next_bd_id",
            1,
        ),
        (
            "address",
            aiec_passes::allocate::assign_buffer_addresses::check,
            OpKind::Buffer,
            "address",
            64,
        ),
        (
            "offset",
            |module, device| aiec_passes::objectfifo::check(module, device, true),
            OpKind::DmaBd,
            "static_offset",
            1000,
        ),
        (
            "length",
            |module, device| aiec_passes::objectfifo::check(module, device, true),
            OpKind::DmaBd,
            "static_len",
            1000,
        ),
    ];
    for (what, check, kind, key, by) in cases {
        assert_eq!(check(&lowered, device), Ok(()), "{what}");
        for op in lowered.find(device, kind) {
            let mut changed = lowered.clone();
            let Some(value) = changed.int_attr(op, key) else {
                continue;
            };
            // Moved by less than a neighbour's size, or onto a neighbour's number.
            let others = lowered
                .find(device, kind)
                .into_iter()
                .filter(|o| *o != op && lowered.operand(*o, 0) == lowered.operand(op, 0));
            let near = others
                .filter_map(|o| lowered.int_attr(o, key))
                .find(|v| *v != value);
            let value = match (kind, near) {
                (OpKind::Lock | OpKind::Buffer, Some(near)) => near,
                (OpKind::Lock | OpKind::Buffer, None) => continue,
                _ => value + i64::from(by),
            };
            changed.set_attr(op, key, Attr::i32(value as i32));
            assert!(check(&changed, device).is_err(), "{what} of {op:?}");
        }
    }
}
