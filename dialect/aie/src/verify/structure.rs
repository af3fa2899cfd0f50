//! Operands, attributes, results, regions, successors, terminators and parents.

use super::upstream::UpstreamRules;
use super::{VerifyMode, codes};
use crate::ir::{Attr, Block, Module, Op};
use crate::ops::{BFP16_PRODUCTS, OpDef, OpKind, Traits};
use aiec_diag::{Diag, Diags, MlirAieReport, did_you_mean};

/// Checks all operations; returns which are wrong in structure, by [`Op::index`].
pub(super) fn check(module: &Module, mode: VerifyMode, diags: &mut Diags) -> Vec<bool> {
    let mut bad = vec![false; module.op_count()];
    let mut upstream = UpstreamRules::new(module);
    for op in module.walk(module.top()) {
        if let Some(def) = module.kind(op).def()
            && mode != VerifyMode::FragmentQuiet
        {
            unread_attributes(module, op, (def, mode), diags);
        }
        let before = diags.len();
        if let Some(def) = module.kind(op).def() {
            operands(module, op, def, diags);
            attributes(module, op, def, diags);
            permission(module, op, diags);
            shape(module, op, def, diags);
            same_type(module, op, def, diags);
            parent(module, op, mode, diags);
            children(module, op, diags);
            if !bad_regions(module, op, def) {
                terminators(module, op, def, diags);
            }
            if diags.len() == before {
                upstream.check(op, def, diags);
            }
        }
        if diags.len() > before
            && let Some(mark) = bad.get_mut(op.index())
        {
            *mark = true;
        }
    }
    bad
}

fn error(module: &Module, op: Op, code: &'static aiec_diag::Code, message: String) -> Diag {
    Diag::error(code, message).label(module.span(op), module.op_name(op).to_string())
}

/// Reports an error of an operation: the problem, and advice.
fn report(
    diags: &mut Diags,
    module: &Module,
    op: Op,
    code: &'static aiec_diag::Code,
    message: String,
    help: impl Into<String>,
) {
    diags.push(error(module, op, code, message).help(help));
}

fn operands(module: &Module, op: Op, def: &OpDef, diags: &mut Diags) {
    let specs = def.operands.iter();
    let marked = |mark| specs.clone().filter(|spec| spec.ends_with(mark)).count();
    let (optional, any) = (marked('?'), marked('*'));
    let min = def.operands.len() - optional - any;
    let max = (any == 0).then_some(min + optional);
    let count = module.num_operands(op);
    if count >= min && max.is_none_or(|max| count <= max) {
        segments(module, op, count, diags);
        return;
    }
    let expected = match max {
        Some(max) if max == min => format!("{min}"),
        Some(max) => format!("{min} to {max}"),
        None => format!("at least {min}"),
    };
    let message = format!("`{}` has {count} operands instead of {expected}", def.name);
    let list = def.operands.join(", ");
    let help = format!("its operands are: {list}");
    report(diags, module, op, &codes::OPERANDS, message, help);
}

/// `operandSegmentSizes`, where there is one, must add up.
fn segments(module: &Module, op: Op, count: usize, diags: &mut Diags) {
    let Some(crate::ir::Attr::DenseArray(sizes)) = module.attr(op, "operandSegmentSizes") else {
        return;
    };
    let sum = sizes
        .values
        .iter()
        .try_fold(0usize, |sum, n| sum.checked_add(usize::try_from(*n).ok()?));
    if sum != Some(count) {
        let message = format!("operandSegmentSizes doesn't add up to the {count} operands");
        let help = "one entry per operand group, each the number of operands in it";
        report(diags, module, op, &codes::OPERANDS, message, help);
    }
}

