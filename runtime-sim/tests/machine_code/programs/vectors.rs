//! Vectors: lanes, comparisons, shuffles, shifts with rounding, conversions.

use half::bf16;

use super::{A, AIE2, AIE2P, B, bytes, bytes_of, bytes_of16, check, halves, words};

/// Loads of a whole vector from a pointer's offset (AIE2).
pub fn load(vector: u8, pointer: &str, offset: u32) -> String {
    let high = offset + 32;
    format!("vlda wl{vector}, [{pointer}, #{offset}]\nvlda wh{vector}, [{pointer}, #{high}]\n")
}

/// Stores of a whole vector to the output (AIE2).
pub fn store(vector: u8, offset: u32) -> String {
    let high = offset + 32;
    format!("vst wl{vector}, [p2, #{offset}]\nvst wh{vector}, [p2, #{high}]\n")
}

/// x0 from A and x1 from B, an operation, x2 to the output.
fn pair_program(operation: &str) -> String {
    let loads = load(0, "p0", 0) + &load(1, "p1", 0);
    format!("{loads}wait 9\n{operation}\nwait 4\n{}exit", store(2, 0))
}

fn lanes16(a: &[u16], b: &[u16], f: impl Fn(i16, i16) -> i16) -> Vec<u8> {
    let lanes = a.iter().zip(b).map(|(a, b)| f(*a as i16, *b as i16) as u16);
    bytes_of16(&lanes.collect::<Vec<_>>())
}

#[test]
fn sums_of_words() {
    let (a, b) = (words(31, 16), words(32, 16));
    let sums: Vec<u32> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    let inputs = [(A, bytes_of(&a)), (B, bytes_of(&b))];
    check(
        AIE2,
        &pair_program("vadd.32 x2, x0, x1"),
        &inputs,
        &bytes_of(&sums),
    );
    let program = "
        vlda x0, [p0, #0]; vldb x2, [p1, #0]
        wait 9
        vadd.32 x4, x0, x2
        wait 4
        vst x4, [p2, #0]
        exit";
    check(AIE2P, program, &inputs, &bytes_of(&sums));
}

#[test]
fn differences_of_half_words_and_bytes() {
    let (a, b) = (halves(33, 32), halves(34, 32));
    let inputs = [(A, bytes_of16(&a)), (B, bytes_of16(&b))];
    let expected = lanes16(&a, &b, i16::wrapping_sub);
    check(
        AIE2,
        &pair_program("vsub.16 x2, x0, x1"),
        &inputs,
        &expected,
    );
    let (a, b) = (bytes(35, 64), bytes(36, 64));
    let expected: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a.wrapping_sub(*b)).collect();
    check(
        AIE2,
        &pair_program("vsub.8 x2, x0, x1"),
        &[(A, a), (B, b)],
        &expected,
    );
}

#[test]
fn rectifier_of_half_words() {
    let a = halves(37, 32);
    let expected = lanes16(&a, &a, |a, _| a.max(0));
    let program = format!(
        "{}mova r0, #0\nwait 9\nvbcst.16 x1, r0\nwait 3\nvmax_lt.s16 x2, r16, x0, x1\nwait 4\n{}exit",
        load(0, "p0", 0),
        store(2, 0)
    );
    check(AIE2, &program, &[(A, bytes_of16(&a))], &expected);
}

#[test]
fn greatest_words_by_mask_and_selection() {
    let (a, b) = (words(38, 16), words(39, 16));
    let greater = a
        .iter()
        .zip(&b)
        .map(|(a, b)| (*a as i32).max(*b as i32) as u32);
    let expected = bytes_of(&greater.collect::<Vec<_>>());
    let operation = "vge.s32 r16, x0, x1\nwait 3\nvsel.32 x2, x1, x0, r16";
    check(
        AIE2,
        &pair_program(operation),
        &[(A, bytes_of(&a)), (B, bytes_of(&b))],
        &expected,
    );
}

/// Mask bits are set where the first source is less, and choose the second source: both measured on
/// NPU1 silicon with two different sources (`npu1-instructions.txt`).
#[test]
fn bytes_above_a_threshold() {
    let (a, b) = (bytes(43, 64), bytes(44, 64));
    let program = format!(
        "{}{}mova r0, #0\nmova r1, #255\nvbcst.8 x1, r0\nvbcst.8 x4, r1\nwait 9\n\
         vlt.d8 r25:r24, x0, x2\nwait 4\nvsel.8 x3, x4, x1, r25:r24\nwait 4\n\
         vsel.8 x5, x1, x4, r25:r24\nwait 4\n{}{}exit",
        load(0, "p0", 0),
        load(2, "p1", 0),
        store(3, 0),
        store(5, 64)
    );
    let chosen = |above: u8, below: u8| -> Vec<u8> {
        let pairs = a.iter().zip(&b);
        pairs
            .map(|(threshold, byte)| if byte > threshold { above } else { below })
            .collect()
    };
    let expected = [chosen(0, 255), chosen(255, 0)].concat();
    check(AIE2, &program, &[(A, a.clone()), (B, b.clone())], &expected);
}

#[test]
fn least_bytes_with_their_mask() {
    let (a, b) = (bytes(40, 64), bytes(41, 64));
    let mut expected: Vec<u8> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| (*a as i8).min(*b as i8) as u8)
        .collect();
    let bit = |at: usize| u64::from(a[at] as i8 >= b[at] as i8) << at;
    let mask = (0..64).map(bit).fold(0, |mask, bit| mask | bit);
    expected.extend(mask.to_le_bytes());
    let program = format!(
        "{}{}wait 9\nvmin_ge.s8 x2, r17:r16, x0, x1\nwait 4\n{}st r16, [p2, #64]\nst r17, [p2, #68]\nexit",
        load(0, "p0", 0),
        load(1, "p1", 0),
        store(2, 0)
    );
    check(AIE2, &program, &[(A, a), (B, b)], &expected);
}

