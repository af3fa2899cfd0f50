//! Products of matrices by the kernels of the library.

use aiec_device::{BFP16_BLOCKS, DeviceModel};

use super::machine::compare_on_device;
use super::tile::{Tile, run_model};

/// Addresses of the matrices.
const MATRICES: [usize; 3] = [0x4000, 0x5000, 0x9000];

/// Numbers that each matrix begins with; what follows is 0.
const NUMBERS: usize = 0x1000;

/// A core that multiplies matrices of `[rows, inner, columns]` by the kernel for these elements.
fn design(device: &str, of_a: &str, of_c: &str, [m, k, n]: [usize; 3], permission: &str) -> String {
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
           func.func private @matmul_{of_a}_{of_c}({list}){permission}
           %core = aie.core(%tile) {{
             func.call @matmul_{of_a}_{of_c}(%a, %b, %c) : ({list}) -> ()
             aie.end
           }} {{stack_size = 8192 : i32}}
         }}"
    )
}

/// Bytes of an element.
fn bytes_of(element: &str) -> usize {
    match element {
        "i8" => 1,
        "i16" | "bf16" => 2,
        _ => 4,
    }
}

/// The number at a place of what the matrix `n` begins with: bf16 are small whole numbers, so that all sums are exact.
fn number(n: usize, element: &str, at: usize) -> i32 {
    let plain = |i: usize| (i * 37 + n * 11) % 251;
    match element {
        "bf16" => (plain(at) % 9) as i32 - 4,
        "f32" => plain(at) as i32 - 100,
        _ => {
            // Bytes of the numbers, the lowest first.
            let size = bytes_of(element);
            let bytes = (0..size).rev().map(|byte| at * size + byte);
            let all = bytes.fold(0_u32, |all, i| {
                let byte = if i < NUMBERS { plain(i) as u32 } else { 0 };
                all << 8 | byte
            });
            let unused = 32 - 8 * size as u32;
            (all << unused) as i32 >> unused
        }
    }
}

/// The bytes of a whole number as an element.
fn encoded(element: &str, number: i32) -> Vec<u8> {
    match element {
        "bf16" => {
            // To the nearest, ties to even.
            let bits = (number as f32).to_bits();
            let rounded = bits + 0x7fff + (bits >> 16 & 1);
            ((rounded >> 16) as u16).to_le_bytes().to_vec()
        }
        "f32" => (number as f32).to_le_bytes().to_vec(),
        _ => number.to_le_bytes()[..bytes_of(element)].to_vec(),
    }
}

/// The tile before a product.
fn matrices(of_a: &str, of_c: &str) -> Tile {
    let mut tile = Tile::default();
    for (n, (at, element)) in MATRICES.into_iter().zip([of_a, of_a, of_c]).enumerate() {
        let count = if element.starts_with('i') {
            NUMBERS / bytes_of(element)
        } else {
            NUMBERS
        };
        let bytes: Vec<u8> = (0..count)
            .flat_map(|i| encoded(element, number(n, element, i)))
            .collect();
        tile.set(at, &bytes);
    }
    tile
}

/// The tile after it: `c + a * b` of matrices in blocks of `[rows, inner, columns]`, and the events around the kernel.
fn product(of_a: &str, of_c: &str, [m, k, n]: [usize; 3], [r, s, t]: [usize; 3]) -> Tile {
    let place = |row: usize, column: usize, columns: usize, [high, wide]: [usize; 2]| {
        let block = row / high * (columns / wide) + column / wide;
        block * high * wide + row % high * wide + column % wide
    };
    let size = bytes_of(of_c);
    let mut bytes = vec![0; size * m * n];
    for i in 0..m {
        for j in 0..n {
            let products = (0..k).map(|l| {
                let a = number(0, of_a, place(i, l, k, [r, s]));
                a.wrapping_mul(number(1, of_a, place(l, j, n, [s, t])))
            });
            let at = place(i, j, n, [r, t]);
            let sum = products.fold(number(2, of_c, at), i32::wrapping_add);
            bytes[size * at..size * (at + 1)].copy_from_slice(&encoded(of_c, sum));
        }
    }
    let mut tile = matrices(of_a, of_c);
    tile.set(MATRICES[2], &bytes);
    tile.trace.extend(["event 0".into(), "event 1".into()]);
    tile
}

/// Tiles are written out in machine code, which the model's program memory has no room for.
#[test]
fn kernels_multiply_matrices() {
    for device in ["npu1", "npu2", "xcve3858"] {
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
            let arch = DeviceModel::by_name(device).unwrap().arch();
            let width = 8 * bytes_of(of_a);
            let blocks = arch.product_blocks(width as u32, of_a == "bf16").unwrap();
            let blocks = blocks.map(|side| side as usize);
            let before = matrices(of_a, of_c);
            let after = product(of_a, of_c, sides, blocks);
            let text = design(device, of_a, of_c, sides, "");
            let has_code = compare_on_device(device, &text, &before, &after);
            assert!(has_code, "{device}: {of_a} to {of_c} {sides:?}");
        }
    }
}

