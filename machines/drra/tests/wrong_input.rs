//! Wrong programs: each finding has a code, a line and column, and a way out.

use std::collections::BTreeSet;

use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_drra::fabric::FabricShape;
use aiec_drra::{AssembleOptions, assemble, check, published};

/// All findings of a text, one a line: `line:column code`. All have a way out.
fn findings(text: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("t", text));
    let mut diags = Diags::new();
    let options = AssembleOptions::default();
    let program = assemble(text, file, published(), options, &mut diags);
    if !diags.has_errors() {
        check::check(
            &program,
            published(),
            FabricShape::DEFAULT,
            false,
            &mut diags,
        );
    }
    diags.sort_by_position();
    let lines = diags.iter().map(|diag| {
        let help = diag.help.as_deref().unwrap_or_default();
        assert!(!help.is_empty(), "{} has no way out", diag.message);
        let span = diag.span().expect("a place");
        let (line, column) = sources
            .file(span.file)
            .expect("the file")
            .line_col(span.start);
        format!("{line}:{column} {}", diag.code.id)
    });
    lines.collect::<Vec<_>>().join(", ")
}

#[test]
fn each_wrong_text_is_refused_at_its_place() {
    let mut codes = BTreeSet::new();
    for (text, expected) in WRONG {
        let found = findings(text);
        assert_eq!(found, *expected, "{text}");
        codes.extend(
            found
                .split(", ")
                .map(|f| f.split(' ').nth(1).map(str::to_owned)),
        );
    }
    assert!(WRONG.len() >= 60, "{}", WRONG.len());
    assert!(codes.len() >= 20, "{codes:?}");
}