/// Attributes that nothing reads are kept. One that is nearly an optional attribute of the
/// operation is a slip of the pen; another one of the dialect has a meaning that is missed, so that a
/// design that is going to be compiled is refused.
fn unread_attributes(
    module: &Module,
    op: Op,
    (def, mode): (&OpDef, VerifyMode),
    diags: &mut Diags,
) {
    let own = def.name.starts_with("aie.") || def.name.starts_with("aiex.");
    for (key, _) in module.attrs(op) {
        let known = |name: &str| def.attrs.iter().any(|attr| attr.name == name);
        if known(key) || key.contains('.') || OTHER_KEYS.contains(&key) {
            continue;
        }
        // Required ones are reported as missing, with the same question.
        let optional = def.attrs.iter().filter(|attr| !attr.required);
        let missing = optional.map(|attr| attr.name);
        let missing = missing.filter(|name| module.attr(op, name).is_none());
        let required = def.attrs.iter().filter(|attr| attr.required);
        let required = required.map(|attr| attr.name);
        let mut required = required.filter(|name| module.attr(op, name).is_none());
        if required.any(|name| did_you_mean(key, [name]).is_some()) {
            continue;
        }
        let help = match did_you_mean(key, missing) {
            Some(near) => format!("did you mean `{near}`?"),
            None if own && mode == VerifyMode::Design => format!(
                "leave it out if the design is right without it; a note for other tools has a prefix (`tool.{key}`)"
            ),
            None => continue,
        };
        let message = format!("nothing reads the attribute `{key}`");
        let diag = if own && mode == VerifyMode::Design {
            Diag::error(&codes::ATTRIBUTE, message)
        } else {
            Diag::warning(&codes::ATTRIBUTE, message)
        };
        diags.push(diag.label(module.span(op), def.name).help(help));
    }
}

/// The permission of products in blocks, where there are none, would do nothing.
fn permission(module: &Module, op: Op, diags: &mut Diags) {
    use OpKind::{AieVecMatMul, Core, FuncFunc, VectorContract};
    let Some(value) = module.attr(op, BFP16_PRODUCTS) else {
        return;
    };
    let message = if !matches!(
        module.kind(op),
        Core | FuncFunc | VectorContract | AieVecMatMul
    ) {
        format!("{BFP16_PRODUCTS} permits nothing here")
    } else if *value != Attr::Unit {
        format!("{BFP16_PRODUCTS} has no value")
    } else {
        return;
    };
    let help = format!(
        "write `{{{BFP16_PRODUCTS}}}` on the aie.core or the func.func whose products may round their factors to blocks, or on \
         one vector.contract or aievec.matmul"
    );
    report(diags, module, op, &codes::ATTRIBUTE, message, help);
}

/// Attributes that the table doesn't list: of many operations, of tiles (`controller_id`), of cores after a compilation
/// (`data_buffer`), and those that mlir-aie's passes leave for other passes, without effect on a whole design.
const OTHER_KEYS: [&str; 9] = [
    "operandSegmentSizes",
    "resultSegmentSizes",
    "type",
    "loop",
    "controller_id",
    "data_buffer",
    "is_ctrl_pkt_overlay",
    "ddr_id",
    "lookAhead",
];

fn attributes(module: &Module, op: Op, def: &OpDef, diags: &mut Diags) {
    let mut report = |message: String, help: String, text: String| {
        let mlir_aie = MlirAieReport::op(def.name, text).at(module.span(op));
        let diag = error(module, op, &codes::ATTRIBUTE, message).help(help);
        diags.push(diag.mlir_aie(mlir_aie));
    };
    for attr in def.attrs {
        match module.declared_attr(op, attr.number) {
            Some(value) if (attr.accepts)(value) => {}
            Some(_) => {
                let message = format!("attribute `{}` must be {}", attr.name, attr.expected);
                let help = format!("write `{} = …` as {}", attr.name, attr.expected);
                let text = format!("attribute '{}' failed to satisfy constraint", attr.name);
                report(message, help, text);
            }
            None if attr.required => {
                let known: Vec<&str> = module.attrs(op).map(|(k, _)| k).collect();
                let message = format!("`{}` needs the attribute `{}`", def.name, attr.name);
                let help = match did_you_mean(attr.name, known) {
                    Some(close) => format!("is `{close}` meant to be `{}`?", attr.name),
                    None => format!("add `{}`: {}", attr.name, attr.expected),
                };
                report(message, help, format!("requires attribute '{}'", attr.name));
            }
            None => {}
        }
    }
}

