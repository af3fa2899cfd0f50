//! Equal instructions in other slots: loads by either load unit, pointer arithmetic and constants
//! in several slots, copies by `or`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aiec_core::{CoreArch, CoreIsa, Instruction, OperandKind, RegisterFile, Slot, TextPart};
use smallvec::SmallVec;

use super::frame::{Inst, Value};

/// Mnemonics that differ by the slot only, up to the first dot, by their common name.
const FAMILIES: &[(&str, &[&str])] = &[
    ("vld", &["vlda", "vldb"]),
    ("padd", &["padda", "paddb", "padds"]),
    ("mov", &["mova", "movx", "mov", "movs", "movxm"]),
    ("add.nc", &["add.nc", "addm.nc"]),
];

/// The rows that do the same, for each row; operands in the order of the text are the same.
#[derive(Debug)]
struct Table {
    others: Vec<SmallVec<[u16; 4]>>,
    /// `or d, s, s`.
    or: Option<u16>,
}

static AIE2: LazyLock<Table> = LazyLock::new(|| Table::new(CoreArch::Aie2));
static AIE2P: LazyLock<Table> = LazyLock::new(|| Table::new(CoreArch::Aie2p));
static AIE2PS: LazyLock<Table> = LazyLock::new(|| Table::new(CoreArch::Aie2ps));

fn family(mnemonic: &str) -> Option<String> {
    FAMILIES.iter().find_map(|(name, members)| {
        members.iter().find_map(|member| {
            let rest = mnemonic.strip_prefix(member)?;
            let is_whole = rest.is_empty() || rest.starts_with('.') && *name != "mov";
            is_whole.then(|| format!("{name}{rest}"))
        })
    })
}

/// Key shared by the rows of equal effect; `None` for rows without alternatives.
fn key(row: &Instruction) -> Option<String> {
    if row.unconfirmed_operand().is_some() || row.delay_slots != 0 {
        return None;
    }
    let mut text = family(row.mnemonic)?;
    for part in &row.text {
        match part {
            TextPart::Literal(literal) => {
                text += literal.strip_prefix(row.mnemonic).unwrap_or(literal);
            }
            TextPart::Operand(index) => {
                text += match row.operands[usize::from(*index)].kind {
                    OperandKind::Register { .. } => "$r",
                    OperandKind::Immediate { .. } => "$i",
                    OperandKind::Unconfirmed { .. } => "$?",
                };
            }
        }
    }
    Some(format!(
        "{text} {:?} {} {} {:?} {:?}",
        row.memory, row.is_load, row.is_store, row.uses, row.defs
    ))
}

impl Table {
    fn new(arch: CoreArch) -> Table {
        let isa = CoreIsa::of(arch);
        let mut families: BTreeMap<String, Vec<u16>> = BTreeMap::new();
        for (index, row) in isa.instructions.iter().enumerate() {
            if let Some(key) = key(row) {
                families.entry(key).or_default().push(index as u16);
            }
        }
        let mut others = vec![SmallVec::new(); isa.instructions.len()];
        for rows in families.values() {
            for row in rows {
                others[usize::from(*row)] =
                    rows.iter().copied().filter(|other| other != row).collect();
            }
        }
        let mut rows = isa.instructions.iter();
        let or = rows.position(|row| row.mnemonic == "or" && row.slot == Slot::Alu);
        Table {
            others,
            or: or.map(|or| or as u16),
        }
    }

    fn of(arch: CoreArch) -> &'static Table {
        match arch {
            CoreArch::Aie2 => &AIE2,
            CoreArch::Aie2p => &AIE2P,
            CoreArch::Aie2ps => &AIE2PS,
        }
    }
}

