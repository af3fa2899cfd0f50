//! Values of operands, in any letter case.

use std::str::FromStr;

use aiec_diag::Diag;

use super::codes::{out_of_range, too_wide, unknown_actor, wrong_operand};
use crate::isa::{Barrier, FieldInfo, FieldKind, Reg};
use crate::names::{self, Target, TileId};

/// Parsed operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'s> {
    /// A number, at most 64 bits.
    Number(u64),
    /// `@name`
    Reference(&'s str),
    /// Anything else: a symbol that the host would have to know.
    Symbol,
}

/// The value of an operand. Strict: tiles must exist.
pub(super) fn value(text: &str, target: Target, compat: bool) -> Result<Value<'_>, Diag> {
    let Some(&first) = text.as_bytes().first() else {
        return Ok(Value::Symbol);
    };
    if first.is_ascii_digit() {
        return number(text);
    }
    if first == b'@' {
        return Ok(Value::Reference(&text[1..]));
    }
    if names::is_actor_like(text) {
        return match names::actor_by_name(target, text) {
            Some(actor) => Ok(Value::Number(u64::from(actor.0))),
            None => Err(unknown_actor(text, target)),
        };
    }
    match tile(text) {
        Some((column, row)) if compat || fits(column, row) => {
            let tile = TileId::new((column & 0x7F) as u8, (row & 0x1F) as u8);
            Ok(Value::Number(u64::from(tile.0)))
        }
        Some(_) => Err(no_such_tile(text)),
        None => Ok(Value::Symbol),
    }
}

/// The error for a tile that can't be.
pub(super) fn no_such_tile(text: &str) -> Diag {
    out_of_range(text, "columns are 0 to 127, rows 0 to 31")
}

fn fits(column: u64, row: u64) -> bool {
    column < 1 << TileId::COLUMN_BITS && row < 1 << TileId::ROW_BITS
}

/// A text that begins with a digit: a number, or nothing that is known.
fn number(text: &str) -> Result<Value<'_>, Diag> {
    let bytes = text.as_bytes();
    let (digits, radix) = match bytes {
        [b'0', b'x' | b'X', rest @ ..] => (rest, 16),
        _ => (bytes, 10),
    };
    let mut value = 0u64;
    let mut huge = digits.is_empty();
    for &byte in digits {
        let Some(digit) = char::from(byte).to_digit(radix) else {
            return Ok(Value::Symbol);
        };
        match value
            .checked_mul(u64::from(radix))
            .and_then(|v| v.checked_add(u64::from(digit)))
        {
            Some(next) => value = next,
            None => huge = true,
        }
    }
    match huge {
        false => Ok(Value::Number(value)),
        true if digits.is_empty() => Ok(Value::Symbol),
        true => Err(too_wide(text, u64::BITS as u8)),
    }
}

/// Column, row and register of `tile_C_R.NAME`; `None` for what isn't written so.
pub(super) fn tile_register(text: &str) -> Option<((u64, u64), &str)> {
    let (at, name) = text.split_once('.')?;
    Some((tile(at)?, name))
}

/// Whether a text names a tile.
pub(super) fn is_tile(text: &str) -> bool {
    tile(text).is_some()
}

/// The tile's place, if there can be such a tile.
pub(super) fn place((column, row): (u64, u64)) -> Option<(u8, u8)> {
    let (column, row) = fits(column, row).then_some((column, row))?;
    Some((u8::try_from(column).ok()?, u8::try_from(row).ok()?))
}

/// Column and row of `tile_C_R`.
fn tile(text: &str) -> Option<(u64, u64)> {
    let (head, rest) = text.split_at_checked(5)?;
    if !head.eq_ignore_ascii_case("tile_") {
        return None;
    }
    let (column, row) = rest.split_once('_')?;
    Some((decimal(column)?, decimal(row)?))
}

