//! Command buffers as the reference driver and published tutorials print them (oneAPI Construction Kit:
//! traces of `REFSI_DEBUG=cmp`), both directions; random programs; changes of single bits.

use aiec_diag::{Diags, FileId, Severity, SourceFile, SourceMap};
use aiec_refsi::command::Command;
use aiec_refsi::dis::{DisOptions, disassemble};
use aiec_refsi::{Reading, asm, bytes_of, check, chunks_of};

fn assemble(text: &str, reading: Reading) -> Result<Vec<u64>, Vec<String>> {
    let mut diags = Diags::new();
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("t", text));
    let result = asm::assemble(text, file, reading, &mut diags);
    let lines = || {
        diags
            .iter()
            .map(|d| d.one_line(&sources))
            .collect::<Vec<_>>()
    };
    result.map(|assembly| assembly.chunks).map_err(|_| lines())
}

/// The chunks of a text, whatever the checker says of them.
fn translate(text: &str, reading: Reading) -> Vec<u64> {
    let mut diags = Diags::new();
    let (assembly, failed) = asm::translate(text, FileId(0), reading, &mut diags);
    assert!(!failed, "{text}\n{diags:?}");
    assembly.chunks
}

fn text_of(chunks: &[u64], reading: Reading) -> String {
    let options = DisOptions {
        reading,
        annotate: false,
    };
    disassemble(&bytes_of(chunks), options).0
}

/// Lines and their chunks.
const LINES: [(&str, &[u64]); 29] = [
    ("FINISH", &[0xc0000100]),
    (
        "WRITE_REG64       ENTRY_PT_FN, 0x10000",
        &[0x1_c0020200, 0x10000],
    ),
    (
        "LOAD_REG64        SCRATCH, DMA_START_SEQ",
        &[0xc0020300, 0x20002008],
    ),
    (
        "STORE_REG64       SCRATCH, DMA_DONE_SEQ",
        &[0xc0020400, 0x20002010],
    ),
    (
        "STORE_IMM64       DMA_CTRL, 0xe1",
        &[0x20002000_c0020500, 0xe1],
    ),
    (
        "COPY_MEM64        32, PERF_COUNTERS, 0x47ff0000, hart:1",
        &[0x20_c0060600, 0x20100000, 0x47ff0000, 0x3000001],
    ),
    ("RUN_KERNEL_SLICE  4, 8, 2", &[0x4_c0040700, 8, 2]),
    (
        "RUN_INSTANCES     4, 3, 16, 0, 0xbff0f200, 0x14000000",
        &[0x304_c0080800, 16, 0, 0xbff0f200, 0x14000000],
    ),
    ("RUN_INSTANCES     0, 0, 1", &[0xc0020800, 1]),
    ("SYNC_CACHE        DCACHE|ICACHE", &[0x3_c0000900]),
    (
        "WRITE_REG64       WINDOW_BASE0, 0x10000",
        &[0x8_c0020200, 0x10000],
    ),
    (
        "WRITE_REG64       WINDOW_TARGET0, 0xbff10000",
        &[0x10_c0020200, 0xbff10000],
    ),
    ("WRITE_REG64       WINDOW_SCALE0, 0", &[0x20_c0020200, 0]),
    (
        "WRITE_REG64       WINDOW_MODE0, ACTIVE=1 MODE=SHARED SIZE=0xf0000",
        &[0x18_c0020200, 0xeffff_00000001],
    ),
    (
        "WRITE_REG64       WINDOW_BASE1, 0x14000000",
        &[0x9_c0020200, 0x14000000],
    ),
    (
        "WRITE_REG64       WINDOW_TARGET1, 0x10200000",
        &[0x11_c0020200, 0x10200000],
    ),
    (
        "WRITE_REG64       WINDOW_SCALE1, SCALE_A=1 SCALE_B=0x80000",
        &[0x21_c0020200, 0x7ffff_00000001],
    ),
    (
        "WRITE_REG64       WINDOW_MODE1, ACTIVE=1 MODE=PER_HART SIZE=0x80000",
        &[0x19_c0020200, 0x7ffff_00000003],
    ),
    (
        "WRITE_REG64       KUB_DESC, KUB_ADDR=0xbff0f200 KUB_SIZE=0x200",
        &[0x2_c0020200, 0x20000_bff0f200],
    ),
    ("WRITE_REG64       KARGS_INFO, 0", &[0x3_c0020200, 0]),
    (
        "WRITE_REG64       KARGS_INFO, KARGS_SIZE=0x18",
        &[0x3_c0020200, 0x0000_1800_0000_0000],
    ),
    (
        "WRITE_REG64       TSD_INFO, TSD_OFFSET=0x20 TSD_SIZE=0x128",
        &[0x4_c0020200, 0x12800_00200000],
    ),
    (
        "WRITE_REG64       TSD_INFO, TSD_OFFSET=0x28 TSD_SIZE=0xc0",
        &[0x4_c0020200, 0xc000_00280000],
    ),
    ("RUN_KERNEL_SLICE  0, 4, 0", &[0xc0040700, 4, 0]),
    (
        "STORE_IMM64       DMA_SRC_ADDR, 0xbff0f200",
        &[0x20002018_c0020500, 0xbff0f200],
    ),
    (
        "STORE_IMM64       DMA_XFER_SIZE1, 4",
        &[0x20002030_c0020500, 4],
    ),
    (
        "STORE_IMM64       DMA_XFER_SRC_STRIDE0, 0",
        &[0x20002040_c0020500, 0],
    ),
    (
        "STORE_IMM64       DMA_XFER_DST_STRIDE0, 0x80000",
        &[0x20002050_c0020500, 0x80000],
    ),
    (
        "WRITE_REG64       RETURN_ADDR, 0x1006c",
        &[0x6_c0020200, 0x1006c],
    ),
];