/// Texts and what is found: line, column and code.
const WRONG: &[(&str, &str)] = &[
    ("HALT", "1:1 drra::section"),
    (".CODE\nHALT", "2:1 drra::cell"),
    (".CODE\nCELL <2, 0>\nHALT", "2:7 drra::cell"),
    (".CODE\nCELL <0, 8>\nHALT", "2:7 drra::cell"),
    (".CODE\nCELL 0, 0\nHALT", "2:6 drra::syntax"),
    (".CODE\nCELL <0 0>", "2:9 drra::syntax"),
    (".CODE\nCELL <0, 0> HALT", "2:13 drra::syntax"),
    (".DATE\n", "1:1 drra::section"),
    (".CODES", "1:1 drra::section"),
    (".CODE x\n", "1:7 drra::syntax"),
    (".DATA\nA 0 0 0 0 ZEROS(4)", "2:1 drra::syntax"),
    (".DATA\n$ 0 0 0 0 ZEROS(4)", "2:1 drra::syntax"),
    (".DATA\n$A 2 0 0 0 ZEROS(4)", "2:4 drra::syntax"),
    (".DATA\n$A 0 3 0 0 ZEROS(4)", "2:6 drra::syntax"),
    (".DATA\n$A 0 0 2 0 ZEROS(4)", "2:8 drra::cell"),
    (".DATA\n$A 1 0 1 0 ZEROS(16)", "2:8 drra::cell"),
    (".DATA\n$A 1 0 0 0 ZEROS(4)", "2:12 drra::data"),
    (".DATA\n$A 0 0 0 0 ZEROS(65)", "2:18 drra::memory"),
    (".DATA\n$A 0 0 0 0 TWOS(4)", "2:12 drra::syntax"),
    (".DATA\n$A 0 0 0 0 [1, 2", "2:17 drra::syntax"),
    (".DATA\n$A 0 0 0 0 [1 2]", "2:15 drra::syntax"),
    (".DATA\n$A 0 0 0 0 [70000]", "2:13 drra::data"),
    (".DATA\n$A 0 0 0 0 [0.5]", "2:13 drra::data"),
    (".DATA\n$A 0 1 0 0 [1.5]", "2:13 drra::data"),
    (".DATA\n$A 0 1 0 0 ONES(2)", "2:12 drra::data"),
    (".DATA\n$A 0 0 0 0 [1]\n$A 0 0 0 1 [1]", "3:1 drra::data"),
    (
        ".DATA\n$A 0 0 0 0 ZEROS(60)\n$B 0 0 0 0 ZEROS(5)",
        "3:18 drra::memory",
    ),
    (
        ".DATA\n$A 0 0 0 0 ZEROS(99999999999999999999)",
        "2:18 isa::too-large",
    ),
    (".DATA\n$A 0 0 0 0", "2:11 drra::syntax"),
    (".CODE\nCELL <0, 0>\nHLT", "3:1 isa::unknown-name"),
    (".CODE\nCELL <0, 0>\nDELAY cycle=1", "3:1 drra::old-name"),
    (".CODE\nCELL <0, 0>\nSRAM_R rw=0", "3:1 drra::old-name"),
    (".CODE\nCELL <0, 0>\nWAIT 5", "3:6 drra::syntax"),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycles=5\nHALT",
        "3:6 isa::unknown-name",
    ),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycle=5, cycle=6\nHALT",
        "3:15 drra::field",
    ),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycle=32768\nHALT",
        "3:12 isa::too-large",
    ),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycle=-1\nHALT",
        "3:12 isa::too-large",
    ),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycle=010\nHALT",
        "3:12 isa::leading-zero",
    ),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycle=5x\nHALT",
        "3:12 isa::not-a-number",
    ),
    (".CODE\nCELL <0, 0>\nWAIT cycle=\nHALT", "3:12 drra::syntax"),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycle 5\nHALT",
        "3:12 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycle=5 cycle_sd=s\nHALT",
        "3:14 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycle=[\nHALT",
        "3:12 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\nDPU mode=plus\nHALT",
        "3:10 isa::unknown-name",
    ),
    (
        ".CODE\nCELL <0, 0>\nDPU unused_0=3\nHALT",
        "3:5 drra::field",
    ),
    (".CODE\nCELL <0, 0>\nLOOP link=1\nHALT", "3:6 drra::field"),
    (
        ".CODE\nCELL <0, 0>\nSRAM l1_step=-129\nHALT",
        "3:14 isa::too-large",
    ),
    (
        ".CODE\nCELL <0, 0>\nRACCU operand1=-65\nHALT",
        "3:16 isa::too-large",
    ),
    (".CODE\nCELL <0, 0>\nHALT x=1", "3:6 isa::unknown-name"),
    (".CODE\nCELL <0, 0>\nHALT x", "3:7 drra::syntax"),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n\"a\" HALT",
        "4:1 drra::label",
    ),
    (".CODE\nCELL <0, 0>\n\"\" HALT", "3:1 drra::label"),
    (".CODE\nCELL <0, 0>\n\"a HALT", "3:1 isa::unterminated"),
    (".CODE\nCELL <0, 0>\nJUMP pc=@b\nHALT", "3:9 drra::label"),
    (
        ".CODE\nCELL <0, 0>\nWAIT cycle=@a\n\"a\" HALT",
        "3:12 drra::label",
    ),
    (".CODE\nCELL <0, 0>\nJUMP pc=@\nHALT", "3:10 drra::syntax"),
    (".CODE\nCELL <0, 0>\n/* no end", "3:1 isa::unterminated"),
    (
        ".CODE\nCELL <0, 0>\nREFI extra=3\nHALT",
        "3:12 drra::chunks",
    ),
    (
        ".CODE\nCELL <0, 0>\nREFI extra=0, l1_step=2\nHALT",
        "3:12 drra::chunks",
    ),
    (
        ".CODE\nCELL <0, 0>\nLOOP extra=0, loopid=1, endpc=1, iter=3, step=2\nWAIT\nHALT",
        "3:12 drra::chunks",
    ),
    (
        ".CODE\nCELL <0, 0>\nREFI l1_delay=20, l1_delay_ext=1\nHALT",
        "3:15 drra::extension",
    ),
    (
        ".CODE\nCELL <0, 0>\nREFI l1_delay=20, l1_delay_sd=d\nHALT",
        "3:15 drra::extension",
    ),
    (
        ".CODE\nCELL <0, 0>\nREFI l2_iter=64\nHALT",
        "3:14 isa::too-large",
    ),
    (
        ".CODE\nCELL <0, 0>\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nWAIT\nHALT",
        "67:1 drra::memory",
    ),
    (
        ".CODE\nCELL <0, 0>\n.word 0x8000000\nHALT",
        "3:7 isa::too-large",
    ),
    (".CODE\nCELL <0, 0>\n.word\nHALT", "3:6 drra::syntax"),
    (
        ".CODE\nCELL <0, 0>\nJUMP pc=2\nSRAM hops=0, rw=r, init_addr=0\nHALT",
        "3:1 drra::target",
    ),
    (".CODE\nCELL <0, 0>\nJUMP pc=63\nHALT", "3:1 drra::target"),
    (
        ".CODE\nCELL <0, 0>\nBRANCH false_pc=9\nHALT",
        "3:1 drra::target",
    ),
    (
        ".CODE\nCELL <0, 0>\nLOOP endpc=9, iter=2\nWAIT\nHALT",
        "3:1 drra::target",
    ),
    (
        ".CODE\nCELL <0, 0>\nWAIT\nLOOP endpc=1, iter=2\nWAIT\nHALT",
        "4:1 drra::loop",
    ),
    (
        ".CODE\nCELL <0, 0>\nLOOP endpc=1, iter=0\nWAIT\nHALT",
        "3:1 drra::loop",
    ),
    (
        ".CODE\nCELL <0, 0>\nLOOP endpc=1, iter=2\nHALT",
        "3:1 drra::loop",
    ),
    (
        ".CODE\nCELL <0, 0>\nLOOP loopid=0, endpc=3, iter=2\nLOOP loopid=0, endpc=2, iter=2\nWAIT\nWAIT\nHALT",
        "4:1 drra::loop",
    ),
    (
        ".CODE\nCELL <0, 0>\nLOOP loopid=0, endpc=2, iter=2\nLOOP loopid=1, endpc=3, iter=2\nWAIT\nWAIT\nHALT",
        "4:1 drra::loop",
    ),
    (
        ".CODE\nCELL <0, 0>\nLOOP iter=2\nHALT",
        "3:1 drra::open-loop",
    ),
    (".CODE\nCELL <0, 0>\nWAIT", "3:1 drra::no-end"),
    (".CODE\nCELL <0, 0>\nBW config=3\nHALT", "3:1 drra::setting"),
    (
        ".CODE\nCELL <0, 0>\nSWB hb_index=5, v_index=2\nHALT",
        "3:1 drra::setting",
    ),
    (
        ".CODE\nCELL <0, 0>\nSWB hb_index=0, v_index=2\nHALT",
        "3:1 drra::setting",
    ),
    (
        ".CODE\nCELL <0, 0>\nSWB hb_index=2, v_index=6\nHALT",
        "3:1 drra::setting",
    ),
    (
        ".CODE\nCELL <0, 0>\nSWB src_row=1, hb_index=2\nHALT",
        "3:1 drra::setting",
    ),
    (
        ".CODE\nCELL <0, 0>\nRACCU mode=add, result=15\nHALT",
        "3:1 drra::setting",
    ),
    (
        ".CODE\nCELL <0, 0>\nRACCU mode=add, operand1_sd=d, operand1=16\nHALT",
        "3:1 drra::setting",
    ),
    (
        ".CODE\nCELL <0, 0>\nROUTE vertical_dir=s, vertical_hops=1\nHALT",
        "3:1 drra::setting",
    ),
    (
        ".CODE\nCELL <0, 0>\nROUTE vertical_dir=n, vertical_hops=1, horizontal_dir=w, horizontal_hops=1\nHALT",
        "3:1 drra::setting",
    ),
    (
        ".CODE\nCELL <0, 0>\nREFI init_addr=60, l1_iter=7\nHALT",
        "3:1 drra::address",
    ),
    (
        ".CODE\nCELL <0, 0>\nREFI dimarch=y, init_addr=3, l1_iter=1\nHALT",
        "3:1 drra::address",
    ),
    (
        ".CODE\nCELL <0, 0>\nSRAM init_addr=127, l1_iter=1\nHALT",
        "3:1 drra::address",
    ),
    (
        ".CODE\nCELL <0, 0>\nSRAM init_addr=1, l1_iter=1, l1_step=-2\nHALT",
        "3:1 drra::address",
    ),
    (
        ".CODE\nCELL <0, 0>\nREFI port_no=r0, l1_iter=9\nREFI port_no=r0\nHALT",
        "4:1 drra::timing",
    ),
    (
        ".CODE\nCELL <0, 0>\nSRAM l1_iter=9\nSRAM\nHALT",
        "4:1 drra::timing",
    ),
    (
        ".CODE\nCELL <0, 0>\nLOOP endpc=@x, iter=2\n\"x\" REFI port_no=w0, l1_iter=3\nHALT",
        "4:1 drra::timing",
    ),
    (
        ".CODE\nCELL <0, 0>\nLOOP loopid=0, endpc=@x, iter=2, start=60\nRACCU mode=add, operand1_sd=d, operand1=15, operand2=-5, result=1\n\"x\" REFI port_no=w0, init_addr_sd=d, init_addr=1, l1_iter=9\nHALT",
        "5:1 drra::address",
    ),
    (
        ".CODE\nCELL <0, 0>\nRACCU mode=add, result=3\nLOOP loopid=0, endpc=@x, iter_sd=d, iter=3\n\"x\" WAIT\nHALT",
        "4:1 drra::loop",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.RELATION\n\"N\" 2 0 [] [] 0",
        "5:5 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.RELATION\nN 1 0 [] [] 0",
        "5:1 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.RELATION\n\"N\" 1 2 [] [] 0",
        "5:7 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.RELATION\n\"N\" 1 0 [\"b_1\"] [] 0",
        "5:10 drra::relation",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.RELATION\n\"N\" 1 0 [\"Op_0_0_0_2\"] [] 0",
        "5:10 drra::relation",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.RELATION\n\"N\" 1 0 [\"a_[\"] [] 0",
        "5:10 drra::relation",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.RELATION\n\"N\" 1 0 [] 0",
        "5:12 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.RELATION\n\"N\" 1 0 [\"a_1\" \"a_1\"] [] 0",
        "5:16 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.RELATION\n\"N\" 1 0 [] [] 0\n\"N\" 1 0 [] [] 0",
        "6:1 drra::relation",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.DEPENDENCY\n\"a_1\" \"a_1\" 2 1",
        "5:13 drra::dependency",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.DEPENDENCY\n\"a_1\" \"a_2\" 2 5",
        "5:7 drra::dependency",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.DEPENDENCY\n\"a_1\" 2 5",
        "5:7 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.DEPENDENCY\n\"a_1\" \"a_1\" 2",
        "5:14 drra::syntax",
    ),
    (
        ".CODE\nCELL <0, 0>\n\"a\" HALT\n.DEPENDENCY\n\"a_1\" \"a_1\" 2 INF",
        "5:15 drra::syntax",
    ),
];