/// Numbers of at most 4 bits are the same in blocks, whatever their neighbours are.
#[test]
fn kernels_multiply_matrices_in_blocks() {
    for (of_c, sides) in [
        ("f32", [8, 8, 8]),
        ("f32", [16, 24, 16]),
        ("f32", [32, 64, 32]),
        ("bf16", [16, 16, 32]),
    ] {
        let before = matrices("bf16", of_c);
        let after = product("bf16", of_c, sides, BFP16_BLOCKS.map(|side| side as usize));
        let permission = " attributes {aie.bfp16_products}";
        let text = design("npu2", "bf16", of_c, sides, permission);
        let has_code = compare_on_device("npu2", &text, &before, &after);
        assert!(has_code, "{of_c} {sides:?}");
    }
}

/// Contents of both factors, whose exponents differ within blocks, and of the sums.
fn random_matrices(random: &mut fastrand::Rng) -> Tile {
    let mut tile = Tile::default();
    for at in &MATRICES[..2] {
        let numbers = (0..64).map(|_| {
            // Of 2^-4 to 2^2, with either sign.
            let exponent = random.u16(123..129);
            random.u16(..2) << 15 | exponent << 7 | random.u16(..128)
        });
        let bytes: Vec<u8> = numbers.flat_map(u16::to_le_bytes).collect();
        tile.set(*at, &bytes);
    }
    tile
}

/// Number `at` of a block of these bf16, to the last place of the greatest one's 7 bits, ties to even.
fn in_block(block: &[u16], at: usize) -> f64 {
    let number = |bits: u16| f64::from(f32::from_bits(u32::from(bits) << 16));
    let exponent = |bits: u16| i32::from(bits >> 7 & 0xFF) - 127;
    let greatest = block.iter().map(|bits| exponent(*bits)).max().unwrap();
    let place = 2f64.powi(greatest - 6);
    (number(block[at]) / place)
        .round_ties_even()
        .clamp(-128.0, 127.0)
        * place
}

/// The model and machine code round the factors of a contraction alike.
#[test]
fn factors_are_rounded_to_blocks() {
    let [a, b, c] = MATRICES;
    let maps = "[affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]";
    let text = format!(
        "aie.device(npu2) {{
           %tile = aie.tile(1, 3)
           %a = aie.buffer(%tile) {{address = {a} : i32, sym_name = \"a\"}} : memref<64xbf16>
           %b = aie.buffer(%tile) {{address = {b} : i32, sym_name = \"b\"}} : memref<64xbf16>
           %c = aie.buffer(%tile) {{address = {c} : i32, sym_name = \"c\"}} : memref<64xf32>
           %core = aie.core(%tile) {{
             %c0 = arith.constant 0 : index
             %x = vector.load %a[%c0] : memref<64xbf16>, vector<64xbf16>
             %y = vector.load %b[%c0] : memref<64xbf16>, vector<64xbf16>
             %z = vector.load %c[%c0] : memref<64xf32>, vector<64xf32>
             %left = vector.shape_cast %x : vector<64xbf16> to vector<8x8xbf16>
             %right = vector.shape_cast %y : vector<64xbf16> to vector<8x8xbf16>
             %sums = vector.shape_cast %z : vector<64xf32> to vector<8x8xf32>
             %p = vector.contract {{indexing_maps = {maps}, iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>}} %left, %right, %sums : vector<8x8xbf16>, vector<8x8xbf16> into vector<8x8xf32>
             %flat = vector.shape_cast %p : vector<8x8xf32> to vector<64xf32>
             vector.store %flat, %c[%c0] : memref<64xf32>, vector<64xf32>
             aie.end
           }} {{aie.bfp16_products}}
         }}"
    );
    let mut random = fastrand::Rng::with_seed(39);
    for _ in 0..100 {
        let before = random_matrices(&mut random);
        let after = run_model(&text, before.clone());
        let half = |at: usize, i: usize| {
            let bytes = before.bytes(at + 2 * i, 2);
            u16::from_le_bytes([bytes[0], bytes[1]])
        };
        for (place, (i, j)) in (0..64).map(|n| (n, (n / 8, n % 8))) {
            let row: Vec<u16> = (0..8).map(|k| half(a, 8 * i + k)).collect();
            let column: Vec<u16> = (0..8).map(|k| half(b, 8 * k + j)).collect();
            let products = (0..8).map(|k| in_block(&row, k) * in_block(&column, k));
            let wanted = (products.sum::<f64>() as f32).to_bits() as i32;
            assert_eq!(after.i32s(c + 4 * place, 1)[0], wanted, "{i} {j}");
        }
        assert!(compare_on_device("npu2", &text, &before, &after));
    }
}
