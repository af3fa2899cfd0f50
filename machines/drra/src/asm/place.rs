//! Addresses: how many chunks each instruction has, which loops are linked, what labels are.
//!
//! What a link or label needs can make an instruction longer, which moves others. Instructions
//! only grow, so that it ends.

use std::collections::HashMap;

use aiec_diag::{Diag, Diags, Severity, Span, did_you_mean};
use aiec_isa::{Instruction, Set};

use super::AssembleOptions;
use super::code::{PendingCell, PendingContent, PendingInstruction, SettingValue};
use crate::codes;
use crate::fabric::MEMORY_CHUNKS;
use crate::layout::{DYNAMIC, EXTENSION, EXTRA, LINK, computed_links, least_chunks, most_chunks};
use crate::program::{CellProgram, CodeItem, InstructionValues, ItemContent};

/// The code of all cells with its addresses.
pub fn place(
    cells: &[PendingCell],
    set: &Set,
    options: AssembleOptions,
    diags: &mut Diags,
) -> Vec<CellProgram> {
    let mut all = Vec::new();
    for pending in cells.iter().filter(|cell| !cell.items.is_empty()) {
        let mut placer = CellPlacer::new(pending, set, options.compat, diags);
        placer.settle();
        placer.check(diags);
        all.push(placer.finish());
    }
    all
}

struct CellPlacer<'a> {
    set: &'a Set,
    pending: &'a PendingCell,
    /// An `extra` that is too small isn't an error.
    compat: bool,
    items: Vec<CodeItem>,
    /// Fields that take the address of a label: item, field and item of the label.
    references: Vec<(usize, usize, usize)>,
    /// For each item whether it has a `link` that the text doesn't set.
    links: Vec<bool>,
}

