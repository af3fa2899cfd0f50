//! The reader of `tables/*.isa`. A line is one row; `#` begins a comment line. Rows:
//!
//! * `length BITS BYTES`: bundles whose first byte ends in these bits have this length;
//! * `slot NAME BITS`: width of a slot;
//! * `class NAME REGISTERS@CODE[+STEP] …`: `r0..31@0+4` are 32 registers with codes 0, 4, 8, …;
//! * `format NAME BYTES FIXED/MASK SLOT@LSB …`;
//! * `reloc NUMBER BYTES FIELD[~] LSB.VALUE_LSB.WIDTH[+…]`; `~`: relative to the patched place;
//! * `SLOT FIXED/MASK NAME | TEXT | OPERANDS | PROPERTIES`: an instruction. `$name` in the text is
//!   an operand. An operand is `name=CLASS@LSB.WIDTH[+LSB.WIDTH…]`, the value's lowest bits first;
//!   `?` before the class: its codes are unconfirmed. Immediates have a class of `s` (signed), `u`
//!   (unsigned) or `n` (negative), with `*SCALE` and `~` (relative to the bundle's address).
//!   Properties: `mem=BYTES:MODE`, `load`, `store`, `delay=N`, `uses=…`, `defs=…`, `tied`. Cycles are
//!   in `tables/*.timing` (`timing_table`).
//!
//! The tables are part of the program: a row that can't be read is a defect, which the unit test
//! below finds.

use smallvec::SmallVec;

use crate::arch::{CoreArch, PerArch};
use crate::isa::{
    AddressMode, CoreIsa, Format, ImmediateSign, Instruction, MemoryAccess, OperandField,
    OperandKind, RegisterClass, Relocation, RelocationField, SLOT_SETS, Slot, SlotSet, TextPart,
};
use crate::register::Register;
use crate::timing::Timing;
use crate::timing_table::timing;

static TABLES: PerArch<CoreIsa> = PerArch::new();

impl CoreIsa {
    /// The instruction set of `arch`.
    pub fn of(arch: CoreArch) -> &'static CoreIsa {
        TABLES.of(arch, |arch| read(arch, text_of(arch)))
    }
}

fn text_of(arch: CoreArch) -> &'static str {
    match arch {
        CoreArch::Aie2 => include_str!("tables/aie2.isa"),
        CoreArch::Aie2p => include_str!("tables/aie2p.isa"),
        CoreArch::Aie2ps => include_str!("tables/aie2ps.isa"),
    }
}

/// Reads a table. Rows that can't be read are left out.
fn read(arch: CoreArch, text: &'static str) -> CoreIsa {
    read_rows(arch, text).0
}

/// Reads a table; also the first row that can't be read.
fn read_rows(arch: CoreArch, text: &'static str) -> (CoreIsa, Option<&'static str>) {
    let mut isa = CoreIsa {
        arch,
        lengths: [0; 32],
        slot_widths: [0; 8],
        formats: Vec::new(),
        shortest_formats: [None; SLOT_SETS],
        instructions: Vec::new(),
        classes: Vec::new(),
        relocations: Vec::new(),
        by_slot: Default::default(),
        timing: Timing::default(),
    };
    let mut unread = None;
    for line in text.lines() {
        if !line.is_empty() && !line.starts_with('#') && add_row(&mut isa, line).is_none() {
            unread = unread.or(Some(line));
        }
    }
    for (index, instruction) in isa.instructions.iter().enumerate() {
        isa.by_slot[instruction.slot as usize].push(index as u16);
    }
    let instructions = &isa.instructions;
    for candidates in &mut isa.by_slot {
        candidates.sort_by_key(|index| {
            std::cmp::Reverse(instructions[usize::from(*index)].mask.count_ones())
        });
    }
    for slots in SlotSet::all() {
        isa.shortest_formats[slots.index()] = shortest_format(&isa.formats, slots);
    }
    isa.timing = timing(&isa);
    (isa, unread)
}