/// Whether a row that does the same in another slot takes an immediate too, or has none.
pub(super) fn has_choice(isa: &CoreIsa, row: u16, immediate: Option<i32>) -> bool {
    let others = Table::of(isa.arch).others[usize::from(row)].iter();
    let mut rows = others.map(|other| &isa.instructions[usize::from(*other)]);
    rows.any(|other| {
        let differs = other.slot != isa.instructions[usize::from(row)].slot;
        let field = other.operands.iter().position(|field| field.name == "imm");
        let takes = |value: i32| {
            field.is_some_and(|at| fits(isa, other, at as u8, Value::Immediate(value)))
        };
        differs && immediate.is_none_or(takes)
    })
}

/// Indices of a row's operands in the order of its text, each once.
fn in_text(row: &Instruction) -> SmallVec<[u8; 5]> {
    let mut order = SmallVec::new();
    for part in &row.text {
        if let TextPart::Operand(index) = part
            && !order.contains(index)
        {
            order.push(*index);
        }
    }
    order
}

fn fits(isa: &CoreIsa, row: &Instruction, operand: u8, value: Value) -> bool {
    let field = &row.operands[usize::from(operand)];
    match (field.kind, value) {
        (OperandKind::Register { class }, Value::Register(register)) => {
            isa.class(class).code(register).is_some()
        }
        (
            OperandKind::Immediate {
                sign,
                scale,
                pc_relative,
            },
            Value::Immediate(value),
        ) => {
            let (least, most, step) = aiec_core::immediate_range(sign, scale, field.width());
            let value = i64::from(value);
            !pc_relative && (least..=most).contains(&value) && value % step == 0
        }
        _ => false,
    }
}

/// An instruction in other slots; the caller compares the timing.
pub(super) fn alternatives(isa: &CoreIsa, inst: &Inst) -> SmallVec<[Inst; 4]> {
    let table = Table::of(isa.arch);
    let own = &isa.instructions[usize::from(inst.row)];
    let order = in_text(own);
    let values: SmallVec<[Value; 5]> = order
        .iter()
        .map(|at| inst.operands[usize::from(*at)])
        .collect();
    let with = |other: u16, values: &[Value]| {
        let row = &isa.instructions[usize::from(other)];
        let order = in_text(row);
        if row.slot == own.slot || order.len() != values.len() {
            return None;
        }
        let mut operands: SmallVec<[Value; 5]> =
            std::iter::repeat_n(Value::Immediate(0), row.operands.len()).collect();
        for (at, value) in order.iter().zip(values) {
            fits(isa, row, *at, *value).then_some(())?;
            operands[usize::from(*at)] = *value;
        }
        Some(Inst {
            row: other,
            operands,
            ..inst.clone()
        })
    };
    let others = &table.others[usize::from(inst.row)];
    let mut found: SmallVec<[Inst; 4]> = others
        .iter()
        .filter_map(|other| with(*other, &values))
        .collect();
    let general = |value: &Value| matches!(value, Value::Register(register) if register.file == RegisterFile::R);
    if let (Some(or), [to, from]) = (table.or, &values[..])
        && own.mnemonic == "mov"
        && general(to)
        && general(from)
    {
        found.extend(with(or, &[*to, *from, *from]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_pointers_and_constants_have_other_slots() {
        for arch in CoreArch::ALL {
            let isa = CoreIsa::of(arch);
            let table = Table::of(arch);
            let has_others = |mnemonic: &str, slot| {
                isa.instructions
                    .iter()
                    .zip(&table.others)
                    .any(|(row, others)| {
                        let mut others = others.iter();
                        row.mnemonic == mnemonic
                            && others
                                .any(|other| isa.instructions[usize::from(*other)].slot == slot)
                    })
            };
            assert!(has_others("vlda", Slot::LoadB), "{arch}");
            assert!(has_others("vlda.2d", Slot::LoadB), "{arch}");
            assert!(has_others("padda", Slot::LoadB), "{arch}");
            assert!(has_others("mova", Slot::Alu), "{arch}");
            assert!(has_others("movx", Slot::Move), "{arch}");
        }
    }
}
