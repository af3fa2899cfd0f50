//! Wrong texts and buffers: each is refused with code, line, column and a way out.

use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_refsi::dis::{DisOptions, disassemble};
use aiec_refsi::{Reading, asm, bytes_of};

/// Texts, the code of the first finding, its line and column, and a part of its message.
const TEXTS: &[(&str, &str, &str, &str)] = &[
    (
        "FINNISH",
        "isa::unknown-name",
        "1:1",
        "there is no command 'FINNISH'",
    ),
    (
        "WRITE_REG64",
        "refsi::operands",
        "1:1",
        "has 2 operands, here are 0",
    ),
    (
        "WRITE_REG64 SCRATCH",
        "refsi::operands",
        "1:1",
        "has 2 operands, here are 1",
    ),
    (
        "FINISH\nWRITE_REG64 SCRATCH, 1, 2",
        "refsi::operands",
        "2:1",
        "here are 3",
    ),
    (
        "FINISH 0, 1",
        "refsi::operands",
        "1:1",
        "has 1 operands, here are 2",
    ),
    (
        "LOAD_REG64 SCRATCH,",
        "refsi::operands",
        "1:1",
        "SRC_ADDR is missing",
    ),
    (
        "STORE_REG64 , DMA_CTRL",
        "refsi::operands",
        "1:1",
        "REG_IDX is missing",
    ),
    (
        "COPY_MEM64 1, 2, 3",
        "refsi::operands",
        "1:1",
        "has 4 operands",
    ),
    (
        "RUN_KERNEL_SLICE 1, 2",
        "refsi::operands",
        "1:1",
        "has 3 operands",
    ),
    (
        "RUN_INSTANCES",
        "refsi::operands",
        "1:1",
        "up to 7 arguments",
    ),
    (
        "RUN_INSTANCES 1",
        "refsi::operands",
        "1:1",
        "here are 1 operands",
    ),
    (
        "RUN_INSTANCES 0, 8, 1, 1, 2, 3, 4, 5, 6, 7, 8",
        "refsi::operands",
        "1:1",
        "here are 11",
    ),
    (
        "SYNC_CACHE",
        "refsi::operands",
        "1:1",
        "has 1 operands, here are 0",
    ),
    (
        "NOP\nFINISH",
        "refsi::opcode",
        "1:1",
        "the reference driver only",
    ),
    (
        "WRITE_REG64 SCRATSH, 0",
        "refsi::register",
        "1:13",
        "there is no register 'SCRATSH'",
    ),
    (
        "WRITE_REG64 WINDOW_BASE8, 0",
        "refsi::register",
        "1:13",
        "WINDOW_BASE8",
    ),
    (
        "WRITE_REG64 SCRATCH 1, 0",
        "refsi::syntax",
        "1:21",
        "'1' is not expected here",
    ),
    (
        "WRITE_REG64 7, 0\nFINISH",
        "refsi::register",
        "1:1",
        "no register 7",
    ),
    ("FINISH_\n", "isa::unknown-name", "1:1", "did you mean"),
    (
        "STORE_REG64 40, 0x40000000\nFINISH",
        "refsi::register",
        "1:1",
        "no register 40",
    ),
    (
        "WRITE_REG64 SCRATCH, 0x",
        "isa::not-a-number",
        "1:22",
        "'0x' isn't a number",
    ),
    (
        "WRITE_REG64 SCRATCH, 12q",
        "isa::not-a-number",
        "1:22",
        "'12q' isn't a number",
    ),
    (
        "WRITE_REG64 SCRATCH, 0b11",
        "isa::not-a-number",
        "1:22",
        "'0b11'",
    ),
    (
        "WRITE_REG64 SCRATCH, 010",
        "isa::leading-zero",
        "1:22",
        "begins with 0",
    ),
    (
        "WRITE_REG64 SCRATCH, 18446744073709551616",
        "isa::too-large",
        "1:22",
        "doesn't fit 64 bits",
    ),
    (
        "WRITE_REG64 SCRATCH, -1",
        "refsi::syntax",
        "1:22",
        "'-' isn't a number",
    ),
    (
        "WRITE_REG64 SCRATCH, 1 - 2",
        "refsi::range",
        "1:22",
        "the sum -1 doesn't fit",
    ),
    (
        "WRITE_REG64 SCRATCH, 1 +",
        "refsi::syntax",
        "1:24",
        "a number is missing",
    ),
    (
        "WRITE_REG64 SCRATCH, 1 2",
        "refsi::syntax",
        "1:24",
        "'2' is not expected here",
    ),
    (
        "WRITE_REG64 SCRATCH, (1)",
        "refsi::syntax",
        "1:22",
        "'(' isn't a number",
    ),
    (
        "WRITE_REG64 SCRATCH, nowhere",
        "refsi::symbol",
        "1:22",
        "'nowhere'",
    ),
    (
        "STORE_IMM64 0x100000000, 1",
        "refsi::range",
        "1:13",
        "doesn't fit the 32 bits of DST_ADDR_LO",
    ),
    (
        "RUN_KERNEL_SLICE 256, 1, 1",
        "refsi::range",
        "1:18",
        "8 bits of MAX_HARTS",
    ),
    (
        "COPY_MEM64 0x100000000, 0x40000000, 0x40000000, cmp",
        "refsi::range",
        "1:12",
        "ELEMENTS",
    ),
    (
        "COPY_MEM64 1, 0x40000000, 0x40000000, hurt:1",
        "isa::unknown-name",
        "1:39",
        "no unit 'hurt'",
    ),
    (
        "COPY_MEM64 1, 0x40000000, 0x40000000, hart",
        "refsi::syntax",
        "1:39",
        "written hart:N",
    ),
    (
        "COPY_MEM64 1, 0x40000000, 0x40000000, hart:65536",
        "refsi::syntax",
        "1:39",
        "hart:N",
    ),
    (
        "COPY_MEM64 1, 0x40000000, 0x40000000, cmp:1",
        "refsi::syntax",
        "1:39",
        "written cmp",
    ),
    (
        "COPY_MEM64 1, 0x40000000, 0x40000000, hart:x",
        "isa::not-a-number",
        "1:44",
        "'x' isn't a number",
    ),
    (
        "SYNC_CACHE ECACHE",
        "isa::unknown-name",
        "1:12",
        "no cache 'ECACHE'",
    ),
    (
        "SYNC_CACHE DCACHE|",
        "refsi::syntax",
        "1:18",
        "'|' is not expected",
    ),
    (
        "SYNC_CACHE DCACHE+ICACHE",
        "refsi::syntax",
        "1:18",
        "'+' is not expected",
    ),
    (
        "WRITE_REG64 KUB_DESC, KUB_ADR=1",
        "refsi::field",
        "1:23",
        "KUB_ADR",
    ),
    (
        "WRITE_REG64 KUB_DESC, KUB_ADDR=1 KUB_ADDR=2",
        "refsi::field",
        "1:34",
        "given twice",
    ),
    (
        "WRITE_REG64 KUB_DESC, KUB_SIZE=100",
        "refsi::range",
        "1:32",
        "isn't a value of KUB_SIZE",
    ),
    (
        "WRITE_REG64 KUB_DESC, KUB_ADDR=0x1000000000000",
        "refsi::range",
        "1:32",
        "KUB_ADDR",
    ),
    (
        "WRITE_REG64 TSD_INFO, TSD_SIZE=0x1000000",
        "refsi::range",
        "1:32",
        "TSD_SIZE",
    ),
    (
        "WRITE_REG64 WINDOW_MODE0, MODE=PRIVATE",
        "refsi::window",
        "1:32",
        "no mode 'PRIVATE'",
    ),
    (
        "WRITE_REG64 WINDOW_MODE0, PERMS=rq",
        "refsi::field",
        "1:33",
        "'rq' aren't permissions",
    ),
    (
        "WRITE_REG64 WINDOW_MODE0, PERMS=rr",
        "refsi::field",
        "1:33",
        "'rr' aren't permissions",
    ),
    (
        "WRITE_REG64 WINDOW_MODE0, SIZE=0",
        "refsi::range",
        "1:32",
        "0x0 isn't a value of SIZE",
    ),
    (
        "WRITE_REG64 WINDOW_SCALE0, SCALE_A=3",
        "refsi::range",
        "1:36",
        "isn't a value of SCALE_A",
    ),
    (
        "WRITE_REG64 WINDOW_SCALE0, SCALE_B=0",
        "refsi::range",
        "1:36",
        "isn't a value of SCALE_B",
    ),
    ("WRITE_REG64 SCRATCH, X=", "refsi::field", "1:22", "X"),
    (
        "WRITE_REG64 KUB_DESC, KUB_ADDR=",
        "refsi::syntax",
        "1:31",
        "a number is missing",
    ),
    (
        "WRITE_REG64 KUB_DESC, 5 KUB_ADDR=1",
        "refsi::syntax",
        "1:23",
        "'5' is not expected",
    ),
    (
        "WRITE_REG64 7, KUB_ADDR=1",
        "refsi::field",
        "1:1",
        "UNKNOWN_7 has no fields",
    ),
    (
        ".quod 1",
        "isa::unknown-name",
        "1:1",
        "there is no directive '.quod'",
    ),
    (".quad", "refsi::syntax", "1:1", "written .quad"),
    (".equ X", "refsi::syntax", "1:1", "written .equ"),
    (".equ 1, 2", "refsi::syntax", "1:1", "written .equ"),
    (
        ".equ X, Y\n.equ Y, 1",
        "refsi::symbol",
        "1:9",
        "'Y' is not defined before",
    ),
    (
        ".equ X, 1\nX: FINISH",
        "refsi::symbol",
        "2:1",
        "'X' is defined twice",
    ),
    (
        "DRAM: FINISH",
        "refsi::symbol",
        "1:1",
        "'DRAM' is the name of an address",
    ),
    (
        ".equ SCRATCH, 1\nFINISH",
        "refsi::symbol",
        "1:6",
        "the name of a register",
    ),
    (".base", "refsi::syntax", "1:1", "written .base"),
    (
        "12 FINISH",
        "refsi::syntax",
        "1:1",
        "begins with a mnemonic, not with '12'",
    ),
    (
        "\"FINISH\"",
        "refsi::syntax",
        "1:1",
        "begins with a mnemonic",
    ),
    ("FINISH \"", "isa::unterminated", "1:8", "has no end"),
    // what the checker finds after the assembler
    (
        "WRITE_REG64 SCRATCH, 1",
        "refsi::finish",
        "1:1",
        "does not end with FINISH",
    ),
    (
        "COPY_MEM64 1, 0x40000004, 0x40000000, cmp\nFINISH",
        "refsi::copy",
        "1:1",
        "isn't a multiple of 8",
    ),
    (
        "COPY_MEM64 1, 0x40000000, 0x40000001, cmp\nFINISH",
        "refsi::copy",
        "1:1",
        "the destination",
    ),
    (
        "COPY_MEM64 1, PERF_COUNTERS, 0x40000000, cmp\nFINISH",
        "refsi::copy",
        "1:1",
        "counter 0 is a hart's",
    ),
    (
        "COPY_MEM64 1, 0x40000000, 0x40000000, 9\nFINISH",
        "refsi::copy",
        "1:1",
        "0x9 isn't a unit",
    ),
    (
        "COPY_MEM64 2, 0xbffffff8, 0x40000000, cmp\nFINISH",
        "refsi::past-end",
        "1:1",
        "beyond the end of DRAM",
    ),
    (
        "COPY_MEM64 64, PERF_COUNTERS + 8, 0x40000000, hart:1\nFINISH",
        "refsi::past-end",
        "1:1",
        "PERF_COUNTERS",
    ),
    (
        "LOAD_REG64 SCRATCH, 0xbffffffc\nFINISH",
        "refsi::past-end",
        "1:1",
        "beyond the end of DRAM",
    ),
    (
        "STORE_IMM64 0x20002004, 1\nFINISH",
        "refsi::address",
        "1:1",
        "inside a register",
    ),
    (
        "STORE_IMM64 DMA_CTRL, 1\nFINISH",
        "refsi::dma",
        "1:1",
        "dimension 0",
    ),
    (
        "FINISH\nSTORE_IMM64 DMA_CTRL, 0x51",
        "refsi::finish",
        "2:1",
        "after FINISH",
    ),
    (
        "STORE_IMM64 DMA_CTRL, 0x51\nFINISH",
        "refsi::dma",
        "1:1",
        "no strides",
    ),
    (
        "WRITE_REG64 WINDOW_MODE1, 7\nFINISH",
        "refsi::window",
        "1:1",
        "mode 3 of window 1 is reserved",
    ),
    (
        "WRITE_REG64 WINDOW_MODE1, ACTIVE=1 INTERLEAVE=1 SIZE=8\nFINISH",
        "refsi::window",
        "1:1",
        "not modelled",
    ),
    (
        "WRITE_REG64 WINDOW_TARGET1, 0x50\nFINISH",
        "refsi::window",
        "1:1",
        "leads to 0x50",
    ),
    (
        "WRITE_REG64 WINDOW_BASE1, 0x30000000\nSTORE_IMM64 0x30000000, 1\nFINISH",
        "refsi::window",
        "2:1",
        "window 1 is used before its mode is set",
    ),
    (
        "WRITE_REG64 WINDOW_BASE1, 0x30000000\nRUN_INSTANCES 0, 0, 1\nFINISH",
        "refsi::window",
        "2:1",
        "a kernel runs before the mode of window 1 is set",
    ),
    (
        "WRITE_REG64 WINDOW_TARGET1, 0x103ffff0\nWRITE_REG64 WINDOW_MODE1, ACTIVE=1 SIZE=32\nFINISH",
        "refsi::past-end",
        "2:1",
        "window 1 of 0x20 bytes goes beyond the end of TCDM",
    ),
];

