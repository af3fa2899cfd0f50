//! bf16 in vectors, which machine code computes by the vector unit.

use aiec_core::CoreArch;

use super::core;
use super::packed::counts;
use super::seeds::Random;
use super::tile::{Tile, run};

/// Elements of a buffer of these tests.
const ELEMENTS: usize = 256;
const TYPES: [&str; 3] = ["memref<256xbf16>", "memref<256xbf16>", "memref<16xi32>"];

const OPERATIONS: [&str; 7] = [
    "addf", "subf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf",
];

/// A tile whose first two buffers have what a function draws.
fn tile_of(mut draw: impl FnMut(&mut Random) -> u16) -> Tile {
    let mut tile = Tile::default();
    let mut random = Random::new(7);
    for at in [0x400, 0x800] {
        let numbers: Vec<u8> = (0..ELEMENTS)
            .flat_map(|_| draw(&mut random).to_le_bytes())
            .collect();
        tile.set(at, &numbers);
    }
    tile
}

/// Numbers of which no product, and no sum but zero, is too small for a normal number; some products are too great.
fn ordinary(random: &mut Random) -> u16 {
    let bits = random.bits() as u16;
    let exponent = 72 + (bits >> 7 & 0x7F);
    bits & 0x807F | exponent << 7
}

/// Numbers around 1.
fn moderate(random: &mut Random) -> u16 {
    let bits = random.bits() as u16;
    bits & 0x807F | (123 + (bits >> 7 & 7)) << 7
}

/// Small whole numbers, of which products and sums are exact.
fn whole(random: &mut Random) -> u16 {
    let number = random.below(25) as f32 - 12.0;
    // A zero would have a sign in a product.
    let number = if number == 0.0 { 3.0 } else { number };
    (number.to_bits() >> 16) as u16
}

/// Bits of all kinds, more often than not at an edge.
fn special(random: &mut Random) -> u16 {
    const EDGES: [u16; 10] = [
        0, 0x8000, 1, 0x007F, 0x0080, 0x7F7F, 0x7F80, 0xFF80, 0x7F81, 0x7FC0,
    ];
    match random.below(2) {
        0 => EDGES[random.below(EDGES.len())] ^ (random.bits() as u16 & 0x8000),
        _ => random.bits() as u16,
    }
}

/// Lines that make `%z` of `%x` and `%y`, for one element after another, which the vectoriser makes a loop of vectors.
fn each_element(lines: &str) -> String {
    format!(
        "%trips = arith.constant 250 : index
         scf.for %i = %c0 to %trips step %c1 {{
           %x = memref.load %a[%i] : memref<256xbf16>
           %y = memref.load %b[%i] : memref<256xbf16>
           {lines}
           memref.store %z, %b[%i] : memref<256xbf16>
         }}"
    )
}

/// Same as [`each_element`], for vectors of some lanes.
fn each_vector(lanes: usize, lines: &str) -> String {
    format!(
        "%count = arith.constant 256 : index
         %step = arith.constant {lanes} : index
         scf.for %i = %c0 to %count step %step {{
           %x = vector.load %a[%i] : memref<256xbf16>, vector<{lanes}xbf16>
           %y = vector.load %b[%i] : memref<256xbf16>, vector<{lanes}xbf16>
           {lines}
           vector.store %z, %b[%i] : memref<256xbf16>, vector<{lanes}xbf16>
         }}"
    )
}

/// An operation of both elements.
fn of_both(operation: &str, lanes: Option<usize>) -> String {
    let kind = lanes.map_or("bf16".to_owned(), |lanes| format!("vector<{lanes}xbf16>"));
    format!("%z = arith.{operation} %x, %y : {kind}")
}

/// Makes all NaNs of the second buffer the same one, and all numbers below the least normal one a zero.
const WITHOUT_EDGES: &str = "
    %all = arith.constant 256 : index
    %magnitude = arith.constant 0x7FFF : i16
    %infinity = arith.constant 0x7F80 : i16
    %least = arith.constant 0x80 : i16
    %nan = arith.constant 0x7FC0 : i16
    %zero = arith.constant 0 : i16
    scf.for %i = %c0 to %all step %c1 {
      %f = memref.load %b[%i] : memref<256xbf16>
      %x = arith.bitcast %f : bf16 to i16
      %m = arith.andi %x, %magnitude : i16
      %is_nan = arith.cmpi sgt, %m, %infinity : i16
      %is_tiny = arith.cmpi slt, %m, %least : i16
      %y = arith.select %is_nan, %nan, %x : i16
      %z = arith.select %is_tiny, %zero, %y : i16
      %g = arith.bitcast %z : i16 to bf16
      memref.store %g, %b[%i] : memref<256xbf16>
    }";

