//! A program as text that assembles to the same bits again.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use aiec_isa::{Field, Instruction, Set};

use crate::encode;
use crate::fabric::CellId;
use crate::layout::{
    DYNAMIC, EXTENSION, EXTRA, LINK, computed_links, is_address_field, is_signed_field,
    least_chunks,
};
use crate::program::{
    CellProgram, DrraProgram, InstructionValues, ItemContent, MemoryKind, Variable,
};

/// Options of printing a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PrintOptions {
    /// Say after each instruction its address and chunks.
    pub annotate: bool,
}

/// The text of a program.
pub fn print(program: &DrraProgram, set: &Set, options: PrintOptions) -> String {
    let mut out = String::new();
    if !program.variables.is_empty() {
        out += ".DATA\n";
        for variable in &program.variables {
            out += &variable_line(variable);
        }
    }
    if !program.cells.is_empty() {
        out += ".CODE\n";
        let mut labels = program_labels(program);
        for cell in &program.cells {
            CellPrinter::new(cell, set, options, &mut labels).print(&mut out);
        }
    }
    if !program.relations.is_empty() {
        out += ".RELATION\n";
    }
    for relation in &program.relations {
        let [first, second] = relation.children.each_ref().map(|names| quoted(names));
        let (bulk, expand) = (u8::from(relation.bulk), u8::from(relation.expand));
        line(
            &mut out,
            format_args!(
                "\"{}\" 1 {bulk} [{first}] [{second}] {expand}",
                relation.name
            ),
        );
    }
    if !program.dependencies.is_empty() {
        out += ".DEPENDENCY\n";
    }
    for dependency in &program.dependencies {
        let high = match dependency.high {
            Some(high) => high.to_string(),
            None => "+INF".to_owned(),
        };
        let (source, destination) = (&dependency.source, &dependency.destination);
        let low = dependency.low;
        line(
            &mut out,
            format_args!("\"{source}\" \"{destination}\" {low} {high}"),
        );
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // writing to a string cannot fail
    let _ = writeln!(out, "{text}");
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    names.join(", ")
}

fn variable_line(variable: &Variable) -> String {
    let words = &variable.words;
    let all = |word| !words.is_empty() && words.iter().all(|w| *w == word);
    let contents = match () {
        () if all(0) => format!("ZEROS({})", words.len()),
        () if all(1) && !variable.fixed_point => format!("ONES({})", words.len()),
        () => {
            let words: Vec<String> = words.iter().map(i16::to_string).collect();
            format!("[{}]", words.join(", "))
        }
    };
    format!(
        "${} {} {} {} {} {contents}\n",
        variable.name,
        u8::from(variable.memory == MemoryKind::Sram),
        u8::from(variable.fixed_point),
        variable.cell.row,
        variable.cell.column,
    )
}

/// The labels that a program has.
fn program_labels(program: &DrraProgram) -> HashSet<String> {
    let items = program.cells.iter().flat_map(|cell| &cell.items);
    items.filter_map(|item| item.label.clone()).collect()
}

struct CellPrinter<'a> {
    cell: &'a CellProgram,
    set: &'a Set,
    options: PrintOptions,
    /// The label of each address that has one.
    labels: BTreeMap<u64, String>,
    links: Vec<u64>,
}

