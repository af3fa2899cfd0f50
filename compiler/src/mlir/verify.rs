//! `--verify-with-mlir`: upstream's parser and verifier on what we print.
//!
//! A module is shown to upstream twice:
//! 1. in generic form, as a user gets it, with our dialects unknown: syntax, types, dominance and
//!    the verifiers of upstream's own operations;
//! 2. as [`super::declared`] writes it, with our dialects declared: number and types of operands and
//!    results, kinds of attributes, regions, and the symbols that calls and globals name.

use aiec_aie::ir::{Module, Op};
use aiec_aie::text::{PrintOptions, print};
use aiec_diag::{Code, Diag, Diags};
use melior::utility::load_irdl_dialects;

use super::context::{Upstream, UpstreamMessage};
use super::declared::{OPERATIONS, without_block_floats};
use super::{DECLARATIONS, REFUSED, declared, irdl};

/// Upstream looks for the symbols of these while the operations around are of dialects that it
/// doesn't know, and aborts: they get another name at first, and are checked the second time.
const SYMBOL_USERS: [&str; 3] = ["func.call", "func.constant", "memref.get_global"];

/// Contexts of a thread, kept because making one and declaring our dialects takes longer than
/// verifying most modules.
struct Contexts {
    /// Knows nothing of our dialects.
    plain: Upstream,
    /// Has them declared; why not otherwise.
    declared: Result<Upstream, Vec<UpstreamMessage>>,
}

thread_local! {
    static CONTEXTS: Contexts = Contexts {
        plain: Upstream::new(),
        declared: with_declarations(),
    };
}

/// Hands a module to upstream; findings go to `diags`.
pub fn verify(module: &Module, diags: &mut Diags) {
    CONTEXTS.with(|contexts| {
        let before = diags.len();
        as_printed(&contexts.plain, module, diags);
        if diags.len() == before {
            match &contexts.declared {
                Ok(upstream) => as_declared(upstream, module, diags),
                Err(said) => declarations_refused(said, diags),
            }
        }
    });
}

/// The generic form.
fn as_printed(upstream: &Upstream, module: &Module, diags: &mut Diags) {
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

/// Lines of operations start with a name in quotes or with results; the lines are in the order
/// of the walk.
fn starts_operation(line: &str) -> bool {
    line.trim_start().starts_with(['"', '%'])
}

/// A context with our dialects declared.
fn with_declarations() -> Result<Upstream, Vec<UpstreamMessage>> {
    let upstream = Upstream::new();
    let loaded = load_irdl_dialects(&upstream.parse(&irdl::dialects())?);
    match loaded {
        true => Ok(upstream),
        false => Err(upstream.take()),
    }
}

/// With our dialects declared.
fn as_declared(upstream: &Upstream, module: &Module, diags: &mut Diags) {
    let written = declared::write(module);
    if let Err(said) = upstream.parse(&written) {
        report(module, &written, &said, &REFUSED, diags);
    }
}

fn declarations_refused(said: &[UpstreamMessage], diags: &mut Diags) {
    let why = said.first().map_or("without a reason", |s| &s.message);
    let message = format!("upstream MLIR does not take the declarations of our dialects: {why}");
    diags.push(Diag::error(&DECLARATIONS, message));
}

/// Upstream's errors as ours, at the operations that they are about.
pub(super) fn report(
    module: &Module,
    text: &str,
    said: &[UpstreamMessage],
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
