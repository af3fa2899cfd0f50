//! Listings: a program as assembly that gives the same program again, with addresses, bytes and
//! source lines in comments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::bundle::{Bundle, Operand};
use crate::isa::{CoreIsa, OperandField, OperandKind, RelocationField};
use crate::object::{Binding, SectionKind};
use crate::program::{CoreProgram, ProgramSection, ProgramSymbol};
use crate::sweep::SweptPiece;

/// Column at which comments begin.
const COMMENT_COLUMN: usize = 56;
/// Bytes on a line of data.
const DATA_LINE_BYTES: usize = 16;
/// Zeros that are worth a `.space`.
const SPACE_BYTES: usize = 32;
/// A program as assembly. Bytes that don't decode, and bundles that can't be written as text, are
/// given as bytes, so that the listing assembles to the same program.
pub fn listing(program: &CoreProgram) -> String {
    let isa = CoreIsa::of(program.arch);
    let mut text = format!(
        "// machine code of an {} core, entry {:#x}\n",
        program.arch.name(),
        program.entry
    );
    let mut written = BTreeSet::new();
    for (index, section) in program.sections.iter().enumerate() {
        if section.kind == SectionKind::Unloaded || section.size == 0 {
            continue;
        }
        let symbols = symbols_of(program, index, &mut written);
        write_header(&mut text, section);
        match section.kind {
            SectionKind::Code => write_code(&mut text, isa, program, section, symbols),
            SectionKind::Zeros => {
                for symbol in symbols.values().flatten() {
                    let at = symbol.address.wrapping_sub(section.address);
                    let _ = writeln!(text, "// {} is {at} bytes on", symbol.name);
                }
                let _ = writeln!(text, "    .space {}", section.size);
            }
            _ => write_data(&mut text, section, &symbols),
        }
    }
    text
}

/// The symbols of a section by address; of several with one name the first.
fn symbols_of<'a>(
    program: &'a CoreProgram,
    index: usize,
    written: &mut BTreeSet<&'a str>,
) -> BTreeMap<u32, Vec<&'a ProgramSymbol>> {
    let mut symbols: BTreeMap<u32, Vec<&ProgramSymbol>> = BTreeMap::new();
    for symbol in &program.symbols {
        if symbol.section == Some(index) && is_label(&symbol.name) && written.insert(&symbol.name) {
            symbols.entry(symbol.address).or_default().push(symbol);
        }
    }
    symbols
}

/// Whether the assembler reads a name as one word.
fn is_label(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '@');
    name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit() || c == '@')
}

fn write_header(text: &mut String, section: &ProgramSection) {
    let flags = match section.kind {
        SectionKind::Code => "ax",
        SectionKind::Constants => "a",
        _ => "aw",
    };
    let name = &section.name;
    let _ = writeln!(text, "\n    .section \"{name}\", \"{flags}\"");
    let _ = writeln!(text, "    .org {:#x}", section.address);
}

fn write_labels(text: &mut String, symbols: &[&ProgramSymbol]) {
    for symbol in symbols {
        let name = &symbol.name;
        if symbol.binding != Binding::Local {
            let _ = writeln!(text, "    .globl {name}");
        }
        if symbol.is_function {
            let _ = writeln!(text, "    .type {name}, @function");
        }
        let _ = writeln!(text, "{name}:");
    }
}

/// A line with a comment.
fn write_line(text: &mut String, line: &str, comment: &str) {
    let width = COMMENT_COLUMN.max(line.len() + 2);
    let _ = writeln!(text, "{line:width$}// {comment}");
}

/// Whether an operand is an address in program memory.
fn is_code_address(isa: &CoreIsa, bundle: &Bundle, field: &OperandField) -> bool {
    let is_branch = bundle.slots.iter().any(|(_, instruction)| {
        let row = &isa.instructions[usize::from(instruction.instruction)];
        row.delay_slots > 0 && row.operands.iter().any(|known| std::ptr::eq(known, field))
    });
    let is_absolute = matches!(
        field.kind,
        OperandKind::Immediate {
            pc_relative: false,
            ..
        }
    );
    is_branch && is_absolute && RelocationField::Address20.bits() == field.width()
}

