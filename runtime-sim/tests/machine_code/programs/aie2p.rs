//! Vectors of AIE2P and AIE2PS: wide accumulators, modes in control registers, signs in names.

use aiec_core::CoreArch;
use half::bf16;

use super::{A, AIE2P, B, bytes, bytes_of, bytes_of16, check, halves, words};

/// Architectures with accumulators of 2048 bits.
const WIDE: &[CoreArch] = &[CoreArch::Aie2p, CoreArch::Aie2ps];

/// The shape that a configuration word names, and what it multiplies.
struct Shape {
    amode: u32,
    bmode: u32,
    variant: u32,
    m: usize,
    k: usize,
    n: usize,
    /// Bytes of the elements of both sources, and of an accumulator's lane.
    sizes: (usize, usize, usize),
}

const fn shape(
    modes: (u32, u32),
    m: usize,
    k: usize,
    n: usize,
    sizes: (usize, usize, usize),
) -> Shape {
    Shape {
        amode: modes.0,
        bmode: modes.1,
        variant: 0,
        m,
        k,
        n,
        sizes,
    }
}

/// Integer matrix products of AIE2P (`llvm-aie`'s instruction simulator).
const MATRICES: [Shape; 6] = [
    shape((0, 1), 8, 8, 8, (1, 1, 4)),
    shape((0, 2), 8, 4, 8, (2, 1, 4)),
    shape((0, 3), 8, 2, 8, (2, 2, 4)),
    shape((1, 0), 4, 2, 8, (4, 2, 8)),
    shape((1, 2), 4, 8, 8, (2, 1, 8)),
    shape((1, 3), 4, 4, 8, (2, 2, 8)),
];

/// The numbers of `size` bytes each.
fn numbers(bytes: &[u8], size: usize, signed: bool) -> Vec<i64> {
    let number = |chunk: &[u8]| {
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(chunk);
        let value = i64::from_le_bytes(wide);
        if signed {
            value << (64 - 8 * size) >> (64 - 8 * size)
        } else {
            value
        }
    };
    bytes.chunks_exact(size).map(number).collect()
}

fn lanes_of(numbers: &[i64], size: usize) -> Vec<u8> {
    let lanes = numbers.iter().map(|number| number.to_le_bytes());
    lanes.flat_map(|lane| lane[..size].to_vec()).collect()
}

/// Stores of a whole accumulator to the output.
fn store(accumulator: u8) -> String {
    let parts = ["bmll", "bmlh", "bmhl", "bmhh"];
    let parts = parts.iter().enumerate();
    parts
        .map(|(at, part)| format!("vst {part}{accumulator}, [p2, #{}]\n", 64 * at))
        .collect()
}

const LOAD: &str = "vlda x0, [p0, #0]; vldb x2, [p1, #0]\n";

#[test]
fn integer_matrices_of_all_shapes_and_signs() {
    for (number, shape) in MATRICES.iter().enumerate() {
        for signs in 0..4 {
            let (a, b) = (
                bytes(200 + number as u64, 64),
                bytes(300 + number as u64, 64),
            );
            let (first, second, lane) = shape.sizes;
            let left = numbers(&a, first, signs & 2 != 0);
            let right = numbers(&b, second, signs & 1 != 0);
            let mut product = vec![0i64; shape.m * shape.n];
            for (at, sum) in product.iter_mut().enumerate() {
                let (row, column) = (at / shape.n, at % shape.n);
                let terms =
                    (0..shape.k).map(|k| left[row * shape.k + k] * right[k * shape.n + column]);
                *sum = terms.sum();
            }
            let word = shape.amode << 1 | shape.bmode << 3 | shape.variant << 5 | signs << 8;
            let program = format!(
                "{LOAD}mova r0, #{word}\nwait 9\nvmul dm0, x0, x2, r0\nwait 9\n\
                 vmac dm0, dm0, x0, x2, r0\nwait 9\nvmsc dm1, dm0, x0, x2, r0\nwait 9\n{}exit",
                store(1)
            );
            // a + a - a
            check(
                AIE2P,
                &program,
                &[(A, a), (B, b)],
                &lanes_of(&product, lane),
            );
        }
    }
}

#[test]
fn bytes_lane_by_lane() {
    let (a, b) = (bytes(210, 64), bytes(211, 64));
    let products: Vec<i64> = numbers(&a, 1, true)
        .iter()
        .zip(numbers(&b, 1, true))
        .map(|(a, b)| a * b)
        .collect();
    let program = format!(
        "{LOAD}movxm r0, #{}\nwait 9\nvmul dm2, x0, x2, r0\nwait 9\n{}exit",
        1 << 3 | 1 << 5 | 0x300,
        store(2)
    );
    check(AIE2P, &program, &[(A, a), (B, b)], &lanes_of(&products, 4));
}

