//! Functions of numbers: machine code computes the same bits as the model, on each architecture.

use super::core;
use super::seeds::Random;
use super::tile::{Tile, run_both};

/// Elements of a buffer of these tests.
const ELEMENTS: usize = 48;
const TYPES: [&str; 3] = ["memref<48xf32>", "memref<48xf32>", "memref<16xi32>"];

/// Of one number.
const UNARY: [&str; 21] = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp2", "expm1", "log", "log10", "log1p", "log2", "sin", "sinh", "tan",
];

/// Numbers at which functions have a value of their own, or a rule.
const EDGES: [f32; 10] = [
    0.0,
    1.0,
    0.5,
    1.5,
    2.0,
    3.0,
    f32::MIN_POSITIVE / 4.0,
    f32::MAX,
    f32::INFINITY,
    f32::NAN,
];

/// A tile whose buffers have edges with both signs, numbers around 1, and any bits.
fn tile() -> Tile {
    let mut tile = Tile::default();
    let mut random = Random::new(11);
    for at in [0x400, 0x800] {
        let numbers: Vec<u8> = (0..ELEMENTS)
            .flat_map(|n| {
                let bits = random.bits() as u32;
                let edge = EDGES[random.below(EDGES.len())].to_bits();
                let drawn = match n % 3 {
                    0 => edge ^ bits & 1 << 31,
                    // exponents from -8 to 7
                    1 => bits & 0x807F_FFFF | (119 + (bits >> 23 & 0xF)) << 23,
                    _ => bits,
                };
                drawn.to_le_bytes()
            })
            .collect();
        tile.set(at, &numbers);
    }
    tile
}

/// Compares a loop whose lines make `%z` of `%x` and `%y`.
fn compare(lines: &str) {
    let body = format!(
        "%trips = arith.constant {ELEMENTS} : index
         scf.for %i = %c0 to %trips step %c1 {{
           %x = memref.load %a[%i] : memref<48xf32>
           %y = memref.load %b[%i] : memref<48xf32>
           {lines}
           memref.store %z, %b[%i] : memref<48xf32>
         }}"
    );
    let (_, has_all) = run_both(&core(TYPES, &body), tile());
    assert!(has_all, "{lines}");
}

#[test]
fn functions_of_one_number() {
    for function in UNARY {
        compare(&format!("%z = math.{function} %x : f32"));
    }
}

#[test]
fn functions_of_two_numbers() {
    compare("%z = math.powf %x, %y : f32");
    compare("%z = math.atan2 %x, %y : f32");
    compare(
        "%whole = arith.bitcast %y : f32 to i32
         %z = math.fpowi %x, %whole : f32, i32",
    );
    compare(
        "%c28 = arith.constant 28 : i32
         %bits = arith.bitcast %y : f32 to i32
         %whole = arith.shrsi %bits, %c28 : i32
         %z = math.fpowi %x, %whole : f32, i32",
    );
}

#[test]
fn functions_of_narrow_floats() {
    for narrow in ["bf16", "f16"] {
        compare(&format!(
            "%nx = arith.truncf %x : f32 to {narrow}
             %e = math.erf %nx : {narrow}
             %s = math.sin %e : {narrow}
             %z = arith.extf %s : {narrow} to f32"
        ));
    }
}
