//! Soft routines: functions for operations that cores have no instruction for, as MLIR texts.
//!
//! Selection asks [`routine_for`] (or [`narrow_routine_for`], where ranges allow 32 bits) for the routine of an
//! operation, calls it like any other function, and takes the code of all routines that a core needs from
//! [`lower_routines`]. A routine's name is `aiec_rt_`, the operation's mnemonic with underscores for dots, and
//! what its number or small immediate selects.
//!
//! # What routines take and return
//!
//! Integers, `f64` and what `frombits` and `tobits` see as bits are what a register holds of them; narrower
//! floats are the 32 bits that a register holds of them, which are those of an `f32` ([`aiec_vcode`]). An argument of
//! 64 bits is an i64, any other an i32; comparisons return an i1. The count of bits of `ctlz`, `cttz` and `ctpop`, whose
//! number no register holds, is passed as a last argument of type i32. Results are bit for bit those of the model,
//! NaNs too. Transcendental functions of f32, which the model computes in f64 and rounds, are computed to 50 bits
//! and rounded: they differ where 24 bits of the f64 beyond an f32 hit the middle of two neighbours.
//!
//! # What routines are made of
//!
//! Of `arith` on i32, and on i64 nothing but `addi`, `subi`, `andi`, `ori`, `xori`, `select`, comparisons, shifts by constants and
//! conversions to and from i32; products of 32 bits; variable shifts of i32 by less than 32; `math.ctlz` of i32; `scf` and calls of other
//! routines. Selection does each of these in place, so that no routine comes to call itself.

use std::sync::OnceLock;

use aiec_aie::ir::{Op, SymbolTable};
use aiec_aie::ops::OpKind;
use aiec_aie::text::parse_text;
use aiec_diag::{Diags, FileId, InternalError, internal};
use indexmap::{IndexMap, IndexSet};

use crate::lower::lower_functions;
use crate::mir::Code;

mod table;
#[cfg(test)]
mod tests;

pub(crate) use table::{narrow_routine_for, routine_for};

/// The texts, each a list of functions.
const TEXTS: [&str; 7] = [
    include_str!("integer.mlir"),
    include_str!("single.mlir"),
    include_str!("double.mlir"),
    include_str!("convert.mlir"),
    include_str!("math.mlir"),
    include_str!("trigonometry.mlir"),
    include_str!("powers.mlir"),
];

/// The file of texts of the program itself: none of the sources, so that findings and lines name no place in those.
const NO_FILE: FileId = FileId(u32::MAX);

/// A routine as it is lowered for a core.
#[derive(Clone, Debug)]
pub(crate) struct LoweredRoutine {
    /// Its name.
    pub name: String,
    /// Its code. A call names its callee by the index in the list that [`lower_routines`] returned.
    pub code: Code,
}

/// Text before the name in a function's definition, and in a call of one.
const FUNCTION: &str = "func.func @";
const CALL: &str = "func.call @";

/// The name that a text begins with.
fn leading_name(text: &str) -> &str {
    let end = text.find('(').unwrap_or(text.len());
    &text[..end]
}

/// The text of each routine, by its name.
fn functions() -> &'static IndexMap<&'static str, &'static str> {
    static FUNCTIONS: OnceLock<IndexMap<&str, &str>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let starts =
            |text: &'static str| text.match_indices(FUNCTION).map(move |(at, _)| &text[at..]);
        let functions = TEXTS.into_iter().flat_map(starts);
        let function = |text: &'static str| {
            let end = text.find("\n}\n").map_or(text.len(), |end| end + 3);
            (leading_name(&text[FUNCTION.len()..]), &text[..end])
        };
        functions.map(function).collect()
    })
}

/// Bits of a routine's arguments and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoutineWidths {
    /// Of each argument: 32 or 64.
    pub arguments: Vec<u8>,
    /// Of each result: 1, 32 or 64. Routines of operations have one.
    pub results: Vec<u8>,
}

/// The widths of a routine, read from the head of its text: `@name(%x: i32, %y: i64) -> i1 {`, or `-> (i64, i32) {`
/// for several results. `None` without a routine of that name.
pub(crate) fn routine_widths(name: &str) -> Option<RoutineWidths> {
    let (_, rest) = functions().get(name)?.split_once('(')?;
    let (arguments, rest) = rest.split_once(") -> ")?;
    let (results, _) = rest.split_once(" {")?;
    let results = results.trim_matches(['(', ')']);
    let bits = |ty: &str| ty.strip_prefix('i')?.parse().ok();
    let argument = |argument: &str| bits(argument.split_once(": ")?.1);
    Some(RoutineWidths {
        arguments: arguments.split(", ").map(argument).collect::<Option<_>>()?,
        results: results.split(", ").map(bits).collect::<Option<_>>()?,
    })
}

/// Some routines and all that they call, in a design of one tile. Which device that is makes no difference to them.
///
/// # Errors
/// There is no routine of a name.
fn design(names: &[&str]) -> Result<String, InternalError> {
    let mut wanted: IndexSet<&str> = names.iter().copied().collect();
    let mut text = "module { aie.device(npu1) {\n".to_owned();
    let mut at = 0;
    while let Some(&name) = wanted.get_index(at) {
        let function = functions().get(name);
        let function = function.ok_or_else(|| internal!("there is no routine `{name}`"))?;
        let calls = function.match_indices(CALL);
        wanted.extend(calls.map(|(at, _)| leading_name(&function[at + CALL.len()..])));
        text += function;
        text.push('\n');
        at += 1;
    }
    text += "%tile = aie.tile(0, 2) %core = aie.core(%tile) { aie.end } } }";
    Ok(text)
}

/// The code of some routines, in this order, and of the routines that they call.
///
/// # Errors
/// There is no routine of a name, which is a defect.
pub(crate) fn lower_routines(names: &[&str]) -> Result<Vec<LoweredRoutine>, InternalError> {
    let mut diags = Diags::default();
    let module = parse_text(NO_FILE, &design(names)?, &mut diags);
    let device = module.find(module.top(), OpKind::Device);
    let core = module.find(module.top(), OpKind::Core);
    let (Some(&device), Some(&core), false) = (device.first(), core.first(), diags.has_errors())
    else {
        return Err(internal!("the routines {names:?} can't be read: {diags:?}"));
    };
    let symbols = SymbolTable::of(&module, device);
    let wanted: Vec<Op> = names.iter().filter_map(|name| symbols.get(name)).collect();
    let lowered = lower_functions(&module, core, &wanted, &mut diags)
        .map_err(|_| internal!("the routines {names:?} can't be lowered: {diags:?}"))?;
    let routine = |(op, code)| {
        let name = module.str_attr(op, "sym_name").unwrap_or_default();
        LoweredRoutine {
            name: name.to_owned(),
            code,
        }
    };
    Ok(lowered.into_iter().map(routine).collect())
}