/// The shortest format that has all of some slots; of several the one with fewest others.
fn shortest_format(formats: &[Format], slots: SlotSet) -> Option<u8> {
    let formats = formats.iter().enumerate();
    let all = formats.filter(|(_, format)| format.slot_set.contains_all(slots));
    let shortest = all.min_by_key(|(_, format)| (format.bytes, format.slot_set.count()));
    shortest.and_then(|(index, _)| u8::try_from(index).ok())
}

fn add_row(isa: &mut CoreIsa, line: &'static str) -> Option<()> {
    let (kind, rest) = line.split_once(' ')?;
    match kind {
        "length" => add_length(isa, rest)?,
        "slot" => {
            let (name, bits) = rest.split_once(' ')?;
            isa.slot_widths[Slot::by_name(name)? as usize] = bits.parse().ok()?;
        }
        "class" => isa.classes.push(register_class(rest)?),
        "format" => isa.formats.push(format_row(rest)?),
        "reloc" => isa.relocations.push(relocation(rest)?),
        _ => {
            let instruction = instruction(isa, Slot::by_name(kind)?, rest)?;
            isa.instructions.push(instruction);
        }
    }
    Some(())
}

/// `BITS BYTES`
fn add_length(isa: &mut CoreIsa, rest: &str) -> Option<()> {
    let (bits, bytes) = rest.split_once(' ')?;
    let value = usize::from_str_radix(bits, 2).ok()?;
    let known = (1 << bits.len()) - 1;
    for (low_bits, length) in isa.lengths.iter_mut().enumerate() {
        if low_bits & known == value {
            *length = bytes.parse().ok()?;
        }
    }
    Some(())
}

