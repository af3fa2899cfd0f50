//! Matrix products of the vector unit.

use half::bf16;

use super::vectors::load;
use super::{A, AIE2, AIE2P, B, bytes, bytes_of, bytes_of16, check, halves, words};

/// Both sources signed.
const SIGNED: u32 = 0x300;
/// Configuration words: bmode and amode in bits 4:3 and 2:1.
const BYTES: u32 = 1 << 3 | SIGNED;
const HALVES: u32 = 3 << 3 | SIGNED;
const FLOATS: u32 = 3 << 3 | 2 << 1;

/// Stores of accumulator 0 (AIE2).
const STORE_CM0: &str = "
    vst amll0, [p2, #0]
    vst amlh0, [p2, #32]
    vst amhl0, [p2, #64]
    vst amhh0, [p2, #96]
";

/// A of M×K by B of K×N, row by row, added to C.
fn multiply(m: usize, k: usize, n: usize, a: &[i32], b: &[i32], c: &mut [i32]) {
    for row in 0..m {
        for column in 0..n {
            for at in 0..k {
                c[row * n + column] += a[row * k + at] * b[at * n + column];
            }
        }
    }
}

fn signed(bytes: &[u8]) -> Vec<i32> {
    bytes.iter().map(|byte| i32::from(*byte as i8)).collect()
}

fn signed16(halves: &[u16]) -> Vec<i32> {
    halves.iter().map(|half| i32::from(*half as i16)).collect()
}

fn bytes_of_signed(words: &[i32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn bytes_4x8_by_8x8() {
    let (a, b) = (bytes(61, 32), bytes(62, 64));
    let mut expected = vec![0; 32];
    multiply(4, 8, 8, &signed(&a), &signed(&b), &mut expected);
    let program = format!(
        "vlda wl0, [p0, #0]\n{}mova r0, #{BYTES}\nwait 9\nvmul cm0, x0, x1, r0\nwait 9\n{STORE_CM0}exit",
        load(1, "p1", 0)
    );
    check(
        AIE2,
        &program,
        &[(A, a), (B, b)],
        &bytes_of_signed(&expected),
    );
}

#[test]
fn half_words_4x8_by_8x8_in_four_steps() {
    // each step multiplies 4x2 by 2x8; its A has 16 bytes in a place of 32
    let mut a = Vec::new();
    let mut b = Vec::new();
    let mut expected = vec![0; 32];
    for step in 0..4 {
        let (left, right) = (halves(63 + step, 8), halves(70 + step, 16));
        let (left, right): (Vec<u16>, Vec<u16>) = (
            left.iter().map(|half| half % 512).collect(),
            right.iter().map(|half| half % 512).collect(),
        );
        multiply(4, 2, 8, &signed16(&left), &signed16(&right), &mut expected);
        a.extend(bytes_of16(&left));
        a.extend([0; 16]);
        b.extend(bytes_of16(&right));
    }
    let program = format!(
        "mova r0, #{HALVES}
        vclr cm0
        mova r1, #4
        wait 9
    loop:
        vlda wl0, [p0], #32
        vlda wl1, [p1], #32
        wait 9
        vmac cm0, cm0, x0, x1, r0
        add r1, r1, #-1
        jnz r1, #loop
        wait 9
        {STORE_CM0}
        exit"
    )
    .replace(
        "jnz r1, #loop\n        wait 9",
        "jnz r1, #loop\n        wait 5\n        wait 9",
    );
    check(
        AIE2,
        &program,
        &[(A, a), (B, b)],
        &bytes_of_signed(&expected),
    );
}

#[test]
fn product_subtracted_and_negated() {
    let (a, b) = (bytes(80, 32), bytes(81, 64));
    let mut product = vec![0; 32];
    multiply(4, 8, 8, &signed(&a), &signed(&b), &mut product);
    let loads = format!(
        "vlda wl0, [p0, #0]\n{}mova r0, #{BYTES}\nwait 9\n",
        load(1, "p1", 0)
    );
    let negated: Vec<i32> = product.iter().map(|value| -value).collect();
    let program = format!("{loads}vnegmul cm0, x0, x1, r0\nwait 9\n{STORE_CM0}exit");
    let inputs = [(A, a), (B, b)];
    check(AIE2, &program, &inputs, &bytes_of_signed(&negated));
    let program = format!(
        "{loads}vmul cm0, x0, x1, r0\nwait 9\nvmsc cm0, cm0, x0, x1, r0\nwait 9\nvmsc cm0, cm0, x0, x1, r0\nwait 9\n{STORE_CM0}exit"
    );
    check(AIE2, &program, &inputs, &bytes_of_signed(&negated));
}

#[test]
fn bf16_4x8_by_8x4() {
    let mut random = fastrand::Rng::with_seed(82);
    // small whole numbers: every sum is exact
    let numbers: Vec<i32> = (0..64).map(|_| random.i32(-8..=8)).collect();
    let floats = |numbers: &[i32]| {
        let bits = numbers
            .iter()
            .map(|number| bf16::from_f32(*number as f32).to_bits());
        bytes_of16(&bits.collect::<Vec<_>>())
    };
    let mut product = vec![0; 16];
    multiply(4, 8, 4, &numbers[..32], &numbers[32..], &mut product);
    let expected: Vec<u32> = product.iter().map(|sum| (*sum as f32).to_bits()).collect();
    let program = format!(
        "{}{}mova r0, #{FLOATS}\nwait 9\nvmul.f bml0, x0, x1, r0\nwait 9\nvst amll0, [p2, #0]\nvst amlh0, [p2, #32]\nexit",
        load(0, "p0", 0),
        load(1, "p1", 0)
    );
    let inputs = [(A, floats(&numbers[..32])), (B, floats(&numbers[32..]))];
    check(AIE2, &program, &inputs, &bytes_of(&expected));
}

#[test]
fn bf16_accumulated() {
    let mut random = fastrand::Rng::with_seed(83);
    let numbers: Vec<i32> = (0..64).map(|_| random.i32(-8..=8)).collect();
    let floats = |numbers: &[i32]| {
        let bits = numbers
            .iter()
            .map(|number| bf16::from_f32(*number as f32).to_bits());
        bytes_of16(&bits.collect::<Vec<_>>())
    };
    let mut product = vec![0; 16];
    multiply(4, 8, 4, &numbers[..32], &numbers[32..], &mut product);
    let expected: Vec<u32> = product
        .iter()
        .map(|sum| (3.0 * *sum as f32).to_bits())
        .collect();
    let program = format!(
        "{}{}mova r0, #{FLOATS}
        mova r1, #3
        wait 9
        vclr bml0
        wait 9
    loop:
        vmac.f bml0, bml0, x0, x1, r0
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        wait 9
        vst amll0, [p2, #0]
        vst amlh0, [p2, #32]
        exit",
        load(0, "p0", 0),
        load(1, "p1", 0)
    );
    let inputs = [(A, floats(&numbers[..32])), (B, floats(&numbers[32..]))];
    check(AIE2, &program, &inputs, &bytes_of(&expected));
}

#[test]
fn bytes_8x8_by_8x8_of_aie2p() {
    let (a, b) = (bytes(84, 64), bytes(85, 64));
    let mut expected = vec![0; 64];
    multiply(8, 8, 8, &signed(&a), &signed(&b), &mut expected);
    let program = format!(
        "vlda x0, [p0, #0]; vldb x2, [p1, #0]
        mova r0, #{BYTES}
        wait 9
        vmul dm0, x0, x2, r0
        wait 9
        vst bmll0, [p2, #0]
        vst bmlh0, [p2, #64]
        vst bmhl0, [p2, #128]
        vst bmhh0, [p2, #192]
        exit"
    );
    check(
        AIE2P,
        &program,
        &[(A, a), (B, b)],
        &bytes_of_signed(&expected),
    );
}

#[test]
fn product_shifted_down_to_bytes() {
    let (a, b) = (bytes(86, 32), bytes(87, 64));
    let mut product = vec![0; 32];
    multiply(4, 8, 8, &signed(&a), &signed(&b), &mut product);
    let expected: Vec<u8> = product
        .iter()
        .map(|sum| (sum >> 8).clamp(-128, 127) as u8)
        .collect();
    let program = format!(
        "vlda wl0, [p0, #0]
        {}mova r0, #{BYTES}
        mova r1, #8
        mov s0, r1
        mova r2, #1
        movx crSat, r2
        mova r3, #0
        movx crRnd, r3
        wait 9
        vmul cm0, x0, x1, r0
        wait 9
        vsrs.s8.s32 wl4, cm0, s0
        wait 6
        vst wl4, [p2, #0]
        exit",
        load(1, "p1", 0)
    );
    check(AIE2, &program, &[(A, a), (B, b)], &expected);
}

/// Checks the lanes of 32 bits in accumulator 0 after a program that multiplies x0 by x1.
fn check_lanes(configuration: u32, a: &[u8], b: &[u8], expected: &[i32]) {
    let program = format!(
        "{}{}movxm r0, #{configuration}\nwait 9\nvmul cm0, x0, x1, r0\nwait 9\n{STORE_CM0}exit",
        load(0, "p0", 0),
        load(1, "p1", 0)
    );
    let inputs = [(A, a.to_vec()), (B, b.to_vec())];
    check(AIE2, &program, &inputs, &bytes_of_signed(expected));
}

/// Lanes of 64 bits as pairs of words.
fn words_of_wide(sums: &[i64]) -> Vec<i32> {
    let words = sums.iter().map(|sum| [*sum as i32, (*sum >> 32) as i32]);
    words.flatten().collect()
}

const WIDE: u32 = 1 << 1;
const fn variant(number: u32) -> u32 {
    number << 5
}

/// `mul_elem_32` of 32-bit numbers: by the upper half words, then, shifted, by the lower ones.
#[test]
fn words_times_half_words_in_two_steps() {
    let (a, b) = (halves(90, 32), words(91, 32));
    let low: Vec<u16> = b.iter().map(|word| *word as u16).collect();
    let high: Vec<u16> = b.iter().map(|word| (*word >> 16) as u16).collect();
    let expected: Vec<i32> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| i32::from(*a as i16).wrapping_mul(*b as i32))
        .collect();
    let first = HALVES | variant(1);
    let second = first & !0x100 | 1 << 10;
    let program = format!(
        "{}{}{}movxm r0, #{first}\nmovxm r1, #{second}\nwait 9\nvmul cm0, x0, x1, r0\nwait 9\n\
         vmac cm0, cm0, x0, x2, r1\nwait 9\n{STORE_CM0}exit",
        load(0, "p0", 0),
        load(1, "p1", 0),
        load(2, "p1", 64),
    );
    let inputs = [
        (A, bytes_of16(&a)),
        (B, [bytes_of16(&high), bytes_of16(&low)].concat()),
    ];
    check(AIE2, &program, &inputs, &bytes_of_signed(&expected));
}

#[test]
fn half_words_with_a_filter_of_four_taps() {
    let (a, b) = (halves(92, 32), halves(93, 32));
    let (left, right) = (signed16(&a), signed16(&b));
    let sums: Vec<i64> = (0..16)
        .map(|lane| {
            let taps = (0..4).map(|tap| i64::from(left[lane + tap]) * i64::from(right[tap]));
            taps.sum()
        })
        .collect();
    let configuration = HALVES | WIDE | variant(3);
    let expected = words_of_wide(&sums);
    check_lanes(configuration, &bytes_of16(&a), &bytes_of16(&b), &expected);
}

#[test]
fn complex_numbers_lane_by_lane() {
    let (a, b) = (halves(94, 32), halves(95, 32));
    let (left, right) = (signed16(&a), signed16(&b));
    let part =
        |of: &[i32], complex: usize, imaginary: usize| i64::from(of[2 * complex + imaginary]);
    let sums: Vec<i64> = (0..8)
        .flat_map(|lane| {
            let products = [lane, lane + 8].map(|at| {
                let (re_a, im_a) = (part(&left, at, 0), part(&left, at, 1));
                let (re_b, im_b) = (part(&right, at, 0), part(&right, at, 1));
                [re_a * re_b - im_a * im_b, re_a * im_b + im_a * re_b]
            });
            [0, 1].map(|of| products[0][of] + products[1][of])
        })
        .collect();
    // Products 1 and 3 of even lanes are negated: those of two imaginary parts.
    let configuration = HALVES | WIDE | variant(4) | 0b1010 << 16;
    let expected = words_of_wide(&sums);
    check_lanes(configuration, &bytes_of16(&a), &bytes_of16(&b), &expected);
}
