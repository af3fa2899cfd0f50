//! The reader of `tables/*.timing`. A line is one row; `#` begins a comment line. Rows:
//!
//! * `walk CYCLE`: when pointers that walk are written;
//! * `lock STAGE STAGE`: the stage in which a lock operation stops the core, and the first one that
//!   it doesn't;
//! * `wait PORT …`: ports for which the hardware waits;
//! * `bypass NAME FILE=BYPASS …`, `port NAME FILE=PORT …`: families of both by register file
//!   (`cr` are control registers);
//! * `SLOTS PATTERNS | OPERANDS | PORTS | STAGES`: instructions; the first row that fits one is its
//!   row. A pattern with capitals is one of names, others are of mnemonics; `*` matches any
//!   characters, `?` matches one. An operand is `KEY<CYCLE` (read) or `KEY>CYCLE` (written), with
//!   `.BYPASS`, which is a bypass or a family; its key is a number in the text (from 0), an
//!   operand's name, a register that the instruction uses without naming it, or `*` for the
//!   operands without one. Operands that no key names are read in cycle 1, as registers without a
//!   key are read and written then. A port is `PORT@BUNDLE` or `PORT@FIRST..LAST`, bundles after
//!   the issue; `FAMILY(KEY)` is by an operand's register.
//!
//! The tables are part of the program: a row that can't be read, or an instruction without a row, is
//! a defect, which the unit tests below find.

use crate::arch::CoreArch;
use crate::isa::{CoreIsa, Instruction, OperandKind, Slot, TextPart};
use crate::register::{Register, RegisterFile};
use crate::timing::{
    Bypass, BypassRule, InstructionTiming, OperandCycle, OperandTiming, PortRule, Timing,
};

/// The table of an architecture.
fn text(arch: CoreArch) -> &'static str {
    match arch {
        CoreArch::Aie2 => include_str!("tables/aie2.timing"),
        CoreArch::Aie2p => include_str!("tables/aie2p.timing"),
        CoreArch::Aie2ps => include_str!("tables/aie2ps.timing"),
    }
}

/// A row of instructions.
struct Row {
    slots: Vec<Slot>,
    patterns: Vec<&'static str>,
    operands: Vec<&'static str>,
    ports: Vec<&'static str>,
    stages: Vec<u8>,
}

/// Reads the timing of an instruction set. Rows that can't be read are left out.
pub(crate) fn timing(isa: &CoreIsa) -> Timing {
    read_rows(isa, text(isa.arch)).timing
}

/// Result of reading a table, with the leftovers that the unit tests refuse.
struct ReadTable {
    timing: Timing,
    /// The first row that can't be read.
    #[cfg_attr(not(test), expect(dead_code, reason = "a unit test asks"))]
    unread: Option<&'static str>,
    /// Instructions without a row.
    #[cfg_attr(not(test), expect(dead_code, reason = "a unit test asks"))]
    without: Vec<&'static str>,
    /// Patterns that no instruction takes.
    #[cfg_attr(not(test), expect(dead_code, reason = "a unit test asks"))]
    unused: Vec<&'static str>,
}

fn read_rows(isa: &CoreIsa, text: &'static str) -> ReadTable {
    let mut timing = Timing::default();
    let mut rows = Vec::new();
    let mut unread = None;
    for line in text.lines() {
        if !line.is_empty()
            && !line.starts_with('#')
            && add_row(&mut timing, &mut rows, line).is_none()
        {
            unread = unread.or(Some(line));
        }
    }
    let mut taken: Vec<Vec<bool>> = rows
        .iter()
        .map(|row| vec![false; row.patterns.len()])
        .collect();
    let mut without = Vec::new();
    for instruction in &isa.instructions {
        let found = rows.iter().zip(&mut taken).find_map(|(row, taken)| {
            let pattern = row.pattern_of(instruction)?;
            taken[pattern] = true;
            Some(row)
        });
        let read = found.and_then(|row| row_of(&mut timing, row, instruction));
        if read.is_none() {
            without.push(instruction.name);
        }
        timing.rows.push(read.unwrap_or_default());
    }
    let unused = rows.iter().zip(&taken).flat_map(|(row, taken)| {
        let patterns = row.patterns.iter().zip(taken);
        patterns
            .filter(|(_, taken)| !**taken)
            .map(|(pattern, _)| *pattern)
    });
    let unused = unused.collect();
    ReadTable {
        timing,
        unread,
        without,
        unused,
    }
}

