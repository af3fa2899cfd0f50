//! Core bodies, lowered and executed: what an `aie.core` means is compared with what its core program
//! does to a tile.

mod contractions;
mod edges;
mod extended;
mod floats;
mod functions;
mod loops;
mod machine;
mod matrices;
mod nests;
mod packed;
mod part_words;
mod random;
mod refused;
#[allow(
    dead_code,
    reason = "shared with the suites of `test`, which use all of it"
)]
#[path = "../../../test/src/seeds.rs"]
mod seeds;
mod tile;
mod vector_ops;

use self::tile::{Tile, run};

/// `body` in a core of tile (1, 3) of npu1 with three buffers: `%a` and `%b` at 0x400 and 0x800,
/// `%n` in the tile to the north at 0x400.
fn core(types: [&str; 3], body: &str) -> String {
    let [a, b, n] = types;
    format!(
        "aie.device(npu1) {{
           %tile = aie.tile(1, 3)
           %north = aie.tile(1, 4)
           %a = aie.buffer(%tile) {{address = 1024 : i32, sym_name = \"a\"}} : {a}
           %b = aie.buffer(%tile) {{address = 2048 : i32, sym_name = \"b\"}} : {b}
           %n = aie.buffer(%north) {{address = 1024 : i32, sym_name = \"n\"}} : {n}
           %lock = aie.lock(%tile, 3)
           %north_lock = aie.lock(%north, 1)
           memref.global \"private\" constant @table : memref<4xi16> = dense<[3, -5, 7, 9]>
           func.func @twice(%x: i32, %m: memref<16xi32>) -> (i32, memref<16xi32>) {{
             %c0 = arith.constant 0 : index
             %y = arith.addi %x, %x : i32
             memref.store %y, %m[%c0] : memref<16xi32>
             return %y, %m : i32, memref<16xi32>
           }}
           %core = aie.core(%tile) {{
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %c2 = arith.constant 2 : index
             %c4 = arith.constant 4 : index
             %c8 = arith.constant 8 : index
             %c16 = arith.constant 16 : index
             {body}
             aie.end
           }}
         }}"
    )
}

const I32: [&str; 3] = ["memref<16xi32>", "memref<16xi32>", "memref<16xi32>"];

/// Runs a body over i32 buffers: `a` holds 1, 2, 3…
fn run_i32(body: &str) -> Tile {
    let mut tile = Tile::default();
    tile.set_i32(0x400, &(1..=16).collect::<Vec<_>>());
    run(&core(I32, body), tile)
}

#[test]
fn loops_with_carried_values() {
    let tile = run_i32(
        "%zero = arith.constant 0 : i32
         %one = arith.constant 1 : i32
         scf.for %i = %c0 to %c4 step %c1 {
           %sum:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %zero, %p = %one) -> (i32, i32) {
             %k = arith.muli %i, %c4 : index
             %at = arith.addi %k, %j : index
             %x = memref.load %a[%at] : memref<16xi32>
             %s1 = arith.addi %s, %x : i32
             scf.yield %s1, %s : i32, i32
           }
           memref.store %sum#0, %b[%i] : memref<16xi32>
           %at = arith.addi %i, %c8 : index
           memref.store %sum#1, %b[%at] : memref<16xi32>
         }
         scf.for %i = %c8 to %c4 step %c1 {
           memref.store %zero, %b[%c0] : memref<16xi32>
         }",
    );
    assert_eq!(tile.i32s(0x800, 4), [10, 26, 42, 58]);
    assert_eq!(tile.i32s(0x820, 4), [6, 18, 30, 42]);
}

#[test]
fn carried_values_that_change_places() {
    let tile = run_i32(
        "%zero = arith.constant 0 : i32
         %one = arith.constant 1 : i32
         %fib:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %zero, %y = %one) -> (i32, i32) {
           %z = arith.addi %x, %y : i32
           scf.yield %y, %z : i32, i32
         }
         %swap:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %fib#0, %y = %fib#1) -> (i32, i32) {
           scf.yield %y, %x : i32, i32
         }
         memref.store %fib#0, %b[%c0] : memref<16xi32>
         memref.store %swap#0, %b[%c1] : memref<16xi32>
         memref.store %swap#1, %b[%c2] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 3), [21, 34, 21]);
}

#[test]
fn conditionals_and_switches() {
    let tile = run_i32(
        "%five = arith.constant 5 : i32
         %minus = arith.constant -1 : i32
         scf.for %i = %c0 to %c8 step %c1 {
           %x = memref.load %a[%i] : memref<16xi32>
           %less = arith.cmpi slt, %x, %five : i32
           %odd = scf.if %less -> (i32) {
             scf.yield %x : i32
           } else {
             %double = arith.addi %x, %x : i32
             scf.yield %double : i32
           }
           %y = scf.index_switch %i -> i32
           case 2 {
             scf.yield %minus : i32
           }
           case 5 {
             %six = arith.constant 66 : i32
             scf.yield %six : i32
           }
           default {
             scf.yield %odd : i32
           }
           memref.store %y, %b[%i] : memref<16xi32>
           %same = arith.cmpi eq, %i, %c4 : index
           scf.if %same {
             memref.store %five, %n[%c0] : memref<16xi32>
           }
         }",
    );
    assert_eq!(tile.i32s(0x800, 8), [1, 2, -1, 4, 10, 66, 14, 16]);
    assert_eq!(tile.north_i32s(0x400, 1), [5]);
}

#[test]
fn while_loops_and_blocks() {
    let tile = run_i32(
        "%one = arith.constant 1 : i32
         %hundred = arith.constant 100 : i32
         %n0 = memref.load %a[%c2] : memref<16xi32>
         %r = scf.while (%x = %n0) : (i32) -> i32 {
           %go = arith.cmpi slt, %x, %hundred : i32
           scf.condition(%go) %x : i32
         } do {
         ^bb0(%x: i32):
           %y = arith.muli %x, %x : i32
           scf.yield %y : i32
         }
         memref.store %r, %b[%c0] : memref<16xi32>
         cf.br ^head(%c0, %one : index, i32)
       ^head(%i: index, %p: i32):
         %more = arith.cmpi slt, %i, %c4 : index
         cf.cond_br %more, ^body, ^done(%p : i32)
       ^body:
         %p2 = arith.addi %p, %p : i32
         %i1 = arith.addi %i, %c1 : index
         cf.br ^head(%i1, %p2 : index, i32)
       ^done(%q: i32):
         memref.store %q, %b[%c1] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 2), [6561, 16]);
}

#[test]
fn functions_with_memrefs() {
    let tile = run_i32(
        "%x = memref.load %a[%c4] : memref<16xi32>
         %y, %m = func.call @twice(%x, %b) : (i32, memref<16xi32>) -> (i32, memref<16xi32>)
         %z, %k = func.call @twice(%y, %n) : (i32, memref<16xi32>) -> (i32, memref<16xi32>)
         memref.store %z, %m[%c1] : memref<16xi32>
         %sum = arith.addi %x, %z : i32
         memref.store %sum, %k[%c1] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 2), [10, 20]);
    assert_eq!(tile.north_i32s(0x400, 2), [20, 25]);
}

