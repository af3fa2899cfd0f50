//! A bundle's instructions put together: one for each slot, in the shortest format.

use smallvec::SmallVec;

use super::instruction::{self, Parsed};
use super::lexer::{Token, Word};
use super::{Assembler, codes};
use crate::bundle::{Bundle, EncodeError};
use crate::isa::{CoreIsa, Format, OperandField, OperandKind, Slot, SlotSet};
use crate::object::SectionKind;

/// Most sets of slots that are tried for one bundle.
const MAX_CHOICES: usize = 256;

/// The instructions chosen for a bundle and its format.
struct ChosenBundle<'a> {
    format: usize,
    instructions: Vec<Parsed<'a>>,
}

impl Assembler<'_> {
    /// Reads a bundle.
    pub(super) fn bundle(&mut self, words: &[Word<'_>]) {
        let (Some(first), Some(last)) = (words.first(), words.last()) else {
            return;
        };
        let (start, end) = (first.start, last.end);
        if self.sections[self.current].kind != SectionKind::Code {
            let name = self.sections[self.current].name.clone();
            self.refuse(
                &codes::PLACE,
                start,
                end,
                format!("a bundle can't be in section `{name}`"),
                "begin a code section with `.text`",
            );
            return;
        }
        let parts = words.split(|word| word.token == Token::Mark(';'));
        let mut candidates = Vec::new();
        let mut failed = false;
        for part in parts.filter(|part| !part.is_empty()) {
            let constants = &self.constants;
            match instruction::parse(self.isa, part, &|name| constants.get(name).copied()) {
                Ok(found) => candidates.push(found),
                Err(problem) => {
                    failed = true;
                    self.refuse(
                        problem.code,
                        problem.start,
                        problem.end,
                        problem.message,
                        problem.help,
                    );
                }
            }
        }
        if failed {
            return;
        }
        match choose(self.isa, &candidates) {
            Some(chosen) => self.add_bundle(&chosen, start, end),
            None => {
                let message = self.no_format_message(&candidates);
                self.refuse(
                    &codes::NO_FORMAT,
                    start,
                    end,
                    message,
                    "move one of the instructions to a bundle of its own",
                );
            }
        }
    }

    fn no_format_message(&self, candidates: &[Vec<Parsed<'_>>]) -> String {
        let slots: Vec<_> = candidates
            .iter()
            .filter_map(|found| found.first())
            .map(|parsed| self.isa.slot_of(parsed).name())
            .collect();
        let mut unique = slots.clone();
        unique.sort_unstable();
        match unique.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => format!("two instructions of this bundle need slot {}", pair[0]),
            None => format!("no format has the slots {} together", slots.join(", ")),
        }
    }

    fn add_bundle(&mut self, chosen: &ChosenBundle<'_>, start: usize, end: usize) {
        let isa = self.isa;
        let format = &isa.formats[chosen.format];
        let mut bundle = Bundle {
            format: chosen.format as u16,
            length: format.bytes,
            slots: SmallVec::new(),
        };
        let offset = self.sections[self.current].size;
        for (slot, lsb) in &format.slots {
            let parsed = chosen
                .instructions
                .iter()
                .find(|parsed| isa.slot_of(parsed) == *slot);
            let Some(parsed) = parsed else {
                bundle.slots.extend(isa.nop(*slot).map(|nop| (*slot, nop)));
                continue;
            };
            let row = &isa.instructions[usize::from(parsed.instruction.instruction)];
            for (operand, value) in &parsed.symbols {
                let field = &row.operands[*operand];
                match (isa.relocation_of(format, *lsb, field), value.symbol) {
                    (Some(number), Some(symbol)) => {
                        self.relocate(offset, number, symbol, value.number);
                    }
                    _ => self.refuse(
                        &codes::NO_RELOCATION,
                        value.start,
                        value.end,
                        format!(
                            "no relocation of {} patches this field of `{}`",
                            isa.arch, row.mnemonic
                        ),
                        "load the address with `movxm` into a register",
                    ),
                }
            }
            bundle.slots.push((*slot, parsed.instruction.clone()));
        }
        match isa.encode(&bundle) {
            Ok(bytes) => {
                self.add_line();
                self.append(&bytes);
            }
            Err(error) => self.refuse(code_of(&error), start, end, error.to_string(), ""),
        }
    }
}

fn code_of(error: &EncodeError) -> &'static aiec_diag::Code {
    match error {
        EncodeError::WrongImmediate { .. } => &codes::OUT_OF_RANGE,
        EncodeError::Unconfirmed { .. } => &codes::UNCONFIRMED,
        EncodeError::WrongOperands { .. } | EncodeError::WrongRegister { .. } => {
            &codes::WRONG_OPERANDS
        }
    }
}

/// Chooses one of each instruction's candidates so that all have a slot; of several ways the first
/// with the shortest bundle.
fn choose<'a>(isa: &CoreIsa, candidates: &[Vec<Parsed<'a>>]) -> Option<ChosenBundle<'a>> {
    let mut ways: Vec<(SlotSet, Vec<usize>)> = vec![(SlotSet::default(), Vec::new())];
    for found in candidates {
        let mut longer = Vec::new();
        for (slots, indices) in &ways {
            for (index, parsed) in found.iter().enumerate() {
                let slot = isa.slot_of(parsed);
                if !slots.contains(slot) && longer.len() < MAX_CHOICES {
                    let mut indices = indices.clone();
                    indices.push(index);
                    longer.push((slots.with(slot), indices));
                }
            }
        }
        ways = longer;
    }
    let with_formats = ways.into_iter().filter_map(|(slots, indices)| {
        let format = isa
            .exact_format(slots)
            .or_else(|| isa.shortest_format(slots))?;
        Some((format, indices))
    });
    let (format, indices) = with_formats.min_by_key(|(format, _)| isa.formats[*format].bytes)?;
    let chosen = candidates.iter().zip(indices);
    Some(ChosenBundle {
        format,
        instructions: chosen.map(|(found, index)| found[index].clone()).collect(),
    })
}

impl CoreIsa {
    fn slot_of(&self, parsed: &Parsed<'_>) -> Slot {
        self.instructions[usize::from(parsed.instruction.instruction)].slot
    }

    /// The relocation that patches a field of the slot at bit `lsb` of bundles of this format.
    fn relocation_of(&self, format: &Format, lsb: u8, field: &OperandField) -> Option<u32> {
        let OperandKind::Immediate {
            scale: 1,
            pc_relative,
            ..
        } = field.kind
        else {
            return None;
        };
        let mut places: SmallVec<[(u8, u8, u8); 2]> = SmallVec::new();
        let mut value_lsb = 0;
        for (slot_lsb, width) in &field.segments {
            places.push((lsb + slot_lsb, value_lsb, *width));
            value_lsb += width;
        }
        places.sort_unstable();
        let mut relocations = self.relocations.iter();
        let found = relocations.find(|relocation| {
            let mut segments = relocation.segments.clone();
            segments.sort_unstable();
            relocation.bytes == format.bytes
                && relocation.pc_relative == pc_relative
                && relocation.is_in_bundle()
                && segments == places
        });
        found.map(|relocation| relocation.number)
    }
}
