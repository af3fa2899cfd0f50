//! Features of AIE2PS alone: its configuration words, formats of 8 and 16 bits, registers e, f and
//! g, sums in the move slot.

use aiec_core::CoreArch;
use half::f16;

use super::{A, B, bytes, bytes_of, bytes_of16, check, halves, words};

const AIE2PS: &[CoreArch] = &[CoreArch::Aie2ps];

/// Fills x0, and x2 and x3, which are y1.
const LOAD: &str = "vlda x0, [p0, #0]; vldb x2, [p1, #0]\nvldb x3, [p1, #64]\n";

/// Lanes of `size` bytes as numbers.
fn numbers(bytes: &[u8], size: usize, signed: bool) -> Vec<i64> {
    let number = |chunk: &[u8]| {
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(chunk);
        let value = i64::from_le_bytes(wide);
        let rest = 64 - 8 * size;
        if signed { value << rest >> rest } else { value }
    };
    bytes.chunks_exact(size).map(number).collect()
}

/// Stores of the lowest `parts` of dm1 to the output.
fn store(parts: usize) -> String {
    let names = ["bmll1", "bmlh1", "bmhl1", "bmhh1"];
    let parts = names[..parts].iter().enumerate();
    parts
        .map(|(at, part)| format!("vst {part}, [p2, #{}]\n", 64 * at))
        .collect()
}

/// The product of two matrices, row by row.
fn matrix<T: Copy + std::iter::Sum<T> + std::ops::Mul<Output = T>>(
    (m, k, n): (usize, usize, usize),
    left: &[T],
    right: &[T],
) -> Vec<T> {
    let element = |row: usize, column: usize| {
        (0..k)
            .map(|at| left[row * k + at] * right[at * n + column])
            .sum()
    };
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

#[test]
fn integer_matrices_of_all_shapes_and_signs() {
    // amode, bmode, variant; M, K, N; bytes of the elements and of a lane; the second source.
    for (modes, shape, sizes, second) in [
        ((0, 0, 0), (8, 8, 8), (1, 1, 4), "x2"),
        ((0, 0, 6), (4, 8, 16), (1, 1, 4), "y1"),
        ((0, 1, 0), (8, 2, 8), (2, 2, 4), "x2"),
        ((1, 0, 0), (4, 2, 8), (4, 2, 8), "x2"),
        ((1, 1, 0), (4, 4, 8), (2, 2, 8), "x2"),
    ] {
        for signs in 0..4 {
            let (a, b) = (bytes(500 + signs, 64), bytes(600 + signs, 128));
            let left = numbers(&a, sizes.0, signs & 2 != 0);
            let right = numbers(&b, sizes.1, signs & 1 != 0);
            let product = matrix(shape, &left, &right);
            let expected = product
                .iter()
                .flat_map(|number| number.to_le_bytes()[..sizes.2].to_vec());
            let word = modes.0 << 1 | modes.1 << 3 | modes.2 << 5 | signs << 8;
            let program = format!(
                "{LOAD}mova r8, #{word}\nwait 9\nvmul dm0, x0, {second}, r8\nwait 9\n\
                 vmac dm0, dm0, x0, {second}, r8\nwait 9\nvmsc dm1, dm0, x0, {second}, r8\nwait 9\n{}exit",
                store(4)
            );
            // a + a - a
            check(
                AIE2PS,
                &program,
                &[(A, a), (B, b)],
                &expected.collect::<Vec<u8>>(),
            );
        }
    }
}

#[test]
fn integers_lane_by_lane() {
    let (a, b) = (bytes(510, 128), bytes(511, 128));
    let products = |size| -> Vec<i64> {
        let pairs = numbers(&a, size, true)
            .into_iter()
            .zip(numbers(&b, size, true));
        pairs.map(|(a, b)| a * b).collect()
    };
    let lanes = |sums: Vec<i64>, size: usize| -> Vec<u8> {
        let lanes = sums
            .iter()
            .flat_map(|sum| sum.to_le_bytes()[..size].to_vec());
        lanes.collect()
    };
    let folded = |products: &[i64], lanes: usize| -> Vec<i64> {
        let (low, high) = products.split_at(lanes);
        low.iter().zip(high).map(|(low, high)| low + high).collect()
    };
    let (bytes8, halves16) = (products(1), products(2));
    for (instruction, word, expected) in [
        (
            "vmul dm1, x0, x2, r8",
            0x320,
            lanes(bytes8[..64].to_vec(), 4),
        ),
        ("vmul dm1, y0, y1, r8", 0x320, lanes(folded(&bytes8, 64), 4)),
        (
            "vmul cml1, x0, x2, r8",
            0x328,
            lanes(halves16[..32].to_vec(), 4),
        ),
        ("vmul dm1, y0, y1, r8", 0x328, lanes(halves16.clone(), 4)),
        (
            "vmul dm1, x0, x2, r8",
            0x34A,
            lanes(halves16[..32].to_vec(), 8),
        ),
        (
            "vmul dm1, y0, y1, r8",
            0x34A,
            lanes(folded(&halves16, 32), 8),
        ),
    ] {
        let program = format!(
            "{LOAD}vldb x1, [p0, #64]\nmovxm r8, #{word}\nwait 9\n{instruction}\nwait 9\n{}exit",
            store(expected.len() / 64)
        );
        check(
            AIE2PS,
            &program,
            &[(A, a.clone()), (B, b.clone())],
            &expected,
        );
    }
}

/// Small numbers whose products and sums are exact in fp32.
fn small(seed: u64, count: usize) -> Vec<f32> {
    let small = bytes(seed, count);
    small
        .iter()
        .map(|byte| f32::from(*byte as i8 % 8) / 2.0)
        .collect()
}

/// The bits of small numbers in E4M3 (`false`) and E5M2 (`true`).
fn eight_bits(number: f32, e5m2: bool) -> u8 {
    if number == 0.0 {
        return 0;
    }
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> 23 & 0xFF) as i32 - 127, bits & 0x7F_FFFF);
    let (bias, fraction_bits) = if e5m2 { (15, 2) } else { (7, 3) };
    let magnitude = (exponent + bias) << fraction_bits | (fraction >> (23 - fraction_bits)) as i32;
    (bits >> 24 & 0x80) as u8 | magnitude as u8
}

