use aiec_device::Arch;
use half::bf16;

use super::*;
use crate::core::cost::{kernel_elements, kernel_products};

/// Where the tile's own memory begins.
const BASE: u64 = 0x7_0000;

fn call_on(memory: &mut [u8], text: &str, values: &[u64]) -> Result<KernelStep, CoreFault> {
    call_for(Arch::Aie2, memory, text, values)
}

fn call_for(
    arch: Arch,
    memory: &mut [u8],
    text: &str,
    values: &[u64],
) -> Result<KernelStep, CoreFault> {
    let kernel = Kernels::default().find(text, arch);
    let kernel = kernel.unwrap_or_else(|missing| panic!("{missing}"));
    let mut memory = CoreMemory {
        windows: [&mut [], &mut [], &mut [], memory],
        window_bits: 16,
        conflicts: None,
        accesses: None,
    };
    kernel.call(&mut memory, values)
}

/// Calls a kernel to its end; returns what it sent over the cascade. Each time that it takes
/// something from there, the next of `taken` comes in the lowest lane.
fn call_on_cascade(memory: &mut [u8], text: &str, values: &[u64], taken: &[i32]) -> Vec<i32> {
    let kernel = Kernels::default().find(text, Arch::Aie2);
    let kernel = kernel.unwrap_or_else(|missing| panic!("{missing}"));
    let mut memory = CoreMemory {
        windows: [&mut [], &mut [], &mut [], memory],
        window_bits: 16,
        conflicts: None,
        accesses: None,
    };
    let mut taken = taken.iter();
    let mut sent = Vec::new();
    let mut step = kernel.call(&mut memory, values).unwrap();
    loop {
        let (transfer, rest) = match step.then {
            CallOutcome::Return(_) => break,
            CallOutcome::Transfer(transfer, rest) => (transfer, rest),
        };
        let mut received = [0; CASCADE_WORDS];
        match transfer {
            Transfer::Put(words) => sent.push(words[0] as i32),
            Transfer::Get => received[0] = *taken.next().expect("one to take") as u32,
        }
        step = kernel.resume(rest, &mut memory, values, &received).unwrap();
    }
    assert_eq!(taken.next(), None);
    sent
}

#[test]
fn products_go_along_the_cascade() {
    // [1 2; 3 4] · [5 6; 7 8] = [19 22; 43 50]
    let arguments = [BASE, BASE + 8, BASE + 16];
    let start: Vec<i16> = vec![1, 2, 3, 4, 5, 6, 7, 8, 1000, 1000, 1000, 1000];
    let memory = || shorts(&start);
    let arguments = |name: &str| {
        (
            format!("{name}_i16_i16(2x2xi16,2x2xi16,2x2xi16)"),
            arguments,
        )
    };

    let (text, values) = arguments("matmul_scalar_cascade_put_only");
    let mut first = memory();
    let sent = call_on_cascade(&mut first, &text, &values, &[]);
    assert_eq!(sent, [19, 22, 43, 50]);
    assert_eq!(first, memory());

    // 32760 + 22 wraps in a sum of 16 bits.
    let (text, values) = arguments("matmul_scalar_cascade_put_get");
    let sent = call_on_cascade(&mut memory(), &text, &values, &[100, 32760, -43, 0]);
    assert_eq!(sent, [119, -32754, 0, 50]);

    let (text, values) = arguments("matmul_scalar_cascade_get_only");
    let mut last = memory();
    let sent = call_on_cascade(&mut last, &text, &values, &[1, 2, 3, 4]);
    assert_eq!(sent, [0; 0]);
    assert_eq!(last[16..], shorts(&[1020, 1024, 1046, 1054]));
}

