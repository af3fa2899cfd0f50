//! The reference page of operations, made from their table. The meaning of an operation comes from
//! the code that implements it: each is offered, without operands, to the lowering of cores and to
//! that of runtime sequences, which refuse what they don't know before they look at operands.

use aiec_aie::ir::{InsertPoint, Module};
use aiec_aie::ops::{Core, OPS, OpDef, OpKind, RuntimeSequence};
use aiec_aie::text;
use aiec_codegen::lower_core;
use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_passes::sequence::sequence_ops;

/// A design with an empty core and an empty sequence.
const DESIGN: &str = "aie.device(xcve3858) {
  %tile = aie.tile(0, 3)
  %core = aie.core(%tile) {
    aie.end
  }
  aie.runtime_sequence(%a: memref<16xi32>) {
  }
}
";

/// Headings of the page by the first word of operations' names.
const DIALECTS: [(&str, &str); 20] = [
    ("builtin", "Modules"),
    ("aie", "The array"),
    ("aiex", "Runtime sequences, control code, older designs"),
    ("aievec", "Vector operations of the cores"),
    ("aievec_aie1", "Vector operations of AIE1 cores"),
    ("func", "Functions"),
    ("scf", "Structured control flow"),
    ("cf", "Branches"),
    ("arith", "Arithmetic"),
    ("math", "Functions of numbers"),
    ("index", "Arithmetic on indices"),
    ("ub", "Undefined values"),
    ("memref", "Memory"),
    ("vector", "Vectors"),
    ("ptr", "Pointers"),
    ("affine", "Affine loops"),
    ("linalg", "Loop nests over tensors and memory"),
    ("tensor", "Tensors"),
    ("llvm", "LLVM"),
    ("emitc", "C"),
];

/// The page.
pub fn page() -> String {
    let mut page = String::from(
        "# Operations\n\nMade from the table of operations. All of them are parsed, verified and \
         printed: in the syntax of the column *text* (its older spellings are read too), and in \
         generic form. Operations of other names are kept as they are, in generic form.\n\n\
         *Meaning* says who does something with it when a design is compiled and simulated: the \
         *array* is configured by it, a *core* or a *sequence* executes it, a *pass* turns it into \
         others, it is *control code* already, or it is *text only*: kept, and refused with an \
         error where it would have to be executed.\n",
    );
    page += "\n## Without effect\n\nWhat a compilation doesn't read: changing it changes nothing, and no finding says \
             so. All other attributes and operands are read or refused.\n\n| attribute | why |\n| --- | --- |\n";
    for (what, why) in WITHOUT_EFFECT {
        page += &format!("| `{}` | {why} |\n", what.replace(' ', "` `"));
    }
    for (dialect, heading) in DIALECTS {
        let ours = |def: &&OpDef| def.name.split('.').next() == Some(dialect);
        let list: Vec<&OpDef> = OPS.iter().filter(ours).collect();
        if list.is_empty() {
            continue;
        }
        page += &format!("\n## {heading} (`{dialect}`)\n\n");
        page += "| operation | what it is | text | meaning |\n| --- | --- | --- | --- |\n";
        for def in list {
            let text = if text::has_own_syntax(def.kind) {
                "own"
            } else {
                "generic"
            };
            let (name, summary) = (def.name, def.summary.trim().trim_end_matches('.'));
            page += &format!("| `{name}` | {summary} | {text} | {} |\n", meaning(def));
        }
    }
    page
}

/// The table's operations that no heading is for; the page would leave them out.
pub fn without_heading() -> Vec<&'static str> {
    let known = |name: &str| {
        let dialect = name.split('.').next();
        DIALECTS.iter().any(|(known, _)| Some(*known) == dialect)
    };
    let names = OPS.iter().map(|def| def.name);
    names.filter(|name| !known(name)).collect()
}

