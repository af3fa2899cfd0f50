//! Small programs for the rules of the pipeline that the instruction set exposes.

use aiec_core::CoreArch;
use aiec_sim::core::CoreStop;

use super::{A, ALL, B, OUT, bytes_of, bytes_of16, run_on, tile, words};

/// Runs a program that reads old values on purpose, and holds its output to what is expected.
fn leaves(arch: CoreArch, program: &str, inputs: &[(u32, Vec<u8>)], expected: &[u8]) {
    let mut tile = tile(inputs);
    let stop = run_on(arch, program, &mut tile, false);
    assert_eq!(stop, CoreStop::Done, "{arch}\n{program}");
    let at = OUT as usize;
    assert_eq!(
        &tile.memory[at..at + expected.len()],
        expected,
        "{arch}\n{program}"
    );
}

#[test]
fn of_two_scalar_results_the_one_that_lands_later_stays() {
    // The comparison's result is read while the load is under way, the loaded value afterwards.
    let program = "
        lda r27, [p0, #0]
        mova r1, #3
        mova r2, #4
        lt r27, r1, r2
        st r27, [p2, #0]
        wait 3
        st r27, [p2, #4]
        exit";
    for arch in ALL {
        leaves(*arch, program, &[(A, bytes_of(&[77]))], &bytes_of(&[1, 77]));
    }
}

#[test]
fn of_two_vector_results_the_one_that_lands_later_stays() {
    let program = "
        mova r0, #5
        vldb wl2, [p0, #0]
        vbcst.32 x2, r0
        wait 1
        vst wl2, [p2, #0]
        wait 4
        vst wl2, [p2, #32]
        vst wh2, [p2, #64]
        exit";
    let loaded = words(1, 8);
    let expected = [&[5; 8], &loaded[..], &[5; 8]].concat();
    for arch in ALL {
        let inputs = [(A, bytes_of(&loaded))];
        leaves(*arch, program, &inputs, &bytes_of(&expected));
    }
}

#[test]
fn of_two_accumulator_results_the_one_that_lands_later_stays() {
    let loaded = words(2, 16);
    let expected = [&[5; 8], &loaded[..8]].concat();
    let aie2 = "
        mova r0, #5
        vbcst.32 x2, r0
        wait 2
        vlda amll0, [p0, #0]
        vmov bml0, x2
        wait 2
        vst amll0, [p2, #0]
        wait 4
        vst amll0, [p2, #32]
        exit";
    leaves(
        CoreArch::Aie2,
        aie2,
        &[(A, bytes_of(&loaded))],
        &bytes_of(&expected),
    );
}

#[test]
fn converting_loads_deliver_to_accumulators_as_plain_loads_do() {
    // 1.5 and 2.5 in bf16, and their sum in fp32.
    let inputs = [
        (A, bytes_of16(&[0x3FC0; 32])),
        (B, bytes_of16(&[0x4020; 32])),
    ];
    let expected = bytes_of(&[4f32.to_bits(); 8]);
    let aie2 = "
        mova r0, #28
        vlda.conv.fp32.bf16 bml0, [p0, #0]
        vlda.conv.fp32.bf16 bml1, [p1, #0]
        wait 4
        vadd.f bml2, bml0, bml1, r0
        wait 5
        vst amll2, [p2, #0]
        exit";
    leaves(CoreArch::Aie2, aie2, &inputs, &expected);
    // One bundle nearer the old accumulator counts, which is 0.
    let nearer = aie2.replace("wait 4", "wait 3");
    let expected = bytes_of(&[1.5f32.to_bits(); 8]);
    leaves(CoreArch::Aie2, &nearer, &inputs, &expected);
}

#[test]
fn dependent_products_keep_their_distance() {
    // Lanes of 1 times 1, added twice; nearer than `distance` the second sum has the old
    // accumulator. Configuration words: bf16 4x8x4 of AIE2 and in lanes of AIE2P, bytes in lanes.
    let cases = [
        (
            CoreArch::Aie2,
            "vmac.f bml0, bml0",
            0x1C,
            "vclr bml0",
            "vst amll0",
            4,
            8f32,
        ),
        (
            CoreArch::Aie2p,
            "vmac.f dm0, dm0",
            0x3C,
            "vclr dm0",
            "vst bmll0",
            3,
            1f32,
        ),
    ];
    for (arch, product, configuration, clear, store, distance, once) in cases {
        for (bundles, sums) in [(distance, 2f32), (distance - 1, 1f32)] {
            let program = format!(
                "movxm r1, #0x3F80\nmova r0, #{configuration}\nvbcst.16 x0, r1\n{clear}\nwait 9\n\
                 {product}, x0, x0, r0\nwait {}\n{product}, x0, x0, r0\nwait 9\n{store}, [p2, #0]\nexit",
                bundles - 1
            );
            leaves(
                arch,
                &program,
                &[],
                &bytes_of(&[(sums * once).to_bits(); 8]),
            );
        }
    }
    let cases = [
        (CoreArch::Aie2, "vmac cm0, cm0", "vclr cm0", "vst amll0", 2),
        (CoreArch::Aie2p, "vmac dm0, dm0", "vclr dm0", "vst bmll0", 1),
    ];
    for (arch, product, clear, store, once) in cases {
        for (bundles, sums) in [(2, 2), (1, 1)] {
            let program = format!(
                "mova r1, #1\nmova r0, #0x328\nvbcst.8 x0, r1\n{clear}\nwait 9\n\
                 {product}, x0, x0, r0\nwait {}\n{product}, x0, x0, r0\nwait 9\n{store}, [p2, #0]\nexit",
                bundles - 1
            );
            leaves(arch, &program, &[], &bytes_of(&[sums * once; 8]));
        }
    }
}

#[test]
fn shifts_up_read_their_shift_late() {
    // Read 6 bundles after the issue, as compilers use it: the shift is set after the load.
    let program = "
        mova r0, #0
        mov s0, r0
        mova r0, #4
        vlda.ups.s32.s16 bml0, s0, [p0, #0]
        wait 4
        mov s0, r0
        wait 4
        vst amll0, [p2, #0]
        exit";
    let inputs = [(A, bytes_of16(&[3; 16]))];
    leaves(CoreArch::Aie2, program, &inputs, &bytes_of(&[48; 8]));
    let later = program.replace("wait 4\n        mov s0", "wait 5\n        mov s0");
    leaves(CoreArch::Aie2, &later, &inputs, &bytes_of(&[3; 8]));
}
