//! The assembler checked with compiled code and to every kind of wrong line.

use aiec_diag::{FileId, SourceFile};

use super::*;
use crate::bundle::Operand;
use crate::golden_tests::{compiled_bundles, golden_bundles};
use crate::isa::{OperandKind, TextPart};

fn assembled(arch: CoreArch, text: &str) -> Vec<u8> {
    match assemble(arch, "test", FileId(0), text) {
        Ok(object) => object.sections[0].bytes.clone(),
        Err(findings) => panic!(
            "{text}\n{:?}",
            findings.iter().map(|f| &f.message).collect::<Vec<_>>()
        ),
    }
}

#[test]
fn texts_name_every_operand() {
    for arch in CoreArch::ALL {
        for row in &CoreIsa::of(arch).instructions {
            for index in 0..row.operands.len() {
                let part = TextPart::Operand(index as u8);
                assert!(row.text.contains(&part), "{arch} {}", row.name);
            }
        }
    }
}

#[test]
fn texts_of_compiled_bundles_assemble_to_the_same_bytes() {
    let isa = CoreIsa::of(CoreArch::Aie2);
    let code = compiled_bundles();
    let mut text = String::new();
    let mut rest = &code[..];
    while !rest.is_empty() {
        let bundle = isa.decode(rest).expect("a bundle");
        text += &isa.bundle_text(&bundle);
        text += "\n";
        rest = &rest[usize::from(bundle.length)..];
    }
    let again = assembled(CoreArch::Aie2, &text);
    if again != code {
        let mut at = 0;
        for line in text.lines() {
            let bytes = assembled(CoreArch::Aie2, line);
            let length = isa.decode(&code[at..]).map_or(0, |b| usize::from(b.length));
            assert_eq!(bytes, &code[at..at + length], "{line}");
            at += length;
        }
    }
    assert!(again == code);
}

#[test]
fn golden_texts_assemble_to_their_bytes() {
    for (arch, bytes, _, text) in golden_bundles() {
        let isa = CoreIsa::of(arch);
        let mut bundle = isa.decode(&bytes).expect("a bundle");
        for (_, instruction) in &mut bundle.slots {
            instruction.ignored = 0;
        }
        let expected = isa.encode(&bundle).expect("bytes");
        assert_eq!(assembled(arch, &text), expected.to_vec(), "{arch} {text}");
    }
}

/// Every instruction that can be encoded, with random operands: its text assembles to its bytes.
#[test]
fn texts_of_every_instruction_assemble_to_their_bytes() {
    let mut random = fastrand::Rng::with_seed(3);
    for arch in CoreArch::ALL {
        let isa = CoreIsa::of(arch);
        for (index, row) in isa.instructions.iter().enumerate() {
            if row.unconfirmed_operand().is_some() {
                continue;
            }
            let operands = row.operands.iter().map(|field| match field.kind {
                OperandKind::Register { class } => {
                    let registers: Vec<_> = isa.class(class).registers().collect();
                    Operand::Register(registers[random.usize(..registers.len())])
                }
                OperandKind::Immediate { sign, scale, .. } => {
                    let (least, greatest, step) =
                        crate::immediate_range(sign, scale, field.width());
                    Operand::Immediate((random.i64(least / step..=greatest / step) * step) as i32)
                }
                OperandKind::Unconfirmed { .. } => Operand::Code(0),
            });
            let instruction = crate::SlotInstruction {
                instruction: index as u16,
                operands: operands.collect(),
                ignored: 0,
            };
            let text = isa.instruction_text(&instruction);
            let bytes = assembled(arch, &text);
            let bundle = isa.decode(&bytes).expect(&text);
            let found = bundle.slots.iter().find(|(slot, _)| *slot == row.slot);
            assert_eq!(
                found.map(|(_, found)| found),
                Some(&instruction),
                "{arch} {text}"
            );
        }
    }
}

/// Line, column, code and message of the first finding.
fn refused(arch: CoreArch, text: &str) -> String {
    let findings = assemble(arch, "test", FileId(0), text).expect_err("wrong");
    let source = SourceFile::new("test", text);
    let finding = &findings[0];
    let (line, column) = source.line_col(finding.span().map_or(0, |span| span.start));
    assert!(finding.help.is_some(), "{}", finding.message);
    format!("{line}:{column} {} {}", finding.code.id, finding.message)
}

