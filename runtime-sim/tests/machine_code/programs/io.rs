//! Streams, cascade, locks and events.

use aiec_core::CoreArch;
use aiec_sim::core::{CoreStop, CoreWait};

use super::{A, AIE2, AIE2P, ALL, OUT, bytes_of, run_on, tile, words};

#[test]
fn stream_passed_on_with_its_end() {
    let input = words(91, 6);
    let program = "
        mova r1, #5
    loop:
        mov r0, SS
        wait 9
        add r0, r0, #1
        mov ms, r0
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        mov r0, SS
        wait 9
        add r0, r0, #1
        mov.tlast ms, r0
        exit";
    for arch in ALL {
        let mut tile = tile(&[]);
        tile.stream_in.extend(&input);
        assert_eq!(
            run_on(*arch, program, &mut tile, true),
            CoreStop::Done,
            "{arch}"
        );
        let expected = input.iter().enumerate();
        let expected: Vec<_> = expected
            .map(|(at, word)| (word.wrapping_add(1), at == 5))
            .collect();
        assert_eq!(tile.stream_out, expected, "{arch}");
    }
}

#[test]
fn empty_stream_stops_the_core() {
    let program = "mov r0, SS\nwait 9\nst r0, [p2, #0]\nexit";
    for arch in ALL {
        let mut tile = tile(&[]);
        let stop = run_on(*arch, program, &mut tile, false);
        assert!(matches!(stop, CoreStop::Waiting(_)), "{arch} {stop:?}");
    }
}

#[test]
fn cascade_with_an_addition() {
    let lanes = words(92, 16);
    let program = "
        mova r0, #1
        movx crSCDEn, r0
        movx crMCDEn, r0
        vbcst.32 x1, r0
        wait 9
        vmov x0, SCD
        wait 9
        vadd.32 x2, x0, x1
        wait 4
        vmov MCD, x2
        exit";
    let mut tile = tile(&[]);
    tile.cascade_in.push_back(lanes.clone().try_into().unwrap());
    assert_eq!(
        run_on(CoreArch::Aie2, program, &mut tile, true),
        CoreStop::Done
    );
    let expected: Vec<u32> = lanes.iter().map(|lane| lane.wrapping_add(1)).collect();
    assert_eq!(tile.cascade_out.len(), 1);
    assert_eq!(tile.cascade_out[0].to_vec(), expected);
}

#[test]
fn locks_around_every_element() {
    let input = words(93, 4);
    let program = "
        mova r10, #-1
        mova r11, #1
        mova r1, #4
    loop:
        acq #49, r10
        wait 3
        lda r0, [p0], #4
        wait 9
        add r0, r0, r0
        st r0, [p2], #4
        wait 3
        rel #48, r11
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        exit";
    let expected: Vec<u32> = input.iter().map(|word| word.wrapping_add(*word)).collect();
    for arch in ALL {
        let mut tile = tile(&[(A, bytes_of(&input))]);
        tile.locks[49] = 4;
        assert_eq!(
            run_on(*arch, program, &mut tile, true),
            CoreStop::Done,
            "{arch}"
        );
        assert_eq!((tile.locks[48], tile.locks[49]), (4, 0), "{arch}");
        let at = OUT as usize;
        assert_eq!(tile.memory[at..at + 16], bytes_of(&expected), "{arch}");
    }
}

#[test]
fn lock_that_is_not_there_stops_the_core() {
    let program = "mova r10, #-2\nacq #50, r10\nexit";
    for arch in ALL {
        let mut tile = tile(&[]);
        tile.locks[50] = 1;
        let stop = run_on(*arch, program, &mut tile, false);
        let wait = CoreWait::Acquire {
            lock: 50,
            operand: -2,
        };
        assert_eq!(stop, CoreStop::Waiting(wait), "{arch}");
    }
}

#[test]
fn events_of_the_user() {
    let program = "event #0\nevent #1\nevent #0\nexit";
    for arch in AIE2.iter().chain(&[CoreArch::Aie2p]) {
        let mut tile = tile(&[]);
        assert_eq!(
            run_on(*arch, program, &mut tile, true),
            CoreStop::Done,
            "{arch}"
        );
        assert_eq!(tile.events, [0, 1, 0], "{arch}");
    }
}

#[test]
fn locks_under_a_condition() {
    let program = "
        mova r10, #-1
        mova r11, #1
        mova r26, #0
        mova r23, #0
        acq.cond #49, r10, r26
        wait 3
        rel.cond #48, r11, r26
        mova r26, #2
        mova r23, #2
        wait 3
        acq.cond #50, r10, r26
        wait 3
        rel.cond #51, r11, r26
        exit";
    let mut tile = tile(&[]);
    tile.locks[50] = 1;
    assert_eq!(
        run_on(CoreArch::Aie2, program, &mut tile, true),
        CoreStop::Done
    );
    assert_eq!(tile.locks[48..52], [0, 0, 0, 1]);
}