#[test]
fn floating_matrices_in_all_formats() {
    let sixteen = |numbers: &[f32], bf16: bool| -> Vec<u8> {
        let bits = numbers.iter().map(|number| {
            if bf16 {
                (number.to_bits() >> 16) as u16
            } else {
                f16::from_f32(*number).to_bits()
            }
        });
        bytes_of16(&bits.collect::<Vec<_>>())
    };
    for formats in 0..4 {
        let (first, second) = (formats & 1 != 0, formats & 2 != 0);
        let selected = formats << 24;
        let (a, b) = (small(520, 32), small(521, 64));
        let sums = matrix((4, 8, 8), &a, &b);
        let expected = bytes_of(
            &sums
                .iter()
                .map(|sum| (2.0 * sum).to_bits())
                .collect::<Vec<_>>(),
        );
        let program = format!(
            "{LOAD}movxm r8, #{}\nwait 9\nvmul.f cml0, x0, y1, r8\nwait 9\n\
             vmac.f cml1, cml0, x0, y1, r8\nwait 9\n{}exit",
            0x5C | selected,
            store(2)
        );
        let inputs = [(A, sixteen(&a, first)), (B, sixteen(&b, second))];
        check(AIE2PS, &program, &inputs, &expected);

        let (a, b) = (small(522, 64), small(523, 64));
        let a: Vec<f32> = a.iter().map(|number| number.trunc()).collect();
        let b: Vec<f32> = b.iter().map(|number| number.trunc()).collect();
        let file = |numbers: &[f32], e5m2| -> Vec<u8> {
            numbers
                .iter()
                .map(|number| eight_bits(*number, e5m2))
                .collect()
        };
        let expected: Vec<u32> = matrix((8, 8, 8), &a, &b)
            .iter()
            .map(|sum| sum.to_bits())
            .collect();
        let program = format!(
            "{LOAD}movxm r8, #{}\nwait 9\nvmul.f dm1, x0, x2, r8\nwait 9\n{}exit",
            0x14 | selected,
            store(4)
        );
        let inputs = [(A, file(&a, first)), (B, file(&b, second))];
        check(AIE2PS, &program, &inputs, &bytes_of(&expected));
    }
}

