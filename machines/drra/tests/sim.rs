//! Programs of the fabric against plain arithmetic, and the faults that end a run.

use aiec_diag::{Diags, FileId};
use aiec_drra::encode::cell_code;
use aiec_drra::fabric::{BLOCK_WORDS, CellId, FabricShape};
use aiec_drra::sim::{DrraFault, Fabric};
use aiec_drra::{AssembleOptions, MemoryKind, assemble, published};
use aiec_run_loop::{self as run_loop, Limits, RunEnd, UnitRecording};

/// The fabric of a text, with the contents of its variables.
fn fabric(text: &str) -> Fabric {
    let mut diags = Diags::new();
    let options = AssembleOptions::default();
    let program = assemble(text, FileId(0), published(), options, &mut diags);
    let messages: Vec<&str> = diags.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, [""; 0]);
    let cells = program.cells.iter();
    let code = cells.map(|cell| (cell.cell, cell_code(cell, published())));
    let mut fabric = Fabric::new(FabricShape::DEFAULT, code);
    for variable in &program.variables {
        assert_eq!(variable.memory, MemoryKind::RegisterFile);
        let words = fabric.register_file_mut(variable.cell).expect("a cell");
        words[variable.address..][..variable.words.len()].copy_from_slice(&variable.words);
    }
    fabric
}

fn run(fabric: &mut Fabric) -> RunEnd<DrraFault, aiec_run_loop::UnitRecord> {
    let limits = Limits {
        max_cycles: 100_000,
        until: None,
    };
    run_loop::run(fabric, limits, &mut |_| {})
}

/// The code of one cell, `body`, run to its end.
fn ran(body: &str) -> Fabric {
    let mut fabric = fabric(&format!(".CODE\nCELL <0, 0>\n{body}"));
    assert_eq!(run(&mut fabric), RunEnd::Completed, "{body}");
    fabric
}

/// The fault of a program.
fn fault(text: &str) -> String {
    match run(&mut fabric(text)) {
        RunEnd::Fault(fault) => fault.to_string(),
        other => panic!("{other:?}"),
    }
}

fn words(fabric: &Fabric, row: u8, column: u8) -> &[i16; 64] {
    fabric
        .register_file(CellId { row, column })
        .expect("a cell")
}

#[test]
fn the_scaled_vector_is_three_x_and_seven() {
    let mut fabric = fabric(include_str!("../../../examples/drra-scale/scale.drra"));
    let at = CellId::default();
    for (i, word) in fabric.register_file_mut(at).expect("a cell")[..32]
        .iter_mut()
        .enumerate()
    {
        *word = (i as i16 - 16) * 1000;
    }
    assert_eq!(run(&mut fabric), RunEnd::Completed);
    let words = words(&fabric, 0, 0);
    for i in 0..32 {
        let expected = (i32::from(words[i]) * 3).clamp(-32_768, 32_767) + 7;
        assert_eq!(i32::from(words[32 + i]), expected.min(32_767), "number {i}");
    }
    assert_eq!(fabric.now(), 37);
}

/// Rows and columns of the image, the filter and the result of the convolution.
const IMAGE: (usize, usize) = (6, 32);
const FILTER: (usize, usize) = (4, 4);
const RESULT: (usize, usize) = (3, 29);

