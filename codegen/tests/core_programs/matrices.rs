//! Products of matrices by the kernels of the library.

use super::tile::{Tile, run};

/// Addresses of the matrices.
const MATRICES: [usize; 3] = [0x4000, 0x5000, 0x9000];

/// A core that multiplies matrices of `[rows, inner, columns]` by the kernel for these elements.
fn design(device: &str, of_a: &str, of_c: &str, [m, k, n]: [usize; 3]) -> String {
    let [a, b, c] = MATRICES;
    let types = [
        format!("memref<{m}x{k}x{of_a}>"),
        format!("memref<{k}x{n}x{of_a}>"),
        format!("memref<{m}x{n}x{of_c}>"),
    ];
    let list = types.join(", ");
    let [a_type, b_type, c_type] = types;
    format!(
        "aie.device({device}) {{
           %tile = aie.tile(1, 3)
           %a = aie.buffer(%tile) {{address = {a} : i32, sym_name = \"a\"}} : {a_type}
           %b = aie.buffer(%tile) {{address = {b} : i32, sym_name = \"b\"}} : {b_type}
           %c = aie.buffer(%tile) {{address = {c} : i32, sym_name = \"c\"}} : {c_type}
           func.func private @matmul_{of_a}_{of_c}({list})
           %core = aie.core(%tile) {{
             func.call @matmul_{of_a}_{of_c}(%a, %b, %c) : ({list}) -> ()
             aie.end
           }} {{stack_size = 8192 : i32}}
         }}"
    )
}

/// Matrices whose sums are exact in every order: bf16 are small whole numbers.
fn matrices(of_a: &str, of_c: &str) -> Tile {
    let mut tile = Tile::default();
    for (n, (at, element)) in MATRICES.into_iter().zip([of_a, of_a, of_c]).enumerate() {
        let numbers = (0..0x1000usize).map(|i| (i * 37 + n * 11) % 251);
        let bytes: Vec<u8> = match element {
            "bf16" => numbers
                .flat_map(|number| {
                    let number = (number % 9) as f32 - 4.0;
                    ((number.to_bits() >> 16) as u16).to_le_bytes()
                })
                .collect(),
            "f32" => numbers
                .flat_map(|number| (number as f32 - 100.0).to_le_bytes())
                .collect(),
            _ => numbers.map(|number| number as u8).collect(),
        };
        tile.set(at, &bytes);
    }
    tile
}

#[test]
fn kernels_multiply_matrices() {
    for device in ["npu1", "npu2"] {
        for (of_a, of_c, sides) in [
            ("i8", "i32", [16, 16, 16]),
            ("i8", "i32", [64, 64, 64]),
            ("i8", "i8", [8, 24, 16]),
            ("i16", "i32", [16, 8, 16]),
            ("i16", "i16", [12, 8, 16]),
            ("i16", "i32", [64, 32, 64]),
            ("bf16", "f32", [16, 16, 16]),
            ("bf16", "f32", [32, 32, 32]),
            ("bf16", "bf16", [16, 16, 16]),
        ] {
            let text = design(device, of_a, of_c, sides);
            run(&text, matrices(of_a, of_c));
        }
    }
}