#[test]
fn conversions_to_fp16_and_back() {
    let numbers: Vec<f32> = (0..32).map(|i| (i as f32 - 9.5) * 1.375).collect();
    let halves: Vec<u16> = numbers
        .iter()
        .map(|x| f16::from_f32(*x).to_bits())
        .collect();
    let wide: Vec<u32> = halves
        .iter()
        .map(|half| f16::from_bits(*half).to_f32().to_bits())
        .collect();
    let fp32: Vec<u32> = numbers.iter().map(|x| x.to_bits()).collect();
    let mut expected = bytes_of16(&halves);
    expected.extend_from_slice(&expected.clone());
    expected.extend(bytes_of(&wide));
    let program = "
        vlda bmll0, [p0, #0]
        vlda bmlh0, [p0, #64]
        movx crrnd, #12
        movx crfpconvsat, #0
        wait 9
        vconv.fp16.fp32 x2, cml0
        vst.conv.fp16.fp32 cml0, [p2, #64]
        wait 9
        vst x2, [p2, #0]
        vconv.fp32.fp16 cml1, x2
        wait 9
        vst bmll1, [p2, #128]
        vst bmlh1, [p2, #192]
        exit";
    check(AIE2PS, program, &[(A, bytes_of(&fp32))], &expected);
}

#[test]
fn registers_of_parts_moved_loaded_and_stored() {
    let a = bytes(530, 64);
    // fl0 of a pair and back, f, eg to a vector, a vector to eg, feg as a whole.
    let mut expected = a[..8].to_vec();
    expected.extend([0; 8]);
    expected.extend_from_slice(&a[16..32]);
    expected.extend_from_slice(&a[16..32]);
    expected.extend([0; 16]);
    expected.extend_from_slice(&a[32..48]);
    expected.extend([0; 16]);
    expected.extend_from_slice(&a[32..64]);
    let program = "
        lda r3:r2, [p0, #0]
        lda f1, [p0, #16]
        lda eg4, [p0, #16]
        vlda wl6, [p0, #32]
        vlda feg7, [p0, #32]
        wait 9
        vmov fl0, r3:r2
        vmov f2, f1
        vmov wh1, eg4
        vmov eg9, wl6
        wait 2
        vmov r5:r4, fl0
        wait 2
        st r5:r4, [p2, #0]
        st f2, [p2, #16]
        vst wh1, [p2, #32]
        vst.128 eg9, [p2, #64]
        vst feg7, [p2, #96]
        exit";
    check(AIE2PS, program, &[(A, a)], &expected);
}

#[test]
fn words_of_parts() {
    let a = words(531, 8);
    // gl, gh, el, eh and f of a number lie in feg in this order, gl, el and fl in its lower half.
    let expected = [a[2], a[1], a[0], a[2], a[0], a[2], a[4], a[5]];
    let program = "
        vlda feg3, [p0, #0]
        vlda wl3, [p0, #0]
        wait 9
        mov r0, el3
        mov r1, gh3
        vmov ewl4, ewl3
        wait 2
        st r0, [p2, #0]
        st r1, [p2, #4]
        st egl4, [p2, #8]
        vst.128 fegl3, [p2, #16]
        exit";
    check(AIE2PS, program, &[(A, bytes_of(&a))], &bytes_of(&expected));
}

#[test]
fn sums_of_the_move_slot_and_extremes() {
    let program = "
        mova r0, #-7
        mova r1, #5
        add r2, r0, r1
        addm.nc r3, r0, #100
        addm.nc r4, r3, r1
        max r5, r0, r1
        maxu r6, r0, r1
        min r7, r0, r1
        minu r8, r0, r1
        movxm r9, #setup
setup:  add.nc ls, pc, #64
        addm.nc le, pc, #128
        mov r10, ls
        mov r11, le
        sub r10, r10, r9
        sub r11, r11, r9
        st r3, [p2, #0]
        st r4, [p2, #4]
        st r5, [p2, #8]
        st r6, [p2, #12]
        st r7, [p2, #16]
        st r8, [p2, #20]
        st r10, [p2, #24]
        st r11, [p2, #28]
        exit";
    // The second set-up is in the bundle of 4 bytes after the first.
    let expected = [93, 98, 5, -7i32 as u32, -7i32 as u32, 5, 64, 132];
    check(AIE2PS, program, &[], &bytes_of(&expected));
}

#[test]
fn divisions_name_the_remainder_once() {
    let program = format!(
        "movxm r31, #1000003\nmova r4, #0\nmova r5, #97\n{}st r31, [p2, #0]\nst r4, [p2, #4]\nexit",
        "divs r4, r31, r4, r5\n".repeat(32)
    );
    check(
        AIE2PS,
        &program,
        &[],
        &bytes_of(&[1000003 / 97, 1000003 % 97]),
    );
}

#[test]
fn shifts_and_shuffles_by_registers_that_are_no_operands() {
    let (a, b) = (halves(540, 32), halves(541, 32));
    let mut both = bytes_of16(&a);
    both.extend(bytes_of16(&b));
    let mut expected = both[6..70].to_vec();
    // Mode 59 exchanges the halves of words; element 3 of the first vector everywhere.
    expected.extend(bytes_of16(&[a[3]; 32]));
    // A first step of code 3: 16 bytes of the first vector, then the beginning of the second.
    expected.extend(&both[16..64]);
    expected.extend([0; 10]);
    expected.extend(&both[64..70]);
    let program = "
        vlda x0, [p0, #0]
        vldb x2, [p1, #0]
        mova r30, #6
        mova r29, #59
        mova r1, #3
        mova r0, #0
        mov s0, r0
        mov s1, r1
        wait 9
        vshift.align x4, x0, s0, x2, r30
        vextbcstshfl.16 x6, x0, r1, r29
        vshift.align x8, x0, s1, x2, r30
        wait 4
        vst x4, [p2, #0]
        vst x6, [p2, #64]
        vst x8, [p2, #128]
        exit";
    let inputs = [(A, bytes_of16(&a)), (B, bytes_of16(&b))];
    check(AIE2PS, program, &inputs, &expected);
}
