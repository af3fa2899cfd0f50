//! Nothing is accepted and ignored: each attribute and operand of each operation of the array and
//! of sequences is changed in a design that compiles. Then the control code must be another, or
//! there must be a finding; what is without effect is listed here, with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aiec_aie::ir::{
    Attr, BdDim, DenseArray, InsertPoint, Module, Op, PacketInfo, SymbolRef, Type, Value,
};
use aiec_aie::ops::{OPS, OpDef, OpKind};
use aiec_aie::text::{PrintOptions, parse_text, print};
use aiec_diag::{Diags, FileId};
use aiec_test::driver::aiec;
use aiec_test::operations::WITHOUT_EFFECT;

/// Designs in which an attribute or operand is tried before it counts as without effect.
const TRIES: usize = 10;

/// Tests with operations that no other design has.
const LIT_TESTS: [&str; 9] = [
    "passes/create-pathfinder-flows/fan-in.mlir",
    "passes/create-pathfinder-flows/control.mlir",
    "passes/create-pathfinder-flows/cert-device.mlir",
    "passes/aie-place-tiles/options.mlir",
    "passes/aie-register-objectFifos/whole_pattern.mlir",
    "deadlock/streams_in_turn.mlir",
    "passes/aie-objectFifo-stateful-transform/rearm.mlir",
    "passes/control-packets/writes.mlir",
    "sim/host_address.mlir",
];

/// Operations, attributes and operands that no design has that compiles, by the begin of their
/// names, with the reason.
const NOT_TRIED: [(&str, &str); 29] = [
    ("aie.configure_cascade", "made by aie-lower-cascade-flows"),
    (
        "aie.dma_bd operand 0",
        "another buffer would have another size",
    ),
    (
        "aie.objectfifo.dma_endpoint padDimensions",
        "made by the first half of the fifo pass",
    ),
    (
        "aie.objectfifo.register_external_buffers",
        "for devices whose host buffers have addresses",
    ),
    ("aie.objectfifo_rearm_binding", "made by the fifo pass"),
    ("aie.plio", "information"),
    ("aie.shim_switchbox", "refused where it connects something"),
    ("aie.trace.config", "made by aie-trace-to-config"),
    ("aie.trace.reg", "made by aie-trace-to-config"),
    ("aie.wire", "information"),
    ("aiex.cert.", "control code is compared as it is"),
    ("aiex.control_packet", "refused: a pass by name lowers it"),
    ("aiex.dma_bd_pool_", "made by a pass by name"),
    ("aiex.dma_start_bd_chain", "arguments are host buffers"),
    ("aiex.memcpy", "refused: tokens"),
    ("aiex.npu.assert_bd_", "made by a pass by name"),
    ("aiex.npu.blockwrite operand 0", "data of a global"),
    ("aiex.npu.create_scratchpad", "refused: firmware"),
    (
        "aiex.npu.dma_memcpy_nd operand 0",
        "arguments are host buffers",
    ),
    ("aiex.npu.load_pdi", "made by a pass by name"),
    (
        "aiex.npu.read_reg",
        "refused: control code returns no words",
    ),
    ("aiex.npu.update_from_scratchpad", "refused: firmware"),
    ("aiex.npu.write_config", "follows aiex.npu.load_pdi"),
    ("aiex.run operand", "arguments are host buffers"),
    ("aiex.scratchpad_parameter", "refused: firmware"),
    ("aiex.read_scratchpad_parameter", "refused: firmware"),
    ("aiex.sync_scratchpad_parameters", "refused: firmware"),
    ("aiex.token", "refused: tokens"),
    ("aiex.useToken", "refused: tokens"),
];

/// Result of compiling a text: the exit, the control code, and codes of findings with their count.
#[derive(PartialEq)]
struct Outcome {
    exit: aiec::Exit,
    code: Vec<u8>,
    findings: BTreeMap<String, usize>,
}

fn compile(module: &Module) -> Outcome {
    let text = print(module, PrintOptions { generic: true });
    let run = aiec(["-", "--emit=ctrl-asm", "-o", "-"], text.as_bytes());
    let mut findings = BTreeMap::new();
    let words = run
        .stderr
        .split(|c: char| !(c.is_ascii_alphanumeric() || ":-_".contains(c)));
    for code in words.filter(|word| word.contains("::")) {
        *findings.entry(code.to_string()).or_default() += 1;
    }
    Outcome {
        exit: run.exit,
        code: run.stdout,
        findings,
    }
}

