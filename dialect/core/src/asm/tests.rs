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

/// Texts of AIE2P as llvm-aie prints them, with the names of their instructions: registers tell apart
/// what has the same mnemonic.
#[test]
fn registers_choose_the_instruction() {
    let isa = CoreIsa::of(CoreArch::Aie2p);
    for (text, name) in [
        ("vmov x1, x2", "VMOV_alu_mv_mv_x"),
        ("vmov x1, lfl0", "VMOV_alu_mv_mv_x"),
        ("vmov ex1, ex2", "VMOV_alu_mv_mv_ex"),
        ("vmov qex1, qex2", "VMOV_alu_mv_mv_qex"),
        ("vmov dm1, scd, r31++", "VMOV_lda_mv_scd_dm_dyn"),
        ("vmov dm1, scd, r31", "VMOV_lda_mv_scd_dm_reg"),
        ("vmov.0 cmh1, scd", "VMOV_0_mv_scd_cm"),
        ("vmov.0 dm1, scd", "VMOV_0_mv_scd_dm_imm"),
        ("vmov mcd, bmhl3", "VMOV_st_mv_mcd_bm"),
        ("vexp2 wl4, bmhh4", "VEXP2"),
        ("vconv.bfp16ebs8.fp32 ex0, dm0", "VCONV_bfp16ebs8_fp32"),
        ("vinsert.64 x7, x3, r29, r27:r26", "VINSERT_64_mR29_insert"),
        ("vinsert.32 x10, x5, #0, r20", "VINSERT_32_mIdxImm0"),
        ("vshift.align x3, x5, s2, x1, r30", "VSHIFT_ALIGN"),
        ("vldb.popx.512 x2, [p1, lf1, r25]", "VLDB_POPX_512"),
        ("vldb.pop.512.3d x1, [p1, lf1, r25, d1]", "VLDB_POP_512_3D"),
        (
            "vlda.pop.576 ex4, [p0, lf0, r24]",
            "VLDA_POP_576_normal_pop",
        ),
        (
            "vlda.pop.576 ex4, [p0, lf0, r24, m3]",
            "VLDA_POP_576_fifo_1d_pop",
        ),
        ("vldb.fill.512 [p0, lf0, r24]", "VLDB_FILL_512"),
        (
            "vst.push.576.conv.bfp16ebs8.fp32 dm2, [p2, sf, r26]",
            "VST_PUSH_576_CONV_bfp16ebs8_fp32",
        ),
        (
            "vst.flush.512.conv [p2, sf, r26]",
            "VST_FLUSH_512_CONV_normal_flush",
        ),
        (
            "vlda.ups.2x cml0, s0, upssign0, [p3], m5",
            "VLDA_UPS_2x_dmx_lda_ups_x2c_pstm_nrm_upsSign0",
        ),
        (
            "vst.srs.2x cmh0, s0, srssign0, [p0, #64]",
            "VST_SRS_2x_dm_sts_srs_cm_idx_imm_srsSign0",
        ),
        (
            "vmac.f dm2, dm1, ex3, ex5, r10",
            "VMAC_f_vmac_bfp_vmul_bfp_core_EX_EX",
        ),
        (
            "vaddmac dm1, dm1, scd[r31++], x3, x5, r10",
            "VADDMAC_vmac_cm2_add_scd_incr_vmul_cm_core_X_X",
        ),
        ("vadd dm1, dm2, scd[r31], r10", "VADD_vmac_cm2_add_scd"),
        (
            "inv r5.flt2fx, s3, r6.fx2flt, s2",
            "INV_mOptConvDel_mRx_mOptConv",
        ),
        ("inv r5, r6", "INV_mRx"),
        ("mov r5, r6.fx2flt, s2", "MOV_alu_mv_alu_fx2flt"),
        ("mac r1, r1, r2, r3", "MAC"),
    ] {
        let bundle = isa.decode(&assembled(CoreArch::Aie2p, text)).expect(text);
        let mut names = bundle.slots.iter().map(|(_, instruction)| {
            let row = &isa.instructions[usize::from(instruction.instruction)];
            (row.name, isa.instruction_text(instruction))
        });
        assert!(
            names.any(|found| found == (name, text.to_owned())),
            "{text}"
        );
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
        (
            ".wrod 1",
            "1:1 core-asm::directive `.wrod` isn't a directive",
        ),
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
        (
            "movxm r0, #12x",
            "1:12 core-asm::syntax `12x` isn't a number",
        ),
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