fn shape(module: &Module, op: Op, def: &OpDef, diags: &mut Diags) {
    let parts = [
        ("results", def.results, module.num_results(op)),
        ("regions", def.regions, module.regions_of(op).len()),
        ("successors", def.successors, module.successors(op).len()),
    ];
    for (what, expected, count) in parts {
        if let Some(expected) = expected
            && usize::from(expected) != count
        {
            let message = format!("`{}` has {count} {what} instead of {expected}", def.name);
            let help = "compare it with the form in the reference of operations";
            report(diags, module, op, &codes::SHAPE, message, help);
        }
    }
}

/// One type for all operands and results, where the declaration says so.
fn same_type(module: &Module, op: Op, def: &OpDef, diags: &mut Diags) {
    if !def.traits.contains(Traits::SAME_TYPE) {
        return;
    }
    let mut types = module
        .operands(op)
        .chain(module.results(op))
        .map(|v| module.ty(v));
    let Some(first) = types.next() else {
        return;
    };
    if let Some(other) = types.find(|ty| *ty != first) {
        let message = format!("`{}` mixes the types {first} and {other}", def.name);
        let help = "all its operands and its result have one type: convert before";
        report(diags, module, op, &codes::TYPE, message, help);
    }
}

fn bad_regions(module: &Module, op: Op, def: &OpDef) -> bool {
    def.regions
        .is_some_and(|n| usize::from(n) != module.regions_of(op).len())
}

fn terminators(module: &Module, op: Op, def: &OpDef, diags: &mut Diags) {
    for region in module.regions_of(op) {
        let blocks = module.blocks_of(*region);
        let one_block =
            def.traits.contains(Traits::IMPLICIT_END) || def.traits.contains(Traits::NO_TERMINATOR);
        if one_block && blocks.len() > 1 {
            let message = format!("the region of `{}` must be one block", def.name);
            let help = "remove the further blocks";
            report(diags, module, op, &codes::SHAPE, message, help);
        }
        if blocks.is_empty() && needs_body(def.kind) {
            let message = format!("`{}` has no body", def.name);
            let help = "end it with aie.end at least";
            report(diags, module, op, &codes::TERMINATOR, message, help);
        }
        for block in blocks {
            terminator(module, op, def, *block, diags);
        }
    }
}

fn needs_body(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Core | OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma | OpKind::BdChain
    )
}

fn terminator(module: &Module, op: Op, def: &OpDef, block: Block, diags: &mut Diags) {
    let last = module.last_op(block);
    for inner in module.block_ops(block) {
        if Some(inner) != last && module.kind(inner).has(Traits::TERMINATOR) {
            let name = module.op_name(inner);
            let message = format!("`{name}` must be the last operation of its block");
            let help = "start a new block after it, or remove what follows";
            report(diags, module, inner, &codes::TERMINATOR, message, help);
        }
    }
    let free = def.traits.contains(Traits::NO_TERMINATOR)
        || def.traits.contains(Traits::IMPLICIT_END)
        || matches!(def.kind, OpKind::Dma);
    let ends = last.is_some_and(|l| {
        // An operation outside the table may be a terminator of its own dialect.
        module.kind(l).has(Traits::TERMINATOR) || module.kind(l) == OpKind::Unknown
    });
    // A function without blocks is external; a region without blocks has nothing to end.
    if !free && !ends {
        let what = match def.kind {
            OpKind::Core | OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma => "aie.end",
            OpKind::FuncFunc => "func.return",
            OpKind::ScfFor | OpKind::ScfIf | OpKind::ScfWhile => "scf.yield",
            _ => "a terminator",
        };
        let message = format!("a block of `{}` doesn't end with a terminator", def.name);
        let place = last.unwrap_or(op);
        diags.push(
            Diag::error(&codes::TERMINATOR, message)
                .label(module.span(place), "the block ends here")
                .help(format!("end it with {what}")),
        );
    }
}