#[test]
fn the_published_convolution_is_a_convolution() {
    let text = include_str!("../../../examples/drra-convolution/convolution.drra");
    let published = text.lines().filter(|line| line.starts_with("\"instr"));
    assert_eq!(published.count(), 40);
    let mut random = fastrand::Rng::with_seed(40);
    for round in 0..8 {
        let mut fabric = fabric(text);
        let most = if round == 0 { 3000 } else { 40 };
        let mut number = |_| random.i16(-most..=most);
        let image: Vec<i16> = (0..IMAGE.0 * IMAGE.1).map(&mut number).collect();
        let filter: Vec<i16> = (0..FILTER.0 * FILTER.1).map(&mut number).collect();
        let before: Vec<i16> = (0..RESULT.0 * 32).map(&mut number).collect();
        put_rows(&mut fabric, 0, &image);
        for (row, words) in filter.chunks(FILTER.1).enumerate() {
            fabric
                .sram_mut(CellId { row: 0, column: 1 })
                .expect("an SRAM")[row][..4]
                .copy_from_slice(words);
        }
        put_rows(&mut fabric, 2, &before);
        assert_eq!(run(&mut fabric), RunEnd::Completed);
        let result: Vec<i16> =
            fabric.sram(CellId { row: 0, column: 2 }).expect("an SRAM")[..6].concat();
        for y in 0..RESULT.0 {
            for x in 0..RESULT.1 {
                let expected = convolved(&image, &filter, before[y * 32 + x], y, x);
                assert_eq!(result[y * 32 + x], expected, "row {y}, column {x}");
            }
            assert_eq!(result[y * 32 + 29..][..3], before[y * 32 + 29..][..3]);
        }
        assert_eq!(fabric.now(), 1178);
    }
}

fn put_rows(fabric: &mut Fabric, column: u8, words: &[i16]) {
    let rows = fabric.sram_mut(CellId { row: 0, column }).expect("an SRAM");
    for (row, words) in rows.iter_mut().zip(words.chunks(BLOCK_WORDS)) {
        row.copy_from_slice(words);
    }
}

/// A number of the result, saturated where the hardware does: two rows of the filter at a time.
fn convolved(image: &[i16], filter: &[i16], before: i16, y: usize, x: usize) -> i16 {
    let clamp = |value: i32| value.clamp(-32_768, 32_767);
    let row = |i: usize| -> i32 {
        let products = (0..FILTER.1).map(|j| {
            i32::from(image[(y + i) * IMAGE.1 + x + j]) * i32::from(filter[i * FILTER.1 + j])
        });
        clamp(products.sum())
    };
    let first = clamp(i32::from(before) + clamp(row(0) + row(1)));
    clamp(first + clamp(row(2) + row(3))) as i16
}

#[test]
fn words_go_from_cell_to_cell_over_rows_and_columns() {
    let mut fabric = fabric(
        ".DATA\n$A 0 0 0 3 [5, 6, 7]\n.CODE\nCELL <0, 3>\nREFI port_no=r1, l1_iter=2, init_delay=2\nHALT\n\
         CELL <1, 1>\n\
         SWB src_row=0, src_port=1, hb_index=4, send_to_other_row=y, v_index=1\n\
         REFI port_no=w1, init_addr=60, l1_iter=2, l1_step_sign=-, l1_step=2, init_delay=1\nHALT\n",
    );
    assert_eq!(run(&mut fabric), RunEnd::Completed);
    assert_eq!(words(&fabric, 1, 1)[56..61], [7, 0, 6, 0, 5]);
}

#[test]
fn rows_go_to_a_far_sram_and_back() {
    let text = ".CODE\nCELL <1, 2>\n\
        ROUTE horizontal_dir=e, horizontal_hops=3, vertical_dir=n, vertical_hops=1, direction=w, \
        select_drra_row=1\n\
        SRAM rw=w, init_addr=9, l1_iter=1, l1_step=-2, hops=3\n\
        REFI port_no=r0, init_addr=1, l1_iter=1, dimarch=y\nWAIT cycle=9\n\
        ROUTE horizontal_dir=e, horizontal_hops=3, vertical_dir=n, vertical_hops=1, direction=r\n\
        SRAM rw=r, init_addr=7, hops=3\nHALT\n\
        CELL <0, 2>\nWAIT cycle=13\nREFI port_no=w0, init_addr=3, dimarch=y, init_delay=7\nHALT";
    let mut fabric = fabric(text);
    for (i, word) in fabric
        .register_file_mut(CellId { row: 1, column: 2 })
        .expect("a cell")
        .iter_mut()
        .enumerate()
    {
        *word = i as i16;
    }
    assert_eq!(run(&mut fabric), RunEnd::Completed);
    let rows = fabric.sram(CellId { row: 0, column: 5 }).expect("an SRAM");
    assert_eq!((rows[9][0], rows[7][0]), (16, 32));
    assert_eq!(words(&fabric, 0, 2)[48..50], [32, 33]);
}