#[test]
fn layouts_of_memrefs() {
    let types = ["memref<4x4xi32>", "memref<16xi32>", "memref<4x4xi32>"];
    let mut tile = Tile::default();
    tile.set_i32(0x400, &(0..16).collect::<Vec<_>>());
    let body = "%flat = memref.collapse_shape %a [[0, 1]] : memref<4x4xi32> into memref<16xi32>
        %wide = memref.expand_shape %flat [[0, 1]] output_shape [2, 8]
            : memref<16xi32> into memref<2x8xi32>
        %x = memref.load %wide[%c1, %c2] : memref<2x8xi32>
        memref.store %x, %b[%c0] : memref<16xi32>
        %i = memref.load %flat[%c1] : memref<16xi32>
        %at = arith.index_cast %i : i32 to index
        %part = memref.subview %a[%at, 1] [2, 2] [1, 2]
            : memref<4x4xi32> to memref<2x2xi32, strided<[4, 2], offset: ?>>
        %y = memref.load %part[%c1, %c1] : memref<2x2xi32, strided<[4, 2], offset: ?>>
        memref.store %y, %b[%c1] : memref<16xi32>
        %row = memref.subview %a[%at, 0] [1, 4] [1, 1]
            : memref<4x4xi32> to memref<4xi32, strided<[1], offset: ?>>
        %z = memref.load %row[%c2] : memref<4xi32, strided<[1], offset: ?>>
        memref.store %z, %b[%c2] : memref<16xi32>
        %again = memref.reinterpret_cast %row to offset: [12], sizes: [4], strides: [1]
            : memref<4xi32, strided<[1], offset: ?>> to memref<4xi32, strided<[1], offset: 12>>
        %w = memref.load %again[%c1] : memref<4xi32, strided<[1], offset: 12>>
        memref.store %w, %b[%c4] : memref<16xi32>
        %to = memref.subview %n[1, 1] [2, 2] [1, 1]
            : memref<4x4xi32> to memref<2x2xi32, strided<[4, 1], offset: 5>>
        %from = memref.subview %a[2, 0] [2, 2] [1, 1]
            : memref<4x4xi32> to memref<2x2xi32, strided<[4, 1], offset: 8>>
        memref.copy %from, %to : memref<2x2xi32, strided<[4, 1], offset: 8>>
            to memref<2x2xi32, strided<[4, 1], offset: 5>>";
    let tile = run(&core(types, body), tile);
    assert_eq!(tile.i32s(0x800, 5), [10, 4 + 4 + 3, 6, 0, 13]);
    assert_eq!(tile.north_i32s(0x414, 2), [8, 9]);
    assert_eq!(tile.north_i32s(0x424, 2), [12, 13]);
    assert_eq!(tile.north_i32s(0x41C, 2), [0, 0]);
}

