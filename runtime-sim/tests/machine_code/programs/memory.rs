//! Loads, stores and address generators.

use aiec_sim::core::CoreStop;

use super::{A, AIE2, ALL, B, OUT, bytes, bytes_of, bytes_of16, check, halves, words};
use crate::support::OWN;

#[test]
fn copy_of_bytes() {
    let input = bytes(21, 23);
    let program = "
        mova r1, #23
    loop:
        lda.u8 r0, [p0], #1
        wait 9
        st.s8 r0, [p2], #1
        wait 9
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        exit";
    check(ALL, program, &[(A, input.clone())], &input);
}

#[test]
fn length_of_a_text() {
    let program = "
        mova r0, #0
    loop:
        lda.u8 r1, [p0], #1
        wait 9
        jz r1, #end
        wait 5
        add r0, r0, #1
        j #loop
        wait 5
    end:
        st r0, [p2, #0]
        exit";
    check(
        ALL,
        program,
        &[(A, b"quiescent\0".to_vec())],
        &9u32.to_le_bytes(),
    );
}

#[test]
fn histogram_by_index_register() {
    let input: Vec<u8> = bytes(22, 40).iter().map(|byte| byte % 8).collect();
    let mut counts = vec![0u32; 8];
    for byte in &input {
        counts[usize::from(*byte)] += 1;
    }
    let program = "
        mova r1, #40
        mova r10, #2
    loop:
        lda.u8 r0, [p0], #1
        wait 9
        lshl r0, r0, r10
        mov dj0, r0
        wait 1
        lda r2, [p2, dj0]
        wait 9
        add r2, r2, #1
        st r2, [p2, dj0]
        wait 2
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        exit";
    check(ALL, program, &[(A, input)], &bytes_of(&counts));
}

#[test]
fn sums_of_signed_and_unsigned_half_words() {
    let input = halves(23, 10);
    let signed: i32 = input.iter().map(|half| i32::from(*half as i16)).sum();
    let unsigned: u32 = input.iter().map(|half| u32::from(*half)).sum();
    let program = "
        mova r0, #0
        mova r1, #0
        mova r2, #10
    loop:
        lda.s16 r3, [p0, #0]
        lda.u16 r4, [p0], #2
        wait 9
        add r0, r0, r3
        add r1, r1, r4
        add r2, r2, #-1
        jnz r2, #loop
        wait 5
        st r0, [p2, #0]
        st r1, [p2, #4]
        exit";
    check(
        ALL,
        program,
        &[(A, bytes_of16(&input))],
        &bytes_of(&[signed as u32, unsigned]),
    );
}

#[test]
fn half_words_in_reverse() {
    let input = halves(24, 9);
    let expected: Vec<u16> = input.iter().rev().copied().collect();
    let program = "
        mova r2, #9
        movxm p3, #0x73010
    loop:
        lda.u16 r0, [p0], #2
        wait 9
        st.s16 r0, [p3], #-2
        wait 9
        add r2, r2, #-1
        jnz r2, #loop
        wait 5
        exit";
    check(
        ALL,
        program,
        &[(A, bytes_of16(&input))],
        &bytes_of16(&expected),
    );
}

#[test]
fn transposition_by_strides() {
    let input = words(25, 16);
    let expected: Vec<u32> = (0..16).map(|at| input[at % 4 * 4 + at / 4]).collect();
    let program = "
        mova m0, #16
        mova m1, #-60
        mova r1, #4
    column:
        lda r2, [p0], m0
        lda r3, [p0], m0
        lda r4, [p0], m0
        lda r5, [p0], m0
        padda [p0], m1
        wait 9
        st r2, [p2], #4
        st r3, [p2], #4
        st r4, [p2], #4
        st r5, [p2], #4
        add r1, r1, #-1
        jnz r1, #column
        wait 5
        exit";
    // four steps of 16 bytes lead to the end of the column: the next begins 60 bytes before
    check(ALL, program, &[(A, bytes_of(&input))], &bytes_of(&expected));
}

#[test]
fn two_dimensional_walk() {
    let input = words(26, 8 * 4);
    let mut expected = Vec::new();
    for row in 0..4 {
        expected.extend_from_slice(&input[8 * row..8 * row + 3]);
    }
    let program = "
        mova m0, #24
        mova dn0, #2
        mova dj0, #4
        mova dc0, #0
        mova r1, #12
    loop:
        lda.2d r0, [p0], d0
        wait 9
        st r0, [p2], #4
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        exit";
    check(ALL, program, &[(A, bytes_of(&input))], &bytes_of(&expected));
}

#[test]
fn three_dimensional_walk() {
    let input = words(27, 2 * 6 * 8);
    let mut expected = Vec::new();
    for plane in 0..2 {
        for row in 0..3 {
            for column in 0..2 {
                expected.push(input[plane * 48 + row * 8 + column]);
            }
        }
    }
    let program = "
        mova dn0, #1
        mova dj0, #4
        mova dc0, #0
        mova dn4, #2
        mova dj4, #28
        mova dc4, #0
        mova m0, #124
        mova r1, #12
    loop:
        lda.3d r0, [p0], d0
        wait 9
        st r0, [p2], #4
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        exit";
    check(ALL, program, &[(A, bytes_of(&input))], &bytes_of(&expected));
}

#[test]
fn pointers_by_all_units() {
    let base = OWN + A;
    let expected = [base + 12, base + 20, base + 36, base + 30];
    let program = "
        mova m1, #-6
        padda [p0], #12
        mov r0, p0
        paddb [p0], #8
        mov r1, p0
        padds [p0], #16
        mov r2, p0
        padda [p0], m1
        mov r3, p0
        st r0, [p2, #0]
        st r1, [p2, #4]
        st r2, [p2, #8]
        st r3, [p2, #12]
        exit";
    check(AIE2, program, &[], &bytes_of(&expected));
}

#[test]
fn linked_list() {
    // nodes of value and next, in any order
    let at = |node: u32| OWN + A + 8 * node;
    let nodes = [(5, at(2)), (9, 0), (7, at(1))];
    let input: Vec<u32> = nodes
        .iter()
        .flat_map(|(value, next)| [*value, *next])
        .collect();
    let program = "
        mova r0, #0
    loop:
        lda r1, [p0, #0]
        lda r2, [p0, #4]
        wait 9
        add r0, r0, r1
        mov p0, r2
        jnz r2, #loop
        wait 5
        st r0, [p2, #0]
        exit";
    check(ALL, program, &[(A, bytes_of(&input))], &21u32.to_le_bytes());
}

#[test]
fn stack_slots() {
    let input = words(28, 3);
    let expected = [input[2], input[0], input[1]];
    let program = "
        lda r0, [p0, #0]
        lda r1, [p0, #4]
        lda r2, [p0, #8]
        wait 9
        enter 64
        wait 1
        st r0, [sp, #-64]
        st r1, [sp, #-32]
        st r2, [sp, #-4]
        wait 2
        lda r5, [sp, #-4]
        lda r6, [sp, #-64]
        lda r7, [sp, #-32]
        wait 9
        leave 64
        st r5, [p2, #0]
        st r6, [p2, #4]
        st r7, [p2, #8]
        exit";
    check(ALL, program, &[(A, bytes_of(&input))], &bytes_of(&expected));
}

#[test]
fn a_late_load_gives_the_old_value_before() {
    // not for strict mode: it reads inside the latency window on purpose
    let input = 77u32;
    let program = "
        mova r0, #11
        lda r0, [p0, #0]
        st r0, [p2, #0]
        wait 9
        st r0, [p2, #4]
        exit";
    let mut tile = super::tile(&[(A, input.to_le_bytes().to_vec())]);
    let stop = super::run_on(AIE2[0], program, &mut tile, false);
    assert_eq!(stop, CoreStop::Done);
    let at = OUT as usize;
    assert_eq!(tile.memory[at..at + 8], bytes_of(&[11, 77]));
    let mut again = super::tile(&[(A, input.to_le_bytes().to_vec()), (B, vec![0])]);
    let stop = super::run_on(AIE2[0], program, &mut again, true);
    assert!(matches!(stop, CoreStop::Fault(_)), "{stop:?}");
}

#[test]
fn strict_execution_names_what_depends_on_chance() {
    // each with what strict execution says; without it all but the last run to their end
    let cases = [
        (
            "lda r0, [p0, #0]\nadd r1, r0, r0\nexit",
            "it reads r0 while an earlier result is still under way to it",
        ),
        (
            "lda m1, [p0, #0]\npadda [p0], m1\nexit",
            "it reads m1 while an earlier result is still under way to it",
        ),
        (
            "mova r0, #1\nmul r16, r0, r0\nst r16, [p2, #0]\nexit",
            "it reads r16 while an earlier result is still under way to it",
        ),
        (
            "movxm p0, #0x71002\nlda r0, [p0, #0]\nexit",
            "access of 4 bytes at 0x71002, which isn't a multiple of them",
        ),
        (
            "movxm p0, #0x71001\nlda.s16 r0, [p0, #0]\nexit",
            "access of 2 bytes at 0x71001, which isn't a multiple of them",
        ),
        (
            "movxm p0, #0x71010\nvlda wl0, [p0, #0]\nexit",
            "access of 32 bytes at 0x71010, which isn't a multiple of them",
        ),
        (
            "mova r0, #1\nmovxm p2, #0x73002\nst r0, [p2, #0]\nexit",
            "access of 4 bytes at 0x73002, which isn't a multiple of them",
        ),
        (
            "movxm p0, #0x80000\nlda r0, [p0, #0]\nexit",
            "load from 0x80000, where the core sees no memory",
        ),
        (
            "mova r0, #1\nmovxm p0, #0x80000\nst r0, [p0, #0]\nexit",
            "store to 0x80000, where the core sees no memory",
        ),
    ];
    for (program, reason) in cases {
        for arch in super::ALL {
            let stop = super::run_on(*arch, program, &mut super::tile(&[]), true);
            let CoreStop::Fault(fault) = &stop else {
                panic!("{arch}: {stop:?}\n{program}");
            };
            assert!(fault.to_string().contains(reason), "{arch}: {fault}");
            let stop = super::run_on(*arch, program, &mut super::tile(&[]), false);
            let ends = stop == CoreStop::Done;
            assert_eq!(ends, !reason.starts_with("store"), "{arch}: {stop:?}");
        }
    }
}

/// Four lookups side by side. The table is in memory twice, row by row of a bank; lanes take the
/// copies in turn, and what is beyond the row is 0. Addresses count bytes of both copies. So
/// Riallto's hue (`lut<4, uint16>` of aie_api) is exact, and the places in rows are those of 10
/// of 10 loads of NPU1 silicon that found data of the test's input (xdna-emu).
#[test]
fn lookups_side_by_side() {
    const ROW: usize = 16;
    const ROWS: usize = 8;
    for bytes in [2, 4, 8] {
        let table: Vec<Vec<u8>> = (0..2 * ROWS)
            .map(|row| super::bytes(row as u64, ROW))
            .collect();
        let elements = ROWS * ROW / bytes;
        let mut random = fastrand::Rng::with_seed(bytes as u64);
        let indices: Vec<usize> = (0..8).map(|_| random.usize(..elements)).collect();
        let addresses: Vec<u32> = indices
            .iter()
            .map(|index| OWN + B + (2 * bytes * index) as u32)
            .collect();
        for (half, first) in [("lo", 0), ("hi", 4)] {
            let mut expected = Vec::new();
            for lane in 0..4 {
                let at = indices[first + lane] * bytes;
                let row = &table[at / ROW * 2 + lane % 2];
                let mut loaded = [0; 8];
                let found = &row[at % ROW..ROW.min(at % ROW + 8)];
                loaded[..found.len()].copy_from_slice(found);
                expected.extend(loaded);
            }
            let bits = 8 * bytes;
            let program = format!(
                "vlda wl2, [p0, #0]\nwait 9\nvldb.4x{bits}.{half} wl4, wl2\nwait 9\nvst wl4, [p2, #0]\nexit"
            );
            let inputs = [(A, bytes_of(&addresses)), (B, table.concat())];
            check(ALL, &program, &inputs, &expected);
        }
    }
}
