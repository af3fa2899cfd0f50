//! The kernels of the library against the simulator's built-in ones, on random operands.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::OpKind;
use aiec_aie::text::parse_text;
use aiec_core::CoreArch;
use aiec_device::Arch;
use aiec_diag::{Diags, FileId};
use aiec_sim::core::{CoreMachine, CoreSettings, CoreStop, MemoryTile};
use fastrand::Rng;

use super::{kernel_names, library};
use crate::link_functions::link;
use crate::{LoopForm, lower_core, machine_code};

/// Bytes between buffers in the data memory of a test.
const DISTANCE: usize = 0x1000;
const MEMORY_BYTES: usize = 0x1_0000;

/// A core that calls a function with buffers, whose shapes and elements are given, and numbers.
fn design(name: &str, buffers: &[(&str, &str)], numbers: &[i32]) -> String {
    let mut text = "module { aie.device(npu1) { %tile = aie.tile(0, 2)\n".to_string();
    let (mut values, mut types) = (Vec::new(), Vec::new());
    for (n, (shape, element)) in buffers.iter().enumerate() {
        let ty = format!("memref<{shape}x{element}>");
        let address = DISTANCE * (n + 1);
        text += &format!("%b{n} = aie.buffer(%tile) {{address = {address} : i32}} : {ty}\n");
        values.push(format!("%b{n}"));
        types.push(ty);
    }
    let mut constants = String::new();
    for (n, number) in numbers.iter().enumerate() {
        constants += &format!("%n{n} = arith.constant {number} : i32\n");
        values.push(format!("%n{n}"));
        types.push("i32".to_string());
    }
    let (values, types) = (values.join(", "), types.join(", "));
    text + &format!(
        "func.func private @\"{name}\"({types})
         %core = aie.core(%tile) {{
           {constants}
           func.call @\"{name}\"({values}) : ({types}) -> ()
           aie.end
         }} }} }}"
    )
}

fn core_of(module: &Module) -> Op {
    module.find(module.top(), OpKind::Core)[0]
}

/// Memory after a run of a design's core.
fn run(module: &Module, memory: &[u8]) -> Vec<u8> {
    let mut diags = Diags::default();
    let code = lower_core(module, core_of(module), &mut diags);
    let code = code.unwrap_or_else(|_| panic!("{diags:?}"));
    let settings = CoreSettings::default();
    let mut core = CoreMachine::load(&code.words, Arch::Aie2, &settings).unwrap();
    let mut tile = MemoryTile(memory.to_vec());
    let run = core.run(&mut tile, u64::MAX);
    assert_eq!(run.stop, CoreStop::Done);
    tile.0
}

/// Random elements: small numbers, so that floats don't overflow.
fn fill(rng: &mut Rng, memory: &mut [u8], element: &str) {
    for word in memory.chunks_exact_mut(4) {
        let bytes = match element {
            "bf16" => {
                let half = |rng: &mut Rng| (rng.f32() * 4.0 - 2.0).to_bits() >> 16;
                half(rng) | half(rng) << 16
            }
            "f32" => (rng.f32() * 4.0 - 2.0).to_bits(),
            _ => rng.u32(..),
        };
        word.copy_from_slice(&bytes.to_le_bytes());
    }
}

/// Distance of two memories, in steps of the last bit of an element.
fn distance(element: &str, wanted: &[u8], found: &[u8]) -> u64 {
    let steps = |bytes: &[u8]| match element {
        "bf16" => bytes
            .chunks_exact(2)
            .map(|b| i64::from(i16::from_le_bytes([b[0], b[1]])))
            .collect::<Vec<_>>(),
        _ => bytes
            .chunks_exact(4)
            .map(|b| i64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])))
            .collect(),
    };
    let pairs = steps(wanted).into_iter().zip(steps(found));
    pairs.map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

/// Compares a kernel with the built-in one; results may be `apart` steps of the last bit from each other.
fn compare(name: &str, buffers: &[(&str, &str)], numbers: &[i32], apart: u64) {
    let mut diags = Diags::default();
    let mut module = parse_text(FileId(0), &design(name, buffers, numbers), &mut diags);
    assert!(!diags.has_errors(), "{diags:?}");
    let mut rng = Rng::with_seed(7);
    let mut memory = vec![0; MEMORY_BYTES];
    for (n, (_, element)) in buffers.iter().enumerate() {
        let start = DISTANCE * (n + 1);
        fill(&mut rng, &mut memory[start..start + DISTANCE], element);
    }
    let wanted = run(&module, &memory);
    assert_ne!(wanted, memory, "{name} does something");
    let libraries = library(&module);
    assert_eq!(libraries.len(), 1, "{name}");
    let linked = link(&mut module, &libraries, &mut diags);
    assert!(linked.is_ok() && diags.is_empty(), "{diags:?}");
    let found = run(&module, &memory);
    for (n, (_, element)) in buffers.iter().enumerate() {
        let bytes = DISTANCE * (n + 1)..DISTANCE * (n + 2);
        let far = distance(element, &wanted[bytes.clone()], &found[bytes]);
        assert!(far <= apart, "{name}: {far} steps of {element} apart");
    }
}