#[test]
fn ordinary_numbers_are_exact() {
    for operation in OPERATIONS {
        run(
            &core(TYPES, &each_element(&of_both(operation, None))),
            tile_of(ordinary),
        );
        for lanes in [16, 32, 64] {
            let body = each_vector(lanes, &of_both(operation, Some(lanes)));
            run(&core(TYPES, &body), tile_of(ordinary));
        }
    }
}

#[test]
fn infinities_and_nans_are_those_of_the_model_and_tiny_numbers_zeros() {
    // A zero has no sign, numbers below the least normal one are zeros, and a NaN is any.
    for operation in OPERATIONS {
        let body = each_element(&of_both(operation, None)) + WITHOUT_EDGES;
        run(&core(TYPES, &body), tile_of(special));
    }
}

#[test]
fn signs_are_exact() {
    for body in [
        each_element("%z = arith.negf %x : bf16"),
        each_vector(32, "%z = arith.negf %x : vector<32xbf16>"),
    ] {
        run(&core(TYPES, &body), tile_of(special));
    }
}

#[test]
fn operations_follow_each_other() {
    let chains = [
        // Rounded between the operations.
        "%p = arith.mulf %x, %y : VECTOR
         %q = arith.addf %p, %x : VECTOR
         %r = arith.subf %q, %y : VECTOR
         %z = arith.mulf %r, %r : VECTOR",
        "%p = arith.maximumf %x, %all : VECTOR
         %q = arith.mulf %p, %all : VECTOR
         %z = arith.addf %q, %y : VECTOR",
        "%p = arith.negf %x : VECTOR
         %q = arith.addf %p, %y : VECTOR
         %z = arith.minimumf %q, %x : VECTOR",
    ];
    for chain in chains {
        let body = "%all = arith.constant 3.0 : bf16\n".to_owned()
            + &each_element(&chain.replace("VECTOR", "bf16"));
        run(&core(TYPES, &body), tile_of(moderate));
        for lanes in [16, 32] {
            let vector = format!("vector<{lanes}xbf16>");
            let body = format!("%all = arith.constant dense<3.0> : {vector}\n")
                + &each_vector(lanes, &chain.replace("VECTOR", &vector));
            run(&core(TYPES, &body), tile_of(moderate));
        }
    }
}

#[test]
fn a_product_and_a_sum_are_rounded_once() {
    let body = each_element("%z = math.fma %x, %y, %y : bf16");
    run(&core(TYPES, &body), tile_of(whole));
    let vectors = each_vector(32, "%z = math.fma %x, %y, %y : vector<32xbf16>");
    run(&core(TYPES, &vectors), tile_of(whole));
}

#[test]
fn the_greatest_of_all_elements() {
    for (kind, start) in [("maximumf", "-3.0"), ("minimumf", "2.0")] {
        let body = format!(
            "%trips = arith.constant 250 : index
             %start = arith.constant {start} : bf16
             %most = scf.for %i = %c0 to %trips step %c1 iter_args(%so_far = %start) -> (bf16) {{
               %x = memref.load %a[%i] : memref<256xbf16>
               %next = arith.{kind} %so_far, %x : bf16
               scf.yield %next : bf16
             }}
             memref.store %most, %b[%c0] : memref<256xbf16>"
        );
        run(&core(TYPES, &body), tile_of(moderate));
    }
}

#[test]
fn operations_are_those_of_the_vector_unit() {
    let loops = |operation| core(TYPES, &each_element(&of_both(operation, None)));
    // Accumulators load and store bf16; of two operands one is a factor of 1.
    let words = ["vmac.f", "vlda.conv", "vst.conv", "aiec_rt"];
    for (arch, wanted) in [
        (CoreArch::Aie2, [2, 2, 2, 0]),
        (CoreArch::Aie2p, [1, 1, 1, 0]),
        (CoreArch::Aie2ps, [1, 1, 1, 0]),
    ] {
        let found = counts(arch, &loops("addf"), &words);
        // Overlapping iterations repeat instructions.
        assert!(found[0] > 0 && found[1] == found[0], "{arch}: {found:?}");
        assert!(
            found
                .iter()
                .zip(wanted)
                .all(|(found, least)| *found >= least),
            "{arch}: {found:?}"
        );
    }
    for arch in CoreArch::ALL {
        let product = counts(arch, &loops("mulf"), &["vmul.f", "vst.conv"]);
        assert!(product[0] > 0 && product[1] > 0, "{arch}: {product:?}");
        let most = counts(arch, &loops("maximumf"), &["vmax_lt.bf16"]);
        assert!(most[0] > 0, "{arch}");
    }
}