impl<'a> CellPlacer<'a> {
    fn new(
        pending: &'a PendingCell,
        set: &'a Set,
        compat: bool,
        diags: &mut Diags,
    ) -> CellPlacer<'a> {
        let labels: HashMap<&str, usize> = pending
            .items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| Some((item.label.as_deref()?, at)))
            .collect();
        let mut placer = CellPlacer {
            set,
            pending,
            compat,
            items: Vec::with_capacity(pending.items.len()),
            references: Vec::new(),
            links: Vec::with_capacity(pending.items.len()),
        };
        for (at, item) in pending.items.iter().enumerate() {
            let (content, link) = match &item.content {
                PendingContent::Raw(bits) => (ItemContent::Raw(*bits), false),
                PendingContent::Instruction(instruction) => {
                    let values = placer.values(at, instruction, item.span, &labels, diags);
                    let template = &set.instructions[instruction.instruction];
                    let link = template.field(LINK);
                    let link = link.is_some_and(|(at, _)| instruction.settings[at].is_none());
                    (ItemContent::Instruction(values), link)
                }
            };
            placer.links.push(link);
            placer.items.push(CodeItem {
                label: item.label.clone(),
                content,
                span: Some(item.span),
            });
        }
        placer
    }

    /// The values of an instruction, labels still missing.
    fn values(
        &mut self,
        at: usize,
        pending: &PendingInstruction,
        span: Span,
        labels: &HashMap<&str, usize>,
        diags: &mut Diags,
    ) -> InstructionValues {
        let instruction = &self.set.instructions[pending.instruction];
        let mut values = instruction.defaults();
        for (field, setting) in pending.settings.iter().enumerate() {
            let Some(setting) = setting else { continue };
            match &setting.value {
                SettingValue::Bits(bits) => {
                    if let Err(diag) =
                        self.set_bits(pending, field, *bits, setting.span, &mut values)
                    {
                        diags.push(diag);
                    }
                }
                SettingValue::Label(label) => match labels.get(label.as_str()) {
                    Some(target) => self.references.push((at, field, *target)),
                    None => diags.push(self.unknown_label(label, setting.span)),
                },
            }
        }
        let chunks = match instruction.field(EXTRA) {
            None => instruction.longest(),
            Some((extra, _)) => self.chunks(pending, instruction, extra, &values, span, diags),
        };
        InstructionValues {
            instruction: pending.instruction,
            values,
            chunks,
        }
    }

    /// Sets the bits of a field, and of the one that extends it.
    fn set_bits(
        &self,
        pending: &PendingInstruction,
        field: usize,
        bits: u64,
        span: Span,
        values: &mut [u64],
    ) -> Result<(), Diag> {
        let instruction = &self.set.instructions[pending.instruction];
        let template = &instruction.fields()[field];
        let upper = bits.checked_shr(template.bits).unwrap_or(0);
        if upper == 0 {
            values[field] = bits;
            return Ok(());
        }
        let Some((extension, _)) = instruction.field(&format!("{}{EXTENSION}", template.name))
        else {
            return Ok(());
        };
        let error = |message: String, help: &str| {
            Diag::error(&codes::EXTENSION, message)
                .label(span, "more than the field holds")
                .help(help)
        };
        let dynamic = instruction.field(&format!("{}{DYNAMIC}", template.name));
        if dynamic.is_some_and(|(dynamic, _)| is_one(pending, dynamic)) {
            let message = format!("{bits} is the number of no register");
            return Err(error(message, "registers go from 0 to 15"));
        }
        if pending.settings[extension].is_some() {
            let name = &instruction.fields()[extension].name;
            let message = format!("{} is {bits} and {name} is set too", template.name);
            return Err(error(message, "leave the extension out"));
        }
        values[field] = bits & template.mask();
        values[extension] = upper;
        Ok(())
    }

    /// Chunks of an instruction that says how many follow the first one.
    fn chunks(
        &self,
        pending: &PendingInstruction,
        instruction: &Instruction,
        extra: usize,
        values: &[u64],
        span: Span,
        diags: &mut Diags,
    ) -> u32 {
        let least = least_chunks(self.set, instruction, values);
        let Some(setting) = &pending.settings[extra] else {
            return least;
        };
        let SettingValue::Bits(given) = setting.value else {
            return least;
        };
        let most = most_chunks(instruction);
        let given = u32::try_from(given).unwrap_or(u32::MAX).saturating_add(1);
        if given > most {
            let message = format!(
                "extra is {}, {} has at most {} chunks",
                given - 1,
                instruction.name,
                most
            );
            diags.push(
                Diag::error(&codes::CHUNKS, message)
                    .label(setting.span, "too many")
                    .help(format!("at most {} chunks follow the first one", most - 1)),
            );
            return least;
        }
        if given < least {
            let message = format!(
                "extra is {}, but the fields that are set need {} more",
                given - 1,
                least - 1
            );
            let mut diag = Diag::error(&codes::CHUNKS, message)
                .label(setting.span, "too few")
                .label(span, format!("needs {least} chunks"))
                .help("leave extra out: the least is taken");
            if self.compat {
                diag.severity = Severity::Warning;
            }
            diags.push(diag);
        }
        given.max(least)
    }

    fn unknown_label(&self, label: &str, span: Span) -> Diag {
        let labels = self.pending.items.iter().filter_map(|i| i.label.as_deref());
        let help = match did_you_mean(label, labels) {
            Some(near) => format!("did you mean @{near}?"),
            None => "put the label in quotes in front of the instruction".to_owned(),
        };
        let cell = self.pending.cell;
        Diag::error(&codes::LABEL, format!("cell {cell} has no label {label}"))
            .label(span, "unknown")
            .help(help)
    }

    /// Gives labels, links and chunks their values until nothing changes.
    fn settle(&mut self) {
        loop {
            let addresses = self.addresses();
            for &(item, field, target) in &self.references {
                if let ItemContent::Instruction(values) = &mut self.items[item].content {
                    values.values[field] = addresses[target];
                }
            }
            self.link_loops();
            if !self.grow() {
                return;
            }
        }
    }

    fn addresses(&self) -> Vec<u64> {
        let mut next = 0;
        let address = |item: &CodeItem| {
            let address = next;
            next += u64::from(item.chunks());
            address
        };
        self.items.iter().map(address).collect()
    }

    /// Loops that end at one instruction are linked.
    fn link_loops(&mut self) {
        let links = computed_links(&self.items, self.set);
        for (at, item) in self.items.iter_mut().enumerate() {
            if let ItemContent::Instruction(values) = &mut item.content
                && let Some((link, _)) = self.set.instructions[values.instruction].field(LINK)
                && self.links[at]
            {
                values.values[link] = links[at];
            }
        }
    }

    /// Whether an instruction became longer.
    fn grow(&mut self) -> bool {
        let mut grown = false;
        for item in &mut self.items {
            let ItemContent::Instruction(values) = &mut item.content else {
                continue;
            };
            let template = &self.set.instructions[values.instruction];
            let least = least_chunks(self.set, template, &values.values);
            if values.chunks < least {
                values.chunks = least;
                grown = true;
            }
            if let Some((extra, _)) = template.field(EXTRA) {
                values.values[extra] = u64::from(values.chunks) - 1;
            }
        }
        grown
    }

    fn check(&self, diags: &mut Diags) {
        let chunks: u64 = self.items.iter().map(|item| u64::from(item.chunks())).sum();
        if chunks <= MEMORY_CHUNKS as u64 {
            return;
        }
        let addresses = self.addresses();
        let past = addresses
            .iter()
            .zip(&self.items)
            .find(|(at, item)| **at + u64::from(item.chunks()) > MEMORY_CHUNKS as u64);
        let message = format!(
            "the code of cell {} has {chunks} chunks, its memory {MEMORY_CHUNKS}",
            self.pending.cell
        );
        diags.push(
            Diag::error(&codes::MEMORY, message)
                .label(
                    past.and_then(|(_, item)| item.span),
                    "the first past the end",
                )
                .help("make it shorter: use loops, or leave out `extra` where fields are defaults"),
        );
    }

    fn finish(self) -> CellProgram {
        CellProgram {
            cell: self.pending.cell,
            items: self.items,
        }
    }
}

/// Whether the text sets a field to 1.
fn is_one(pending: &PendingInstruction, field: usize) -> bool {
    let setting = pending.settings[field].as_ref();
    setting.is_some_and(|setting| matches!(setting.value, SettingValue::Bits(1)))
}