#[test]
fn elements_one_by_one() {
    let [i8s, i16s, i32s, bf16, f32s] = ["i8", "i16", "i32", "bf16", "f32"].map(|e| ("64", e));
    compare("passThroughLine", &[i32s, i32s], &[64], 0);
    compare(
        "passThroughTile",
        &[("8x8", "i8"), ("8x8", "i8")],
        &[8, 8],
        0,
    );
    for of in [i8s, i16s, i32s, bf16, f32s] {
        compare("eltwise_add", &[of; 3], &[], 0);
        compare("eltwise_mul", &[of; 3], &[], 0);
        compare("relu", &[of; 2], &[48], 0);
        compare("zero", &[of], &[], 0);
    }
    compare("0123abcd_eltwise_add_bf16_vector", &[bf16; 3], &[], 0);
    compare("bf16_relu", &[bf16; 2], &[], 0);
    compare(
        "vector_scalar_mul_vector",
        &[i16s, i16s, ("1", "i32")],
        &[64],
        0,
    );
    compare(
        "vector_scalar_mul_scalar",
        &[i32s, i32s, ("1", "i32")],
        &[64],
        0,
    );
    compare("cast_f32_bf16_row", &[f32s, bf16], &[64], 0);
    for of in ["i32", "bf16", "f32"] {
        let buffers = [("12x16", of), ("16", of), ("12x16", of)];
        compare("row_wise_bias_add", &buffers, &[], 0);
    }
    compare("bitwiseORLine", &[i8s; 3], &[64], 0);
    compare("bitwiseANDTile", &[i16s; 3], &[4, 16], 0);
}

#[test]
fn reductions() {
    for element in ["i16", "i32", "bf16", "f32"] {
        for name in [
            "reduce_add_vector",
            "reduce_min_scalar",
            "reduce_max_vector",
        ] {
            compare(name, &[("64", element), ("1", element)], &[64], 0);
        }
        for name in ["compute_max", "compute_min"] {
            compare(name, &[("1", element); 3], &[], 0);
        }
    }
}

#[test]
fn products_of_matrices() {
    for (of_a, of_c) in [
        ("i8", "i8"),
        ("i8", "i32"),
        ("i16", "i16"),
        ("i16", "i32"),
        ("bf16", "bf16"),
        ("bf16", "f32"),
    ] {
        let buffers = [("16x8", of_a), ("8x24", of_a), ("16x24", of_c)];
        compare(&format!("matmul_{of_a}_{of_c}"), &buffers, &[], 0);
        compare(&format!("matmul_scalar_{of_a}_{of_c}"), &buffers, &[], 0);
    }
    let buffers = [("16x8", "i16"), ("8", "i16"), ("16", "i32")];
    compare("matvec_scalar_i16_i32", &buffers, &[], 0);
}

#[test]
fn activations_and_norms() {
    // Exponentials of the host and of the model may round differently.
    let bf16 = ("64", "bf16");
    compare("exp_bf16_1024", &[bf16; 2], &[], 1);
    compare("exp2f_vec_f32", &[("64", "f32"); 2], &[64], 1);
    compare("silu_bf16", &[bf16; 2], &[], 1);
    compare("gelu_bf16", &[bf16; 2], &[], 1);
    compare("swiglu_bf16", &[bf16; 4], &[], 1);
    compare("softmax_bf16", &[bf16; 2], &[64], 1);
    compare("rms_norm", &[bf16; 2], &[64], 1);
    compare("layer_norm", &[bf16; 2], &[64], 1);
    compare("rms_norm", &[("64", "f32"); 2], &[64], 4);
}

#[test]
fn pairs_turned() {
    compare("rope", &[("64", "bf16"); 3], &[64], 0);
    compare("rope", &[("64", "f32"); 3], &[64], 0);
}

#[test]
fn thresholds() {
    for sort in 0..5 {
        let numbers = [64, 10, 100, sort];
        compare("thresholdLine", &[("64", "i8"); 2], &numbers, 0);
        compare(
            "thresholdTile",
            &[("8x8", "i16"); 2],
            &[8, 8, 9, 77, sort],
            0,
        );
    }
}

#[test]
fn convolutions() {
    let bytes = |shape| (shape, "i8");
    let [line, weights, out] = [bytes("128"), bytes("256"), bytes("128")];
    for shift in [0, 1, 9] {
        let numbers = [8, 16, 16, shift];
        compare("conv2dk1_i8", &[line, weights, out], &numbers, 0);
    }
    for weights in ["10", "4", "2"] {
        let buffers = [("80", "bf16"), (weights, "bf16"), ("64", "bf16")];
        compare("dwconv1d_bf16", &buffers, &[64], 0);
    }
    let weights = bytes("2304");
    for border in 0..3 {
        for first in [0, 8] {
            let outputs = 16 - first;
            let numbers = [8, 16, outputs, 3, 3, border, 8, first];
            compare(
                "conv2dk3_i8",
                &[line, line, line, weights, out],
                &numbers,
                0,
            );
        }
    }
}