#[test]
fn wrong_lines_are_refused_with_their_place() {
    let cases = [
        (
            "ad r0, r1, r2",
            "1:1 core-asm::unknown-instruction aie2 has no instruction `ad`",
        ),
        (
            "add r0, r1",
            "1:11 core-asm::wrong-operands `,` is missing here",
        ),
        (
            "add r0, p1, r2",
            "1:9 core-asm::wrong-operands `p1` can't be this operand",
        ),
        (
            "add r0, r1, #64",
            "1:14 core-asm::out-of-range 64 does not fit the field `c7s`",
        ),
        (
            "nop\n  add r0, r1, #",
            "2:15 core-asm::wrong-operands a number or the name of a symbol is missing here",
        ),
        (
            "add r0, r1, r2 r3",
            "1:16 core-asm::wrong-operands the instruction has no further operand",
        ),
        (
            "add r0, r1, r2; sub r3, r4, r5",
            "1:1 core-asm::no-format two instructions of this bundle need slot alu",
        ),
        (
            "lda r0, [p0, #3]",
            "1:15 core-asm::out-of-range 3 does not fit the field `imm`",
        ),
        ("a:\na: nop", "2:1 core-asm::symbol `a` is defined twice"),
        (".wrod 1", "1:1 core-asm::directive `.wrod` is no directive"),
        (
            ".data\nnop",
            "2:1 core-asm::place a bundle can't be in section `.data`",
        ),
        (
            ".bss\n.word 1",
            "2:7 core-asm::place section `.bss` holds only zeros",
        ),
        (
            ".data\n.byte 256",
            "2:7 core-asm::out-of-range 256 does not fit 1 bytes",
        ),
        (
            ".data\n.short name",
            "2:8 core-asm::no-relocation an address takes a word of 4 bytes",
        ),
        (
            "add r0, r1, #name",
            "1:14 core-asm::no-relocation no relocation of aie2 patches this field of `add`",
        ),
        (
            ".p2align 40",
            "1:1 core-asm::directive the directive does not have these arguments",
        ),
        ("movxm r0, #12x", "1:12 core-asm::syntax `12x` is no number"),
        (
            "vaddmac cm0, cm1, cm2, x0, x1, r0",
            "1:14 core-asm::wrong-operands this operand must be the same register as the one before it that is tied to it",
        ),
        (
            "= 4",
            "1:1 core-asm::syntax an instruction begins with its mnemonic",
        ),
        (
            ".space name",
            "1:8 core-asm::symbol this must be a number that is known here",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(CoreArch::Aie2, text), expected, "{text}");
    }
    let unconfirmed = refused(CoreArch::Aie2ps, "vldb.4x16.lo wl0, x0");
    assert!(
        unconfirmed.contains("core-asm::unconfirmed"),
        "{unconfirmed}"
    );
}

#[test]
fn labels_data_and_alignment() {
    let text = "
        .equ STEP, 4
        .text
        .globl main
        .type main, @function
main:   movxm p0, #buffer + STEP   // an address
        lda r0, [p0, #STEP]; nopx
        /* a branch
           backwards */
        j #main
        .p2align 4
        .size main, .-main
        .data
        .word 1, -1, 0x10, buffer
        .asciz \"a\\n\"
        .balign 4
        .bss
buffer: .space 64
    ";
    let object = assemble(CoreArch::Aie2, "test", FileId(0), text).expect("right");
    let [code, data, zeros] = &object.sections[..] else {
        panic!("sections");
    };
    assert_eq!(code.size % 16, 0);
    assert_eq!(code.relocations.len(), 2);
    assert_eq!(code.relocations[0].addend, 4);
    assert_eq!(data.bytes[4..8], [0xFF; 4]);
    assert_eq!(data.bytes[16..20], [b'a', b'\n', 0, 0]);
    assert_eq!(data.relocations.len(), 1);
    assert_eq!((zeros.size, zeros.bytes.len()), (64, 0));
    let main = object.symbols.iter().find(|symbol| symbol.name == "main");
    let main = main.expect("main");
    assert!(main.is_function);
    assert_eq!((main.binding, main.size), (Binding::Global, code.size));
}
