//! Encodings of the published description, made by packing the widths of its fields most
//! significant bit first and checked with the unpack functions of the published hardware
//! (`silagokth/SiLagoDoc`, `silagokth/drra`), both directions.

mod support;

use support::{assembled, text_of};

/// Instructions and their chunks.
const GOLDEN: &[(&str, &[u64])] = &[
    ("HALT", &[0x0000000]),
    ("JUMP pc=5", &[0x30a0000]),
    ("WAIT cycle=9", &[0x3800480]),
    ("WAIT cycle_sd=d, cycle=2", &[0x3c00100]),
    ("BW config=2", &[0x4c00000]),
    (
        "RACCU mode=add, operand1_sd=d, operand1=14, operand2_sd=d, operand2=15, result=0",
        &[0x518e8f0],
    ),
    (
        "RACCU mode=sub, operand1=127, operand2=2, result=3",
        &[0x527f023],
    ),
    ("BRANCH mode=1, false_pc=7", &[0x5a38000]),
    (
        "ROUTE horizontal_dir=w, horizontal_hops=0, vertical_dir=n, vertical_hops=1, direction=r, select_drra_row=0",
        &[0x6048000],
    ),
    (
        "ROUTE horizontal_dir=e, horizontal_hops=2, vertical_dir=n, vertical_hops=1, direction=w, select_drra_row=1",
        &[0x654e000],
    ),
    (
        "SWB src_row=0, src_block=rf, src_port=0, hb_index=2, send_to_other_row=n, v_index=2",
        &[0x2c22000],
    ),
    (
        "SWB src_row=0, src_block=dpu, src_port=1, hb_index=1, v_index=3",
        &[0x2d93000],
    ),
    ("DPU mode=mac", &[0x22a0800]),
    ("DPU mode=add, control=sat_int", &[0x2060800]),
    (
        "DPU mode=add_const, control=nosat_int, acc_clear=5, io_change=negate_in0",
        &[0x20c0815],
    ),
    ("LOOP extra=0, loopid=2, endpc=12, iter=29", &[0x423001d]),
    (
        "LOOP extra=1, loopid=0, endpc=20, iter=2, step=4",
        &[0x4450002, 0x0400000],
    ),
    ("REFI port_no=w0, init_addr=16, l1_iter=15", &[0x08103c0]),
    (
        "REFI port_no=r0, extra=1, init_addr=32, l1_iter=3, l1_step=2, l1_step_sign=-, l1_delay=3, l2_iter=7, l2_step=4",
        &[0x0ca00c0, 0x1028c74],
    ),
    (
        "REFI port_no=0, extra=2, init_addr_sd=0, init_addr=0, l1_iter=3, l1_step=1, l1_delay=0, dimarch=1",
        &[0x09000c0, 0x1010001, 0x1800002],
    ),
    (
        "REFI port_no=2, extra=2, init_addr=0, l1_iter=3, l1_step=1, l2_delay=2, l2_iter=28, l2_step=1",
        &[0x0d000c0, 0x10101c1, 0x1820000],
    ),
    (
        "REFI port_no=3, extra=2, l1_step=1, l1_iter=28, l1_delay=5, l2_iter=2, l2_delay=25, l2_step=0",
        &[0x0f00700, 0x1011420, 0x1990000],
    ),
    (
        "SRAM rw=0, init_addr=0, l1_iter=3, l1_step=1, l1_delay=0, init_addr_sd=1, hops=0",
        &[0x6800030, 0x0800004, 0x0400000],
    ),
    (
        "SRAM rw=w, init_addr=85, init_delay=9, l1_iter=42, l1_step=255, l1_delay=21, l2_iter=3, l2_step=2, l2_delay=1, hops=2",
        &[0x6eacaaf, 0x7aa0c08, 0x0801000],
    ),
];