#[test]
fn branches_go_by_the_last_comparison() {
    let program = |mode: u8, a: i16, b: i16| {
        format!(
            ".DATA\n$A 0 0 0 0 [{a}, {b}]\n.CODE\nCELL <0, 0>\n\
             SWB src_port=0, hb_index=2, v_index=2\nSWB src_port=1, hb_index=2, v_index=3\n\
             DPU mode=max_min\nREFI port_no=r0, init_delay=1\nREFI port_no=r1, init_addr=1\n\
             BRANCH mode={mode}, false_pc=@no\nRACCU mode=add, operand1=1, result=0\nHALT\n\
             \"no\" RACCU mode=add, operand1=2, result=0\nHALT"
        )
    };
    // 1 asks for greater, 2 for equal, 3 for either
    for (mode, a, b, taken) in [
        (1, 5, 3, true),
        (1, 3, 5, false),
        (1, 4, 4, false),
        (2, 4, 4, true),
        (2, 5, 3, false),
        (3, 4, 4, true),
        (3, 5, 3, true),
        (3, 3, 5, false),
        (0, 5, 3, false),
    ] {
        let mut fabric = fabric(&program(mode, a, b));
        assert_eq!(run(&mut fabric), RunEnd::Completed);
        let register = fabric.cells()[0].sequencer.registers()[0];
        assert_eq!(register == 1, taken, "mode {mode}, {a} and {b}");
    }
}

#[test]
fn waits_and_loops_take_their_cycles() {
    assert_eq!(ran("HALT").now(), 1);
    assert_eq!(ran("WAIT cycle=9\nHALT").now(), 11);
    assert_eq!(ran("WAIT cycle=32767\nHALT").now(), 32_769);
    let looped =
        "LOOP loopid=0, endpc=@e, iter=3\nLOOP loopid=1, endpc=@e, iter=4\n\"e\" WAIT\nHALT";
    assert_eq!(ran(looped).now(), 1 + 3 * (1 + 4) + 1);
    let jump = "JUMP pc=@x\nWAIT cycle=100\n\"x\" HALT";
    assert_eq!(ran(jump).now(), 2);
}

#[test]
fn walks_of_ports_are_the_closed_formula() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..300 {
        let mut below = |n: u32| random.u32(0..n);
        let [n1, n2, s1, s2, d1, d2, d0] = [4, 4, 4, 4, 3, 3, 3].map(&mut below);
        let text = format!(
            ".CODE\nCELL <0, 0>\nREFI port_no=r0, init_delay={d0}, l1_iter={n1}, l2_iter={n2}, \
             l1_step={s1}, l2_step={s2}, l1_delay={d1}, l2_delay={d2}, init_addr=2\nHALT"
        );
        let mut fabric = fabric(&text);
        fabric.recorder().keep(UnitRecording {
            from: 0,
            store: None,
            limit: usize::MAX,
        });
        assert_eq!(run(&mut fabric), RunEnd::Completed);
        let trace = fabric.take_trace();
        let mut walked: Vec<(u64, u64)> = Vec::new();
        let read = trace.each_record(&mut |record| {
            walked.extend((record.event == "WORD").then_some((record.at, record.key)));
            Ok(())
        });
        read.expect("records in memory can be read");
        let mut formula = Vec::new();
        for r in 0..=n2 {
            for k in 0..=n1 {
                let repetition = n1 + 1 + n1 * d1 + d2;
                let cycle = d0 + r * repetition + k * (1 + d1);
                formula.push((u64::from(cycle), u64::from(2 + r * s2 + k * s1)));
            }
        }
        assert_eq!(walked, formula, "{text}");
    }
}