#[test]
fn a_memref_that_is_chosen_at_run_time() {
    let tile = run_i32(
        "scf.for %i = %c0 to %c4 step %c1 {
           %bit = arith.andi %i, %c1 : index
           %m = scf.index_switch %bit -> memref<16xi32>
           case 1 {
             scf.yield %n : memref<16xi32>
           }
           default {
             scf.yield %b : memref<16xi32>
           }
           %x = memref.load %a[%i] : memref<16xi32>
           memref.store %x, %m[%i] : memref<16xi32>
         }",
    );
    assert_eq!(tile.i32s(0x800, 4), [1, 0, 3, 0]);
    assert_eq!(tile.north_i32s(0x400, 4), [0, 2, 0, 4]);
}

#[test]
fn local_data_and_globals() {
    let tile = run_i32(
        "%local = memref.alloca() : memref<4xi16>
         %table = memref.get_global @table : memref<4xi16>
         memref.copy %table, %local : memref<4xi16> to memref<4xi16>
         scf.for %i = %c0 to %c4 step %c1 {
           %x = memref.load %local[%i] : memref<4xi16>
           %y = arith.extsi %x : i16 to i32
           memref.store %y, %b[%i] : memref<16xi32>
         }",
    );
    assert_eq!(tile.i32s(0x800, 4), [3, -5, 7, 9]);
}

/// Runs `statements` with `%x` and `%y` of pairs in memory; returns the `%z` they define.
fn pairs(ty: &str, bytes: usize, statements: &str, inputs: &[(u64, u64)]) -> Vec<u64> {
    let mut tile = Tile::default();
    for (at, (x, y)) in inputs.iter().enumerate() {
        tile.set(0x400 + at * bytes, &x.to_le_bytes()[..bytes]);
        tile.set_north(0x400 + at * bytes, &y.to_le_bytes()[..bytes]);
    }
    let memref = format!("memref<16x{ty}>");
    let body = format!(
        "%count = arith.constant {} : index
         scf.for %i = %c0 to %count step %c1 {{
           %x = memref.load %a[%i] : {memref}
           %y = memref.load %n[%i] : {memref}
           {statements}
           memref.store %z, %b[%i] : {memref}
         }}",
        inputs.len()
    );
    let tile = run(&core([&memref, &memref, &memref], &body), tile);
    let value = |at: usize| {
        let mut raw = [0; 8];
        raw[..bytes].copy_from_slice(tile.bytes(0x800 + at * bytes, bytes));
        u64::from_le_bytes(raw)
    };
    (0..inputs.len()).map(value).collect()
}

/// Meaning of an integer operation of a number of bits, on sign-extended operands.
type Meaning = fn(i64, i64, u32) -> i64;

fn unsigned(value: i64, bits: u32) -> u64 {
    value as u64 & (u64::MAX >> (64 - bits))
}

fn floor_division(x: i64, y: i64) -> i64 {
    let inexact = x.wrapping_rem(y) != 0;
    x.wrapping_div(y) - i64::from(inexact && (x < 0) != (y < 0))
}