/// Designs of the examples and of the end-to-end tests that compile, smallest first.
fn designs() -> Vec<(PathBuf, Module, Outcome)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths: Vec<PathBuf> = LIT_TESTS
        .iter()
        .map(|path| root.join("test").join(path))
        .collect();
    for folder in [
        "examples",
        "test/end_to_end",
        "test/tests/compile/sweep",
        "test/vectors/lowering",
    ] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .to_string();
            // Of the vectors the designs, of one device.
            let of_vectors = folder.ends_with("lowering") && !name.ends_with("_npu2.mlir");
            let design = if path.is_dir() {
                path.join("design.mlir")
            } else {
                path
            };
            if design.is_file() && !of_vectors {
                paths.push(design);
            }
        }
    }
    paths.sort_by_key(|path| (std::fs::metadata(path).unwrap().len(), path.clone()));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut diags = Diags::new();
        let module = parse_text(FileId(0), &text, &mut diags);
        let outcome = compile(&module);
        let good = !diags.has_errors() && outcome.exit == aiec::Exit::Done;
        good.then_some((path, module, outcome))
    };
    paths.into_iter().filter_map(read).collect()
}

/// Other values that an attribute might have.
fn others(attr: &Attr) -> Vec<Attr> {
    match attr {
        Attr::Unit => vec![Attr::Bool(false)],
        Attr::Bool(value) => vec![Attr::Bool(!value)],
        Attr::Int(value, ty) => [value ^ 1, value + 1, value - 1, 7, 1000]
            .into_iter()
            .filter(|other| other != value)
            .map(|other| Attr::Int(other, ty.clone()))
            .collect(),
        Attr::Str(text) => vec![
            Attr::Str(format!("{text}_x").into()),
            Attr::Str("DMA".into()),
        ],
        Attr::Symbol(_) => vec![Attr::Symbol(SymbolRef::flat("nowhere"))],
        Attr::Type(_) => vec![Attr::Type(Type::I8)],
        Attr::Array(list) => {
            let mut shorter = list.to_vec();
            shorter.pop();
            let mut changed = list.to_vec();
            if let Some(first) = changed.first_mut()
                && let Some(other) = others(first).into_iter().next()
            {
                *first = other;
            }
            let mut longer = list.to_vec();
            longer.push(Attr::Symbol(SymbolRef::flat("nowhere")));
            [changed, shorter, longer]
                .map(|list| Attr::Array(list.into()))
                .to_vec()
        }
        Attr::DenseArray(array) => {
            let mut variants = Vec::new();
            for at in 0..array.values.len() {
                let mut values = array.values.clone();
                values[at] ^= 1;
                variants.push(values);
            }
            let mut shorter = array.values.clone();
            let longer = [&array.values[..], &[3]].concat();
            shorter.pop();
            variants.extend([shorter, longer]);
            let elem = array.elem.clone();
            let dense = |values| {
                let elem = elem.clone();
                Attr::DenseArray(DenseArray { elem, values }.into())
            };
            variants.into_iter().map(dense).collect()
        }
        Attr::Packet(packet) => vec![Attr::Packet(PacketInfo {
            pkt_id: packet.pkt_id ^ 1,
            ..*packet
        })],
        Attr::BdDims(dims) => {
            let mut changed = dims.to_vec();
            if let Some(first) = changed.first_mut() {
                *first = BdDim {
                    stride: first.stride + 1,
                    ..*first
                };
            }
            vec![Attr::BdDims(changed.into())]
        }
        Attr::BdDimsArray(list) => vec![Attr::BdDimsArray(list.iter().skip(1).cloned().collect())],
        Attr::BdIteration(iteration) => {
            let mut other = *iteration;
            other.current += 1;
            vec![Attr::BdIteration(other)]
        }
        Attr::BdPads(pads) => {
            let mut changed = pads.to_vec();
            if let Some(last) = changed.last_mut() {
                last.after += 1;
            }
            vec![Attr::BdPads(changed.into())]
        }
        Attr::Opaque(_) => vec![Attr::Str("USER_EVENT_1".into())],
        _ => vec![],
    }
}

/// Values for an attribute that isn't there, as its declaration accepts them.
fn new_values(def: &aiec_aie::ops::AttrDef) -> Vec<Attr> {
    let ints = [1i64, 3, 100];
    let mut all: Vec<Attr> = match &def.integer {
        Some(ty) => ints.map(|value| Attr::Int(value, ty.clone())).to_vec(),
        None => Vec::new(),
    };
    all.extend(
        [Type::I32, Type::I64]
            .into_iter()
            .flat_map(|ty| ints.map(|value| Attr::Int(value, ty.clone()))),
    );
    all.extend([
        Attr::Bool(true),
        Attr::Bool(false),
        Attr::Unit,
        Attr::Str("text".into()),
        Attr::Symbol(SymbolRef::flat("nowhere")),
        Attr::Packet(PacketInfo {
            pkt_type: 1,
            pkt_id: 9,
        }),
        Attr::BdDims(vec![BdDim { size: 3, stride: 5 }].into()),
        Attr::Array(vec![Attr::Str("text".into())].into()),
        Attr::i64_array(vec![3, 4]),
        Attr::Type(Type::I8),
    ]);
    all.retain(|attr| (def.accepts)(attr));
    all
}