#[test]
fn what_comes_too_early_or_too_late_is_a_fault() {
    let one = |body: &str| fault(&format!(".CODE\nCELL <0, 0>\n{body}"));
    let route = "ROUTE vertical_dir=n, vertical_hops=1\n";
    let cases: &[(String, &str)] = &[
        (
            "REFI port_no=r0, l1_iter=5\nREFI port_no=r0\nHALT".into(),
            "cycle 1, cell <0, 0>, pc 1: port r0 gets a walk while its last one is under way",
        ),
        (
            "REFI port_no=w1\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: port w1 has no source",
        ),
        (
            "SWB hb_index=2, v_index=0\nREFI port_no=w0\nHALT".into(),
            "cycle 1, cell <0, 0>, pc 1: port w0 takes a word in a cycle in which its source reads none",
        ),
        (
            "REFI port_no=w0, dimarch=y\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: port w0 takes a row in a cycle in which none arrives",
        ),
        (
            format!("{route}SRAM\nHALT"),
            "cycle 2, cell <0, 0>, pc 1: a row arrives in a cycle in which no port takes it",
        ),
        (
            format!("{route}SRAM rw=w\nHALT"),
            "cycle 1, cell <0, 0>, pc 1: there is no route to write an SRAM",
        ),
        (
            format!("{route}SRAM hops=1\nHALT"),
            "cycle 1, cell <0, 0>, pc 1: the SRAM is 1 hops away by the route, 2 by the instruction",
        ),
        (
            "ROUTE vertical_dir=n, vertical_hops=1, direction=w\nSRAM rw=w\nHALT".into(),
            "cycle 2, cell <0, 0>, pc 1: the SRAM writes a row in a cycle in which none arrives",
        ),
        (
            "ROUTE vertical_dir=n, vertical_hops=1, direction=w\nREFI port_no=r0, dimarch=y\nHALT"
                .into(),
            "cycle 1, cell <0, 0>, pc 1: a row comes to the SRAM in a cycle in which it writes none",
        ),
        (
            "REFI port_no=r0, dimarch=y\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: there is no route to write an SRAM",
        ),
        (
            "REFI port_no=r0, init_addr=63, l1_iter=1\nWAIT cycle=5\nHALT".into(),
            "cycle 1, cell <0, 0>, pc 0: port r0 walks to word 64",
        ),
        (
            // a computed address has the seven bits of its register
            "RACCU mode=add, operand1=60, operand2=10, result=3\n\
             REFI port_no=r0, init_addr_sd=d, init_addr=3\nHALT"
                .into(),
            "cycle 1, cell <0, 0>, pc 1: port r0 walks to word 70",
        ),
        (
            format!(
                "{route}SRAM init_addr=127, l1_iter=1\nREFI port_no=w0, dimarch=y, l1_iter=1\nHALT"
            ),
            "cycle 3, cell <0, 0>, pc 1: the SRAM walks to row 128",
        ),
        (
            "DPU mode=sigm\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: mode 19 of the DPU, sigm, is not modelled",
        ),
        (
            "BW config=1\nSWB hb_index=2, v_index=2\nDPU mode=add\nREFI port_no=r0\nHALT".into(),
            "cycle 3, cell <0, 0>, pc 4: the DPU computes with BW config=1; only words of 16 bits are modelled",
        ),
        (
            "BW config=3\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: BW config=3 isn't a width of data",
        ),
        (
            "REFI port_no=r0, extra=2, compress=y\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: compressed data are not modelled",
        ),
        (
            "SWB hb_index=2, v_index=0\nSWB src_port=1, hb_index=2, v_index=1\n\
             REFI port_no=r0, init_delay=3\nREFI port_no=r1, init_delay=2\n\
             REFI port_no=w0, init_delay=1\nREFI port_no=w1\nHALT"
                .into(),
            "cycle 5, cell <0, 0>, pc 5: both write ports write word 0",
        ),
        (
            "SWB hb_index=1, v_index=0\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: the source is outside the fabric",
        ),
        (
            "SWB hb_index=2, v_index=7\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: v_index names no input",
        ),
        (
            "ROUTE vertical_dir=s, vertical_hops=1\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: the route leads to where there is no SRAM",
        ),
        (
            "WAIT".into(),
            "cycle 1, cell <0, 0>, pc 1: no instruction begins here",
        ),
        (
            ".word 0x1000000\nHALT".into(),
            "cycle 0, cell <0, 0>, pc 0: the meaning of this instruction isn't known",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(one(body), *expected, "{body}");
    }
    let shared = ".CODE\nCELL <0, 0>\nROUTE vertical_dir=n, vertical_hops=1\nHALT\n\
        CELL <1, 0>\nROUTE vertical_dir=n, vertical_hops=1, select_drra_row=1\nHALT";
    assert_eq!(
        fault(shared),
        "cycle 0, cell <1, 0>, pc 0: the route needs a link that cell <0, 0> has reserved"
    );
}

#[test]
fn an_endless_program_comes_to_its_limit() {
    let mut fabric = fabric(".CODE\nCELL <0, 0>\n\"x\" JUMP pc=@x\nHALT");
    assert_eq!(run(&mut fabric), RunEnd::Limit);
}

#[test]
fn random_bits_never_make_the_fabric_panic() {
    let mut random = fastrand::Rng::with_seed(0xB175);
    // every second program has instructions only that don't depend on others
    let calm = [0, 0, 1, 6, 7, 10];
    let wild = [0, 1, 1, 4, 5, 5, 6, 7, 8, 8, 10, 11, 12, 13, 13, 3];
    let mut ended = [0; 3];
    for round in 0..3000 {
        let is_calm = round % 2 == 0;
        let cells = (0..4).map(|column| {
            let chunks: Vec<u64> = (0..24)
                .map(|_| {
                    // most fields are small: walks that begin soon, connections that exist
                    let bits = random.u64(..) & random.u64(..) & random.u64(..);
                    let bits = bits & ((1 << 23) - 1);
                    if is_calm {
                        calm_chunk(calm[random.usize(..calm.len())], bits)
                    } else {
                        wild[random.usize(..wild.len())] << 23 | bits
                    }
                })
                .collect();
            let (items, _) = aiec_drra::encode::decode(&chunks, published());
            let items = items.into_iter().map(|content| aiec_drra::CodeItem {
                label: None,
                content,
                span: None,
            });
            let cell = aiec_drra::CellProgram {
                cell: CellId { row: 0, column },
                items: items.collect(),
            };
            (cell.cell, cell_code(&cell, published()))
        });
        let mut fabric = Fabric::new(FabricShape::DEFAULT, cells.collect::<Vec<_>>());
        let limits = Limits {
            max_cycles: 2000,
            until: None,
        };
        match run_loop::run(&mut fabric, limits, &mut |_| {}) {
            RunEnd::Completed => ended[0] += 1,
            RunEnd::Fault(_) => ended[1] += 1,
            RunEnd::Limit => ended[2] += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(ended[0] > 0 && ended[1] > 0, "{ended:?}");
}

/// An instruction of a code with those of the bits that its fields have.
fn calm_chunk(code: u64, bits: u64) -> u64 {
    let bits = match code {
        // one chunk, a read port
        1 => 1 << 22 | bits & 0x7_ffff,
        6 => bits & 63 << 17,
        7 => bits & 0x1f_ff80,
        // a result in register 0
        10 => bits & !0xf,
        _ => 0,
    };
    code << 23 | bits
}