#[test]
fn sum_of_lanes_by_extraction() {
    let a = words(42, 16);
    let sum = a.iter().fold(0u32, |sum, lane| sum.wrapping_add(*lane));
    let program = format!(
        "{}mova r0, #0\nmova r16, #15\nwait 9\nloop:\nvextract.s32 r1, x0, r16\nwait 4\nadd r0, r0, r1\nadd r17, r16, #0\nadd r16, r16, #-1\njnz r17, #loop\nwait 5\nst r0, [p2, #0]\nexit",
        load(0, "p0", 0)
    );
    check(AIE2, &program, &[(A, bytes_of(&a))], &sum.to_le_bytes());
}

#[test]
fn window_of_two_vectors() {
    let (a, b) = (bytes(43, 64), bytes(44, 64));
    let both = [a.clone(), b.clone()].concat();
    let operation = "mova r0, #20\nvshift x2, x0, x1, r0";
    check(
        AIE2,
        &pair_program(operation),
        &[(A, a), (B, b)],
        &both[20..84],
    );
}

#[test]
fn even_and_odd_half_words_by_shuffle() {
    let (a, b) = (halves(45, 32), halves(46, 32));
    let both = [a.clone(), b.clone()].concat();
    let inputs = [(A, bytes_of16(&a)), (B, bytes_of16(&b))];
    for (mode, first) in [(2, 0), (3, 1)] {
        let lanes: Vec<u16> = both.iter().skip(first).step_by(2).copied().collect();
        let operation = format!("mova r0, #{mode}\nvshuffle x2, x0, x1, r0");
        check(
            AIE2,
            &pair_program(&operation),
            &inputs,
            &bytes_of16(&lanes),
        );
    }
}

