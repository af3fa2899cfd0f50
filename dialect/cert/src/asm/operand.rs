//! Values of operands.

use super::AsmErrorKind;
use crate::isa::{Barrier, FieldInfo, FieldKind, Reg};
use crate::names::{self, Target, TileId};

/// What an operand says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// A number, at most 64 bits.
    Number(u64),
    /// `@name`
    Reference(String),
    /// Anything else: a symbol that the host would have to know.
    Symbol,
}

/// The value of an operand (already in lower case).
pub(super) fn value(text: &str, target: Target) -> Result<Value, AsmErrorKind> {
    if let Some(name) = text.strip_prefix('@') {
        return Ok(Value::Reference(name.to_owned()));
    }
    if names::is_actor_like(text) {
        return match names::actor_by_name(target, text) {
            Some(actor) => Ok(Value::Number(u64::from(actor.0))),
            None => Err(AsmErrorKind::Operand {
                text: text.to_owned(),
                wanted: "an actor of this target",
            }),
        };
    }
    if let Some(tile) = tile(text) {
        return Ok(Value::Number(u64::from(tile.0)));
    }
    let huge = |_| AsmErrorKind::HugeNumber(text.to_owned());
    if let Some(hex) = text.strip_prefix("0x")
        && !hex.is_empty()
        && hex.bytes().all(|b| b.is_ascii_hexdigit())
    {
        return u64::from_str_radix(hex, 16)
            .map(Value::Number)
            .map_err(huge);
    }
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map(Value::Number).map_err(huge);
    }
    Ok(Value::Symbol)
}

/// `tile_C_R`; more bits than a tile id has are dropped.
fn tile(text: &str) -> Option<TileId> {
    let (column, row) = text.strip_prefix("tile_")?.split_once('_')?;
    let number = |s: &str| -> Option<u64> {
        let plain = !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| s.parse().ok()).flatten()
    };
    Some(TileId::new(
        (number(column)? & 0x7F) as u8,
        (number(row)? & 0x1F) as u8,
    ))
}

/// `$rN`, `$gN`.
pub(super) fn register(text: &str) -> Result<Reg, AsmErrorKind> {
    let out = |range| AsmErrorKind::OutOfRange {
        text: text.to_owned(),
        range,
    };
    if let Some(n) = numbered(text, "$r") {
        let n = n.filter(|&n| n < Reg::COUNT);
        return n.map(Reg).ok_or_else(|| out("registers are $r0 to $r23"));
    }
    if let Some(n) = numbered(text, "$g") {
        let n = n.filter(|&n| n < Reg::COUNT - Reg::PRIVATE);
        return n
            .map(Reg::global)
            .ok_or_else(|| out("shared registers are $g0 to $g15"));
    }
    Err(AsmErrorKind::Operand {
        text: text.to_owned(),
        wanted: "a register ($rN or $gN)",
    })
}

/// `$lbN`, `$rbN`; `None` for a bare number, which is taken as encoded.
pub(super) fn barrier(text: &str) -> Result<Option<Barrier>, AsmErrorKind> {
    let out = |range| AsmErrorKind::OutOfRange {
        text: text.to_owned(),
        range,
    };
    if let Some(n) = numbered(text, "$lb") {
        let n = n.filter(|&n| n < Barrier::LOCAL_COUNT);
        return n
            .map(|n| Some(Barrier::local(n)))
            .ok_or_else(|| out("local barriers are $lb0 to $lb15"));
    }
    if let Some(n) = numbered(text, "$rb") {
        let n = n.filter(|&n| n <= Barrier::REMOTE_MAX);
        return n
            .map(|n| Some(Barrier::remote(n)))
            .ok_or_else(|| out("remote barriers are $rb0 to $rb64"));
    }
    if text.starts_with('$') {
        let wanted = "a barrier ($lbN or $rbN)";
        return Err(AsmErrorKind::Operand {
            text: text.to_owned(),
            wanted,
        });
    }
    Ok(None)
}

/// `None`: no such prefix; `Some(None)`: the rest is no small number.
fn numbered(text: &str, prefix: &str) -> Option<Option<u8>> {
    let rest = text.strip_prefix(prefix)?;
    let plain = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    // "$rb0" begins like a register too
    let other = rest.starts_with(|c: char| c.is_ascii_alphabetic());
    (!other).then(|| plain.then(|| rest.parse().ok()).flatten())
}

/// What a field wants, for messages.
pub(super) fn wanted(field: &FieldInfo) -> &'static str {
    match field.kind {
        FieldKind::Register => "a register ($rN or $gN)",
        FieldKind::LocalBarrier | FieldKind::RemoteBarrier => "a barrier ($lbN or $rbN)",
        FieldKind::Label => "a label (@name)",
        FieldKind::Scope => "a scope (@name)",
        FieldKind::Tile => "a tile (TILE_c_r)",
        FieldKind::Actor => "an actor (such as SHIM_S2MM_0)",
        FieldKind::Argument => "an argument number, or 0xFFFF for the code itself",
        FieldKind::Job | FieldKind::JobSize | FieldKind::Address | FieldKind::Number => {
            "a number (decimal or 0x…)"
        }
    }
}