/// Values of the same type that are defined in the same block before.
fn other_operands(m: &Module, op: Op, operand: Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut before = m.prev_op(op);
    while let Some(one) = before {
        found.extend(
            m.results(one)
                .filter(|result| *result != operand && m.ty(*result) == m.ty(operand)),
        );
        before = m.prev_op(one);
    }
    found.truncate(3);
    found
}

/// Changes of one attribute or operand of an operation, each a module of its own.
fn mutants(m: &Module, op: Op, part: &Part) -> Vec<Module> {
    let with = |change: &dyn Fn(&mut Module)| {
        let mut copy = m.clone();
        change(&mut copy);
        copy
    };
    match part {
        Part::Attribute(name) => {
            let attrs = m.kind(op).def().map_or(&[][..], |def| def.attrs);
            let def = attrs.iter().find(|def| def.name == *name);
            let values = match m.attr(op, name) {
                Some(attr) => others(attr),
                None => def.map(new_values).unwrap_or_default(),
            };
            let changed = values
                .into_iter()
                .map(|value| with(&|copy| copy.set_attr(op, name, value.clone())));
            changed.collect()
        }
        Part::Operand(n) => {
            let Some(operand) = m.operand(op, *n) else {
                return Vec::new();
            };
            let ty = m.ty(operand).clone();
            let mut all: Vec<Module> = other_operands(m, op, operand)
                .into_iter()
                .map(|value| with(&|copy| copy.set_operand(op, *n, value)))
                .collect();
            if ty == Type::Index || ty.is_int() {
                all.push(with(&|copy| {
                    let loc = copy.loc(op);
                    let constant = copy
                        .build(OpKind::ArithConstant, loc)
                        .attr("value", Attr::Int(77, ty.clone()))
                        .result(ty.clone())
                        .insert(InsertPoint::Before(op));
                    if let Some(value) = copy.result(constant, 0) {
                        copy.set_operand(op, *n, value);
                    }
                }));
            }
            all
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Attribute(&'static str),
    Operand(usize),
}

impl Part {
    fn name(&self, def: &OpDef) -> String {
        match self {
            Part::Attribute(name) => format!("{} {name}", def.name),
            Part::Operand(n) => format!("{} operand {n}", def.name),
        }
    }
}

#[test]
fn nothing_is_accepted_and_ignored() {
    let designs = designs();
    let mut ignored = BTreeSet::new();
    let mut unseen = BTreeSet::new();
    for def in OPS
        .iter()
        .filter(|def| def.name.starts_with("aie.") || def.name.starts_with("aiex."))
    {
        let places: Vec<_> = designs
            .iter()
            .flat_map(|(_, m, outcome)| {
                m.find(m.top(), def.kind)
                    .into_iter()
                    .map(move |op| (m, op, outcome))
            })
            .collect();
        let operands = places
            .iter()
            .map(|(m, op, _)| m.num_operands(*op))
            .max()
            .unwrap_or(0);
        let attributes = def.attrs.iter().map(|attr| Part::Attribute(attr.name));
        if places.is_empty() {
            unseen.insert(def.name.to_string());
            continue;
        }
        for part in attributes.chain((0..operands.min(6)).map(Part::Operand)) {
            let mut tried = 0;
            let mut read = false;
            // Where it is written first.
            let (with, without): (Vec<_>, Vec<_>) =
                places.iter().copied().partition(|(m, op, _)| match &part {
                    Part::Attribute(name) => m.attr(*op, name).is_some(),
                    Part::Operand(n) => m.operand(*op, *n).is_some(),
                });
            for (m, op, outcome) in with.into_iter().chain(without) {
                let mutants = mutants(m, op, &part);
                if mutants.is_empty() {
                    continue;
                }
                tried += 1;
                read = mutants.iter().any(|mutant| compile(mutant) != *outcome);
                if read || tried == TRIES {
                    break;
                }
            }
            if tried == 0 {
                unseen.insert(part.name(def));
            } else if !read {
                ignored.insert(part.name(def));
            }
        }
    }
    let listed: BTreeSet<String> = WITHOUT_EFFECT
        .iter()
        .map(|(part, _)| part.to_string())
        .collect();
    assert_eq!(ignored, listed, "what is accepted and ignored");
    let known = |part: &str| NOT_TRIED.iter().any(|(begin, _)| part.starts_with(begin));
    let unknown: Vec<&String> = unseen.iter().filter(|part| !known(part)).collect();
    assert!(
        unknown.is_empty(),
        "in no design that compiles: {unknown:#?}"
    );
    let tried: Vec<_> = NOT_TRIED
        .iter()
        .filter(|(begin, _)| !unseen.iter().any(|part| part.starts_with(begin)))
        .collect();
    assert!(tried.is_empty(), "in a design after all: {tried:?}");
}