const INTEGERS: [(&str, Meaning); 19] = [
    ("arith.addi", |x, y, _| x.wrapping_add(y)),
    ("arith.subi", |x, y, _| x.wrapping_sub(y)),
    ("arith.muli", |x, y, _| x.wrapping_mul(y)),
    ("arith.divsi", |x, y, _| x.wrapping_div(y)),
    ("arith.remsi", |x, y, _| x.wrapping_rem(y)),
    ("arith.floordivsi", |x, y, _| floor_division(x, y)),
    ("arith.ceildivsi", |x, y, _| {
        floor_division(x, y) + i64::from(x.wrapping_rem(y) != 0)
    }),
    ("arith.divui", |x, y, bits| {
        (unsigned(x, bits) / unsigned(y, bits)) as i64
    }),
    ("arith.remui", |x, y, bits| {
        (unsigned(x, bits) % unsigned(y, bits)) as i64
    }),
    ("arith.andi", |x, y, _| x & y),
    ("arith.ori", |x, y, _| x | y),
    ("arith.xori", |x, y, _| x ^ y),
    ("arith.minsi", |x, y, _| x.min(y)),
    ("arith.maxsi", |x, y, _| x.max(y)),
    ("arith.minui", |x, y, bits| {
        if unsigned(x, bits) < unsigned(y, bits) {
            x
        } else {
            y
        }
    }),
    ("arith.maxui", |x, y, bits| {
        if unsigned(x, bits) > unsigned(y, bits) {
            x
        } else {
            y
        }
    }),
    ("arith.shli", |x, y, _| x << (y & 7)),
    ("arith.shrsi", |x, y, _| x >> (y & 7)),
    ("arith.shrui", |x, y, bits| {
        (unsigned(x, bits) >> (y & 7)) as i64
    }),
];

#[test]
fn integers_of_every_width() {
    let samples = [
        1i64,
        -1,
        3,
        -7,
        100,
        -128,
        127,
        0x7FFF,
        -0x8000,
        i32::MAX.into(),
        i64::MIN,
        55,
    ];
    for (ty, bits) in [("i8", 8u32), ("i16", 16), ("i32", 32), ("i64", 64)] {
        let cut = |value: i64| (value << (64 - bits)) >> (64 - bits);
        let pick = |at: usize| cut(samples[at % samples.len()]);
        let inputs: Vec<(i64, i64)> = (0..samples.len())
            .map(|at| (pick(at), pick(at * 5 + 3)))
            .filter(|(_, y)| *y != 0)
            .collect();
        let raw: Vec<(u64, u64)> = inputs.iter().map(|(x, y)| (*x as u64, *y as u64)).collect();
        for (name, meaning) in INTEGERS {
            let statements = if name.starts_with("arith.sh") {
                format!(
                    "%seven = arith.constant 7 : {ty}
                     %by = arith.andi %y, %seven : {ty}
                     %z = {name} %x, %by : {ty}"
                )
            } else {
                format!("%z = {name} %x, %y : {ty}")
            };
            let results = pairs(ty, bits as usize / 8, &statements, &raw);
            for ((x, y), result) in inputs.iter().zip(results) {
                let expected = unsigned(meaning(*x, *y, bits), bits);
                assert_eq!(result, expected, "{name} {ty} {x} {y}");
            }
        }
    }
}