#[test]
fn bytes_widened_added_and_narrowed() {
    let (a, b) = (bytes(47, 32), bytes(48, 32));
    let sums: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    let program = "
        vlda wl4, [p0, #0]
        vlda wl5, [p1, #0]
        wait 9
        vunpack.s16.s8 x0, wl4
        vunpack.s16.s8 x1, wl5
        wait 9
        vadd.16 x2, x0, x1
        wait 4
        vpack.s8.s16 wl6, x2
        wait 9
        vst wl6, [p2, #0]
        exit";
    check(AIE2, program, &[(A, a), (B, b)], &sums);
}

/// `value / 4`, rounded.
fn quarter(value: i32, rounding: u32) -> i32 {
    let (floor, rest) = (value.div_euclid(4), value.rem_euclid(4));
    let negative = value < 0;
    let up = match rounding {
        0 => false,
        1 => rest > 0,
        2 => rest > 0 && negative,
        3 => rest > 0 && !negative,
        _ if rest != 2 => rest > 2,
        8 => false,
        9 => true,
        10 => negative,
        11 => !negative,
        12 => floor % 2 != 0,
        _ => floor % 2 == 0,
    };
    floor + i32::from(up)
}

#[test]
fn roundings_of_shifts() {
    let mut a = halves(49, 32);
    for (at, half) in a.iter_mut().enumerate().take(16) {
        *half = (at as i16 - 8) as u16;
    }
    let mut program =
        load(0, "p0", 0) + "mova r1, #3\nmova r2, #5\nmov s0, r1\nmov s1, r2\nwait 9\n";
    let mut expected = Vec::new();
    program += "vups.s32.s16 cm0, x0, s0\nwait 4\n";
    for (at, rounding) in [0, 1, 2, 3, 8, 9, 10, 11, 12, 13].into_iter().enumerate() {
        program += &format!(
            "mova r3, #{rounding}\nmovx crRnd, r3\nwait 5\nvsrs.s16.s32 x1, cm0, s1\nwait 6\n{}",
            store(1, 64 * at as u32)
        );
        let lanes = a
            .iter()
            .map(|half| quarter(i32::from(*half as i16), rounding) as u16);
        expected.extend(bytes_of16(&lanes.collect::<Vec<_>>()));
    }
    check(AIE2, &(program + "exit"), &[(A, bytes_of16(&a))], &expected);
}

#[test]
fn saturations_of_shifts() {
    let a = halves(50, 32);
    let signed = |half: &u16| i32::from(*half as i16);
    let mut program = load(0, "p0", 0) + "mova r1, #0\nmov s0, r1\nwait 9\n";
    program += "vups.s32.s16 cm0, x0, s0\nwait 4\n";
    let mut expected = Vec::new();
    for (at, saturation) in [0, 1, 3].into_iter().enumerate() {
        program += &format!(
            "mova r3, #{saturation}\nmovx crSat, r3\nwait 5\nvsrs.s8.s32 wl1, cm0, s0\nwait 6\nvst wl1, [p2, #{}]\n",
            32 * at
        );
        expected.extend(a.iter().map(|half| match saturation {
            0 => signed(half) as u8,
            1 => signed(half).clamp(-128, 127) as u8,
            _ => signed(half).clamp(-127, 127) as u8,
        }));
    }
    check(AIE2, &(program + "exit"), &[(A, bytes_of16(&a))], &expected);
}

#[test]
fn bf16_to_fp32_and_back() {
    let mut random = fastrand::Rng::with_seed(51);
    let floats: Vec<f32> = (0..16).map(|_| (random.f32() - 0.5) * 1000.0).collect();
    let narrowed: Vec<bf16> = floats.iter().map(|float| bf16::from_f32(*float)).collect();
    let narrow: Vec<u16> = narrowed.iter().map(|float| float.to_bits()).collect();
    let wide: Vec<u32> = narrowed
        .iter()
        .map(|float| float.to_f32().to_bits())
        .collect();
    let input: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
    let program = "
        vlda amll0, [p0, #0]
        vlda amlh0, [p0, #32]
        mova r0, #12
        movx crRnd, r0
        wait 9
        vconv.bf16.fp32 wl1, bml0
        wait 9
        vst wl1, [p2, #0]
        vconv.fp32.bf16 bml1, wl1
        wait 9
        vst amll1, [p2, #32]
        vst amlh1, [p2, #64]
        exit";
    let expected = [bytes_of16(&narrow), bytes_of(&wide)].concat();
    check(AIE2, program, &[(A, bytes_of(&input))], &expected);
}

#[test]
fn lanes_pushed_in_from_above() {
    let input = words(52, 16);
    let program = format!(
        "mova r1, #16\nloop:\nlda r0, [p0], #4\nwait 9\nvpush.hi.32 x2, x2, r0\nwait 4\nadd r1, r1, #-1\njnz r1, #loop\nwait 5\n{}exit",
        store(2, 0)
    );
    check(AIE2, &program, &[(A, bytes_of(&input))], &bytes_of(&input));
}

#[test]
fn bits_of_vectors() {
    let (a, b) = (bytes(53, 64), bytes(54, 64));
    let inputs = [(A, a.clone()), (B, b.clone())];
    let and: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a & b).collect();
    let or: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a | b).collect();
    check(AIE2, &pair_program("vband x2, x0, x1"), &inputs, &and);
    check(AIE2, &pair_program("vbor x2, x0, x1"), &inputs, &or);
}

#[test]
fn vectors_in_a_two_dimensional_walk() {
    let input = bytes(55, 8 * 64);
    let mut expected = Vec::new();
    for row in 0..4 {
        expected.extend_from_slice(&input[128 * row..128 * row + 64]);
    }
    let program = "
        mova m0, #96
        mova dn0, #1
        mova dj0, #32
        mova dc0, #0
        mova r1, #8
    loop:
        vlda.2d wl0, [p0], d0
        wait 9
        vst wl0, [p2], #32
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        exit";
    check(AIE2, program, &[(A, input)], &expected);
}