#[test]
fn cycles_of_a_call_count_once() {
    let mut kernels = Kernels::default();
    kernels.set_cycles("matmul_scalar_cascade_put_only", 77);
    let text = "matmul_scalar_cascade_put_only(1x2xi32,2x1xi32,1x1xi32)";
    let kernel = kernels.find(text, Arch::Aie2).unwrap();
    let mut bytes = words(&[1, 2, 3, 4, 0]);
    let mut memory = CoreMemory {
        windows: [&mut [], &mut [], &mut [], &mut bytes],
        window_bits: 16,
        conflicts: None,
        accesses: None,
    };
    let values = [BASE, BASE + 8, BASE + 16];
    let step = kernel.call(&mut memory, &values).unwrap();
    assert_eq!(step.cycles, 0);
    let CallOutcome::Transfer(_, rest) = step.then else {
        panic!("a transfer");
    };
    let received = [0; CASCADE_WORDS];
    let step = kernel
        .resume(rest, &mut memory, &values, &received)
        .unwrap();
    assert_eq!(step.cycles, 77);
}

fn words(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn shorts(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn halves(values: &[f32]) -> Vec<u8> {
    let bits = values.iter().map(|value| bf16::from_f32(*value).to_bits());
    bits.flat_map(u16::to_le_bytes).collect()
}

#[test]
fn lines_and_tiles_are_copied() {
    let mut memory = vec![1, 2, 3, 4, 0, 0, 0, 0];
    let text = "passThroughLine(4xui8,4xui8,i32)";
    let done = call_on(&mut memory, text, &[BASE, BASE + 4, 3]).unwrap();
    assert_eq!(memory, [1, 2, 3, 4, 1, 2, 3, 0]);
    assert_eq!(done.cycles, kernel_elements(3, true));
    let text = "passThroughTile(2x2xui8,2x2xui8,i32,i32)";
    call_on(&mut memory, text, &[BASE, BASE + 4, 2, 2]).unwrap();
    assert_eq!(memory, [1, 2, 3, 4, 1, 2, 3, 4]);
}

#[test]
fn elements_are_added_and_multiplied() {
    let mut memory = halves(&[1.5, -2.0, 0.25, 3.0, 0.0, 0.0]);
    let arguments = [BASE, BASE + 4, BASE + 8];
    let text = "eltwise_add_bf16_scalar(2xbf16,2xbf16,2xbf16)";
    let done = call_on(&mut memory, text, &arguments).unwrap();
    assert_eq!(memory[8..], halves(&[1.75, 1.0]));
    assert_eq!(done.cycles, kernel_elements(2, false));
    let text = "eltwise_mul_bf16_vector_size(2xbf16,2xbf16,2xbf16,i32)";
    call_on(&mut memory, text, &[BASE, BASE + 4, BASE + 8, 1]).unwrap();
    assert_eq!(memory[8..], halves(&[0.375, 1.0]));
    let text = "eltwise_mul_add_bf16_vector(2xbf16,2xbf16,2xbf16,i32)";
    call_on(&mut memory, text, &[BASE, BASE + 4, BASE + 8, 1]).unwrap();
    assert_eq!(memory[8..], halves(&[0.375, -6.0]));
}

#[test]
fn elements_are_scaled_and_wrap() {
    // 20000 · 3 = 60000 = 65536 - 5536
    let mut memory = shorts(&[20_000, -7, 0, 0]);
    memory.extend(words(&[3]));
    let text = "vector_scalar_mul_vector(2xi16,2xi16,1xi32,i32)";
    call_on(&mut memory, text, &[BASE, BASE + 4, BASE + 8, 2]).unwrap();
    assert_eq!(memory[4..8], shorts(&[-5536, -21]));
}

#[test]
fn negative_elements_are_cut() {
    let mut memory = halves(&[-1.0, 2.5, 9.0, 9.0]);
    call_on(&mut memory, "bf16_relu(2xbf16,2xbf16)", &[BASE, BASE + 4]).unwrap();
    assert_eq!(memory[4..], halves(&[0.0, 2.5]));
}

#[test]
fn elements_are_reduced() {
    for (name, result) in [
        ("reduce_add_vector", -4),
        ("reduce_min_scalar", -9),
        ("reduce_max_vector", 7),
    ] {
        let mut memory = words(&[3, -9, 7, -5, 0]);
        let text = format!("{name}(4xi32,1xi32,i32)");
        call_on(&mut memory, &text, &[BASE, BASE + 16, 4]).unwrap();
        assert_eq!(memory[16..], words(&[result]), "{name}");
    }
    let mut memory = halves(&[-0.5, -2.0, 0.0]);
    let text = "reduce_max_vector_bfloat16(2xbf16,1xbf16,i32)";
    call_on(&mut memory, text, &[BASE, BASE + 4, 2]).unwrap();
    assert_eq!(memory[4..], halves(&[-0.5]));
    // unsigned bytes: 200 is more than 100
    let mut memory = vec![100, 200, 0];
    call_on(
        &mut memory,
        "reduce_max(2xui8,1xui8,i32)",
        &[BASE, BASE + 2, 2],
    )
    .unwrap();
    assert_eq!(memory[2], 200);
}

#[test]
fn thresholds_of_all_sorts() {
    for (sort, result) in [
        (0, [0, 0, 99]),
        (1, [99, 99, 0]),
        (2, [10, 50, 50]),
        (3, [0, 0, 200]),
        (4, [10, 50, 0]),
    ] {
        let mut memory = vec![10, 50, 200, 0, 0, 0];
        let text = "thresholdLine(3xui8,3xui8,i32,i32,i32,i8)";
        call_on(&mut memory, text, &[BASE, BASE + 3, 3, 50, 99, sort]).unwrap();
        assert_eq!(memory[3..], result, "{sort}");
    }
}

#[test]
fn matrices_in_rows_are_multiplied_onto_the_result() {
    // [1 2 3; 4 5 6] · [1 2; 3 4; 5 6] = [22 28; 49 64]
    let mut memory = words(&[1, 2, 3, 4, 5, 6]);
    memory.extend(words(&[1, 2, 3, 4, 5, 6]));
    memory.extend(words(&[9, 9, 9, 9]));
    let c = BASE + 48;
    call_on(&mut memory, "zero_scalar_i32(2x2xi32)", &[c]).unwrap();
    let text = "matmul_scalar_i32_i32(2x3xi32,3x2xi32,2x2xi32)";
    for times in 1..3 {
        call_on(&mut memory, text, &[BASE, BASE + 24, c]).unwrap();
        let sum = [22, 28, 49, 64].map(|value| value * times);
        assert_eq!(memory[48..], words(&sum));
    }
}

/// A matrix in rows, rearranged into blocks of r x t that follow one another in rows.
fn in_blocks(matrix: &[i16], columns: usize, r: usize, t: usize) -> Vec<i16> {
    let mut blocks = Vec::new();
    for row in (0..matrix.len() / columns).step_by(r) {
        for column in (0..columns).step_by(t) {
            for i in row..row + r {
                blocks.extend(&matrix[i * columns + column..i * columns + column + t]);
            }
        }
    }
    blocks
}

#[test]
fn blocked_matrices_are_those_of_the_architecture() {
    for (arch, t) in [(Arch::Aie2, 4), (Arch::Aie2p, 8), (Arch::Aie2ps, 8)] {
        let (m, k, n) = (8, 4, 16);
        let a: Vec<i16> = (0..m * k).map(|i| i as i16 % 7 - 3).collect();
        let b: Vec<i16> = (0..k * n).map(|i| i as i16 % 5 - 2).collect();
        let mut c = vec![1i16; m * n];
        for (i, sum) in c.iter_mut().enumerate() {
            *sum += (0..k)
                .map(|l| a[i / n * k + l] * b[l * n + i % n])
                .sum::<i16>();
        }
        let mut memory = shorts(&in_blocks(&a, k, 4, 4));
        memory.extend(shorts(&in_blocks(&b, n, 4, t)));
        let at = memory.len();
        memory.extend(shorts(&vec![1; m * n]));
        let values = [BASE, BASE + 2 * (m * k) as u64, BASE + at as u64];
        let text = "matmul_i16_i16(8x4xi16,4x16xi16,8x16xi16)";
        let done = call_for(arch, &mut memory, text, &values).unwrap();
        assert_eq!(memory[at..], shorts(&in_blocks(&c, n, 4, t)), "{arch:?}");
        let element = aiec_vcode::ElementType::parse("i16").unwrap();
        assert_eq!(done.cycles, kernel_products(arch, element, 512, true));
    }
}

#[test]
fn vectors_are_multiplied_with_matrices_of_both_layouts() {
    // [1 2 3 4; 5 6 7 8] · [1 0 2 1] = [11 27], onto [100 200]
    let rows = [1, 2, 3, 4, 5, 6, 7, 8];
    let words_transposed = [1, 2, 5, 6, 3, 4, 7, 8];
    for (name, a) in [("scalar", rows), ("vectorized", words_transposed)] {
        let mut memory = shorts(&a);
        memory.extend(shorts(&[1, 0, 2, 1]));
        memory.extend(words(&[100, 200]));
        let text = format!("matvec_{name}_i16_i32(2x4xi16,4xi16,2xi32)");
        call_on(&mut memory, &text, &[BASE, BASE + 16, BASE + 24]).unwrap();
        assert_eq!(memory[24..], words(&[111, 227]), "{name}");
    }
}

#[test]
fn other_names_and_types_are_not_taken() {
    let find = |text: &str| Kernels::default().find(text, Arch::Aie2);
    for text in [
        "zeroes(4xi32)",
        "zero_mine(4xi32)",
        "passThrough(4xi32)",
        "foo()",
    ] {
        assert_eq!(find(text).unwrap_err().reason, None, "{text}");
    }
    for (text, reason) in [
        ("zero_i32(i32)", "(out*)"),
        ("zero_i32(4xi32,i32)", "(out*)"),
        ("zero_i32(4xi32)->i32", "(out*)"),
        ("passThroughTile(4xi8,4xi8,i32)", "height, width"),
        ("zero_i32(4xi16)", "says i32"),
        ("matmul_i16_i32(16xi16,16xi16,16xi16)", "says i32"),
        ("zero(4xf64)", "f64"),
        ("eltwise_add(4xi32,4xbf16,4xi32)", "integers and floats"),
        ("eltwise_add(4xi32,4xi32,4xi32,f32)", "the rest integers"),
    ] {
        let found = find(text).unwrap_err().reason.unwrap();
        assert!(found.contains(reason), "{text}: {found}");
    }
    assert!(find("zero").is_err());
}

#[test]
fn kernels_fail_with_a_reason() {
    for (text, values, reason) in [
        (
            "passThroughLine(4xi8,4xi8,i32)",
            &[BASE, BASE, 5][..],
            "past the end",
        ),
        (
            "reduce_add(4xi32,1xi32,i32)",
            &[BASE, BASE, 0],
            "no elements",
        ),
        ("zero(?xi32)", &[BASE], "open"),
        ("matmul_scalar(2xi32,3xi32,5xi32)", &[BASE; 3], "no sizes"),
        (
            "matmul(6x4xi16,4x8xi16,6x8xi16)",
            &[BASE; 3],
            "blocks of 4x4",
        ),
        (
            "matmul(4x4xi32,4x4xi32,4x4xi32)",
            &[BASE; 3],
            "no product of i32",
        ),
        ("zero(4xi32)", &[], "number of arguments"),
    ] {
        let fault = call_on(&mut [0; 256], text, values).unwrap_err();
        assert!(fault.to_string().contains(reason), "{text}: {fault}");
    }
    let nowhere = call_on(&mut [0; 8], "zero(4xi32)", &[BASE]).unwrap_err();
    assert_eq!(nowhere, CoreFault::Address { address: 0x7_0008 });
}

#[test]
fn the_user_sets_cycles_of_kernels_and_operations() {
    let mut kernels = Kernels::default();
    kernels.set_cycles("zero", 7);
    kernels.set_cycles("add.i32", 3);
    kernels.set_cycles("nothing", 1);
    let kernel = kernels.find("zero(1xi32)", Arch::Aie2).unwrap();
    let mut bytes = [1; 4];
    let mut memory = CoreMemory {
        windows: [&mut [], &mut [], &mut [], &mut bytes],
        window_bits: 16,
        conflicts: None,
        accesses: None,
    };
    assert_eq!(kernel.call(&mut memory, &[BASE]).unwrap().cycles, 7);
    let costs = kernels.costs();
    assert_eq!(costs.of(Opcode::Add32), 3);
    assert_eq!(costs.of(Opcode::Add64), 1);
    let called = BTreeSet::from(["zero".to_string()]);
    assert_eq!(kernels.unknown_names(&called), ["nothing"]);
}

#[test]
fn names_are_found_behind_what_iron_puts_in_front() {
    for (name, plain) in [
        ("93fc268f_zero_i32", "zero_i32"),
        ("op0_zero_i32", "zero_i32"),
        ("op12_93fc268f_zero_i32", "zero_i32"),
        ("zero_i32", "zero_i32"),
        ("93FC268F_zero", "93FC268F_zero"),
        ("93fc268_zero", "93fc268_zero"),
        ("op_zero", "op_zero"),
        ("93fc268f_", "93fc268f_"),
    ] {
        assert_eq!(plain_name(name), plain, "{name}");
    }
    let mut memory = words(&[1, 2]);
    call_on(&mut memory, "op1_93fc268f_zero_i32(2xi32)", &[BASE]).unwrap();
    assert_eq!(memory, words(&[0, 0]));
    let mut kernels = Kernels::default();
    kernels.set_cycles("zero_i32", 5);
    let bound = kernels
        .find("93fc268f_zero_i32(2xi32)", Arch::Aie2)
        .unwrap();
    assert_eq!(bound.cycles, Some(5));
}

#[test]
fn colors_of_pixels() {
    let mut memory = vec![
        255, 0, 0, 9, 0, 255, 0, 9, 0, 0, 255, 9, 7, 7, 7, 9, 0, 0, 0, 0,
    ];
    let text = "rgba2hueLine(16xui8,4xui8,i32)";
    call_on(&mut memory, text, &[BASE, BASE + 16, 4]).unwrap();
    // A third of the circle each: 0, 85, 170 of 256; gray has none.
    assert_eq!(memory[16..], [0, 85, 170, 0]);
    let text = "rgba2grayLine(16xui8,4xui8,i32)";
    call_on(&mut memory, text, &[BASE, BASE + 16, 4]).unwrap();
    // 0.299, 0.587 and 0.114 of 255
    assert_eq!(memory[16..], [76, 150, 29, 7]);
    let text = "gray2rgbaTile(4xui8,16xui8,i32,i32)";
    call_on(&mut memory, text, &[BASE + 16, BASE, 2, 2]).unwrap();
    assert_eq!(memory[..8], [76, 76, 76, 255, 150, 150, 150, 255]);
}

#[test]
fn lines_are_filtered_and_weighted() {
    // Twice the middle pixel: 2 · 256 is what the vector code takes of a weight of 2 in 4096ths · 256.
    let weights: Vec<i16> = vec![0, 0, 0, 0, 32 << 8, 0, 0, 0, 0];
    let mut memory = vec![1, 2, 3, 10, 200, 30, 1, 2, 3, 0, 0, 0];
    memory.extend(shorts(&weights));
    let text = "filter2dLine(3xui8,3xui8,3xui8,3xui8,i32,9xi16)";
    let at = [BASE, BASE + 3, BASE + 6, BASE + 9, 3, BASE + 12];
    call_on(&mut memory, text, &at).unwrap();
    // 400 is more than a byte holds
    assert_eq!(memory[9..12], [20, 255, 60]);
    let mut memory = vec![100, 250, 50, 250, 0, 0];
    let text = "addWeightedLine(2xui8,2xui8,2xui8,i32,i16,i16,i8)";
    let values = [BASE, BASE + 2, BASE + 4, 2, 1 << 14, 1 << 13, 0];
    call_on(&mut memory, text, &values).unwrap();
    assert_eq!(memory[4..], [125, 255]);
}

#[test]
fn activations_and_norms() {
    let near = |memory: &[u8], expected: &[f32]| {
        for (found, wanted) in memory.chunks(2).zip(expected) {
            let found = bf16::from_le_bytes([found[0], found[1]]).to_f32();
            let near = (found - wanted).abs() < 0.01 * wanted.abs().max(1.0);
            assert!(near, "{found} {wanted}");
        }
    };
    let two = |name: &str, more: &str, values: &[u64]| {
        let mut memory = halves(&[1.0, -1.0, 0.0, 0.0]);
        let text = format!("{name}(2xbf16,2xbf16{more})");
        call_on(
            &mut memory,
            &text,
            &[&[BASE, BASE + 4][..], values].concat(),
        )
        .unwrap();
        memory[4..].to_vec()
    };
    near(&two("silu_bf16", "", &[]), &[0.731, -0.269]);
    near(&two("gelu_bf16", "", &[]), &[0.841, -0.159]);
    near(
        &two("exp_bf16_1024", "", &[]),
        &[std::f32::consts::E, 0.368],
    );
    near(
        &two("mm_activation_epilogue_row", ",i32,i32", &[2, 0]),
        &[1.0, -1.0],
    );
    near(
        &two("mm_activation_epilogue_row", ",i32,i32", &[2, 1]),
        &[0.731, -0.269],
    );
    near(&two("softmax_bf16", ",i32", &[2]), &[0.881, 0.119]);
    near(&two("rms_norm", ",i32", &[2]), &[1.0, -1.0]);
    near(&two("layer_norm", ",i32", &[2]), &[1.0, -1.0]);
    let mut memory = halves(&[1.0, 2.0, 0.0, 1.0, 0.0, 0.0]);
    let text = "rope(2xbf16,2xbf16,2xbf16,i32)";
    call_on(&mut memory, text, &[BASE, BASE + 4, BASE + 8, 2]).unwrap();
    // by a quarter of a turn
    near(&memory[8..], &[-2.0, 1.0]);
    let mut memory = halves(&[2.0, 3.0, 1.0, 0.0]);
    let text = "swiglu_bf16(1xbf16,1xbf16,1xbf16,1xbf16)";
    call_on(&mut memory, text, &[BASE, BASE + 2, BASE + 4, BASE + 6]).unwrap();
    near(&memory[6..], &[2.0 * 3.0 * 2.0 / (1.0 + (-2.0f32).exp())]);
    let failed = call_on(
        &mut halves(&[1.0]),
        "softmax(1xbf16,1xbf16,i32)",
        &[BASE, BASE, 0],
    );
    assert!(failed.is_err());
}

#[test]
fn convolutions_of_eights_of_channels() {
    // One pixel, weights that hand channel n to n: 2 · x, halved and rounded.
    let mut memory: Vec<u8> = (1..=8).collect();
    for input in 0..8 {
        memory.extend((0..8).map(|output| if input == output { 3 } else { 0 }));
    }
    let out = BASE + 72;
    memory.extend([0; 8]);
    let mut two = memory.clone();
    let text = "conv2dk1_i8(8xi8,64xi8,8xui8,i32,i32,i32,i32)";
    call_on(&mut memory, text, &[BASE, BASE + 8, out, 1, 8, 8, 1]).unwrap();
    assert_eq!(memory[72..], [2, 3, 5, 6, 8, 9, 11, 12]);
    // With a sign where the output has one.
    two[8] = -3i8 as u8;
    let text = "conv2dk1_ui8_i8(8xui8,64xi8,8xi8,i32,i32,i32,i32)";
    call_on(&mut two, text, &[BASE, BASE + 8, out, 1, 8, 8, 1]).unwrap();
    assert_eq!(two[72] as i8, -1);

    // 3 x 3 ones on a line of two pixels at the top: zeros lie around it.
    let mut memory = vec![1u8; 16];
    memory.extend([1u8; 9 * 64]);
    memory.extend([0; 16]);
    let (line, weights, out) = (BASE, BASE + 16, BASE + 16 + 576);
    let text = "conv2dk3_ui8(16xui8,16xui8,16xui8,576xi8,16xui8,i32,i32,i32,i32,i32,i32,i32,i32)";
    let values = |border| [line, line, line, weights, out, 2, 8, 8, 3, 3, border, 0, 0];
    call_on(&mut memory, text, &values(0)).unwrap();
    assert_eq!(memory[16 + 576..], [2 * 2 * 8; 16]);
    call_on(&mut memory, text, &values(1)).unwrap();
    assert_eq!(memory[16 + 576..], [3 * 2 * 8; 16]);
    let wrong = call_on(
        &mut memory,
        text,
        &[line, line, line, weights, out, 2, 8, 8, 3, 3, 1, 99, 0],
    );
    assert!(wrong.is_err());
}