/// A number of decimal digits alone.
pub(super) fn decimal<T: FromStr>(text: &str) -> Option<T> {
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// `$rN`, `$gN`.
pub(super) fn register(text: &str) -> Result<Reg, Diag> {
    let out = |range| out_of_range(text, range);
    match numbered(text) {
        Some(("r", n)) => {
            let n = n.filter(|&n| n < Reg::COUNT);
            n.map(Reg).ok_or_else(|| out("registers are $r0 to $r23"))
        }
        Some(("g", n)) => {
            let n = n.filter(|&n| n < Reg::COUNT - Reg::PRIVATE);
            n.map(Reg::global)
                .ok_or_else(|| out("shared registers are $g0 to $g15"))
        }
        _ => Err(wrong_operand(text, wanted_of(FieldKind::Register))),
    }
}

/// `$lbN`, `$rbN`; `None` for a bare number, which is taken as encoded.
pub(super) fn barrier(text: &str) -> Result<Option<Barrier>, Diag> {
    let out = |range| out_of_range(text, range);
    match numbered(text) {
        Some(("lb", n)) => {
            let n = n.filter(|&n| n < Barrier::LOCAL_COUNT);
            n.map(|n| Some(Barrier::local(n)))
                .ok_or_else(|| out("local barriers are $lb0 to $lb15"))
        }
        Some(("rb", n)) => {
            let n = n.filter(|&n| n <= Barrier::REMOTE_MAX);
            n.map(|n| Some(Barrier::remote(n)))
                .ok_or_else(|| out("remote barriers are $rb0 to $rb64"))
        }
        _ if text.starts_with('$') => Err(wrong_operand(text, wanted_of(FieldKind::LocalBarrier))),
        _ => Ok(None),
    }
}

/// Kind (folded) and number of `$KIND[N]`; `None` for a number of more than 8 bits.
fn numbered(text: &str) -> Option<(&'static str, Option<u8>)> {
    let rest = text.strip_prefix('$')?;
    let letters = rest
        .bytes()
        .position(|b| !b.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    let (kind, digits) = rest.split_at(letters);
    let kind = ["r", "g", "lb", "rb"]
        .into_iter()
        .find(|k| kind.eq_ignore_ascii_case(k))?;
    Some((kind, decimal(digits)))
}

/// The sort of operand that is a number, for messages.
pub(super) const NUMBER: &str =
    "a number (decimal or 0x…), a name of .equ or a register (TILE_c_r.NAME)";

/// Operand that a field expects, for messages.
pub(super) fn wanted(field: &FieldInfo) -> &'static str {
    wanted_of(field.kind)
}

fn wanted_of(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Register => "a register ($rN or $gN)",
        FieldKind::LocalBarrier | FieldKind::RemoteBarrier => "a barrier ($lbN or $rbN)",
        FieldKind::Label => "a label (@name)",
        FieldKind::Scope => "a scope (@name)",
        FieldKind::Tile => "a tile (TILE_c_r)",
        FieldKind::Actor => "an actor (such as SHIM_S2MM_0)",
        FieldKind::Argument => "an argument number, or 0xFFFF for the code itself",
        FieldKind::Job | FieldKind::JobSize | FieldKind::Address | FieldKind::Number => NUMBER,
    }
}

#[cfg(test)]
mod tests {
    use super::super::codes;
    use super::*;

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        let of = |text| value(text, Target::Aie2ps, false);
        assert_eq!(of("0x1F"), Ok(Value::Number(31)));
        assert_eq!(of("0X1f"), Ok(Value::Number(31)));
        assert_eq!(of("010"), Ok(Value::Number(10)));
        assert_eq!(of("0xFFFFFFFFFFFFFFFF"), Ok(Value::Number(u64::MAX)));
        for text in ["12abc", "0x10ZZ", "1.5", "-1", "0x", "1+2", ""] {
            assert_eq!(of(text), Ok(Value::Symbol), "{text}");
        }
        let huge = of("18446744073709551616").expect_err("a number of more than 64 bits");
        assert_eq!(huge.code, &codes::NUMBER);
    }

    #[test]
    fn tiles_and_actors_have_names() {
        let of = |text, compat| value(text, Target::Aie2ps, compat);
        assert_eq!(of("Tile_3_1", false), Ok(Value::Number(0x61)));
        assert_eq!(of("tile_131_33", true), Ok(Value::Number(0x61)));
        assert!(of("tile_131_33", false).is_err());
        assert_eq!(of("shim_MM2S_1", false), Ok(Value::Number(7)));
        assert!(of("SHIM_MM2S_9", true).is_err());
        assert_eq!(of("tile_core", true), Ok(Value::Symbol));
    }

    #[test]
    fn registers_and_barriers_have_numbers() {
        assert_eq!(register("$G2"), Ok(Reg(10)));
        assert_eq!(barrier("$rb5"), Ok(Some(Barrier(6))));
        assert_eq!(barrier("7"), Ok(None));
        for text in ["$r24", "$g16", "$r", "$r999", "$rb1", "r1"] {
            assert!(register(text).is_err(), "{text}");
        }
        for text in ["$lb16", "$rb65", "$lb99", "$r1", "$"] {
            assert!(barrier(text).is_err(), "{text}");
        }
    }
}