/// Addresses, chunks and text of a cell of the published convolution, before its loops have ends.
const CONVOLUTION: &[(u32, &[u64], &str)] = &[
    (
        0,
        &[0x6048000],
        "ROUTE horizontal_dir=0, horizontal_hops=0, vertical_dir=1, vertical_hops=1, direction=0, select_drra_row=0",
    ),
    (
        1,
        &[0x2c22000],
        "SWB src_row=0, src_block=0, src_port=0, hb_index=2, send_to_other_row=0, v_index=2",
    ),
    (
        2,
        &[0x2c33000],
        "SWB src_row=0, src_block=0, src_port=0, hb_index=3, send_to_other_row=0, v_index=3",
    ),
    (
        3,
        &[0x2ca4000],
        "SWB src_row=0, src_block=0, src_port=1, hb_index=2, send_to_other_row=0, v_index=4",
    ),
    (
        4,
        &[0x2cb5000],
        "SWB src_row=0, src_block=0, src_port=1, hb_index=3, send_to_other_row=0, v_index=5",
    ),
    (
        5,
        &[0x4400002, 0x0400000],
        "LOOP extra=1, loopid=0, iter=2, step=4",
    ),
    (7, &[0x4500003, 0x0200000], "LOOP loopid=1, iter=3, step=2"),
    (
        9,
        &[0x518e8f0],
        "RACCU mode=1, operand1_sd=1, operand1=14, operand2_sd=1, operand2=15, result=0",
    ),
    (
        10,
        &[0x6800030, 0x0800004, 0x0400000],
        "SRAM rw=0, init_addr=0, l1_iter=3, l1_step=1, l1_delay=0, init_addr_sd=1, hops=0",
    ),
    (
        13,
        &[0x09000c0, 0x1010001, 0x1800002],
        "REFI port_no=0, extra=2, init_addr_sd=0, init_addr=0, l1_iter=3, l1_step=1, l1_delay=0, dimarch=1",
    ),
    (
        16,
        &[0x0d000c0, 0x10101c1, 0x1820000],
        "REFI port_no=2, extra=2, init_addr=0, l1_iter=3, l1_step=1, l2_delay=2, l2_iter=28, l2_step=1",
    ),
    (
        19,
        &[0x0f200c0, 0x10101c1, 0x1820000],
        "REFI port_no=3, extra=2, init_addr=32, l1_iter=3, l1_step=1, l2_delay=2, l2_iter=28, l2_step=1",
    ),
    (22, &[0x420001d], "LOOP loopid=2, iter=29, step=1"),
    (23, &[0x22a0800], "DPU mode=10, control=2"),
];

#[test]
fn each_golden_instruction_is_its_chunks() {
    for (text, chunks) in GOLDEN {
        assert_eq!(assembled(text, false).0, *chunks, "{text}");
    }
}

#[test]
fn the_chunks_are_those_instructions_again() {
    for (text, chunks) in GOLDEN {
        let printed = text_of(chunks);
        assert_eq!(
            assembled(&printed, false).0,
            *chunks,
            "{text} came back as {printed}"
        );
    }
}

#[test]
fn link_is_shown_and_taken_back_only_where_it_is_unusual() {
    // the assembler would leave the link of a single loop at 0
    let chunks = [0x4550003, 0x0210000];
    let printed = text_of(&chunks);
    assert_eq!(printed, "LOOP loopid=1, endpc=20, iter=3, step=2, link=1");
    assert_eq!(assembled(&printed, true).0, chunks);
    assert_eq!(assembled(&printed, false).1, ["drra::field"]);
}

#[test]
fn the_published_cell_is_its_chunks_at_its_addresses() {
    let text: Vec<&str> = CONVOLUTION.iter().map(|(_, _, text)| *text).collect();
    let expected: Vec<u64> = CONVOLUTION
        .iter()
        .flat_map(|(_, c, _)| c.to_vec())
        .collect();
    assert_eq!(assembled(&text.join("\n"), false).0, expected);
    let mut address = 0;
    for (at, chunks, text) in CONVOLUTION {
        assert_eq!(*at, address, "{text}");
        address += chunks.len() as u32;
    }
}