#[test]
fn golden_encodings_hold_in_both_directions() {
    for (line, chunks) in LINES {
        assert_eq!(translate(line, Reading::Published), chunks, "{line}");
        assert_eq!(text_of(chunks, Reading::Published).trim_end(), line);
    }
    assert_eq!(translate("NOP", Reading::Driver), [0xc0000000]);
    assert_eq!(
        text_of(&[0xc0000000, 0xc0000100], Reading::Driver),
        "NOP\nFINISH\n"
    );
    let bytes = bytes_of(&translate("STORE_IMM64 DMA_CTRL, 0xe1", Reading::Published));
    assert_eq!(bytes[..8], [0x00, 0x05, 0x02, 0xc0, 0x00, 0x20, 0x00, 0x20]);
}

#[test]
fn other_spellings_give_the_same_chunks() {
    let same = [
        ("run_instances 4, 16, 0, 0xbff0f200, 0x14000000", LINES[7].1),
        ("WRITE_REG64 24, 0xeffff00000001 # a number", LINES[13].1),
        ("here: STORE_IMM64 0x20002000, 0xe0 + 1", LINES[4].1),
        (".equ N, 8\nRUN_KERNEL_SLICE 4, N, N - 6", LINES[6].1),
        ("FINISH 0 ; done", LINES[0].1),
        (".quad 0xc0000100", LINES[0].1),
        ("SYNC_CACHE 3", LINES[9].1),
        (
            "WRITE_REG64 KUB_DESC, KUB_SIZE=512 KUB_ADDR=0xbff0f000+0x200",
            LINES[18].1,
        ),
    ];
    for (text, chunks) in same {
        assert_eq!(translate(text, Reading::Published), chunks, "{text}");
    }
}

#[test]
fn labels_are_addresses_in_the_buffer() {
    let text = "STORE_IMM64 flag, 1\nstart: LOAD_REG64 SCRATCH, flag - 8\nFINISH\nflag: .quad start, 7\n\
                .base 0x40000000\n";
    let chunks = translate(text, Reading::Published);
    assert_eq!(chunks[0] >> 32, 0x4000_0028);
    assert_eq!(chunks[3], 0x4000_0020);
    assert_eq!(chunks[5..], [0x4000_0010, 7]);
}

/// A whole launch, as the driver's host library writes it.
const LAUNCH: &str = "\
    WRITE_REG64 WINDOW_BASE0, 0x10000\n\
    WRITE_REG64 WINDOW_TARGET0, 0xbff10000\n\
    WRITE_REG64 WINDOW_SCALE0, 0\n\
    WRITE_REG64 WINDOW_MODE0, ACTIVE=1 MODE=SHARED SIZE=0xf0000\n\
    WRITE_REG64 WINDOW_BASE1, 0x14000000\n\
    WRITE_REG64 WINDOW_TARGET1, 0x10200000\n\
    WRITE_REG64 WINDOW_SCALE1, SCALE_A=1 SCALE_B=0x80000\n\
    WRITE_REG64 WINDOW_MODE1, ACTIVE=1 MODE=PER_HART SIZE=0x80000\n\
    STORE_IMM64 DMA_SRC_ADDR, 0xbff0f200\n\
    STORE_IMM64 DMA_DST_ADDR, 0x10200000\n\
    STORE_IMM64 DMA_XFER_SIZE0, 0x128\n\
    STORE_IMM64 DMA_XFER_SIZE1, 4\n\
    STORE_IMM64 DMA_XFER_SRC_STRIDE0, 0\n\
    STORE_IMM64 DMA_XFER_DST_STRIDE0, 0x80000\n\
    STORE_IMM64 DMA_CTRL, 0xe1\n\
    LOAD_REG64 SCRATCH, DMA_START_SEQ\n\
    STORE_REG64 SCRATCH, DMA_DONE_SEQ\n\
    SYNC_CACHE DCACHE|ICACHE\n\
    WRITE_REG64 ENTRY_PT_FN, 0x1001c\n\
    WRITE_REG64 STACK_TOP, 0x14080000\n\
    WRITE_REG64 RETURN_ADDR, 0x10108\n\
    WRITE_REG64 KUB_DESC, KUB_ADDR=0xbff0cf00 KUB_SIZE=256\n\
    WRITE_REG64 TSD_INFO, TSD_OFFSET=0x28 TSD_SIZE=0xc0\n\
    COPY_MEM64 32, PERF_COUNTERS, 0x47ff0000, hart:1\n\
    RUN_INSTANCES 4, 3, 16, 0, 0xbff0f200, 0x14000000\n\
    RUN_KERNEL_SLICE 0, 4, 0\n\
    SYNC_CACHE DCACHE|ICACHE\n\
    FINISH\n";