#[test]
fn wrong_texts_have_code_place_and_a_way_out() {
    assert!(TEXTS.len() >= 60);
    for (text, code, place, message) in TEXTS {
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("t", *text));
        let mut diags = Diags::new();
        let _ = asm::assemble(text, file, Reading::Published, &mut diags);
        let lines: Vec<String> = diags.iter().map(|d| d.one_line(&sources)).collect();
        let found = diags.iter().zip(&lines).find(|(d, _)| d.code.id == *code);
        let (diag, line) = found.unwrap_or_else(|| panic!("{text}: {lines:#?}"));
        assert!(line.starts_with(&format!("t:{place}: ")), "{text}: {line}");
        let way_out = diag.help.as_deref().unwrap_or_default();
        assert!(
            line.contains(message) || way_out.contains(message),
            "{text}: {line}"
        );
        assert!(!way_out.is_empty(), "{text}: {line}");
    }
}

/// Chunks, the code of the first finding, and a part of its message.
const BUFFERS: &[(&[u64], &str, &str)] = &[
    (&[], "refsi::finish", "does not end with FINISH"),
    (
        &[0],
        "refsi::header",
        "chunk 0 at 0x0: 0x0000000000000000 isn't a header: bits 31:30 are 0",
    ),
    (&[0xC0000101], "refsi::header", "bits 7:0 are 0x1"),
    (&[0x80000100], "refsi::header", "bits 31:30 are 2"),
    (&[0xC0000000, 0xC0000100], "refsi::opcode", "opcode 0"),
    (&[0xC0000A00, 0xC0000100], "refsi::opcode", "opcode 10"),
    (
        &[0xC0010900, 0xC0000100],
        "refsi::count",
        "the count 1 is odd",
    ),
    (
        &[0xC0020100, 0, 0xC0000100],
        "refsi::count",
        "FINISH has 0 payload chunks, the header says 1",
    ),
    (
        &[0xC0000200, 0xC0000100],
        "refsi::count",
        "WRITE_REG64 has 1",
    ),
    (&[0xC0040300, 0, 0], "refsi::count", "LOAD_REG64 has 1"),
    (&[0xC0000400], "refsi::count", "STORE_REG64 has 1"),
    (&[0xC0040500, 0, 0], "refsi::count", "STORE_IMM64 has 1"),
    (&[0xC0040600, 0, 0], "refsi::count", "COPY_MEM64 has 3"),
    (
        &[0xC0060700, 0, 0, 0],
        "refsi::count",
        "RUN_KERNEL_SLICE has 2",
    ),
    (&[0xC0000800], "refsi::count", "RUN_INSTANCES has 1 to 8"),
    (
        &[0x200_C0020800, 0],
        "refsi::count",
        "says NUM_ARGS 2 and has 1 payload chunks, not 3",
    ),
    (&[0xC0020900, 0], "refsi::count", "SYNC_CACHE has 0"),
    (&[0xC0020200], "refsi::past-end", "the buffer ends after 0"),
    (&[0xC0000100, 5], "refsi::finish", "1 chunks after FINISH"),
    (
        &[0x4_C0000900, 0xC0000100],
        "refsi::reserved",
        "reserved flags 0x4",
    ),
    (
        &[0x100_C0040700, 1, 1, 0xC0000100],
        "refsi::reserved",
        "RUN_KERNEL_SLICE has reserved bits",
    ),
    (
        &[0x1_C0020200, 1 << 40, 0xC0000100],
        "refsi::reserved",
        "ENTRY_PT_FN has reserved bits",
    ),
    (
        &[0xC0020500 | 0x20002000 << 32, 0x1000011, 0xC0000100],
        "refsi::reserved",
        "DMA_CTRL has reserved",
    ),
];

#[test]
fn wrong_buffers_have_code_chunk_and_a_way_out() {
    for (chunks, code, message) in BUFFERS {
        let (text, diags) = disassemble(&bytes_of(chunks), DisOptions::default());
        let found = diags.iter().find(|diag| diag.code.id == *code);
        let diag = found.unwrap_or_else(|| panic!("{chunks:x?}: {diags:#?}"));
        assert!(diag.message.contains(message), "{}", diag.message);
        assert!(diag.message.starts_with("chunk ") && diag.help.is_some());
        // what can't be a command is kept
        let mut again = Diags::new();
        let (assembly, failed) =
            asm::translate(&text, Default::default(), Reading::Published, &mut again);
        assert!(!failed && assembly.chunks == *chunks, "{text}");
    }
}
