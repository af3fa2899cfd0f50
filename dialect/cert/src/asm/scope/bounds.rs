//! Bounds that go across operands or are narrower than the field.

use aiec_diag::Diag;

use super::super::codes;
use super::super::lexer::MAX_OPERANDS;
use super::{Context, Statement};
use crate::isa::{Barrier, OpInfo, Operand, Reg};
use crate::names::TileId;
use crate::program::{DataId, ScopeId};

/// Bounds that go across operands or are narrower than the field.
pub(super) fn sound(
    statement: &Statement<'_, '_>,
    info: &OpInfo,
    values: &[Operand<DataId, ScopeId>; MAX_OPERANDS],
    texts: &[&str],
    context: &mut Context<'_>,
) -> bool {
    let number = |i: usize| match values.get(i) {
        Some(Operand::Number(n)) => *n,
        _ => 0,
    };
    let mut fine = true;
    let mut check = |i: usize, holds: bool, range: &'static str| {
        if !holds && let Some(&text) = texts.get(i) {
            context.error(statement.line.span(text), codes::out_of_range(text, range));
            fine = false;
        }
    };
    let is_register = |n: u32| n < u32::from(Reg::COUNT);
    match info.mnemonic {
        "WRITE_32_D" => {
            let flags = number(0);
            check(0, flags < 4, "flags are 0 to 3");
            let immediate = |bit: u32| flags >> bit & 1 != 0;
            let range = "without the flag this is a register, 0 to 23";
            check(1, immediate(0) || is_register(number(1)), range);
            check(2, immediate(1) || is_register(number(2)), range);
        }
        "WAIT_TCTS" => {
            let bits = TileId::COLUMN_BITS + TileId::ROW_BITS;
            check(0, number(0) >> bits == 0, "a tile is column * 32 + row");
            check(2, number(2) > 0, "at least one token");
            fine &= actor_in_row(statement, number(0), texts, context);
        }
        "APPLY_OFFSET_57" => check(1, number(1) > 0, "a table has at least one entry"),
        "LOCAL_BARRIER" => {
            check(
                0,
                number(0) < u32::from(Barrier::LOCAL_COUNT),
                "local barriers are 0 to 15",
            );
            check(1, number(1) > 0, "at least one job");
        }
        "REMOTE_BARRIER" => {
            check(
                0,
                (1..=u32::from(Barrier::REMOTE_MAX) + 1).contains(&number(0)),
                "remote barriers are 1 to 65 as numbers",
            );
            check(1, number(1) > 0, "at least one controller");
        }
        _ => {}
    }
    fine
}

/// Actors of the shim are in row 0, all others above.
fn actor_in_row(
    statement: &Statement<'_, '_>,
    tile: u32,
    texts: &[&str],
    context: &mut Context<'_>,
) -> bool {
    let &[tile_text, actor, ..] = texts else {
        return true;
    };
    let named = crate::names::is_actor_like(actor);
    let shim = actor
        .get(..5)
        .is_some_and(|head| head.eq_ignore_ascii_case("shim_"));
    if !named || shim == (TileId(tile as u16).row() == 0) {
        return true;
    }
    let message = format!("'{actor}' is not in the row of '{tile_text}'");
    let diag = Diag::error(&codes::ACTOR, message)
        .help("SHIM_ actors are in row 0, MEM_ and TILE_ actors above it");
    context.error(statement.line.span(texts[1]), diag);
    false
}