/// Kinds of operations that may hold an operation, where it isn't free.
fn parents(kind: OpKind) -> Option<&'static [OpKind]> {
    use OpKind::*;
    Some(match kind {
        Device => &[BuiltinModule],
        Tile
        | LogicalTile
        | Core
        | Mem
        | MemTileDma
        | ShimDma
        | Switchbox
        | ShimMux
        | Flow
        | PacketFlow
        | CascadeFlow
        | ConfigureCascade
        | ShimDmaAllocation
        | ObjectFifo
        | ObjectFifoLink
        | ObjectFifoAllocate
        | ObjectFifoRegisterExternalBuffers
        | RuntimeSequence
        | ObjectFifoRearmBinding => &[Device],
        Connect => &[Switchbox, ShimMux, ShimSwitchbox],
        Amsel | MasterSet | PacketRules => &[Switchbox, ShimSwitchbox],
        Rule => &[PacketRules],
        PacketSource | PacketDest => &[PacketFlow],
        DmaStart | NextBd => &[
            Mem,
            MemTileDma,
            ShimDma,
            FuncFunc,
            BdChain,
            DmaConfigureTask,
            DmaConfigureTaskFor,
        ],
        Dma => &[Mem, MemTileDma, ShimDma],
        ScfYield => &[ScfFor, ScfIf, ScfWhile, ScfIndexSwitch, ScfExecuteRegion],
        ScfCondition => &[ScfWhile],
        ScfReduce => &[ScfParallel],
        ScfReduceReturn => &[ScfReduce],
        ScfInParallel => &[ScfForall],
        FuncReturn => &[FuncFunc],
        AffineYield => &[AffineFor, AffineParallel, AffineIf],
        Run => &[Configure],
        CertUcDmaBd => &[CertUcDmaChain],
        _ => return None,
    })
}

/// Kinds of operations that may be in an operation, where not any may.
fn allowed_children(kind: OpKind) -> Option<&'static [OpKind]> {
    use OpKind::*;
    Some(match kind {
        Switchbox | ShimSwitchbox => &[Connect, Amsel, MasterSet, PacketRules, End],
        ShimMux => &[Connect, End],
        PacketRules => &[Rule, End],
        PacketFlow => &[PacketSource, PacketDest, End],
        _ => return None,
    })
}

fn children(module: &Module, op: Op, diags: &mut Diags) {
    let Some(allowed) = allowed_children(module.kind(op)) else {
        return;
    };
    for inner in module.ops_inside(op) {
        let kind = module.kind(inner);
        // Operations that name their parents are reported as such.
        if allowed.contains(&kind) || parents(kind).is_some() {
            continue;
        }
        let (name, outer) = (module.op_name(inner), module.op_name(op));
        let names: Vec<&str> = allowed.iter().map(|kind| kind.name()).collect();
        let message = format!("`{name}` can't be in `{outer}`");
        diags.push(
            error(module, inner, &codes::PARENT, message)
                .label(module.span(op), "inside this")
                .help(format!("it holds only {}", names.join(", "))),
        );
    }
}

fn parent(module: &Module, op: Op, mode: VerifyMode, diags: &mut Diags) {
    let Some(allowed) = parents(module.kind(op)) else {
        return;
    };
    let Some(parent) = module.parent_op(op) else {
        return;
    };
    let kind = module.kind(parent);
    if allowed.contains(&kind) || kind == OpKind::Unknown {
        return;
    }
    // Tests and partial designs put array operations straight into a module, or a function.
    let bare = kind == OpKind::BuiltinModule && allowed == [OpKind::Device];
    if bare && mode != VerifyMode::Design {
        return;
    }
    let top = kind == OpKind::BuiltinModule;
    let mut names: Vec<&str> = allowed.iter().map(|k| k.name()).collect();
    names.dedup();
    let (name, outer) = (module.op_name(op), module.op_name(parent));
    let message = if top {
        format!("`{name}` is outside of any device")
    } else {
        format!("`{name}` can't be in `{outer}`")
    };
    diags.push(
        error(module, op, &codes::PARENT, message)
            .label(module.span(parent), "inside this")
            .help(format!("put it into {}", names.join(" or "))),
    );
}