fn add_row(timing: &mut Timing, rows: &mut Vec<Row>, line: &'static str) -> Option<()> {
    let (kind, rest) = line.split_once(' ')?;
    match kind {
        "walk" => timing.walk = rest.parse().ok()?,
        "lock" => {
            let (stops, resumes) = rest.split_once(' ')?;
            timing.lock = (stops.parse().ok()?, resumes.parse().ok()?);
        }
        "wait" => {
            for name in rest.split(' ') {
                let port = port(timing, name);
                timing.waited_for.push(port);
            }
        }
        "bypass" => {
            let (name, files) = family(rest)?;
            let files = files
                .into_iter()
                .map(|(file, bypass)| Some((file, Bypass::by_name(bypass)?)));
            let files = files.collect::<Option<_>>()?;
            timing.bypasses.push((name, files));
        }
        "port" => {
            let (name, files) = family(rest)?;
            let files = files
                .into_iter()
                .map(|(file, name)| (file, port(timing, name)));
            let files = files.collect();
            timing.port_families.push((name, files));
        }
        slots => rows.push(row(slots, rest)?),
    }
    Some(())
}

/// `NAME FILE=VALUE …`
fn family(rest: &'static str) -> Option<(&'static str, Vec<(RegisterFile, &'static str)>)> {
    let mut words = rest.split(' ');
    let name = words.next()?;
    let files = words.map(|word| {
        let (prefix, value) = word.split_once('=')?;
        let prefix = if prefix == "cr" { "" } else { prefix };
        let mut files = RegisterFile::ALL.iter();
        let file = files.find(|file| file.prefix() == prefix)?;
        Some((*file, value))
    });
    Some((name, files.collect::<Option<_>>()?))
}

/// The port of a name.
fn port(timing: &mut Timing, name: &'static str) -> u8 {
    let known = timing.ports.iter().position(|known| *known == name);
    let index = known.unwrap_or_else(|| {
        timing.ports.push(name);
        timing.ports.len() - 1
    });
    index as u8
}

/// `SLOTS PATTERNS | OPERANDS | PORTS | STAGES`; a `?` at the end says that the row is unconfirmed.
fn row(slots: &'static str, rest: &'static str) -> Option<Row> {
    let rest = rest.trim_end_matches('?');
    let mut columns = rest.split('|').map(str::trim);
    let slots = match slots {
        "*" => Slot::ALL.to_vec(),
        slots => slots.split(',').map(Slot::by_name).collect::<Option<_>>()?,
    };
    let words = |column: Option<&'static str>| -> Vec<&'static str> {
        column
            .unwrap_or_default()
            .split_ascii_whitespace()
            .collect()
    };
    let patterns = columns.next()?.split(',').collect();
    let (operands, ports) = (words(columns.next()), words(columns.next()));
    let stages = columns.next().unwrap_or_default();
    let stages = stages.split(',').filter(|stage| !stage.is_empty());
    Some(Row {
        slots,
        patterns,
        operands,
        ports,
        stages: stages
            .map(|stage| stage.parse().ok())
            .collect::<Option<_>>()?,
    })
}

impl Row {
    /// The pattern that an instruction has.
    fn pattern_of(&self, instruction: &Instruction) -> Option<usize> {
        if !self.slots.contains(&instruction.slot) {
            return None;
        }
        self.patterns.iter().position(|pattern| {
            let is_name = pattern.bytes().any(|byte| byte.is_ascii_uppercase());
            let text = if is_name {
                instruction.name
            } else {
                instruction.mnemonic
            };
            fits(pattern.as_bytes(), text.as_bytes())
        })
    }
}

/// Whether a text has a pattern.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => (0..=text.len()).any(|at| fits(rest, &text[at..])),
        (Some((b'?', rest)), Some((_, text))) => fits(rest, text),
        (Some((known, rest)), Some((byte, text))) if known == byte => fits(rest, text),
        _ => false,
    }
}

/// Indices of an instruction's operands in the order of its text.
fn in_text(instruction: &Instruction) -> Vec<usize> {
    let mut order = Vec::new();
    for part in &instruction.text {
        if let TextPart::Operand(index) = part
            && !order.contains(&usize::from(*index))
        {
            order.push(usize::from(*index));
        }
    }
    order
}

/// The operand of a key.
fn operand(instruction: &Instruction, key: &str) -> Option<usize> {
    match key.parse::<usize>() {
        Ok(number) => in_text(instruction).get(number).copied(),
        Err(_) => instruction.operand_index(key),
    }
}

/// `CYCLE` or `CYCLE.BYPASS`
fn cycle(timing: &Timing, text: &str) -> Option<OperandCycle> {
    let (cycle, bypass) = text.split_once('.').unwrap_or((text, "none"));
    let mut families = timing.bypasses.iter();
    let bypass = match families.position(|(name, _)| *name == bypass) {
        Some(family) => BypassRule::ByFile(family as u8),
        None => BypassRule::Always(Bypass::by_name(bypass)?),
    };
    Some(OperandCycle {
        cycle: cycle.parse().ok()?,
        bypass,
    })
}