impl RelocationField {
    /// Width of the field in bits.
    fn bits(self) -> u32 {
        match self {
            RelocationField::Address20 | RelocationField::Data20 => 20,
            RelocationField::Signed(bits) | RelocationField::Unsigned(bits) => bits.into(),
            RelocationField::Immediate32 | RelocationField::Data32 => 32,
        }
    }
}

fn write_code(
    text: &mut String,
    isa: &CoreIsa,
    program: &CoreProgram,
    section: &ProgramSection,
    mut symbols: BTreeMap<u32, Vec<&ProgramSymbol>>,
) {
    let pieces = pieces_of(isa, section);
    let starts: BTreeSet<u32> = pieces.iter().map(|(address, _)| *address).collect();
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    for target in branch_targets(isa, &pieces) {
        if starts.contains(&target) {
            names.insert(target, format!(".L_{target:x}"));
        }
    }
    for (address, known) in &symbols {
        let function = known.iter().find(|symbol| symbol.is_function);
        names.insert(*address, function.unwrap_or(&known[0]).name.clone());
    }
    let name_of = |address: i32| names.get(&u32::try_from(address).ok()?).cloned();
    let mut source = (usize::MAX, 0);
    for (address, piece) in &pieces {
        if let Some(known) = symbols.remove(address) {
            text.push('\n');
            write_labels(text, &known);
        } else if let Some(name) = names.get(address) {
            let _ = writeln!(text, "{name}:");
        }
        let location = program
            .lines
            .partition_point(|line| line.address <= *address);
        if let Some(line) = location.checked_sub(1).map(|at| program.lines[at])
            && line.line != 0
            && source != (line.file, line.line)
        {
            source = (line.file, line.line);
            let file = program.files.get(line.file).map_or("?", String::as_str);
            let _ = writeln!(text, "// {file}:{}", line.line);
        }
        let at = (address - section.address) as usize;
        let bytes = &section.bytes[at..at + piece.length()];
        match piece {
            SweptPiece::Bundle(bundle) => {
                let written = isa.bundle_text_with(bundle, &|field, value| {
                    if is_code_address(isa, bundle, field) {
                        name_of(value)
                    } else {
                        None
                    }
                });
                let digits = hex(bytes);
                if is_writable(bundle) {
                    let line = format!("    {written}");
                    write_line(text, &line, &format!("{address:#x}: {digits}"));
                } else {
                    let _ = writeln!(text, "// {written}");
                    write_line(text, &byte_line(bytes), &format!("{address:#x}"));
                }
            }
            SweptPiece::Fill(_) => {
                let comment = format!("{address:#x}: fill");
                write_line(text, &byte_line(bytes), &comment);
            }
            SweptPiece::Unknown(_) => {
                write_line(text, &byte_line(bytes), &format!("{address:#x}: no bundle"));
            }
        }
    }
    for known in symbols.values() {
        for symbol in known {
            let _ = writeln!(text, "// {} is at {:#x}", symbol.name, symbol.address);
        }
    }
}

/// The pieces of a section with their addresses.
fn pieces_of(isa: &CoreIsa, section: &ProgramSection) -> Vec<(u32, SweptPiece)> {
    let pieces = isa.sweep(&section.bytes, section.address);
    pieces
        .map(|(at, piece)| (section.address.wrapping_add(at as u32), piece))
        .collect()
}

/// Addresses that branches go to.
fn branch_targets(isa: &CoreIsa, pieces: &[(u32, SweptPiece)]) -> BTreeSet<u32> {
    let mut targets = BTreeSet::new();
    for (_, piece) in pieces {
        let SweptPiece::Bundle(bundle) = piece else {
            continue;
        };
        for (_, instruction) in &bundle.slots {
            let row = &isa.instructions[usize::from(instruction.instruction)];
            for (field, operand) in row.operands.iter().zip(&instruction.operands) {
                if let Operand::Immediate(value) = operand
                    && is_code_address(isa, bundle, field)
                {
                    targets.extend(u32::try_from(*value));
                }
            }
        }
    }
    targets
}

