//! Properties of fields that a description can't express: which are addresses, which are signed,
//! which hold the upper bits of another one, and how many chunks values need. They follow from the
//! fields' names.

use aiec_isa::{Instruction, Set};

use crate::program::{CodeItem, ItemContent};

/// Ending of the name of a field that holds the upper bits of another one.
pub const EXTENSION: &str = "_ext";
/// Ending of the name of a field that says whether another one names a register.
pub const DYNAMIC: &str = "_sd";
/// The field that says how many chunks follow the first one.
pub const EXTRA: &str = "extra";
/// The field that links loops with one end.
pub const LINK: &str = "link";

/// Fields that are addresses of instructions, in chunks.
const ADDRESS_FIELDS: [&str; 3] = ["pc", "endpc", "false_pc"];

/// Fields in two's complement: instruction and name.
const SIGNED_FIELDS: [(&str, &str); 5] = [
    ("SRAM", "l1_step"),
    ("SRAM", "l2_step"),
    ("RACCU", "operand1"),
    ("RACCU", "operand2"),
    ("LOOP", "start"),
];

/// Whether a field is the address of an instruction.
pub fn is_address_field(field: &str) -> bool {
    ADDRESS_FIELDS.contains(&field)
}

/// Whether a field is in two's complement.
pub fn is_signed_field(instruction: &str, field: &str) -> bool {
    SIGNED_FIELDS.contains(&(instruction, field))
}

/// The least number of chunks that hold all values that aren't defaults. Instructions without the
/// field `extra` always have all of theirs.
pub fn least_chunks(set: &Set, instruction: &Instruction, values: &[u64]) -> u32 {
    match instruction.field(EXTRA) {
        None => instruction.longest(),
        Some((extra, field)) => {
            // how many follow is in the first chunk whatever it is
            let mut values = values.to_vec();
            if let Some(value) = values.get_mut(extra) {
                *value = field.default_value();
            }
            set.least_chunks(instruction, &values)
        }
    }
}

/// The most chunks that an instruction can have: those that the description says and that `extra`
/// can count.
pub fn most_chunks(instruction: &Instruction) -> u32 {
    let counted = instruction
        .field(EXTRA)
        .map_or(u64::MAX, |(_, field)| field.mask());
    let counted = u32::try_from(counted.saturating_add(1)).unwrap_or(u32::MAX);
    instruction.longest().min(counted)
}

/// For each instruction the value of `link`: one bit for the slot of the next outer loop that ends
/// at the same instruction. 0 for those that have none.
pub fn computed_links(items: &[CodeItem], set: &Set) -> Vec<u64> {
    // slots and ends of the loops around an instruction
    let mut open: Vec<(u64, u64)> = Vec::new();
    let mut address = 0;
    let mut links = Vec::with_capacity(items.len());
    for item in items {
        let at = address;
        address += u64::from(item.chunks());
        open.retain(|(_, end)| *end >= at);
        let link = match &item.content {
            ItemContent::Raw(_) => None,
            ItemContent::Instruction(values) => {
                let template = &set.instructions[values.instruction];
                let value = |name: &str| {
                    let (at, _) = template.field(name)?;
                    values.values.get(at).copied()
                };
                let mask = template.field(LINK).map(|(_, field)| field.mask());
                let ends = value("loopid").zip(value("endpc")).zip(mask);
                ends.filter(|((_, end), _)| *end > at)
            }
        };
        let Some(((slot, end), mask)) = link else {
            links.push(0);
            continue;
        };
        let outer = open.iter().rev().find(|(_, other)| *other == end);
        let bit = outer.and_then(|(outer, _)| 1u64.checked_shl(u32::try_from(*outer).ok()?));
        links.push(bit.unwrap_or(0) & mask);
        // a slot that is used again isn't an outer loop of what follows
        open.retain(|(other, _)| *other != slot);
        open.push((slot, end));
    }
    links
}