/// Attributes and operands that a compilation doesn't read, with the reason; all others change the
/// control code or are refused, which `nothing_is_accepted_and_ignored` tries.
pub const WITHOUT_EFFECT: [(&str, &str); 17] = [
    ("aie.buffer sym_name", NAME),
    ("aie.core link_files", LINKED),
    ("aie.core link_merge_files", LINKED),
    ("aie.core link_with", LINKED),
    ("aie.dma sym_name", NAME),
    ("aie.external_buffer sym_name", NAME),
    ("aie.lock sym_name", NAME),
    ("aie.objectfifo.core_endpoint fifoName", NAME),
    ("aie.objectfifo.dma_endpoint fifoName", NAME),
    ("aie.objectfifo.pool fifoName", NAME),
    ("aie.route_endpoint fifoName", NAME),
    (
        "aie.runtime_sequence emit_parameter_sync_preamble",
        "without scratchpad parameters there is nothing to give",
    ),
    (
        "aie.shim_dma_allocation plio",
        "what drives the channel doesn't change how it is named",
    ),
    ("aie.trace.event label", NAME),
    (
        "aie.trace.host_config routing",
        "all traces leave through one shim tile, the only routing there is",
    ),
    (
        "aiex.configure expand_mode",
        "`--reconfigure` says how a configuration is loaded",
    ),
    (
        "aiex.npu.require message",
        "said where the condition doesn't hold",
    ),
];
const NAME: &str = "a name that nothing refers to";
const LINKED: &str = "files of kernels; functions from outside are bound when a run begins";

/// Operations that passes turn into others, by the begin of their names.
const BY_PASSES: [&str; 22] = [
    "cf.switch",
    "scf.parallel",
    "scf.reduce",
    "scf.forall",
    "aie.objectfifo",
    "aie.route",
    "aie.trace",
    "aie.logical_tile",
    "aie.cascade_flow",
    "affine.",
    "aiex.multi",
    "aiex.broadcast_packet",
    "aiex.bp_",
    "func.func",
    "memref.global",
    "builtin.module",
    "aie.bd_chain",
    "aiex.dma_start_bd_chain",
    "aie.runtime_sequence",
    "aiex.scratchpad_parameter",
    "aiex.read_scratchpad_parameter",
    "aiex.sync_scratchpad_parameters_from_host",
];

/// Prefix of operations that are control code already.
const CONTROL_CODE: &str = "aiex.cert.";

/// Operations of the array that nothing reads.
const INFORMATION: [&str; 3] = ["aie.wire", "aie.plio", "aie.shim_switchbox"];

/// The meaning of operations that nothing executes.
pub(crate) const TEXT_ONLY: &str = "text only";

/// Who gives an operation its meaning.
pub(crate) fn meaning(def: &OpDef) -> String {
    let begins = |begin: &&str| def.name.starts_with(*begin);
    if BY_PASSES.iter().any(begins) {
        return "pass".to_string();
    }
    if begins(&CONTROL_CODE) {
        return "control code".to_string();
    }
    let mut who = Vec::new();
    if core_executes(def.kind) {
        who.push("core");
    }
    if sequence_executes(def.kind) {
        who.push("sequence");
    }
    let of_array = begins(&"aie.") && !INFORMATION.contains(&def.name);
    match (who.is_empty(), of_array) {
        (false, _) => who.join(", "),
        (true, true) => "array".to_string(),
        (true, false) => TEXT_ONLY.to_string(),
    }
}

fn design() -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("design.mlir", DESIGN));
    let mut diags = Diags::new();
    text::parse(file, &sources, &mut diags)
}

/// Whether a finding reports the operation as unknown.
fn refused(diags: &Diags, words: &str) -> bool {
    diags.iter().any(|diag| diag.message.contains(words))
}

fn core_executes(kind: OpKind) -> bool {
    let mut module = design();
    let Some(core) = module.find_all::<Core>(module.top()).first().copied() else {
        return false;
    };
    offer(&mut module, core.0, kind);
    let mut diags = Diags::new();
    let _ = lower_core(&module, core.0, &mut diags);
    !refused(&diags, "is not supported in cores")
}

fn sequence_executes(kind: OpKind) -> bool {
    let mut module = design();
    let sequences = module.find_all::<RuntimeSequence>(module.top());
    let Some(sequence) = sequences.first().copied() else {
        return false;
    };
    offer(&mut module, sequence.0, kind);
    let mut diags = Diags::new();
    let _ = sequence_ops(&module, sequence.0, &mut diags);
    !refused(&diags, "can't be used in a runtime sequence")
}

/// Puts an operation at the start of a program.
fn offer(module: &mut Module, program: aiec_aie::ir::Op, kind: OpKind) {
    if let Some(block) = module.entry(program, 0) {
        let loc = module.loc(program);
        module.build(kind, loc).insert(InsertPoint::Start(block));
    }
}