#[test]
fn streams_without_waiting() {
    let program = "
        mov.nb r0, SS
        wait 9
        mov r1, srSS0
        st r1, [p2, #0]
        mov.nb r0, SS
        wait 9
        mov r1, srSS0
        st r1, [p2, #4]
        st r0, [p2, #8]
        mov.nb ms, r0
        wait 9
        mov r1, srMS0
        st r1, [p2, #12]
        exit";
    let mut tile = tile(&[]);
    tile.stream_in.push_back(77);
    assert_eq!(
        run_on(CoreArch::Aie2, program, &mut tile, true),
        CoreStop::Done
    );
    let at = OUT as usize;
    // The first word is there, the second is not: the register keeps its value.
    assert_eq!(tile.memory[at..at + 16], bytes_of(&[2, 0, 77, 1]));
    assert_eq!(tile.stream_out, [(77, false)]);
}

#[test]
fn headers_of_control_packets() {
    let program = "
        movxm m0, #0x1F0E0
        mova r0, #5
        mov.cph ms, m0, #1, #2, r0
        mov.cph.tlast ms, m0, #0, #0, r0
        exit";
    let mut tile = tile(&[]);
    assert_eq!(
        run_on(CoreArch::Aie2, program, &mut tile, true),
        CoreStop::Done
    );
    // Two words of operation 2 with 12 bits set; one of operation 0 with 10.
    assert_eq!(tile.stream_out, [(0x8591_F0E0, false), (0x8501_F0E0, true)]);
}

#[test]
fn registers_of_the_tile() {
    let program = "
        movxm p3, #0x9F0E0
        mova r0, #9
        st.tm r0, [p3]
        lda.tm r1, [p3]
        wait 9
        st r1, [p2, #0]
        exit";
    let mut tile = tile(&[]);
    assert_eq!(
        run_on(CoreArch::Aie2, program, &mut tile, true),
        CoreStop::Done
    );
    assert_eq!(
        tile.registers.into_iter().collect::<Vec<_>>(),
        [(0x1_F0E0, 9)]
    );
    let at = OUT as usize;
    assert_eq!(tile.memory[at..at + 4], bytes_of(&[9]));
}

#[test]
fn registers_of_the_tile_by_offsets_and_walks() {
    let program = "
        movxm p3, #0x9F000
        mova dj0, #16
        mova m0, #32
        mova r0, #9
        st.tm r0, [p3, #16]
        lda.tm r1, [p3, dj0]
        st.tm r0, [p3], m0
        st.tm r0, [p3], #-4
        wait 9
        st r1, [p2, #0]
        exit";
    for arch in AIE2P.iter().chain(&[CoreArch::Aie2ps]) {
        let mut tile = tile(&[]);
        assert_eq!(
            run_on(*arch, program, &mut tile, true),
            CoreStop::Done,
            "{arch}"
        );
        let registers: Vec<_> = tile.registers.into_iter().collect();
        assert_eq!(
            registers,
            [(0x1_F000, 9), (0x1_F010, 9), (0x1_F020, 9)],
            "{arch}"
        );
        let at = OUT as usize;
        assert_eq!(tile.memory[at..at + 4], bytes_of(&[9]), "{arch}");
    }
}

#[test]
fn addresses_that_are_no_registers_of_the_tile() {
    for address in ["0x70000", "0xC0000", "0x80002"] {
        let program = format!("movxm p3, #{address}\nlda.tm r1, [p3]\nexit");
        let mut tile = tile(&[]);
        let stop = run_on(CoreArch::Aie2, &program, &mut tile, false);
        let CoreStop::Fault(fault) = stop else {
            panic!("{stop:?}");
        };
        assert!(fault.to_string().contains("isn't an address of a register"));
    }
}

#[test]
fn warnings_and_errors_of_the_user() {
    for (arch, program) in [
        (CoreArch::Aie2, "event #2\nevent #3\nexit"),
        (CoreArch::Aie2p, "event.warning\nevent.error\nexit"),
        (CoreArch::Aie2ps, "event.warning\nevent.error\nexit"),
    ] {
        let mut tile = tile(&[]);
        assert_eq!(run_on(arch, program, &mut tile, true), CoreStop::Done);
        assert_eq!(tile.events, [2, 3], "{arch}");
    }
}