#[test]
fn a_whole_launch_is_clean_and_comes_back() {
    let chunks = assemble(LAUNCH, Reading::Published).expect("no errors");
    assert!(check::check(&chunks, Reading::Published).is_empty());
    let text = text_of(&chunks, Reading::Published);
    assert_eq!(text.lines().count(), 28);
    assert_eq!(assemble(&text, Reading::Published), Ok(chunks.clone()));
    assert_eq!(text_of(&chunks, Reading::Published), text);
}

/// The buffer of a tutorial: 32 slices, 107 chunks.
#[test]
fn the_tutorial_with_32_slices_has_its_length() {
    let mut text = String::from(
        "WRITE_REG64 ENTRY_PT_FN, 0x10088\nWRITE_REG64 RETURN_ADDR, 0x10108\n\
         WRITE_REG64 KUB_DESC, 0x10000bff0cf00\nWRITE_REG64 KARGS_INFO, 0x0\n\
         WRITE_REG64 TSD_INFO, 0xc00000280000\n",
    );
    for slice in 0..32 {
        text += &format!("RUN_KERNEL_SLICE 0, 2, {slice}\n");
    }
    text += "FINISH\n";
    let chunks = assemble(&text, Reading::Published).expect("no errors");
    assert_eq!(bytes_of(&chunks).len(), 0x358);
    assert_eq!(0xbff0_cf00_u64 - 0x358, 0xbff0_cba8);
}

/// A random operand of any kind, as the chunks of random commands have it.
fn random_program(random: &mut fastrand::Rng) -> Vec<u64> {
    let mut chunks = Vec::new();
    for _ in 0..random.usize(0..12) {
        let info = &aiec_refsi::table::COMMANDS[random.usize(2..10)];
        let mut values: Vec<u64> = info
            .operands()
            .iter()
            .map(|field| match random.u8(0..4) {
                0 => random.u64(..) & field.mask(),
                1 => random.u64(0..41) & field.mask(),
                2 => (0x2000_2000 + 8 * random.u64(0..40)) & field.mask(),
                _ => (0x2010_0000 + random.u64(0..0x210)) & field.mask(),
            })
            .collect();
        if info.instruction.name == "RUN_INSTANCES" {
            let count = random.u64(0..=7);
            values[1] = count;
            values.truncate(3 + count as usize);
        }
        Command::encode(info, &values, &mut chunks);
        if random.u8(0..10) == 0 {
            chunks.push(random.u64(..));
        }
    }
    chunks.push(0xc000_0100);
    chunks
}

#[test]
fn ten_thousand_random_programs_come_back() {
    let mut random = fastrand::Rng::with_seed(0x2EF51);
    for _ in 0..10_000 {
        let reading = Reading::compat(random.bool());
        let chunks = random_program(&mut random);
        let text = text_of(&chunks, reading);
        let again = translate(&text, reading);
        assert_eq!(again, chunks, "{text}");
        assert_eq!(text_of(&again, reading), text);
    }
}

/// Each bit of a launch turned over: another program, or refused at a chunk of the buffer. What
/// was disassembled gives the same bits in either case.
#[test]
fn every_change_of_one_bit_is_another_program_or_refused() {
    let chunks = assemble(LAUNCH, Reading::Published).expect("no errors");
    let (mut others, mut refused) = (0, 0);
    for bit in 0..chunks.len() * 64 {
        let mut changed = chunks.clone();
        changed[bit / 64] ^= 1 << (bit % 64);
        let text = text_of(&changed, Reading::Published);
        assert_eq!(translate(&text, Reading::Published), changed, "{text}");
        let findings = check::check(&changed, Reading::Published);
        let first = findings.iter().find(|f| f.severity == Severity::Error);
        match first {
            Some(finding) => {
                assert!(finding.chunk <= changed.len() && !finding.help.is_empty());
                refused += 1;
            }
            None => {
                let mut at = 0;
                while at < changed.len() {
                    let command = Command::decode(&changed[at..], Reading::Published);
                    let command = command.expect("a valid program");
                    at += command.chunks() as usize;
                    if command.name() == "FINISH" {
                        break;
                    }
                }
                others += 1;
            }
        }
    }
    assert_eq!(others + refused, chunks.len() * 64);
    assert!(others > 1000 && refused > 500, "{others} {refused}");
}

#[test]
fn bytes_that_are_no_whole_chunks_are_refused() {
    let (_, diags) = disassemble(&[0, 1, 0, 0xc0, 0, 0, 0, 0, 9], DisOptions::default());
    assert_eq!(
        diags.iter().next().map(|d| d.code.id),
        Some("refsi::length")
    );
    assert_eq!(chunks_of(&[0; 17]).1, 1);
}