/// A hexadecimal number with `0x`.
fn hex(text: &str) -> Option<u128> {
    u128::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// `FIXED/MASK`
fn fixed_and_mask(text: &str) -> Option<(u128, u128)> {
    let (fixed, mask) = text.split_once('/')?;
    Some((hex(fixed)?, hex(mask)?))
}

/// `NAME REGISTERS@CODE[+STEP] …`
fn register_class(rest: &'static str) -> Option<RegisterClass> {
    let mut words = rest.split(' ');
    let mut class = RegisterClass::new(words.next()?);
    for word in words {
        let (registers, codes) = word.split_once('@')?;
        let (first_code, step) = match codes.split_once('+') {
            Some((first, step)) => (first, step.parse().ok()?),
            None => (codes, 1),
        };
        let first_code: usize = first_code.parse().ok()?;
        let Some((first, last)) = registers.split_once("..") else {
            class.add(first_code, Register::of_name(registers)?);
            continue;
        };
        let suffix = last.trim_start_matches(|c: char| c.is_ascii_digit());
        let prefix = first.trim_end_matches(|c: char| c.is_ascii_digit());
        let first: usize = first[prefix.len()..].parse().ok()?;
        let last: usize = last.strip_suffix(suffix)?.parse().ok()?;
        for number in first..=last {
            let register = Register::of_name(&format!("{prefix}{number}{suffix}"))?;
            class.add(first_code + (number - first) * step, register);
        }
    }
    Some(class)
}

/// `NAME BYTES FIXED/MASK SLOT@LSB …`
fn format_row(rest: &'static str) -> Option<Format> {
    let mut words = rest.split(' ');
    let name = words.next()?;
    let bytes = words.next()?.parse().ok()?;
    let (fixed, mask) = fixed_and_mask(words.next()?)?;
    let mut slots = SmallVec::new();
    let mut slot_set = SlotSet::default();
    for word in words {
        let (slot, lsb) = word.split_once('@')?;
        let slot = Slot::by_name(slot)?;
        slots.push((slot, lsb.parse().ok()?));
        slot_set = slot_set.with(slot);
    }
    Some(Format {
        name,
        bytes,
        fixed,
        mask,
        slots,
        slot_set,
    })
}

/// `NUMBER BYTES FIELD[~] LSB.VALUE_LSB.WIDTH[+…]`
fn relocation(rest: &'static str) -> Option<Relocation> {
    let mut words = rest.split(' ');
    let number = words.next()?.parse().ok()?;
    let bytes = words.next()?.parse().ok()?;
    let field = words.next()?;
    let pc_relative = field.ends_with('~');
    let field = match field.trim_end_matches('~') {
        "addr20" => RelocationField::Address20,
        "imm8" => RelocationField::Signed(8),
        "imm10" => RelocationField::Signed(10),
        "imm11" => RelocationField::Signed(11),
        "imm11u" => RelocationField::Unsigned(11),
        "imm32" => RelocationField::Immediate32,
        "data20" => RelocationField::Data20,
        "data32" => RelocationField::Data32,
        _ => return None,
    };
    let mut segments = SmallVec::new();
    for segment in words.next()?.split('+') {
        let mut numbers = segment.split('.').map(str::parse);
        segments.push((
            numbers.next()?.ok()?,
            numbers.next()?.ok()?,
            numbers.next()?.ok()?,
        ));
    }
    Some(Relocation {
        number,
        bytes,
        field,
        pc_relative,
        segments,
    })
}

/// `FIXED/MASK NAME | TEXT | OPERANDS | PROPERTIES`
fn instruction(isa: &CoreIsa, slot: Slot, rest: &'static str) -> Option<Instruction> {
    let mut columns = rest.split('|').map(str::trim);
    let (bits, name) = columns.next()?.split_once(' ')?;
    let (fixed, mask) = fixed_and_mask(bits)?;
    let text = columns.next()?;
    let operands = columns.next()?.split_ascii_whitespace();
    let operands: Vec<_> = operands
        .map(|word| operand(isa, word))
        .collect::<Option<_>>()?;
    let mut row = Instruction {
        name,
        slot,
        fixed: u64::try_from(fixed).ok()?,
        mask: u64::try_from(mask).ok()?,
        mnemonic: text.split(' ').next()?,
        text: text_parts(text, &operands)?,
        operands,
        memory: None,
        is_load: false,
        is_store: false,
        delay_slots: 0,
        uses: Vec::new(),
        defs: Vec::new(),
        is_tied: false,
    };
    for word in columns.next().unwrap_or_default().split_ascii_whitespace() {
        add_property(&mut row, word)?;
    }
    Some(row)
}

fn add_property(row: &mut Instruction, word: &'static str) -> Option<()> {
    let (key, value) = word.split_once('=').unwrap_or((word, ""));
    let registers = || {
        value
            .split(',')
            .map(Register::of_name)
            .collect::<Option<_>>()
    };
    match key {
        "mem" => {
            let (bytes, mode) = value.split_once(':')?;
            let mut modes = AddressMode::NAMES.iter();
            row.memory = Some(MemoryAccess {
                bytes: bytes.parse().ok()?,
                mode: modes.find(|(name, _)| *name == mode)?.1,
            });
        }
        "load" => row.is_load = true,
        "store" => row.is_store = true,
        "delay" => row.delay_slots = value.parse().ok()?,
        "uses" => row.uses = registers()?,
        "defs" => row.defs = registers()?,
        "tied" => row.is_tied = true,
        // Cycles are in the tables of timing.
        "itin" | "lat" => {}
        _ => return None,
    }
    Some(())
}

/// `name=CLASS@LSB.WIDTH[+LSB.WIDTH…]`
fn operand(isa: &CoreIsa, word: &'static str) -> Option<OperandField> {
    let (name, rest) = word.split_once('=')?;
    let (class, bits) = rest.split_once('@')?;
    let mut segments = SmallVec::new();
    for segment in bits.split('+') {
        let (lsb, width) = segment.split_once('.')?;
        segments.push((lsb.parse().ok()?, width.parse().ok()?));
    }
    let kind = match class.strip_prefix('?') {
        Some(class) => OperandKind::Unconfirmed { class },
        None => operand_kind(isa, class)?,
    };
    Some(OperandField {
        name,
        kind,
        segments,
    })
}

fn operand_kind(isa: &CoreIsa, class: &'static str) -> Option<OperandKind> {
    if let Some(class) = isa.classes.iter().position(|known| known.name == class) {
        let class = class as u16;
        return Some(OperandKind::Register { class });
    }
    let pc_relative = class.ends_with('~');
    let class = class.trim_end_matches('~');
    let (sign, scale) = class.split_once('*').unwrap_or((class, "1"));
    let sign = match sign {
        "s" => ImmediateSign::Signed,
        "u" => ImmediateSign::Unsigned,
        "n" => ImmediateSign::Negative,
        _ => return None,
    };
    Some(OperandKind::Immediate {
        sign,
        scale: scale.parse().ok()?,
        pc_relative,
    })
}

/// Cuts a text at its operands.
fn text_parts(text: &'static str, operands: &[OperandField]) -> Option<Vec<TextPart>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((literal, after)) = rest.split_once('$') {
        if !literal.is_empty() {
            parts.push(TextPart::Literal(literal));
        }
        let end = after
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(after.len());
        let name = &after[..end];
        let index = operands.iter().position(|field| field.name == name)?;
        parts.push(TextPart::Operand(index as u8));
        rest = &after[end..];
    }
    if !rest.is_empty() {
        parts.push(TextPart::Literal(rest));
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::low_bits;

    /// Rows of the tables: instructions, formats, relocations.
    const COUNTS: [(CoreArch, &str, usize, usize, usize); 3] = [
        (CoreArch::Aie2, include_str!("tables/aie2.isa"), 608, 78, 54),
        (
            CoreArch::Aie2p,
            include_str!("tables/aie2p.isa"),
            880,
            77,
            63,
        ),
        (
            CoreArch::Aie2ps,
            include_str!("tables/aie2ps.isa"),
            1161,
            77,
            136,
        ),
    ];

    #[test]
    fn every_row_is_read() {
        for (arch, text, instructions, formats, relocations) in COUNTS {
            let (isa, unread) = read_rows(arch, text);
            assert_eq!(unread, None);
            assert_eq!(isa.instructions.len(), instructions);
            assert_eq!(isa.formats.len(), formats);
            assert_eq!(isa.relocations.len(), relocations);
        }
    }

    #[test]
    fn slots_fill_formats_and_fields_fill_slots_without_overlap() {
        for arch in CoreArch::ALL {
            let isa = CoreIsa::of(arch);
            for format in &isa.formats {
                let mut taken = format.mask;
                for (slot, lsb) in &format.slots {
                    let bits = u128::from(low_bits(isa.slot_width(*slot))) << lsb;
                    assert_eq!(taken & bits, 0, "{arch} {}", format.name);
                    taken |= bits;
                }
                let length = 8 * u32::from(format.bytes);
                assert!(
                    taken.checked_shr(length).unwrap_or(0) == 0,
                    "{}",
                    format.name
                );
                let first = format.fixed as u8;
                assert_eq!(
                    isa.bundle_length(first),
                    Some(format.bytes),
                    "{}",
                    format.name
                );
            }
            for row in &isa.instructions {
                let mut taken = row.mask;
                assert_eq!(row.fixed & !row.mask, 0, "{}", row.name);
                for field in &row.operands {
                    let bits = field.place(u64::MAX);
                    assert_eq!(taken & bits, 0, "{arch} {} {}", row.name, field.name);
                    taken |= bits;
                }
                let width = isa.slot_width(row.slot);
                assert_eq!(taken & !low_bits(width), 0, "{arch} {}", row.name);
            }
        }
    }
}
