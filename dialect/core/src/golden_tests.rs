//! Decoding and encoding compared with machine code that others' tools made (`test/vectors/core`).

use std::path::{Path, PathBuf};

use crate::arch::CoreArch;
use crate::bundle::{Bundle, EncodeError, Operand};
use crate::isa::{CoreIsa, OperandKind};

pub(crate) fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/vectors/core")
}

/// Bundles of published compiled code, one after the other.
pub(crate) fn compiled_bundles() -> Vec<u8> {
    std::fs::read(vectors().join("aie2-bundles.bin")).expect("the vectors")
}

/// Bundles whose text the sources state: architecture, bytes, format (`-`: not stated), text.
pub(crate) fn golden_bundles() -> Vec<(CoreArch, Vec<u8>, String, String)> {
    let text = std::fs::read_to_string(vectors().join("golden.tsv")).expect("the vectors");
    rows_of(&text)
}

/// Comment of `golden.tsv` over bundles in the compiler's order of emission; all others were listed by a disassembler,
/// which names the slots in the order of the format.
const AS_EMITTED: &str = "# aie2p: llvm-aie issue 352, assembly as emitted (matmul i8)";

fn rows_of(text: &str) -> Vec<(CoreArch, Vec<u8>, String, String)> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.map(|line| {
        let columns: Vec<_> = line.split('\t').collect();
        let arch = CoreArch::of_name(columns[0]).expect("an architecture");
        let digits = columns[1].as_bytes().chunks(2);
        let bytes = digits.map(|pair| {
            let pair = std::str::from_utf8(pair).expect("digits");
            u8::from_str_radix(pair, 16).expect("a byte")
        });
        let (format, text) = (columns[2].to_owned(), columns[3].to_owned());
        (arch, bytes.collect(), format, text)
    });
    rows.collect()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut instructions: Vec<_> = text.split("; ").collect();
    instructions.sort_unstable();
    instructions
}

#[test]
fn bundles_are_listed_in_the_order_of_their_slots() {
    let text = std::fs::read_to_string(vectors().join("golden.tsv")).expect("the vectors");
    let sections = text
        .split_inclusive('\n')
        .fold(Vec::new(), |mut sections, line| {
            match sections.last_mut() {
                Some(section) if !line.starts_with('#') => *section += line,
                _ => sections.push(line.to_owned()),
            }
            sections
        });
    let emitted = |section: &&String| section.starts_with(AS_EMITTED);
    assert_eq!(sections.iter().filter(emitted).count(), 1);
    for section in sections.iter().filter(|section| !emitted(section)) {
        for (arch, bytes, _, text) in rows_of(section) {
            let isa = CoreIsa::of(arch);
            let bundle = isa.decode(&bytes).expect(&text);
            assert_eq!(isa.bundle_text(&bundle), text, "{arch}");
        }
    }
}

#[test]
fn formats_list_their_slots_in_the_order_of_their_names() {
    for arch in CoreArch::ALL {
        for format in CoreIsa::of(arch)
            .formats
            .iter()
            .filter(|format| format.slots.len() > 1)
        {
            let slots = format
                .slots
                .iter()
                .map(|(slot, _)| slot.name().to_uppercase());
            let (_, named) = format.name.split_once('_').expect("the slots");
            assert_eq!(slots.collect::<Vec<_>>().join("_"), named, "{arch}");
        }
    }
}

#[test]
fn golden_bundles_decode_to_their_text_and_back() {
    let all = golden_bundles();
    assert_eq!(all.len(), GOLDEN_BUNDLES);
    for (arch, bytes, format, text) in all {
        let isa = CoreIsa::of(arch);
        let bundle = isa.decode(&bytes).expect(&text);
        let found = isa.formats[usize::from(bundle.format)].name;
        assert!(format == "-" || format == found, "{text}: {found}");
        assert_eq!(sorted(&isa.bundle_text(&bundle)), sorted(&text), "{arch}");
        assert_eq!(isa.encode(&bundle).as_deref(), Ok(&bytes[..]), "{text}");
    }
}

/// Rows of `golden.tsv`.
const GOLDEN_BUNDLES: usize = 727;

/// Bundles in `aie2-bundles.bin`.
const COMPILED_BUNDLES: usize = 6857;