#[test]
fn kernels_are_those_of_the_simulator() {
    let built_in: Vec<&str> = aiec_sim::core::builtin_names()
        .map(|(stem, _)| stem)
        .collect();
    for (stem, _) in kernel_names() {
        assert!(built_in.contains(&stem), "{stem}");
    }
}

#[test]
fn what_no_kernel_is_written_for_stays_declared() {
    for text in [
        design("unknown", &[("64", "i32")], &[]),
        design("eltwise_add", &[("64", "ui8"); 3], &[]),
        design("eltwise_add", &[("64", "i32")], &[]),
        design(
            "matmul_i8_i32",
            &[("15x8", "i8"), ("8x24", "i8"), ("15x24", "i32")],
            &[],
        ),
    ] {
        let mut diags = Diags::default();
        let module = parse_text(FileId(0), &text, &mut diags);
        assert!(!diags.has_errors(), "{diags:?}");
        assert!(library(&module).is_empty());
    }
}

#[test]
fn several_products_share_program_memory() {
    let kernels = ["00000001", "00000002", "00000003", "00000004"];
    let matrices = "memref<64x64xbf16>, memref<64x32xbf16>, memref<64x32xf32>";
    let declared = kernels.map(|kernel| {
        format!("func.func private @\"{kernel}_matmul_bf16_f32\"({matrices}) attributes {{aie.bfp16_products}}\n")
    });
    let called = kernels.map(|kernel| {
        format!("func.call @\"{kernel}_matmul_bf16_f32\"(%a, %b, %c) : ({matrices}) -> ()\n")
    });
    let text = format!(
        "module {{ aie.device(npu2) {{
        {}
        %tile = aie.tile(0, 2)
        %a = aie.buffer(%tile) {{address = 16384 : i32}} : memref<64x64xbf16>
        %b = aie.buffer(%tile) {{address = 32768 : i32}} : memref<64x32xbf16>
        %c = aie.buffer(%tile) {{address = 49152 : i32}} : memref<64x32xf32>
        %core = aie.core(%tile) {{ {} aie.end }} }} }}",
        declared.concat(),
        called.concat()
    );
    let mut diags = Diags::new();
    let mut module = parse_text(FileId(0), &text, &mut diags);
    let libraries = library(&module);
    link(&mut module, &libraries, &mut diags).unwrap_or_else(|_| panic!("{diags:?}"));
    let code = machine_code(&module, core_of(&module), CoreArch::Aie2p, &mut diags);
    let code = code.unwrap_or_else(|_| panic!("{diags:?}"));
    // Two tiles of each are written out.
    assert_eq!(code.loops.len(), 2 * kernels.len());
    assert!(
        code.loops
            .iter()
            .all(|inner| matches!(inner.form, LoopForm::Hardware(report) if report.overlaps))
    );
}

#[test]
fn products_in_blocks_take_seven_bundles_for_four() {
    let text = "module { aie.device(npu2) {
        func.func private @matmul_bf16_f32(memref<64x64xbf16>, memref<64x32xbf16>, memref<64x32xf32>) attributes {aie.bfp16_products}
        %tile = aie.tile(0, 2)
        %a = aie.buffer(%tile) {address = 16384 : i32} : memref<64x64xbf16>
        %b = aie.buffer(%tile) {address = 32768 : i32} : memref<64x32xbf16>
        %c = aie.buffer(%tile) {address = 49152 : i32} : memref<64x32xf32>
        %core = aie.core(%tile) {
          func.call @matmul_bf16_f32(%a, %b, %c) : (memref<64x64xbf16>, memref<64x32xbf16>, memref<64x32xf32>) -> ()
          aie.end
        } } }";
    let mut diags = Diags::new();
    let mut module = parse_text(FileId(0), text, &mut diags);
    let libraries = library(&module);
    link(&mut module, &libraries, &mut diags).unwrap_or_else(|_| panic!("{diags:?}"));
    let code = machine_code(&module, core_of(&module), CoreArch::Aie2p, &mut diags);
    let code = code.unwrap_or_else(|_| panic!("{diags:?}"));
    // The eight tiles are written out, each with its loop. An iteration alone takes 27 bundles at least: a load, a
    // transposition, a product by 1, a conversion and the products of both factors, one of which is converted after the other.
    assert_eq!(code.loops.len(), 8);
    for inner in &code.loops {
        let LoopForm::Hardware(report) = inner.form else {
            panic!("{:?}", inner.form)
        };
        assert!(report.interval <= 7 && report.stages <= 4, "{report:?}");
    }
}
