//! `--verify-with-mlir`: upstream's parser and verifier on what we print.
//!
//! A module is shown to upstream twice:
//! 1. in generic form, as a user gets it, with our dialects unknown: syntax, types, dominance and
//!    the verifiers of upstream's own operations;
//! 2. as [`super::declared`] writes it, with our dialects declared: number and types of operands and
//!    results, kinds of attributes, regions, and the symbols that calls and globals name.

use aiec_dialect::diag::{Code, Diag, Diags};
use aiec_dialect::ir::{Module, Op};
use aiec_dialect::text::{PrintOptions, print};
use melior::utility::load_irdl_dialects;

use super::context::{Said, Upstream};
use super::declared::{OPERATIONS, without_block_floats};
use super::{DECLARATIONS, REFUSED, declared, irdl};

/// Upstream looks for the symbols of these while the operations around are of dialects that it
/// doesn't know, and gives up: they hide behind another name, and are checked the second time.
const SYMBOL_USERS: [&str; 3] = ["func.call", "func.constant", "memref.get_global"];

/// Hands a module to upstream; findings go to `diags`.
pub fn verify(module: &Module, diags: &mut Diags) {
    let before = diags.iter().count();
    as_printed(module, diags);
    if diags.iter().count() == before {
        as_declared(module, diags);
    }
}

/// The generic form.
fn as_printed(module: &Module, diags: &mut Diags) {
    let upstream = Upstream::new();
    let printed = print(module, PrintOptions { generic: true });
    let printed = with_stand_ins(module, &without_block_floats(&printed));
    if let Err(said) = upstream.parse(&printed) {
        report(module, &printed, &said, &REFUSED, diags);
    }
}

/// The text with other names for operations that upstream can't judge without our dialects.
fn with_stand_ins(module: &Module, printed: &str) -> String {
    let mut out = String::with_capacity(printed.len());
    let mut ops = module.walk(module.top());
    for line in printed.split_inclusive('\n') {
        let op = match starts_operation(line) {
            true => ops.next(),
            false => None,
        };
        let instead = op.and_then(|op| {
            let name = module.op_name(op);
            let hidden = SYMBOL_USERS.contains(&name).then(|| declared::plain(name));
            Some((name, hidden.or_else(|| declared::stand_in(module, op))?))
        });
        match instead {
            Some((name, other)) => {
                out += &line.replacen(&format!("\"{name}\""), &format!("\"{other}\""), 1);
            }
            None => out += line,
        }
    }
    out
}

/// Lines of operations start with a name in quotes or with results; the lines stand in the order
/// of the walk.
fn starts_operation(line: &str) -> bool {
    line.trim_start().starts_with(['"', '%'])
}

/// With our dialects declared.
fn as_declared(module: &Module, diags: &mut Diags) {
    let upstream = Upstream::new();
    let declarations = match upstream.parse(&irdl::dialects()) {
        Ok(declarations) if load_irdl_dialects(&declarations) => declarations,
        Ok(_) => return declarations_refused(&upstream.take(), diags),
        Err(said) => return declarations_refused(&said, diags),
    };
    let written = declared::write(module);
    if let Err(said) = upstream.parse(&written) {
        report(module, &written, &said, &REFUSED, diags);
    }
    drop(declarations);
}

fn declarations_refused(said: &[Said], diags: &mut Diags) {
    let why = said.first().map_or("without a reason", |s| &s.message);
    let message = format!("upstream MLIR does not take the declarations of our dialects: {why}");
    diags.push(Diag::error(&DECLARATIONS, message));
}

/// Upstream's errors as ours, at the operations that they are about.
pub(super) fn report(
    module: &Module,
    text: &str,
    said: &[Said],
    code: &'static Code,
    diags: &mut Diags,
) {
    if said.is_empty() {
        let message = "upstream MLIR refuses the design without a reason";
        diags.push(Diag::error(code, message));
    }
    for error in said {
        let op = error.at.as_ref().and_then(|at| operation(module, text, at));
        let message = format!("upstream MLIR: {}", error.message);
        let mut diag = Diag::error(code, message);
        if let Some(op) = op {
            diag = diag.label(module.span(op), format!("`{}`", module.op_name(op)));
        }
        for note in &error.notes {
            diag = diag.remark(format!("upstream MLIR: {note}"));
        }
        diags.push(diag);
    }
}

/// The operation at a place: by its location, or by the line of the text.
fn operation(module: &Module, text: &str, at: &(String, usize, usize)) -> Option<Op> {
    let (file, line, _) = at;
    let mut ops = module.walk(module.top());
    if file == OPERATIONS {
        return ops.find(|op| op.index() + 1 == *line);
    }
    let before = text.lines().take(*line);
    let before = before.filter(|line| starts_operation(line)).count();
    ops.nth(before.checked_sub(1)?)
}
