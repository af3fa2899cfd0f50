//! Values of operands with their diagnoses.

use aiec_diag::{Diag, Span};

use super::super::operand::{self, Value};
use super::super::{AsmOptions, codes};
use super::{Context, Names, Statement};
use crate::isa::{BarrierKind, FieldKind};

/// Marks the controller's own code in APPLY_OFFSET_57.
const ARGUMENT_CODE: u64 = 0xFFFF;
/// Highest argument index of APPLY_OFFSET_57, which doubles it.
const ARGUMENT_MAX: u64 = 0x7FFE;

pub(in crate::asm) fn checked<T>(
    result: Result<T, Diag>,
    span: impl Fn() -> Span,
    context: &mut Context<'_>,
) -> Option<T> {
    result.map_err(|diag| context.error(span(), diag)).ok()
}

/// `None`: wrong; `Some(None)`: a number in place of a name.
pub(in crate::asm) fn barrier(
    kind: FieldKind,
    text: &str,
    span: impl Fn() -> Span,
    context: &mut Context<'_>,
) -> Option<Option<u32>> {
    let found = checked(operand::barrier(text), &span, context)?;
    let wanted = match kind {
        FieldKind::LocalBarrier => BarrierKind::Local,
        _ => BarrierKind::Remote,
    };
    let named = match text.as_bytes().get(1) {
        Some(b'l' | b'L') => BarrierKind::Local,
        _ => BarrierKind::Remote,
    };
    if found.is_some() && named != wanted && context.strict() {
        let wanted = match wanted {
            BarrierKind::Local => "a local barrier ($lbN)",
            BarrierKind::Remote => "a remote barrier ($rbN)",
        };
        return wrong(span(), text, wanted, context);
    }
    Some(found.map(|b| u32::from(b.0)))
}

pub(in crate::asm) fn evaluate<'t>(
    statement: &Statement<'_, '_>,
    text: &'t str,
    context: &mut Context<'_>,
) -> Option<Value<'t>> {
    let value = context.names.value(text);
    checked(value, || statement.line.span(text), context)
}

impl Names<'_> {
    /// The value of an operand. Constants and names of registers are for strict texts, as the vendor's
    /// assembler takes them as symbols.
    ///
    /// # Errors
    /// Why the operand has none.
    pub(in crate::asm) fn value<'t>(&self, text: &'t str) -> Result<Value<'t>, Diag> {
        let AsmOptions { target, compat } = self.options;
        let value = operand::value(text, target, compat)?;
        if value != Value::Symbol || compat {
            return Ok(value);
        }
        if let Some((tile, name)) = operand::tile_register(text) {
            let tile = operand::place(tile).ok_or_else(|| operand::no_such_tile(text))?;
            let address = self.files.register(target, tile, name);
            let address = address.map_err(|unknown| codes::unknown_register(text, unknown))?;
            return Ok(Value::Number(u64::from(address)));
        }
        let constant = self.constants.get(&text.to_ascii_lowercase());
        Ok(constant.map_or(Value::Symbol, |constant| Value::Number(constant.value)))
    }
}

/// Reports an operand of the wrong sort.
pub(in crate::asm) fn wrong<T>(
    span: Span,
    text: &str,
    wanted: &'static str,
    context: &mut Context<'_>,
) -> Option<T> {
    context.error(span, codes::wrong_operand(text, wanted));
    None
}

/// A number that must be one.
pub(in crate::asm) fn number(
    statement: &Statement<'_, '_>,
    text: &str,
    bits: u8,
    context: &mut Context<'_>,
) -> Option<u32> {
    let span = || statement.line.span(text);
    match evaluate(statement, text, context)? {
        Value::Number(n) => Some(narrow(n, bits, text, span, context)),
        _ => wrong(span(), text, operand::NUMBER, context),
    }
}

/// Cuts to 32 bits; strict: reports a value that does not fit.
pub(in crate::asm) fn narrow(
    n: u64,
    bits: u8,
    text: &str,
    span: impl Fn() -> Span,
    context: &mut Context<'_>,
) -> u32 {
    if n >> bits != 0 && context.strict() {
        context.unread.data = true;
        context.error(span(), codes::too_wide(text, bits));
    }
    n as u32
}

/// Encoded argument: doubled, except for the mark of the code itself.
pub(in crate::asm) fn argument(
    n: u64,
    text: &str,
    span: impl Fn() -> Span,
    context: &mut Context<'_>,
) -> u32 {
    if n == ARGUMENT_CODE {
        return ARGUMENT_CODE as u32;
    }
    if n > ARGUMENT_MAX && context.strict() {
        let range = "arguments are 0 to 32766, or 0xFFFF";
        context.error(span(), codes::out_of_range(text, range));
    }
    (n as u32).wrapping_mul(2) & 0xFFFF
}
