//! `aiec isa -t aie2-core`: the instructions of cores' machine code, as a page and for programs.

use std::fmt::Write;

use aiec_core::{
    CoreArch, CoreIsa, ImmediateSign, Instruction, OperandField, OperandKind, Slot, TextPart,
};
use serde_json::{Value, json};

/// Ending of the names of targets.
const SUFFIX: &str = "-core";

/// The names of the targets.
pub const TARGETS: [&str; 3] = ["aie2-core", "aie2p-core", "aie2ps-core"];

/// The architecture of a target.
pub fn arch(target: &str) -> Option<CoreArch> {
    CoreArch::of_name(target.strip_suffix(SUFFIX)?)
}

/// The page: a table for each slot.
pub fn markdown(arch: CoreArch) -> String {
    let isa = CoreIsa::of(arch);
    let mut text = format!(
        "# Machine code of {arch} cores\n\n\
         A bundle has up to one instruction in each slot. Bits are those of the slot, fixed bits first; an operand is a register \
         of its class or an immediate: `s7` is signed with 7 bits, `u` without sign, `n` always negative; `*4` counts 4 bytes.\n"
    );
    for slot in Slot::ALL {
        let instructions: Vec<&Instruction> = of_slot(isa, slot).collect();
        if instructions.is_empty() {
            continue;
        }
        // Writing to a text can't fail.
        let _ = write!(
            text,
            "\n## Slot `{}`, {} bits\n\n| instruction | operands | accesses | fixed bits | name in llvm-aie |\n\
             | --- | --- | --- | --- | --- |\n",
            slot.name(),
            isa.slot_width(slot)
        );
        for instruction in instructions {
            let operands = instruction.operands.iter();
            let operands: Vec<String> = operands
                .map(|field| format!("`{}`: {}", field.name, operand_words(isa, field)))
                .collect();
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | `{:#x}/{:#x}` | {} |",
                syntax(instruction).replace('|', "\\|"),
                operands.join(", "),
                access(instruction),
                instruction.fixed,
                instruction.mask,
                instruction.name
            );
        }
    }
    text
}

/// Machine-readable form of the page.
pub fn json(arch: CoreArch) -> Value {
    let isa = CoreIsa::of(arch);
    let slots: Vec<Value> = Slot::ALL
        .iter()
        .map(|slot| json!({ "name": slot.name(), "bits": isa.slot_width(*slot) }))
        .collect();
    let instruction = |instruction: &Instruction| {
        let operands = instruction.operands.iter();
        let operands: Vec<Value> = operands.map(|field| operand_json(isa, field)).collect();
        json!({
            "name": instruction.name,
            "slot": instruction.slot.name(),
            "mnemonic": instruction.mnemonic,
            "syntax": syntax(instruction),
            "fixed": instruction.fixed,
            "mask": instruction.mask,
            "operands": operands,
            "bytes": instruction.memory.map(|memory| memory.bytes),
            "loads": instruction.is_load,
            "stores": instruction.is_store,
            "delay_slots": instruction.delay_slots,
        })
    };
    let instructions: Vec<Value> = isa.instructions.iter().map(instruction).collect();
    json!({ "arch": arch.name(), "slots": slots, "instructions": instructions })
}

/// The JSON schema of [`json()`].
pub fn schema() -> Value {
    let number = json!({ "type": "integer", "minimum": 0 });
    let text = json!({ "type": "string" });
    let object = |properties: Value| {
        let required: Vec<&String> = properties
            .as_object()
            .map_or(Vec::new(), |p| p.keys().collect());
        json!({ "type": "object", "required": required, "properties": properties })
    };
    let list = |items: Value| json!({ "type": "array", "items": items });
    let operand = object(json!({
        "name": text,
        "class": { "type": ["string", "null"] },
        "immediate": { "type": ["string", "null"] },
        "bits": list(list(number.clone())),
    }));
    let instruction = object(json!({
        "name": text,
        "slot": text,
        "mnemonic": text,
        "syntax": text,
        "fixed": number,
        "mask": number,
        "operands": list(operand),
        "bytes": { "type": ["integer", "null"] },
        "loads": { "type": "boolean" },
        "stores": { "type": "boolean" },
        "delay_slots": number,
    }));
    let mut schema = object(json!({
        "arch": text,
        "slots": list(object(json!({ "name": text, "bits": number }))),
        "instructions": list(instruction),
    }));
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Instructions of cores");
    schema
}

/// The instructions of a slot, as the table has them.
fn of_slot(isa: &CoreIsa, slot: Slot) -> impl Iterator<Item = &Instruction> {
    let instructions = isa.instructions.iter();
    instructions.filter(move |instruction| instruction.slot == slot)
}

/// The text of an instruction, operands by their names.
fn syntax(instruction: &Instruction) -> String {
    let mut text = String::new();
    for part in &instruction.text {
        match part {
            TextPart::Literal(literal) => text += literal,
            TextPart::Operand(index) => {
                let field = instruction.operands.get(usize::from(*index));
                text += field.map_or("?", |field| field.name);
            }
        }
    }
    text
}

/// The class of an operand's registers, if it is one.
fn class(isa: &CoreIsa, field: &OperandField) -> Option<&'static str> {
    match field.kind {
        OperandKind::Register { class } => Some(isa.class(class).name),
        OperandKind::Unconfirmed { class } => Some(class),
        OperandKind::Immediate { .. } => None,
    }
}

/// The form of an immediate, if the operand is one: `s7*4`.
fn immediate(field: &OperandField) -> Option<String> {
    let OperandKind::Immediate {
        sign,
        scale,
        pc_relative,
    } = field.kind
    else {
        return None;
    };
    let sign = match sign {
        ImmediateSign::Signed => "s",
        ImmediateSign::Unsigned => "u",
        ImmediateSign::Negative => "n",
    };
    let mut text = format!("{sign}{}", field.width());
    if scale > 1 {
        text += &format!("*{scale}");
    }
    if pc_relative {
        text += " from the bundle";
    }
    Some(text)
}

fn operand_words(isa: &CoreIsa, field: &OperandField) -> String {
    match (class(isa, field), immediate(field)) {
        (Some(class), _) if matches!(field.kind, OperandKind::Unconfirmed { .. }) => {
            format!("{class} (unconfirmed codes)")
        }
        (Some(class), _) => class.to_string(),
        (None, immediate) => immediate.unwrap_or_default(),
    }
}

fn operand_json(isa: &CoreIsa, field: &OperandField) -> Value {
    json!({
        "name": field.name,
        "class": class(isa, field),
        "immediate": immediate(field),
        "bits": field.segments.iter().map(|(lsb, width)| [*lsb, *width]).collect::<Vec<_>>(),
    })
}

/// The bytes that an instruction loads or stores.
fn access(instruction: &Instruction) -> String {
    let Some(memory) = instruction.memory else {
        return String::new();
    };
    let what = match (instruction.is_load, instruction.is_store) {
        (true, true) => "loads and stores",
        (true, false) => "loads",
        (false, true) => "stores",
        (false, false) => "accesses",
    };
    format!("{what} {} bytes", memory.bytes)
}