#[test]
fn bf16_lane_by_lane_with_an_accumulator() {
    let of = |seed: u64| -> Vec<bf16> {
        let small = bytes(seed, 32);
        small
            .iter()
            .map(|byte| bf16::from_f32(f32::from(*byte as i8) / 4.0))
            .collect()
    };
    let (a, b) = (of(212), of(213));
    let file =
        |lanes: &[bf16]| bytes_of16(&lanes.iter().map(|lane| lane.to_bits()).collect::<Vec<_>>());
    // Multiples of 1/16 below 2048: exact in fp32.
    let sums: Vec<u32> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| (2.0 * a.to_f32() * b.to_f32()).to_bits())
        .collect();
    let word = 2 << 1 | 3 << 3 | 1 << 5;
    let program = format!(
        "{LOAD}mova r0, #{word}\nwait 9\nvmul.f dm0, x0, x2, r0\nwait 9\n\
         vmac.f dm0, dm0, x0, x2, r0\nwait 9\nvst bmll0, [p2, #0]\nvst bmlh0, [p2, #64]\nexit"
    );
    check(
        AIE2P,
        &program,
        &[(A, file(&a)), (B, file(&b))],
        &bytes_of(&sums),
    );
}

/// Shifts up by s0 and down by s1, in lanes that a mode register names.
fn shifts(archs: &[CoreArch], from: usize, wide: usize, mode: u32, times: usize, signed: bool) {
    let a = bytes(220 + from as u64 + u64::from(mode), 64);
    let (up, down) = (3, 5);
    let sign = u32::from(signed);
    let (accumulator, width) = if times == 2 {
        ("cml0", "2x")
    } else {
        ("dm0", "4x")
    };
    let results: Vec<i64> = numbers(&a, from, signed)
        .iter()
        .map(|number| number << up >> down)
        .collect();
    let program = format!(
        "vlda x0, [p0, #0]
        mova r1, #{up}
        mova r2, #{down}
        mov s0, r1
        mov s1, r2
        mova r3, #{mode}
        movx crUPSMode, r3
        movx crSRSMode, r3
        mova r4, #0
        movx crRnd, r4
        movx crSat, r4
        wait 9
        vups.{width} {accumulator}, x0, s0, upssign{sign}
        wait 9
        vsrs.{width} x2, {accumulator}, s1, srssign{sign}
        wait 9
        vst x2, [p2, #0]
        exit"
    );
    assert_eq!(wide, from * times);
    check(archs, &program, &[(A, a)], &lanes_of(&results, from));
}

#[test]
fn shifts_up_and_down_in_both_modes() {
    for signed in [false, true] {
        shifts(WIDE, 2, 4, 0, 2, signed);
        shifts(WIDE, 4, 8, 1, 2, signed);
        shifts(WIDE, 1, 4, 0, 4, signed);
        shifts(WIDE, 2, 8, 1, 4, signed);
    }
}

#[test]
fn lanes_compared_and_selected() {
    let (a, b) = (words(230, 16), words(231, 16));
    let inputs = [(A, bytes_of(&a)), (B, bytes_of(&b))];
    for signed in [false, true] {
        let less = |a: u32, b: u32| if signed { (a as i32) < b as i32 } else { a < b };
        let pairs = || a.iter().zip(&b).map(|(a, b)| (*a, *b));
        let greatest = pairs().map(|(a, b)| if less(a, b) { b } else { a });
        let mask = pairs()
            .enumerate()
            .map(|(i, (a, b))| u32::from(less(a, b)) << i)
            .sum();
        let differences = pairs().map(|(a, b)| a.wrapping_sub(b));
        let mut expected: Vec<u32> = greatest.clone().collect();
        expected.extend(greatest);
        expected.extend(differences);
        expected.push(mask);
        let sign = u32::from(signed);
        let program = format!(
            "{LOAD}wait 9
            vlt.32 r16, x0, x2, vaddsign{sign}
            vsub.32 x6, x0, x2
            wait 4
            vsel.32 x4, x0, x2, r16
            wait 4
            vmax_lt.32 x8, r16, x0, x2, vaddsign{sign}
            wait 4
            vst x4, [p2, #0]
            vst x8, [p2, #64]
            vst x6, [p2, #128]
            padda [p2], #192
            st r16, [p2, #0]
            exit"
        );
        check(WIDE, &program, &inputs, &bytes_of(&expected));
    }
}

#[test]
fn half_words_broadcast_and_extracted() {
    let a = halves(232, 32);
    let mut expected = vec![a[5]; 32];
    let high = (i32::from(a[7] as i16) >> 16) as u16;
    expected.extend([a[7], high, a[9], 0]);
    let program = "
        vlda x0, [p0, #0]
        mova r1, #5
        mova r2, #9
        wait 9
        vextract.16 r4, x0, r1, vaddsign0
        vextract.16 r5, x0, #7, vaddsign1
        vextract.16 r6, x0, r2, vaddsign0
        wait 4
        vbcst.16 x2, r4
        wait 4
        vst x2, [p2, #0]
        padda [p2], #64
        st r5, [p2, #0]
        st r6, [p2, #4]
        exit";
    check(
        WIDE,
        program,
        &[(A, bytes_of16(&a))],
        &bytes_of16(&expected),
    );
}
