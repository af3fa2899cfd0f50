//! Chunks to text that gives the same chunks again.

use std::fmt::Write;

use aiec_diag::{Diag, Diags};

use crate::command::Command;
use crate::memory_map::PERF_COUNTERS;
use crate::register::{self, FieldForm, MODE_PER_CORE, MODES, PERM_LETTERS, RegisterField};
use crate::table::{FLAGS, Kind, opcode};
use crate::unit::Unit;
use crate::{CHUNK_BYTES, Reading, check, codes, dma};

/// Width of the column of mnemonics.
const MNEMONIC_WIDTH: usize = 17;

/// Options of the disassembler.
#[derive(Clone, Copy, Debug, Default)]
pub struct DisOptions {
    /// Which reading of the platform holds.
    pub reading: Reading,
    /// Say the offset and the chunks after each line.
    pub annotate: bool,
}

/// The text of a buffer's bytes, and findings about them. Chunks that don't decode are kept as
/// `.quad`; bytes after the last whole chunk are an error, as text can't hold them.
pub fn disassemble(bytes: &[u8], options: DisOptions) -> (String, Diags) {
    let (chunks, rest) = crate::chunks_of(bytes);
    let mut diags = Diags::new();
    if rest > 0 {
        diags.push(odd_length(bytes.len()));
    }
    for finding in check::check(&chunks, options.reading) {
        diags.push(finding.at_offset());
    }
    let mut text = String::new();
    let mut at = 0;
    let mut finished = false;
    while let Some(left) = chunks.get(at..).filter(|left| !left.is_empty()) {
        let command = if finished {
            None
        } else {
            Command::decode(left, options.reading).ok()
        };
        let line = command
            .as_ref()
            .and_then(|command| exact_line(command, left));
        let count = match (&line, &command) {
            (Some(_), Some(command)) => command.chunks() as usize,
            _ => 1,
        };
        finished |= command.is_some_and(|c| c.opcode() == opcode::FINISH);
        let whole = left.get(..count).unwrap_or(left);
        let line = line.unwrap_or_else(|| quads(whole));
        // writing to a string cannot fail
        let _ = if options.annotate {
            writeln!(text, "{line:<64} ; {}", annotation(at, whole))
        } else {
            writeln!(text, "{line}")
        };
        at += count;
    }
    (text, diags)
}

/// Offset and chunks of a command.
fn annotation(at: usize, chunks: &[u64]) -> String {
    let words: Vec<String> = chunks.iter().map(|c| format!("{c:016x}")).collect();
    format!("0x{:04x}: {}", at as u64 * CHUNK_BYTES, words.join(" "))
}

fn quads(chunks: &[u64]) -> String {
    let words: Vec<String> = chunks.iter().map(|c| format!("0x{c:x}")).collect();
    format!("{:<MNEMONIC_WIDTH$} {}", ".quad", words.join(", "))
}

/// The error for a length that isn't a multiple of a chunk.
pub fn odd_length(bytes: usize) -> Diag {
    let message = format!("{bytes} bytes aren't whole chunks of {CHUNK_BYTES}");
    let help = "a command buffer is chunks and nothing else: is the file cut short?";
    Diag::error(&codes::LENGTH, message).help(help)
}

/// The line of a command, if assembling it gives these chunks again.
fn exact_line(command: &Command, chunks: &[u64]) -> Option<String> {
    let mut again = Vec::new();
    command.append_to(&mut again);
    let same = chunks.get(..again.len()) == Some(&again) && again.len() as u64 == command.chunks();
    same.then(|| line(command))
}

/// The line of a command.
pub fn line(command: &Command) -> String {
    let kinds = command.info.kinds.iter();
    let count = match command.opcode() {
        opcode::FINISH if command.values[0] == 0 => 0,
        opcode::RUN_INSTANCES => 3 + command.arguments().len(),
        _ => command.info.kinds.len(),
    };
    let register = command.values[0];
    let operands: Vec<String> = kinds
        .zip(&command.values)
        .take(count)
        .map(|(kind, value)| operand(*kind, *value, register))
        .collect();
    let line = format!(
        "{:<MNEMONIC_WIDTH$} {}",
        command.name(),
        operands.join(", ")
    );
    line.trim_end().to_owned()
}

fn operand(kind: Kind, value: u64, register: u64) -> String {
    match kind {
        Kind::Register => match register::info(value) {
            Some(_) => register::Name(value).to_string(),
            None => value.to_string(),
        },
        Kind::RegisterValue => register_value(register, value),
        Kind::Address => address(value),
        Kind::Unit => Unit::of(value).map_or_else(|| number(value), |unit| unit.to_string()),
        Kind::Flags => flags(value),
        Kind::Count => value.to_string(),
        Kind::Number => number(value),
    }
}

/// A number: hexadecimal from 10 on.
pub fn number(value: u64) -> String {
    match value {
        0..=9 => value.to_string(),
        _ => format!("0x{value:x}"),
    }
}

/// An address: a register of the DMA controller by name, a counter as a sum.
pub fn address(at: u64) -> String {
    if let Some(name) = dma::name_at(at) {
        return name.to_owned();
    }
    match at.checked_sub(PERF_COUNTERS.base) {
        Some(0) => PERF_COUNTERS.name.to_owned(),
        Some(offset) if offset < PERF_COUNTERS.bytes => {
            format!("{} + 0x{offset:x}", PERF_COUNTERS.name)
        }
        _ => number(at),
    }
}

fn flags(value: u64) -> String {
    let all = (1 << FLAGS.len()) - 1;
    if value == 0 || value & !all != 0 {
        return number(value);
    }
    let names = FLAGS.iter().enumerate();
    let names: Vec<&str> = names
        .filter(|(bit, _)| value >> bit & 1 == 1)
        .map(|(_, name)| *name)
        .collect();
    names.join("|")
}

/// The value of a register: by field where it has several and every bit has a name.
pub fn register_value(id: u64, value: u64) -> String {
    let Some(row) = register::info(id) else {
        return number(value);
    };
    let named = value & register::reserved_bits(row) == 0;
    if value == 0 || row.fields.len() == 1 || !named {
        return number(value);
    }
    let shown = |field: &&RegisterField| {
        field.of(value) != 0 || field.form == FieldForm::LessOne || field.form == FieldForm::Mode
    };
    let mut parts = Vec::new();
    for field in row.fields.iter().filter(shown) {
        let encoded = field.of(value);
        let text = match field.form {
            FieldForm::Mode if encoded > MODE_PER_CORE => return number(value),
            FieldForm::Mode => MODES
                .get(encoded as usize)
                .map_or_else(String::new, |m| (*m).to_owned()),
            FieldForm::Perms => {
                let letters = PERM_LETTERS.iter().enumerate();
                letters
                    .filter(|(bit, _)| encoded >> bit & 1 == 1)
                    .map(|(_, c)| c)
                    .collect()
            }
            _ => number(field.decode(encoded)),
        };
        parts.push(format!("{}={text}", field.name));
    }
    parts.join(" ")
}