#[test]
fn bundles_of_compiled_code_decode_and_encode_to_the_same_bytes() {
    let isa = CoreIsa::of(CoreArch::Aie2);
    let code = compiled_bundles();
    let mut rest = &code[..];
    let mut count = 0;
    while !rest.is_empty() {
        let bundle = isa.decode(rest).expect("a bundle");
        let length = usize::from(bundle.length);
        let encoded = isa.encode(&bundle).expect("its bytes");
        assert_eq!(
            &encoded[..],
            &rest[..length],
            "{}",
            isa.bundle_text(&bundle)
        );
        rest = &rest[length..];
        count += 1;
    }
    assert_eq!(count, COMPILED_BUNDLES);
}

/// Random operands of an instruction, of those that its fields can have.
fn random_operands(isa: &CoreIsa, index: u16, random: &mut fastrand::Rng) -> Vec<Operand> {
    let row = &isa.instructions[usize::from(index)];
    let fields = row.operands.iter();
    let operands = fields.map(|field| match field.kind {
        OperandKind::Register { class } => {
            let registers: Vec<_> = isa.class(class).registers().collect();
            Operand::Register(registers[random.usize(..registers.len())])
        }
        OperandKind::Unconfirmed { .. } => Operand::Code(random.u8(..1 << field.width().min(7))),
        OperandKind::Immediate { sign, scale, .. } => {
            let (least, greatest, step) = crate::immediate_range(sign, scale, field.width());
            let value = random.i64(least / step..=greatest / step) * step;
            Operand::Immediate(value as i32)
        }
    });
    operands.collect()
}

#[test]
fn every_instruction_with_random_operands_decodes_to_itself() {
    let mut random = fastrand::Rng::with_seed(17);
    for arch in CoreArch::ALL {
        let isa = CoreIsa::of(arch);
        for (index, row) in isa.instructions.iter().enumerate() {
            for _ in 0..8 {
                let instruction = crate::SlotInstruction {
                    instruction: index as u16,
                    operands: random_operands(isa, index as u16, &mut random).into(),
                    ignored: 0,
                };
                let word = isa.encode_slot(&instruction).expect(row.name);
                let decoded = isa.decode_slot(row.slot, word).expect(row.name);
                assert_eq!(decoded, instruction, "{arch} {}", row.name);
            }
        }
    }
}

#[test]
fn operands_that_do_not_fit_are_refused_by_name() {
    let isa = CoreIsa::of(CoreArch::Aie2);
    let mut rows = isa.instructions.iter();
    let index = rows.position(|row| row.name == "ACQ_mLockId_imm");
    let index = index.expect("acq") as u16;
    let refusal = |operands: Vec<Operand>| {
        let instruction = crate::SlotInstruction {
            instruction: index,
            operands: operands.into(),
            ignored: 0,
        };
        isa.encode_slot(&instruction)
            .expect_err("too large")
            .to_string()
    };
    let r0 = Operand::Register(crate::Register::of_name("r0").expect("r0"));
    let p0 = Operand::Register(crate::Register::of_name("p0").expect("p0"));
    assert_eq!(
        refusal(vec![Operand::Immediate(64), r0]),
        "64 can't be operand `id` of `acq`: 0 to 63"
    );
    assert_eq!(
        refusal(vec![Operand::Immediate(1), p0]),
        "`p0` can't be operand `mRy` of `acq`"
    );
    let newest = CoreIsa::of(CoreArch::Aie2ps);
    let unconfirmed = newest
        .instructions
        .iter()
        .position(|row| row.unconfirmed_operand().is_some() && row.operands.len() == 1);
    if let Some(index) = unconfirmed {
        let instruction = crate::SlotInstruction {
            instruction: index as u16,
            operands: vec![r0].into(),
            ignored: 0,
        };
        let refused = newest.encode_slot(&instruction);
        assert!(matches!(refused, Err(EncodeError::Unconfirmed { .. })));
    }
}

#[test]
fn bytes_that_are_no_bundle_are_refused() {
    let isa = CoreIsa::of(CoreArch::Aie2);
    let refused = |bytes: &[u8]| -> String {
        let decoded: Result<Bundle, _> = isa.decode(bytes);
        decoded.expect_err("no bundle").to_string()
    };
    assert_eq!(refused(&[]), "the bundle has 2 bytes, only 0 follow");
    assert_eq!(refused(&[0x19, 0]), "the bundle has 4 bytes, only 2 follow");
    let message = refused(&[0xF9, 0xFF, 0xFF, 0xFF]);
    assert!(message.contains("f9ffffff"), "{message}");
}