#[test]
fn comparisons_and_selections() {
    let inputs: Vec<(i64, i64)> = vec![(1, 2), (2, 1), (-1, 1), (1, -1), (-3, -3)];
    let raw: Vec<(u64, u64)> = inputs.iter().map(|(x, y)| (*x as u64, *y as u64)).collect();
    type Predicate = (&'static str, fn(i64, i64) -> bool);
    let predicates: [Predicate; 10] = [
        ("eq", |x, y| x == y),
        ("ne", |x, y| x != y),
        ("slt", |x, y| x < y),
        ("sle", |x, y| x <= y),
        ("sgt", |x, y| x > y),
        ("sge", |x, y| x >= y),
        ("ult", |x, y| (x as u16) < y as u16),
        ("ule", |x, y| x as u16 <= y as u16),
        ("ugt", |x, y| x as u16 > y as u16),
        ("uge", |x, y| x as u16 >= y as u16),
    ];
    for (predicate, holds) in predicates {
        let selected = format!(
            "%p = arith.cmpi {predicate}, %x, %y : i16
             %z = arith.select %p, %x, %y : i16"
        );
        let extended = format!(
            "%p = arith.cmpi {predicate}, %x, %y : i16
             %z = arith.extui %p : i1 to i16"
        );
        let branched = format!(
            "%p = arith.cmpi {predicate}, %x, %y : i16
             %one = arith.constant 1 : i16
             %zero = arith.constant 0 : i16
             %z = scf.if %p -> (i16) {{
               scf.yield %one : i16
             }} else {{
               scf.yield %zero : i16
             }}"
        );
        let (selected, extended, branched) = (
            pairs("i16", 2, &selected, &raw),
            pairs("i16", 2, &extended, &raw),
            pairs("i16", 2, &branched, &raw),
        );
        for (at, (x, y)) in inputs.iter().enumerate() {
            let expected = holds(*x, *y);
            assert_eq!(
                selected[at] as i16,
                if expected { *x } else { *y } as i16,
                "{predicate}"
            );
            assert_eq!(extended[at], u64::from(expected), "{predicate} {x} {y}");
            assert_eq!(branched[at], u64::from(expected), "{predicate} {x} {y}");
        }
    }
}

#[test]
fn floats() {
    let singles = [(1.5f32, 2.25f32), (-7.0, 0.1), (1e30, 1e30), (0.0, -0.0)];
    let raw: Vec<(u64, u64)> = singles
        .iter()
        .map(|(x, y)| (u64::from(x.to_bits()), u64::from(y.to_bits())))
        .collect();
    type Operation = (&'static str, fn(f32, f32) -> f32);
    let operations: [Operation; 4] = [
        ("arith.addf", |x, y| x + y),
        ("arith.subf", |x, y| x - y),
        ("arith.mulf", |x, y| x * y),
        ("arith.divf", |x, y| x / y),
    ];
    for (name, meaning) in operations {
        let results = pairs("f32", 4, &format!("%z = {name} %x, %y : f32"), &raw);
        for ((x, y), result) in singles.iter().zip(results) {
            let expected = meaning(*x, *y);
            let result = f32::from_bits(result as u32);
            assert!(
                result == expected || (result.is_nan() && expected.is_nan()),
                "{name} {x} {y}"
            );
        }
    }
    // bf16: 1 + 1/256 is half way between two neighbours; 1.0 is the even one.
    let narrow = [(0x3F80u64, 0x3B80u64), (0x4049, 0x3F80), (0x7F7F, 0x7F7F)];
    let results = pairs("bf16", 2, "%z = arith.addf %x, %y : bf16", &narrow);
    assert_eq!(results, [0x3F80, 0x4084, 0x7F80]);
    let conversions = "%w = arith.extf %x : bf16 to f32
        %k = arith.fptosi %w : f32 to i32
        %one = arith.constant 1 : i32
        %k1 = arith.addi %k, %one : i32
        %s = arith.sitofp %k1 : i32 to f32
        %r = arith.truncf %s : f32 to bf16
        %bits = arith.bitcast %r : bf16 to i16
        %z = arith.bitcast %bits : i16 to bf16";
    assert_eq!(pairs("bf16", 2, conversions, &[(0x4049, 0)]), [0x4080]);
}

#[test]
fn vectors() {
    let vector = "vector<16xi32>";
    let body = format!(
        "%x = \"vector.load\"(%a, %c0) : (memref<16xi32>, index) -> {vector}
         %two = arith.constant dense<2> : {vector}
         %ramp = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : {vector}
         %y = arith.muli %x, %two : {vector}
         %z = arith.addi %y, %ramp : {vector}
         \"vector.store\"(%z, %b, %c0) : ({vector}, memref<16xi32>, index) -> ()
         %sum = \"vector.reduction\"(%x) {{kind = #vector.kind<add>}} : ({vector}) -> i32
         memref.store %sum, %n[%c0] : memref<16xi32>
         %five = \"vector.extract\"(%x) {{static_position = array<i64: 4>}} : ({vector}) -> i32
         memref.store %five, %n[%c1] : memref<16xi32>
         %mask = arith.cmpi sgt, %x, %ramp : {vector}
         %big = arith.select %mask, %two, %ramp : vector<16xi1>, {vector}
         %lane = \"vector.extract\"(%big, %c4) {{static_position = array<i64: -9223372036854775808>}} : ({vector}, index) -> i32
         memref.store %lane, %n[%c2] : memref<16xi32>
         %t = \"vector.shape_cast\"(%x) : ({vector}) -> vector<4x4xi32>
         %tt = \"vector.transpose\"(%t) {{permutation = array<i64: 1, 0>}} : (vector<4x4xi32>) -> vector<4x4xi32>
         %row = \"vector.extract\"(%tt) {{static_position = array<i64: 1>}} : (vector<4x4xi32>) -> vector<4xi32>
         \"vector.store\"(%row, %n, %c4) : (vector<4xi32>, memref<16xi32>, index) -> ()"
    );
    let tile = run_i32(&body);
    let expected: Vec<i32> = (0..16).map(|i| 2 * (i + 1) + i).collect();
    assert_eq!(tile.i32s(0x800, 16), expected);
    assert_eq!(tile.north_i32s(0x400, 3), [136, 5, 2]);
    assert_eq!(tile.north_i32s(0x410, 4), [2, 6, 10, 14]);
}

#[test]
fn locks_streams_cascades_and_events() {
    let mut tile = Tile::default();
    tile.stream.push_back(7);
    tile.cascade.push_back(std::array::from_fn(|i| i as u32));
    let body = "%ch = arith.constant 0 : i32
        aie.use_lock(%lock, AcquireGreaterEqual, 2)
        aie.use_lock(%lock, AcquireGreaterEqual, 0)
        aie.use_lock(%lock, Acquire, 0)
        aie.use_lock(%north_lock, Release, 1)
        %w = aie.get_stream(%ch : i32) : i32
        aie.put_stream(%ch : i32, %w : i32)
        %v = aie.get_cascade() : vector<16xi32>
        %vv = arith.addi %v, %v : vector<16xi32>
        aie.put_cascade(%vv : vector<16xi32>)
        aie.event(1)";
    let tile = run(&core(I32, body), tile);
    assert_eq!(
        tile.trace,
        [
            "acquire 51 -2",
            "acquire 51 0",
            "release 33 1",
            "put 7",
            "event 1"
        ]
    );
    assert_eq!(tile.cascade, [std::array::from_fn(|i| 2 * i as u32)]);
}

#[test]
fn values_from_outside_that_a_region_yields_are_kept() {
    let tile = run_i32(
        "%x = memref.load %a[%c4] : memref<16xi32>
         %limit = arith.constant 3 : i32
         %known = arith.constant true
         %less = arith.cmpi slt, %x, %limit : i32
         %y = scf.if %less -> (i32) {
           scf.yield %limit : i32
         } else {
           scf.yield %x : i32
         }
         %z = scf.if %known -> (i32) {
           scf.yield %x : i32
         } else {
           scf.yield %limit : i32
         }
         %more = arith.addi %y, %z : i32
         memref.store %more, %b[%c0] : memref<16xi32>
         memref.store %x, %b[%c1] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 2), [10, 5]);
}

#[test]
fn signs_and_signalling_nans_are_kept() {
    // A signalling NaN, a negative one, minus zero and one.
    let values: [u16; 4] = [0x7F81, 0xFFC1, 0x8000, 0x3F80];
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let mut tile = Tile::default();
    tile.set(0x400, &bytes);
    let types = ["memref<4xbf16>", "memref<16xbf16>", "memref<16xi32>"];
    let body = "scf.for %i = %c0 to %c4 step %c1 {
           %x = memref.load %a[%i] : memref<4xbf16>
           memref.store %x, %b[%i] : memref<16xbf16>
           %negative = arith.constant -0.0 : bf16
           %signed = math.copysign %x, %negative : bf16
           %at = arith.addi %i, %c4 : index
           memref.store %signed, %b[%at] : memref<16xbf16>
           %none = arith.subf %x, %x : bf16
           %at8 = arith.addi %i, %c8 : index
           memref.store %none, %b[%at8] : memref<16xbf16>
         }";
    let tile = tile::run(&core(types, body), tile);
    assert_eq!(tile.bytes(0x800, 8), bytes);
    let halves = |at: usize| -> Vec<u16> {
        let pairs = tile.bytes(at, 8).chunks_exact(2);
        pairs
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
            .collect()
    };
    assert_eq!(halves(0x808), [0xFF81, 0xFFC1, 0x8000, 0xBF80]);
    // A computed NaN is the positive quiet one.
    assert_eq!(halves(0x810), [0x7FC0, 0x7FC0, 0, 0]);
}