/// The timing that a row gives an instruction.
fn row_of(timing: &mut Timing, row: &Row, instruction: &Instruction) -> Option<InstructionTiming> {
    let mut result = InstructionTiming {
        stages: row.stages.iter().copied().collect(),
        ..InstructionTiming::default()
    };
    result
        .operands
        .resize(instruction.operands.len(), OperandTiming::default());
    let mut others = OperandCycle::plain(1);
    for word in &row.operands {
        let at = word.find(['<', '>'])?;
        let (key, is_read) = (&word[..at], word.as_bytes()[at] == b'<');
        let cycle = cycle(timing, &word[at + 1..])?;
        if key == "*" {
            others = cycle;
            continue;
        }
        let place = match operand(instruction, key) {
            Some(index) => &mut result.operands[index],
            None => match Register::of_name(key) {
                Some(register) => {
                    let known = result
                        .registers
                        .iter()
                        .position(|(known, _)| *known == register);
                    let index = known.unwrap_or_else(|| {
                        result.registers.push((register, OperandTiming::default()));
                        result.registers.len() - 1
                    });
                    &mut result.registers[index].1
                }
                // A key of other instructions of the row.
                None => continue,
            },
        };
        if is_read {
            place.read = Some(cycle);
        } else {
            place.written = Some(cycle);
        }
    }
    for (field, place) in instruction.operands.iter().zip(&mut result.operands) {
        let is_register = matches!(field.kind, OperandKind::Register { .. });
        if is_register && *place == OperandTiming::default() {
            place.read = Some(others);
        }
        let walks = instruction.memory.is_some_and(|memory| memory.mode.walks());
        if field.name == "ptr" {
            place.read = Some(OperandCycle::plain(1));
            if walks {
                place.written = Some(OperandCycle::plain(timing.walk));
            }
        }
    }
    for (registers, is_read) in [(&instruction.uses, true), (&instruction.defs, false)] {
        for register in registers {
            let known = result
                .registers
                .iter()
                .position(|(known, _)| known == register);
            let index = known.unwrap_or_else(|| {
                result.registers.push((*register, OperandTiming::default()));
                result.registers.len() - 1
            });
            let place = &mut result.registers[index].1;
            let place = if is_read {
                &mut place.read
            } else {
                &mut place.written
            };
            *place = place.or(Some(OperandCycle::plain(1)));
        }
    }
    for word in &row.ports {
        let (name, cycles) = word.split_once('@')?;
        let (first, last) = cycles.split_once("..").unwrap_or((cycles, cycles));
        let rule = match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
            Some((family, key)) => {
                let mut families = timing.port_families.iter();
                let family = families.position(|(known, _)| *known == family)?;
                match operand(instruction, key) {
                    Some(operand) => PortRule::ByFile(family as u8, operand as u8),
                    None => continue,
                }
            }
            None => PortRule::Always(port(timing, name)),
        };
        result
            .ports
            .push((rule, first.parse().ok()?, last.parse().ok()?));
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PART_WORD_BUNDLES;

    /// Store fifos of AIE2PS have timing, but no rows of instructions yet.
    #[test]
    fn every_row_is_read_and_every_instruction_has_one() {
        for arch in CoreArch::ALL {
            let table = read_rows(CoreIsa::of(arch), text(arch));
            assert_eq!(table.unread, None, "{arch}");
            assert_eq!(table.without, Vec::<&str>::new(), "{arch}");
            let unused = table
                .unused
                .iter()
                .filter(|pattern| !pattern.starts_with("VST_"));
            assert_eq!(unused.collect::<Vec<_>>(), Vec::<&&str>::new(), "{arch}");
        }
    }

    #[test]
    fn stores_of_parts_of_words_hold_memory_as_long_as_the_constant_says() {
        for arch in CoreArch::ALL {
            let timing = &CoreIsa::of(arch).timing;
            let ports = timing.rows.iter().flat_map(|row| &row.ports);
            let held = ports.filter_map(|(rule, first, last)| match rule {
                PortRule::Always(port) if timing.waited_for.contains(port) => {
                    Some((*first, last + 1))
                }
                _ => None,
            });
            let held: Vec<(u8, u8)> = held.collect();
            assert!(!held.is_empty(), "{arch}");
            assert!(
                held.iter().all(|held| *held == (0, PART_WORD_BUNDLES)),
                "{arch}"
            );
        }
    }

    #[test]
    fn patterns() {
        assert!(fits(b"vlda*.ups.*", b"vlda.2d.ups.s32.s16"));
        assert!(fits(b"MOV_?_to_*", b"MOV_e_to_r"));
        assert!(!fits(b"vlda", b"vlda.2d"));
    }
}
