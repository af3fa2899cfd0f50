//! `aie-inline-functions`: puts functions that work on object fifos or are given locks into the
//! cores that call them. What a fifo's object or a lock is depends on the core, and later passes look
//! for both in cores only. Other functions stay functions.

use std::collections::HashSet;

use aiec_aie::ir::{Block, InsertPoint, Module, Op, SymbolTable, Type, Value, ValueMap};
use aiec_aie::ops::{ObjectFifoAcquire, ObjectFifoSubviewAccess, OpKind, OpView};
use aiec_diag::{Diag, Reported, Span, codes};

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-inline-functions", run)
    .summary("Put functions that use object fifos or locks into the cores that call them")
    .postconditions(&["no function that a core calls uses an object fifo or is given a lock"]);

codes! {
    /// Codes of `aie-inline-functions`.
    pub static CODES;
    NOT_INLINED = "inline::not-possible",
        "A function that works on object fifos or is given a lock is put into the core that calls it. \
         This needs a body of one block, and the function may not call itself.";
    NOT_ACQUIRED = "inline::not-acquired",
        "A function that is given a view of acquired objects accesses one beyond those that its caller acquired.";
}

/// Calls within calls that are put into one core.
const MAX_DEPTH: usize = 64;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let mut inlined = HashSet::new();
    for core in module.find(device, OpKind::Core) {
        for call in module.find(core, OpKind::FuncCall) {
            inline(module, device, call, &mut Vec::new(), &mut inlined, context);
        }
    }
    // A function that is called nowhere any more would be left with its fifos.
    for function in inlined {
        let name = module.str_attr(function, "sym_name").unwrap_or_default();
        let calls = module.find(module.top(), OpKind::FuncCall);
        let called = |call: &Op| module.symbol_attr(*call, "callee") == Some(name);
        if !calls.iter().any(called) {
            module.erase(function);
        }
    }
    context.diags.check()
}

/// Puts the function of a call in its place, if it must be, and then those that it calls.
fn inline(
    m: &mut Module,
    device: Op,
    call: Op,
    within: &mut Vec<Op>,
    inlined: &mut HashSet<Op>,
    context: &mut PassContext<'_>,
) {
    let Some(function) = callee(m, device, call) else {
        return;
    };
    if !needs_its_caller(m, device, call, function, &mut HashSet::new()) {
        return;
    }
    let recursive = within.contains(&function) || within.len() >= MAX_DEPTH;
    let body = single_block(m, function).filter(|_| !recursive);
    let Some(body) = body else {
        let message = if recursive {
            "this function calls itself, and works on object fifos or locks"
        } else {
            "a function of several blocks works on object fifos or locks"
        };
        context.report(
            Diag::error(&NOT_INLINED, message)
                .label(m.span(call), "called here")
                .label(m.span(function), "this function")
                .help("use scf.if, scf.for or scf.while in it, or do its fifo and lock operations in the core"),
        );
        return;
    };
    let mut map = ValueMap::new();
    let operands: Vec<Value> = m.operands(call).collect();
    for (argument, operand) in m.block_args(body).to_vec().into_iter().zip(operands) {
        map.map(argument, operand);
    }
    let mut copies = Vec::new();
    for op in m.ops_in(body) {
        if m.kind(op) == OpKind::FuncReturn {
            let returned: Vec<Value> = m.operands(op).map(|value| map.get(value)).collect();
            for (result, value) in m.results(call).zip(returned) {
                m.replace_all_uses(result, value);
            }
        } else {
            copies.push(m.clone_op(op, &mut map, InsertPoint::Before(call)));
        }
    }
    let call_span = m.span(call);
    m.erase(call);
    inlined.insert(function);
    context.count("calls", 1);
    within.push(function);
    for copy in copies {
        beyond_acquired(m, copy, call_span, context);
        let calls = match m.kind(copy) {
            OpKind::FuncCall => vec![copy],
            _ => m.find(copy, OpKind::FuncCall),
        };
        for call in calls {
            inline(m, device, call, within, inlined, context);
        }
    }
    within.pop();
}

/// Refuses accesses of an inlined function to more objects than its caller acquired.
fn beyond_acquired(m: &Module, copy: Op, call: Option<Span>, context: &mut PassContext<'_>) {
    let accesses = m.walk(copy);
    for view in accesses.filter_map(|op| ObjectFifoSubviewAccess::cast(m, op)) {
        let acquire = view.subview(m).and_then(|value| m.def_op(value));
        let Some(acquire) = acquire.and_then(|op| ObjectFifoAcquire::cast(m, op)) else {
            continue;
        };
        let (index, size) = (view.index(m), acquire.size(m));
        if !(0..size).contains(&index) {
            let message = format!("object {index} isn't acquired: the caller acquires {size}");
            context.report(
                Diag::error(&NOT_ACQUIRED, message)
                    .label(m.span(view.op()), "accessed here")
                    .label(call, "called here")
                    .help("objects are counted from 0: acquire more, or access fewer"),
            );
        }
    }
}

/// The function of a call, in the device or around it.
fn callee(m: &Module, device: Op, call: Op) -> Option<Op> {
    let name = m.symbol_attr(call, "callee")?;
    let mut scopes = [device, m.top()].into_iter();
    let found = scopes.find_map(|scope| SymbolTable::of(m, scope).get(name))?;
    (m.kind(found) == OpKind::FuncFunc).then_some(found)
}

fn single_block(m: &Module, function: Op) -> Option<Block> {
    match m.blocks_of(m.region(function, 0)?) {
        [block] => Some(*block),
        _ => None,
    }
}

/// Whether a call gives a lock or an object fifo's objects, or its function works on fifos itself or
/// by what it calls.
fn needs_its_caller(
    m: &Module,
    device: Op,
    call: Op,
    function: Op,
    seen: &mut HashSet<Op>,
) -> bool {
    let of_caller = |value: Value| {
        let lock = m
            .def_op(value)
            .is_some_and(|def| m.kind(def) == OpKind::Lock);
        lock || matches!(m.ty(value), Type::ObjectFifoSubview(_))
    };
    if m.entry(function, 0).is_none() {
        return false;
    }
    if m.operands(call).any(of_caller) {
        return true;
    }
    if !seen.insert(function) {
        return false;
    }
    m.walk(function).any(|op| match m.kind(op) {
        OpKind::ObjectFifoAcquire | OpKind::ObjectFifoRelease => true,
        OpKind::FuncCall => callee(m, device, op)
            .is_some_and(|function| needs_its_caller(m, device, op, function, seen)),
        _ => false,
    })
}