/// Whether a bundle's text gives its bytes again: it ignores no bits that are set, and names no
/// register by its code.
fn is_writable(bundle: &Bundle) -> bool {
    bundle.slots.iter().all(|(_, instruction)| {
        let mut operands = instruction.operands.iter();
        instruction.ignored == 0 && !operands.any(|operand| matches!(operand, Operand::Code(_)))
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn byte_line(bytes: &[u8]) -> String {
    let numbers: Vec<_> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
    format!("    .byte {}", numbers.join(", "))
}

fn write_data(
    text: &mut String,
    section: &ProgramSection,
    symbols: &BTreeMap<u32, Vec<&ProgramSymbol>>,
) {
    let base = section.address;
    let end = section.bytes.len();
    let mut at = 0;
    while at < end {
        let address = base.wrapping_add(at as u32);
        if let Some(known) = symbols.get(&address) {
            write_labels(text, known);
        }
        let next = symbols.range(address.saturating_add(1)..).next();
        let until = next.map_or(end, |(next, _)| end.min((next - base) as usize));
        let rest = &section.bytes[at..until];
        let zeros = rest.iter().take_while(|byte| **byte == 0).count();
        if zeros >= SPACE_BYTES {
            write_line(
                text,
                &format!("    .space {zeros}"),
                &format!("{address:#x}"),
            );
            at += zeros;
            continue;
        }
        let line = &rest[..rest.len().min(DATA_LINE_BYTES)];
        write_line(text, &byte_line(line), &format!("{address:#x}"));
        at += line.len();
    }
    let beyond = (section.size as usize).saturating_sub(end);
    if beyond > 0 {
        let _ = writeln!(text, "    .space {beyond}");
    }
}

#[cfg(test)]
mod tests {
    use aiec_diag::FileId;

    use super::*;
    use crate::arch::CoreArch;
    use crate::asm::assemble;
    use crate::elf::read_program;
    use crate::link::{LinkOptions, link};

    /// Assembles and links a listing.
    fn again(program: &CoreProgram) -> CoreProgram {
        let text = listing(program);
        let object = match assemble(program.arch, "listing", FileId(0), &text) {
            Ok(object) => object,
            Err(findings) => panic!("{}\n{text}", findings[0].message),
        };
        match link(&[object], &LinkOptions::default()) {
            Ok(program) => program,
            Err(findings) => panic!("{}\n{text}", findings[0].message),
        }
    }

    /// Loaded sections without those of zeros only: address, kind, contents.
    fn contents(program: &CoreProgram) -> Vec<(u32, SectionKind, Vec<u8>)> {
        let loaded = program
            .sections
            .iter()
            .filter(|section| section.kind != SectionKind::Unloaded && section.size > 0);
        let mut contents: Vec<_> = loaded
            .map(|section| (section.address, section.kind, section.bytes.clone()))
            .collect();
        contents.sort_by_key(|(address, ..)| *address);
        contents
    }

    #[test]
    fn a_listing_assembles_to_its_program() {
        for arch in CoreArch::ALL {
            let text = "
                .globl main
            main:
                movxm p0, #table
                jz r0, #skip
                nop
                nop
                nop
                nop
                nop
                jl #main
            skip:
                ret lr
                .data
            table: .word 1, main
                .space 100
                .bss
                .space 64
            ";
            let object = assemble(arch, "test", FileId(0), text).expect("right");
            let program = link(&[object], &LinkOptions::default()).expect("linked");
            assert_eq!(contents(&again(&program)), contents(&program));
            assert!(listing(&program).contains("jl #main "));
        }
    }

    /// The core's program of mlir-aie's tests that the containers' vectors have.
    #[test]
    fn a_vendor_program_is_listed_whole() {
        let path =
            crate::golden_tests::vectors().join("../containers/design/core_npu1_1col/core_0_2.elf");
        let program = read_program(&std::fs::read(path).expect("the vector")).expect("a program");
        let text = listing(&program);
        assert!(!text.contains("no bundle"), "{text}");
        assert_eq!(contents(&again(&program)), contents(&program));
        let location = program.locate(program.address_of("core_0_2").expect("a function") + 4);
        assert_eq!(location.function.as_deref(), Some("core_0_2"));
    }
}
