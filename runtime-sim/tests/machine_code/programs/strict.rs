//! Code that strict execution refuses: a small program for each rule, and one beside it that keeps
//! it.

use aiec_core::CoreArch;
use aiec_sim::core::CoreStop;

use super::{AIE2, ALL, FULL, run_on, tile};
use crate::support::{Tile, core};

/// That a program is refused with these words on each architecture, and that without strict
/// execution it runs to its end.
fn refuses(archs: &[CoreArch], program: &str, words: &str) {
    for arch in archs {
        let mut tiles = [true, false].map(|strict| (strict, unlocked()));
        let [strict, plain] = tiles
            .each_mut()
            .map(|(strict, tile)| run_on(*arch, program, tile, *strict));
        let CoreStop::Fault(fault) = &strict else {
            panic!("{arch}: {strict:?}\n{program}");
        };
        let fault = fault.to_string();
        assert!(fault.contains(words), "{arch}: {fault}\n{program}");
        assert_eq!(plain, CoreStop::Done, "{arch}\n{program}");
    }
}

/// A tile whose lock 49 can be acquired.
fn unlocked() -> Tile {
    let mut tile = tile(&[]);
    tile.locks[49] = 8;
    tile
}

/// That strict execution takes a program on each architecture.
fn takes(archs: &[CoreArch], program: &str) {
    for arch in archs {
        let stop = run_on(*arch, program, &mut unlocked(), true);
        assert_eq!(stop, CoreStop::Done, "{arch}\n{program}");
    }
}

#[test]
fn two_results_at_one_port() {
    let load = "lda r1, [p0, #0]\nwait 5\nmova r2, #1\nexit";
    refuses(
        ALL,
        load,
        "_WA in the same cycle: issue one of them a bundle",
    );
    takes(ALL, &load.replace("wait 5", "wait 6"));
    let multiply = "mova r0, #2\nmul r1, r0, r0\nadd r2, r0, r0\nexit";
    refuses(AIE2, multiply, "need port R_WX in the same cycle");
    takes(AIE2, &multiply.replace("\nadd", "\nnop\nadd"));
    let pointer = "lda p3, [p0, #0]\nwait 5\nmova p4, #8\nexit";
    refuses(ALL, pointer, "need port P_WM in the same cycle");
}

#[test]
fn two_results_of_a_cycle() {
    refuses(
        ALL,
        "mova r6, #1; movx r6, #2\nexit",
        "come to r6 in the same cycle",
    );
}

#[test]
fn results_that_overtake() {
    let program = "lda r6, [p0, #0]\nmovx r6, #1\nexit";
    refuses(
        ALL,
        program,
        "overtakes that of 0x18 on the way to r6, and the earlier issued one stays. Issue it 6 \
         bundles later",
    );
    takes(ALL, &program.replace("\nmovx", "\nwait 6\nmovx"));
}

#[test]
fn accesses_near_locks() {
    let start = "mova r10, #-1\nmova r11, #1\n";
    let acquires = format!("{start}acq #49, r10\nwait 2\nlda r0, [p0, #0]\nexit");
    refuses(ALL, &acquires, "they are 3 bundles apart, 4 are needed");
    takes(ALL, &acquires.replace("wait 2", "wait 3"));
    let releases = format!("{start}st r10, [p2, #0]\nwait 2\nrel #48, r11\nexit");
    refuses(
        ALL,
        &releases,
        "may not have happened when its lock operation does: they are 3 bundles apart, 4 are needed",
    );
    takes(ALL, &releases.replace("wait 2", "wait 3"));
    // An access after a release has nothing to wait for.
    takes(ALL, &format!("{start}rel #48, r11\nlda r0, [p0, #0]\nexit"));
    let part = format!("{start}st.s16 r10, [p2, #0]\nwait 7\nrel #48, r11\nexit");
    refuses(AIE2, &part, "they are 8 bundles apart, 9 are needed");
    let wide = [CoreArch::Aie2p, CoreArch::Aie2ps];
    refuses(&wide, &part, "they are 8 bundles apart, 10 are needed");
    takes(ALL, &part.replace("wait 7", "wait 9"));
    let shifts = format!(
        "{start}mov s0, r11\nvbcst.32 x0, r11\nwait 2\nvups.s32.s16 bml0, wl0, s0\nwait 3\n\
         vst.srs.s16.s32 bml0, s0, [p2, #0]\nwait 4\nrel #48, r11\nexit"
    );
    refuses(AIE2, &shifts, "they are 5 bundles apart, 6 are needed");
    takes(AIE2, &shifts.replace("wait 4", "wait 5"));
}