impl<'a> CellPrinter<'a> {
    fn new(
        cell: &'a CellProgram,
        set: &'a Set,
        options: PrintOptions,
        taken: &mut HashSet<String>,
    ) -> CellPrinter<'a> {
        let mut labels = BTreeMap::new();
        let starts: HashSet<u64> = cell.with_addresses().map(|(at, _)| at.into()).collect();
        for (address, item) in cell.with_addresses() {
            if let Some(label) = &item.label {
                labels.insert(u64::from(address), label.clone());
            }
        }
        for target in targets(cell, set).filter(|target| starts.contains(target)) {
            labels
                .entry(target)
                .or_insert_with(|| new_label(cell.cell, target, taken));
        }
        CellPrinter {
            cell,
            set,
            options,
            labels,
            links: computed_links(&cell.items, set),
        }
    }

    fn print(&self, out: &mut String) {
        line(out, format_args!("CELL {}", self.cell.cell));
        for (at, (address, item)) in self.cell.with_addresses().enumerate() {
            let label = self.labels.get(&u64::from(address));
            let label = label
                .map(|label| format!("\"{label}\" "))
                .unwrap_or_default();
            let text = match &item.content {
                ItemContent::Raw(bits) => format!(".word {bits:#x}"),
                ItemContent::Instruction(values) => self.instruction(values, self.links[at]),
            };
            if !self.options.annotate {
                line(out, format_args!("{label}{text}"))
            } else {
                let mut chunks = Vec::new();
                encode::append(&item.content, self.set, &mut chunks);
                let digits = self.set.chunk_bits.div_ceil(4) as usize;
                let chunks: Vec<String> = chunks.iter().map(|c| format!("{c:0digits$x}")).collect();
                let chunks = chunks.join(" ");
                line(out, format_args!("{label}{text}  # {address}: {chunks}"));
            }
        }
    }

    fn instruction(&self, values: &InstructionValues, link: u64) -> String {
        let instruction = &self.set.instructions[values.instruction];
        let mut operands = Vec::new();
        for (at, field) in instruction.fields().iter().enumerate() {
            let value = values.values.get(at).copied().unwrap_or(0);
            let usual = match field.name.as_str() {
                EXTRA => u64::from(least_chunks(self.set, instruction, &values.values)) - 1,
                LINK => link,
                _ => field.default_value(),
            };
            let joined = self.joined(instruction, values, field, value);
            let (value, is_usual) = match joined {
                JoinedValue::Alone => (value, value == usual),
                JoinedValue::Whole(whole) => (whole, false),
                JoinedValue::Said => continue,
            };
            if !is_usual {
                let value = self.value(instruction, field, value);
                operands.push(format!("{}={value}", field.name));
            }
        }
        format!("{} {}", instruction.name, operands.join(", "))
            .trim_end()
            .to_owned()
    }

    /// Written form of a field together with the one that extends it.
    fn joined(
        &self,
        instruction: &Instruction,
        values: &InstructionValues,
        field: &Field,
        value: u64,
    ) -> JoinedValue {
        let value_of = |name: &str| {
            let (at, field) = instruction.field(name)?;
            Some((values.values.get(at).copied()?, field))
        };
        let is_dynamic =
            |base: &str| value_of(&format!("{base}{DYNAMIC}")).is_some_and(|(value, _)| value != 0);
        if let Some(base) = field.name.strip_suffix(EXTENSION)
            && value_of(base).is_some()
            && !is_dynamic(base)
        {
            return JoinedValue::Said;
        }
        match value_of(&format!("{}{EXTENSION}", field.name)) {
            Some((upper, _)) if upper != 0 && !is_dynamic(&field.name) => {
                JoinedValue::Whole(value | upper.checked_shl(field.bits).unwrap_or(0))
            }
            _ => JoinedValue::Alone,
        }
    }

    fn value(&self, instruction: &Instruction, field: &Field, value: u64) -> String {
        if let Some(word) = field.word_of(value) {
            return word.to_owned();
        }
        if is_address_field(&field.name)
            && let Some(label) = self.labels.get(&value)
        {
            return format!("@\"{label}\"");
        }
        let half = 1u64.checked_shl(field.bits - 1).unwrap_or(0);
        if is_signed_field(&instruction.name, &field.name) && value >= half {
            return format!("-{}", field.mask() - value + 1);
        }
        value.to_string()
    }
}

/// A value over two fields.
enum JoinedValue {
    /// The field has no upper bits elsewhere.
    Alone,
    /// The value with the upper bits.
    Whole(u64),
    /// Upper bits, which the lower field has said.
    Said,
}

/// The addresses that instructions of a cell go to.
fn targets<'a>(cell: &'a CellProgram, set: &'a Set) -> impl Iterator<Item = u64> + 'a {
    cell.items.iter().flat_map(|item| {
        let values = match &item.content {
            ItemContent::Instruction(values) => Some(values),
            ItemContent::Raw(_) => None,
        };
        values.into_iter().flat_map(|values| {
            let fields = set.instructions[values.instruction].fields().iter();
            let fields = fields.zip(&values.values);
            // one of 0 is written without: an endpc that isn't set, and the first address
            let is_target =
                |(field, value): &(&Field, &u64)| is_address_field(&field.name) && **value != 0;
            fields.filter(is_target).map(|(_, value)| *value)
        })
    })
}

/// A label that the program doesn't have yet.
fn new_label(cell: CellId, address: u64, taken: &mut HashSet<String>) -> String {
    let mut label = format!("at_{}_{}_{address}", cell.row, cell.column);
    while !taken.insert(label.clone()) {
        label.push('_');
    }
    label
}
