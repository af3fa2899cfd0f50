//! Fifos, block floating point, the cascade in products and functions of AIE2P.

use aiec_core::CoreArch;
use aiec_sim::core::CoreStop;

use super::{A, AIE2P, B, OUT, bytes, bytes_of, check, run_on, tile, words};
use crate::support::OWN;

/// Stores of a whole accumulator at p2, which stays.
fn store(accumulator: u8) -> String {
    let parts = ["bmll", "bmlh", "bmhl", "bmhh"];
    let parts = parts.iter().enumerate();
    parts
        .map(|(at, part)| format!("vst {part}{accumulator}, [p2, #{}]\n", 64 * at))
        .collect()
}

/// 256 fp32 bytes as an accumulator.
fn load(accumulator: u8, pointer: u8) -> String {
    let parts = ["bmll", "bmlh", "bmhl", "bmhh"];
    let parts = parts.iter().enumerate();
    parts
        .map(|(at, part)| format!("vlda {part}{accumulator}, [p{pointer}, #{}]\n", 64 * at))
        .collect()
}

#[test]
fn unaligned_streams_are_filled_once_and_popped() {
    let input = bytes(301, 512);
    for from in [0usize, 24, 64, 100] {
        let program = format!(
            "movxm p0, #{}
            mova r24, #0
            wait 9
            vlda.fill.512 [p0, lf0, r24]
            wait 9
            vldb.pop.512 x0, [p0, lf0, r24]
            wait 9
            vlda.pop.512 x2, [p0, lf0, r24]
            wait 9
            vst x0, [p2, #0]
            vst x2, [p2, #64]
            paddb [p2], #128
            wait 2
            st p0, [p2, #0]
            exit",
            OWN + A + from as u32
        );
        let mut expected = input[from..from + 128].to_vec();
        expected.extend((OWN + A + from as u32 + 128).to_le_bytes());
        check(AIE2P, &program, &[(A, input.clone())], &expected);
    }
}

#[test]
fn pops_with_a_stride_empty_the_fifo() {
    let input = bytes(302, 512);
    let program = format!(
        "mova r25, #0
        mova r4, #-48
        movxm p1, #{}
        wait 9
        mov m1, r4
        vldb.fill.512 [p1, lf1, r25]
        wait 9
        vldb.pop.512 x0, [p1, lf1, r25, m1]
        wait 9
        vldb.fill.512 [p1, lf1, r25]
        wait 9
        vldb.pop.512 x2, [p1, lf1, r25]
        wait 9
        vst x0, [p2, #0]
        vst x2, [p2, #64]
        exit",
        OWN + A + 8
    );
    // 64 bytes popped, then 48 back.
    let mut expected = input[8..72].to_vec();
    expected.extend(&input[24..88]);
    check(AIE2P, &program, &[(A, input)], &expected);
}

/// Windows of 128 bytes whose beginnings are 8 bytes apart, as aie_api's sliding windows take them.
#[test]
fn windows_take_a_line_each() {
    let input = bytes(303, 512);
    let mut program = format!(
        "mova r25, #0
        mova r4, #-120
        mova r30, #127
        movxm p1, #{}
        wait 9
        mov m1, r4
        wait 2\n",
        OWN + A
    );
    let mut expected = Vec::new();
    for window in 0..12 {
        program += "vldb.popx.512 x0, [p1, lf1, r25]
            wait 9
            vldb.pop.512 x2, [p1, lf1, r25, m1]
            wait 9
            vst x0, [p2], #64
            vst x2, [p2], #64
            wait 2\n";
        expected.extend(&input[8 * window..8 * window + 128]);
    }
    program += "exit";
    check(AIE2P, &program, &[(A, input.clone())], &expected);
    // Without a step a window must begin a line.
    let program = format!(
        "mova r25, #0
        mova r30, #63
        movxm p1, #{}
        wait 9
        vldb.popx.512 x0, [p1, lf1, r25]
        exit",
        OWN + A + 8
    );
    let stop = run_on(CoreArch::Aie2p, &program, &mut tile(&[(A, input)]), false);
    assert!(
        format!("{stop:?}").contains("with step 0 in r30"),
        "{stop:?}"
    );
}

/// Vectors of 72 bytes: one fill to eight pops.
#[test]
fn blocks_stream_from_and_to_memory() {
    let input = bytes(304, 1024);
    let mut program = format!(
        "mova r24, #0
        mova r26, #0
        movxm p2, #{}
        wait 9
        vlda.fill.512 [p0, lf0, r24]
        wait 9\n",
        OWN + OUT + 16
    );
    for at in 0..8 {
        program += &format!(
            "vlda.pop.576 ex{at}, [p0, lf0, r24]
            wait 9
            vst.push.576 ex{at}, [p2, sf, r26]
            wait 9\n"
        );
    }
    program += "vst.flush.512 [p2, sf, r26]
        wait 9
        exit";
    let mut expected = vec![0; 16];
    expected.extend(&input[..576]);
    expected.extend([0; 64]);
    check(AIE2P, &program, &[(A, input)], &expected);
}

/// fp32 numbers that block floating point has exactly: integers below 64.
fn integers(seed: u64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..64).map(|_| random.i32(-63..64) as f32).collect()
}

fn fp32(numbers: &[f32]) -> Vec<u8> {
    let words: Vec<u32> = numbers.iter().map(|number| number.to_bits()).collect();
    bytes_of(&words)
}

#[test]
fn block_products_of_converted_numbers() {
    let (a, b) = (integers(305), integers(306));
    let program = format!(
        "{}{}mova r1, #12
        movxm r6, #0x30C
        wait 9
        movx crRnd, r1
        wait 2
        vconv.bfp16ebs8.fp32 ex0, dm0
        vconv.bfp16ebs8.fp32 ex1, dm1
        wait 9
        vmov ex3, ex1
        wait 9
        vmul.f dm2, ex0, ex3, r6
        wait 9
        vmac.f dm2, dm2, ex0, ex3, r6
        wait 9
        {}exit",
        load(0, 0),
        load(1, 1),
        store(2)
    );
    let expected: Vec<f32> = (0..64)
        .map(|lane| {
            let (i, j) = (lane / 8, lane % 8);
            let product: f32 = (0..8).map(|k| a[8 * i + k] * b[8 * j + k]).sum();
            2.0 * product
        })
        .collect();
    let inputs = [(A, fp32(&a)), (B, fp32(&b))];
    check(AIE2P, &program, &inputs, &fp32(&expected));
}

#[test]
fn conversion_on_the_way_to_memory() {
    let a = integers(307);
    let program = format!(
        "{}mova r26, #0
        mova r1, #0
        wait 9
        movx crRnd, r1
        wait 2
        vst.push.576.conv.bfp16ebs8.fp32 dm0, [p2, sf, r26]
        vst.flush.512.conv [p2, sf, r26]
        wait 9
        exit",
        load(0, 0)
    );
    let mut numbers = [0u8; 64];
    let mut exponents = [0u8; 8];
    for (block, exponent) in exponents.iter_mut().enumerate() {
        let lanes = 8 * block..8 * block + 8;
        let greatest = lanes.clone().map(|i| a[i].abs()).fold(0.0, f32::max);
        *exponent = (greatest.to_bits() >> 23) as u8;
        for i in lanes {
            let scale = 64.0 / 2f32.powi(i32::from(*exponent) - 127);
            numbers[i] = (a[i] * scale).floor() as i32 as u8;
        }
    }
    let expected = [&numbers[..], &exponents[..]].concat();
    check(AIE2P, &program, &[(A, fp32(&a))], &expected);
}

#[test]
fn functions_of_scalars_and_lanes() {
    let lanes: Vec<f32> = (0..16).map(|i| (i - 8) as f32 * 0.5).collect();
    let program = "vlda bmll0, [p0, #0]
        lda r1, [p1, #0]
        lda r2, [p1, #4]
        mova r3, #2
        wait 9
        mov s2, r3
        mov s3, r3
        inv r4, r1
        invsqrt r5, r1
        sqrt r6, r1
        inv r7.flt2fx, s3, r2.fx2flt, s2
        wait 4
        mov r8, r2.fx2flt, s2
        vexp2 wl2, bmll0
        vtanh wh2, bmll0
        wait 9
        vst x2, [p2, #0]
        paddb [p2], #64
        wait 2
        st r4, [p2], #4
        st r5, [p2], #4
        st r6, [p2], #4
        st r7, [p2], #4
        st r8, [p2], #4
        exit";
    let bf16 = |value: f64| half::bf16::from_f32(value as f32).to_le_bytes();
    let mut expected = Vec::new();
    expected.extend(lanes.iter().flat_map(|x| bf16(f64::from(*x).exp2())));
    expected.extend(lanes.iter().flat_map(|x| bf16(f64::from(*x).tanh())));
    for value in [0.25f32, 0.5, 2.0] {
        expected.extend(value.to_le_bytes());
    }
    // 6 / 4 = 1.5; 1 / 1.5 with 2 bits of fraction: 2.67, to 3.
    expected.extend(3u32.to_le_bytes());
    expected.extend(1.5f32.to_le_bytes());
    let scalars = [4f32.to_le_bytes(), 6u32.to_le_bytes()].concat();
    check(
        AIE2P,
        program,
        &[(A, fp32(&lanes)), (B, scalars)],
        &expected,
    );
}

/// A row of cores hands on parts of an accumulator: each word of 512 bits is a quarter of it.
#[test]
fn products_add_quarters_from_the_cascade() {
    let (a, b) = (bytes(310, 64), bytes(311, 64));
    let word = words(312, 64);
    let program = format!(
        "vlda x0, [p0, #0]; vldb x2, [p1, #0]
        mova r0, #1
        movx crSCDEn, r0
        movxm r6, #0x308
        mova r31, #0
        wait 9
        vmul dm0, x0, x2, r6
        wait 9
        vaddmac dm0, dm0, scd[r31++], x0, x2, r6
        wait 9
        vadd dm0, dm0, scd[r31++], r6
        wait 9
        vadd dm0, dm0, scd[r31], r6
        vmov.3 dm1, scd
        wait 9
        mova r7, #0
        wait 9
        vadd dm0, dm0, dm1, r7
        wait 9
        {}exit",
        store(0)
    );
    let expected: Vec<u32> = (0..64)
        .map(|lane| {
            let (i, j) = (lane / 8, lane % 8);
            let terms =
                (0..8).map(|k| i32::from(a[8 * i + k] as i8) * i32::from(b[8 * k + j] as i8));
            let product = terms.sum::<i32>() as u32;
            product.wrapping_mul(2).wrapping_add(word[lane])
        })
        .collect();
    for strict in [false, true] {
        let mut tile = tile(&[(A, a.clone()), (B, b.clone())]);
        for quarter in word.chunks_exact(16) {
            tile.cascade_in.push_back(quarter.try_into().unwrap());
        }
        let stop = run_on(CoreArch::Aie2p, &program, &mut tile, strict);
        assert_eq!(stop, CoreStop::Done, "strict {strict}");
        assert_eq!(tile.memory[OUT as usize..][..256], bytes_of(&expected));
    }
}

/// The shapes that products of 8- and 16-bit lanes have beside matrices.
#[test]
fn lanes_and_convolutions() {
    let (a, b) = (bytes(308, 128), bytes(309, 128));
    let inputs = [(A, a.clone()), (B, b.clone())];
    let half =
        |bytes: &[u8], i: usize| i64::from(i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]));
    let byte = |bytes: &[u8], i: usize| i64::from(bytes[i] as i8);
    let run = |sources: &str, word: u32, expected: Vec<u8>| {
        let program = format!(
            "vlda x0, [p0, #0]; vldb x2, [p1, #0]
            vlda x1, [p0, #64]; vldb x3, [p1, #64]
            movxm r6, #{word}
            wait 9
            vmul dm0, {sources}, r6
            wait 9
            {}exit",
            store(0)
        );
        check(AIE2P, &program, &inputs, &expected);
    };
    let words = |lane: &dyn Fn(usize) -> i64| -> Vec<u8> {
        (0..64)
            .flat_map(|i| (lane(i) as i32).to_le_bytes())
            .collect()
    };
    let longs = |lane: &dyn Fn(usize) -> i64| -> Vec<u8> {
        (0..32).flat_map(|i| lane(i).to_le_bytes()).collect()
    };
    run("x0, x2", 0x35A, longs(&|i| half(&a, i) * half(&b, i)));
    run("y0, y1", 0x338, words(&|i| half(&a, i) * half(&b, i)));
    let channels = |i: usize| {
        (0..8)
            .map(|k| byte(&a, i + 8 * k) * byte(&b, 8 * k + i % 8))
            .sum()
    };
    run("y0, x2", 0x348, words(&channels));
    let taps = |i: usize| (0..8).map(|k| byte(&a, i + k) * byte(&b, k)).sum();
    run("y0, x2", 0x388, words(&taps));
}