#[test]
fn branches_into_a_line() {
    let program = "j #there\nwait 5\n.p2align 4\nnop\nthere: nop\nexit";
    refuses(
        ALL,
        program,
        "which isn't a multiple of 16: put `.p2align 4` before the label",
    );
    takes(ALL, &program.replace("nop\nthere: nop", "there:"));
}

#[test]
fn hardware_loops() {
    let full = FULL.trim_end();
    let body = |wait: u32, first: &str, last: &str, end: &str| {
        format!(
            "mova r0, #1\nmovxm ls, #first\nmovxm le, #last\nmovxm lc, #3\n.p2align 4\n{}{first}\n\
             first: {full}\n{last}\nlast: {end}\nexit",
            FULL.repeat(wait as usize)
        )
    };
    takes(ALL, &body(6, "", "", full));
    refuses(
        ALL,
        &body(6, "nop", ".p2align 4", full),
        "ls of its hardware loop is",
    );
    refuses(ALL, &body(7, "", "nop", full), "le of its hardware loop is");
    refuses(
        ALL,
        &body(7, "", "", "nop"),
        "the last bundle of its hardware loop has 2 bytes, not 16",
    );
    refuses(
        ALL,
        &body(4, "", "", full),
        "lines of 16 bytes before the last bundle, 7 are needed",
    );
    refuses(
        ALL,
        &body(2, "", "", full),
        "sets its hardware loop up too late",
    );
    refuses(
        ALL,
        &body(7, "", "", "st.s16 r0, [p2, #0]; nopb; nops; nopxm; nopv"),
        "stores a part of a word, which silicon drops",
    );
}

#[test]
fn registers_that_nothing_has_written() {
    refuses(
        ALL,
        "add r1, r0, r0\nexit",
        "it reads r0, which nothing has written",
    );
    refuses(
        AIE2,
        "vadd.32 x1, x0, x0\nexit",
        "it reads x0, which nothing has written",
    );
    // Functions save the registers of their callers, whatever is in them.
    takes(ALL, "enter 64\nst r16, [sp, #-64]\nleave 64\nexit");
    // Or keep them in others; a copy is as defined as its source.
    takes(ALL, "mov r1, r16\nmova r16, #3\nmov r16, r1\nexit");
    takes(ALL, "add r1, r16, #0\nmov p3, p4\nexit");
    refuses(
        ALL,
        "mov r1, r16\nadd r2, r1, r1\nexit",
        "it reads r1, which nothing has written",
    );
    // Unpacking reads its vector six bundles after it is issued.
    takes(
        AIE2,
        "mova r0, #9\nvunpack.d16.d8 x1, wl2\nvbcst.32 x2, r0\nexit",
    );
    // The configuration says that the accumulator counts as 0.
    takes(
        AIE2,
        "mova r0, #9\nvbcst.32 x0, r0\nwait 2\nvmac cm0, cm0, x0, x0, r0\nexit",
    );
}

/// A function that saves lr to the stack in a delay slot of a call, as Peano's prologues do: until
/// the call's own return address comes, lr is that of the caller.
#[test]
fn return_addresses_in_delay_slots() {
    let slot = |count: usize| {
        let mut slots = vec!["nopa; nopb; nops; nopxm; nopv".to_string(); 5];
        slots[count] = "nopa; nopb; st lr, [sp, #-32]; nopxm; nopv".to_string();
        slots.join("\n")
    };
    let program = |slots: &str| {
        format!(
            "enter 64\njl #outer\nwait 5\nlda r1, [p1, #0]\nwait 9\nst r1, [p2, #0]\nexit\n\
             outer:\n.p2align 4\nnopa; nopb; nops; jl #inner; nopv\n{slots}\n\
             lda lr, [sp, #-32]\nwait 9\nret lr\nwait 5\ninner:\nmova r7, #3\nret lr\nwait 5"
        )
    };
    for first in [0, 2] {
        takes(ALL, &program(&slot(first)));
    }
    for late in [3, 4] {
        let program = program(&slot(late));
        for arch in ALL {
            let stop = run_on(*arch, &program, &mut unlocked(), true);
            let CoreStop::Fault(fault) = &stop else {
                panic!("{arch}: {stop:?}\n{program}");
            };
            let fault = fault.to_string();
            assert!(
                fault.contains("whose return address is already there"),
                "{arch}: {fault}"
            );
        }
    }
}

/// At address 0 the end of a loop that was never set is that of the bundle itself.
#[test]
fn a_counter_that_the_first_bundle_sets() {
    for arch in ALL {
        for strict in [false, true] {
            let mut machine = core(*arch, "movxm lc, #3\nnop\nnop\ndone\n", strict);
            let stop = machine.run(&mut Tile::default(), 100).stop;
            assert_eq!(stop, CoreStop::Done, "{arch}, strict {strict}");
            assert!(machine.bundles() < 10, "{arch}: {}", machine.bundles());
        }
    }
}
