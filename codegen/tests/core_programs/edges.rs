//! Edge cases: of memrefs that a transfer reaches beyond, of number formats, of loops that count
//! without sign, of views and arrays that outlive the pass or call that made them.

use super::refused::findings;
use super::tile::{Tile, lower, run};
use super::{I32, core, run_i32};

/// Runs a body over `a` as 4 x 4 numbers 1, 2, 3…
fn run_square(body: &str) -> Tile {
    let mut tile = Tile::default();
    tile.set_i32(0x400, &(1..=16).collect::<Vec<_>>());
    let types = ["memref<4x4xi32>", "memref<16xi32>", "memref<4x4xi32>"];
    run(&core(types, body), tile)
}

#[test]
fn reads_beyond_a_memref_give_padding() {
    let tile = run_i32(
        "%pad = arith.constant -7 : i32
         %c12 = arith.constant 12 : index
         %v = vector.transfer_read %a[%c12], %pad : memref<16xi32>, vector<8xi32>
         vector.store %v, %b[%c0] : memref<16xi32>, vector<8xi32>
         %w = vector.transfer_read %a[%c16], %pad : memref<16xi32>, vector<4xi32>
         vector.store %w, %b[%c8] : memref<16xi32>, vector<4xi32>
         %x = vector.transfer_read %a[%c12], %pad : memref<16xi32>, vector<4xi32>
         vector.store %x, %b[%c12] : memref<16xi32>, vector<4xi32>",
    );
    let expected = [
        13, 14, 15, 16, -7, -7, -7, -7, -7, -7, -7, -7, 13, 14, 15, 16,
    ];
    assert_eq!(tile.i32s(0x800, 16), expected);
}

#[test]
fn reads_in_a_loop_know_their_last_pass() {
    // Sums of 7 from 0, 7 and 14 on; the last has two elements and padding of 100.
    let tile = run_i32(
        "%pad = arith.constant 100 : i32
         %c7 = arith.constant 7 : index
         scf.for %i = %c0 to %c16 step %c7 {
           %v = vector.transfer_read %a[%i], %pad : memref<16xi32>, vector<7xi32>
           %s = vector.reduction <add>, %v : vector<7xi32> into i32
           %k = index.divu %i, %c7
           memref.store %s, %b[%k] : memref<16xi32>
           vector.transfer_write %v, %b[%i] {in_bounds = [false]} : vector<7xi32>, memref<16xi32>
           memref.store %s, %b[%k] : memref<16xi32>
         }",
    );
    assert_eq!(tile.i32s(0x800, 3), [28, 77, 531]);
    assert_eq!(tile.i32s(0x800 + 56, 4), [15, 16, 0, 0]);
}

#[test]
fn each_dimension_of_a_transfer_has_its_own_end() {
    let tile = run_square(
        "%pad = arith.constant 0 : i32
         %v = vector.transfer_read %a[%c2, %c1], %pad : memref<4x4xi32>, vector<3x4xi32>
         %f = vector.shape_cast %v : vector<3x4xi32> to vector<12xi32>
         vector.store %f, %b[%c0] : memref<16xi32>, vector<12xi32>
         %seven = arith.constant dense<7> : vector<3x3xi32>
         vector.transfer_write %seven, %n[%c2, %c2] : vector<3x3xi32>, memref<4x4xi32>",
    );
    let expected = [10, 11, 12, 0, 14, 15, 16, 0, 0, 0, 0, 0];
    assert_eq!(tile.i32s(0x800, 12), expected);
    let expected = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 0, 0, 7, 7, 0, 0, 0, 0];
    assert_eq!(tile.north_i32s(0x400, 20), expected);
}

#[test]
fn maps_say_which_dimensions_a_transfer_runs_along() {
    let tile = run_square(
        "%pad = arith.constant -1 : i32
         %t = vector.transfer_read %a[%c1, %c2], %pad {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<4x4xi32>, vector<3x2xi32>
         %f = vector.shape_cast %t : vector<3x2xi32> to vector<6xi32>
         vector.store %f, %b[%c0] : memref<16xi32>, vector<6xi32>
         %r = vector.transfer_read %a[%c1, %c2], %pad {permutation_map = affine_map<(d0, d1) -> (0, d1)>, in_bounds = [true, false]} : memref<4x4xi32>, vector<2x3xi32>
         %g = vector.shape_cast %r : vector<2x3xi32> to vector<6xi32>
         vector.store %g, %b[%c8] : memref<16xi32>, vector<6xi32>
         %column = vector.extract %t[1] : vector<2xi32> from vector<3x2xi32>
         %wide = arith.constant dense<[5, 6, 8]> : vector<3xi32>
         vector.transfer_write %wide, %n[%c2, %c1] {permutation_map = affine_map<(d0, d1) -> (d0)>} : vector<3xi32>, memref<4x4xi32>",
    );
    assert_eq!(tile.i32s(0x800, 6), [7, 11, 8, 12, -1, -1]);
    assert_eq!(tile.i32s(0x820, 6), [7, 8, -1, 7, 8, -1]);
    let mut expected = [0; 16];
    (expected[9], expected[13]) = (5, 6);
    assert_eq!(tile.north_i32s(0x400, 16), expected);
}

#[test]
fn floats_are_rounded_as_the_conversion_says() {
    // 1 + 2^-8, and the same below zero: between two neighbours of bf16
    let modes = ["", "downward", "upward", "toward_zero", "to_nearest_away"];
    let mut body = "%x = arith.constant 1.00390625 : f32
         %y = arith.negf %x : f32
         %d = arith.extf %x : f32 to f64\n"
        .to_string();
    for (n, mode) in modes.iter().enumerate() {
        for (at, value, ty) in [
            (n, "%x", "f32"),
            (n + 5, "%y", "f32"),
            (n + 10, "%d", "f64"),
        ] {
            body += &format!(
                "%i{at} = arith.constant {at} : index
                 %h{at} = arith.truncf {value} {mode} : {ty} to bf16
                 %b{at} = arith.bitcast %h{at} : bf16 to i16
                 %w{at} = arith.extui %b{at} : i16 to i32
                 memref.store %w{at}, %b[%i{at}] : memref<16xi32>\n"
            );
        }
    }
    let tile = run_i32(&body);
    let up = [0x3F80, 0x3F80, 0x3F81, 0x3F80, 0x3F81];
    let down = [0xBF80, 0xBF81, 0xBF80, 0xBF80, 0xBF81];
    assert_eq!(tile.i32s(0x800, 15), [up, down, up].concat());
}

#[test]
fn fused_products_of_narrow_floats_round_once() {
    // 1.5 times 1.359375 lies between two neighbours of bf16; 2^-30 more does not.
    let tile = run_i32(
        "%x = arith.constant 1.5 : bf16
         %y = arith.constant 1.359375 : bf16
         %tiny = arith.constant 0x3080 : bf16
         %fma = math.fma %x, %y, %tiny : bf16
         %vx = vector.broadcast %x : bf16 to vector<1xbf16>
         %vy = vector.broadcast %y : bf16 to vector<1xbf16>
         %dot = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = [\"reduction\"], kind = #vector.kind<add>} %vx, %vy, %tiny : vector<1xbf16>, vector<1xbf16> into bf16
         %v = vector.from_elements %fma, %dot : vector<2xbf16>
         %b16 = arith.bitcast %v : vector<2xbf16> to vector<2xi16>
         %w = arith.extui %b16 : vector<2xi16> to vector<2xi32>
         vector.store %w, %b[%c0] : memref<16xi32>, vector<2xi32>",
    );
    assert_eq!(tile.i32s(0x800, 2), [0x4003, 0x4003]);
}

/// One pointer goes to the places of a buffer in turn, moved in its register: an access after a move can't count from where
/// it was before.
#[test]
fn stores_between_moves_of_a_pointer_hit_their_places() {
    let tile = run_i32(
        "%c3 = arith.constant 3 : index
         %c9 = arith.constant 9 : index
         %c10 = arith.constant 10 : index
         %c12 = arith.constant 12 : index
         %seven = arith.constant 7 : i32
         %one = arith.constant 1 : i32
         memref.store %seven, %b[%c12] : memref<16xi32>
         %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %one) -> (i32) {
           memref.store %x, %b[%c3] : memref<16xi32>
           %y = memref.load %b[%c12] : memref<16xi32>
           memref.store %y, %b[%c10] : memref<16xi32>
           memref.store %x, %b[%c9] : memref<16xi32>
           %next = arith.addi %x, %y : i32
           scf.yield %next : i32
         }
         memref.store %last, %b[%c0] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 1), [22]);
    assert_eq!(tile.i32s(0x80C, 1), [15]);
    assert_eq!(tile.i32s(0x820, 3), [0, 15, 7]);
}

#[test]
fn whole_powers_know_odd_from_even() {
    let tile = run_i32(
        "%minus = arith.constant -1.0 : f32
         %odd = arith.constant 16777217 : i32
         %even = arith.constant 16777218 : i32
         %x = math.fpowi %minus, %odd : f32, i32
         %y = math.fpowi %minus, %even : f32, i32
         %xi = arith.fptosi %x : f32 to i32
         %yi = arith.fptosi %y : f32 to i32
         memref.store %xi, %b[%c0] : memref<16xi32>
         memref.store %yi, %b[%c1] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 2), [-1, 1]);
}

#[test]
fn loops_without_sign_go_on_beyond_the_sign_bit() {
    let tile = run_i32(
        "%zero = arith.constant 0 : i32
         %one = arith.constant 1 : i32
         %from = arith.constant 120 : i8
         %to = arith.constant 200 : i8
         %step = arith.constant 8 : i8
         %sum:2 = scf.for unsigned %i = %from to %to step %step iter_args(%s = %zero, %k = %zero) -> (i32, i32) : i8 {
           %w = arith.extui %i : i8 to i32
           %next = arith.addi %s, %w : i32
           %count = arith.addi %k, %one : i32
           scf.yield %next, %count : i32, i32
         }
         memref.store %sum#0, %b[%c0] : memref<16xi32>
         memref.store %sum#1, %b[%c1] : memref<16xi32>
         %low = arith.constant 0x7FFFFFFF : i32
         %high = arith.constant -2147483646 : i32
         %across = scf.for unsigned %i = %low to %high step %one iter_args(%k = %zero) -> (i32) : i32 {
           %count = arith.addi %k, %one : i32
           scf.yield %count : i32
         }
         memref.store %across, %b[%c4] : memref<16xi32>",
    );
    // 120, 128, … 192
    assert_eq!(tile.i32s(0x800, 2), [1560, 10]);
    assert_eq!(tile.i32s(0x810, 1), [3]);
}

#[test]
fn loops_without_sign_end_where_their_counter_would_wrap() {
    let tile = run_i32(
        "%zero = arith.constant 0 : i32
         %one = arith.constant 1 : i32
         %last = arith.constant 255 : i8
         %some = arith.constant 100 : i8
         %past_the_last = scf.for unsigned %i = %some to %last step %some iter_args(%k = %zero) -> (i32) : i8 {
           %count = arith.addi %k, %one : i32
           scf.yield %count : i32
         }
         memref.store %past_the_last, %b[%c2] : memref<16xi32>
         %start = arith.constant -10 : index
         %end = arith.constant -1 : index
         %huge = arith.constant 6 : index
         %wraps = scf.for unsigned %i = %start to %end step %huge iter_args(%k = %zero) -> (i32) {
           %count = arith.addi %k, %one : i32
           scf.yield %count : i32
         }
         memref.store %wraps, %b[%c8] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x808, 1), [2]);
    assert_eq!(tile.i32s(0x820, 1), [2]);
}

#[test]
fn a_size_that_is_an_operand_stays_a_dimension() {
    let tile = run_square(
        "%v = memref.subview %a[1, 2] [%c2, 1] [1, 1] : memref<4x4xi32> to memref<?xi32, strided<[4], offset: 6>>
         %x = memref.load %v[%c1] : memref<?xi32, strided<[4], offset: 6>>
         memref.store %x, %b[%c0] : memref<16xi32>
         %r = memref.subview %a[1, 2] [1, %c2] [1, 1] : memref<4x4xi32> to memref<?xi32, strided<[1], offset: 6>>
         %y = memref.load %r[%c1] : memref<?xi32, strided<[1], offset: 6>>
         memref.store %y, %b[%c1] : memref<16xi32>
         %w = memref.subview %a[1, 2] [%c1, 1] [1, 1] : memref<4x4xi32> to memref<?xi32, strided<[4], offset: 6>>
         %z = memref.dim %w, %c0 : memref<?xi32, strided<[4], offset: 6>>
         %zi = arith.index_cast %z : index to i32
         memref.store %zi, %b[%c2] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 3), [11, 8, 1]);
}

/// A core with a function before it.
fn with_function(function: &str, body: &str) -> String {
    core(I32, body).replacen(
        "%core = aie.core",
        &format!("{function}\n%core = aie.core"),
        1,
    )
}

/// The part of `a` from element 4 on, in a type that says so.
const PART: &str = "memref<4xi32, strided<[1], offset: 4>>";

#[test]
fn offsets_count_from_the_buffer_whichever_way_a_view_came() {
    let function = format!(
        "func.func @third(%v: {PART}) -> i32 {{
           %c0 = arith.constant 0 : index
           %r = memref.reinterpret_cast %v to offset: [2], sizes: [4], strides: [1] : {PART} to memref<4xi32, strided<[1], offset: 2>>
           %x = memref.load %r[%c0] : memref<4xi32, strided<[1], offset: 2>>
           return %x : i32
         }}"
    );
    let body = format!(
        "%v = memref.subview %a[4] [4] [1] : memref<16xi32> to {PART}
         %x = func.call @third(%v) : ({PART}) -> i32
         memref.store %x, %b[%c0] : memref<16xi32>
         %l = scf.for %i = %c0 to %c2 step %c1 iter_args(%w = %v) -> ({PART}) {{
           scf.yield %w : {PART}
         }}
         %r = memref.reinterpret_cast %l to offset: [9], sizes: [4], strides: [1] : {PART} to memref<4xi32, strided<[1], offset: 9>>
         %y = memref.load %r[%c1] : memref<4xi32, strided<[1], offset: 9>>
         memref.store %y, %b[%c1] : memref<16xi32>"
    );
    let mut tile = Tile::default();
    tile.set_i32(0x400, &(1..=16).collect::<Vec<_>>());
    let tile = run(&with_function(&function, &body), tile);
    assert_eq!(tile.i32s(0x800, 2), [3, 11]);
    let open = body.replace("offset: 4", "offset: ?");
    let found = findings(&open.replace("func.call @third(%v)", "func.call @none(%v)"));
    let wanted = "core::unsupported-layout: the offset of a `memref.reinterpret_cast` counts from the start of \
                  the buffer, which isn't known of a view with an open offset that came through a call or a loop";
    assert!(found.iter().any(|finding| finding == wanted), "{found:?}");
}

#[test]
fn arrays_of_a_pass_are_its_own() {
    let tile = run_i32(
        "%s = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %c0) -> (index) {
           %m = memref.alloc() : memref<4xi32>
           %x = memref.load %a[%i] : memref<16xi32>
           memref.store %x, %m[%c1] : memref<4xi32>
           %y = memref.load %m[%c1] : memref<4xi32>
           memref.store %y, %b[%i] : memref<16xi32>
           scf.yield %i : index
         }",
    );
    assert_eq!(tile.i32s(0x800, 4), [1, 2, 3, 4]);
    let carried = "%first = memref.alloc() : memref<4xi32>
         %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %first) -> (memref<4xi32>) {
           %m = memref.alloc() : memref<4xi32>
           %x = memref.load %before[%c1] : memref<4xi32>
           memref.store %x, %m[%c1] : memref<4xi32>
           scf.yield %m : memref<4xi32>
         }";
    assert_eq!(
        findings(carried),
        [
            "core::unsupported-op: memory that is allocated in a loop is used in the next pass, and has one \
             place for all passes"
        ]
    );
    let function = "func.func @fresh() -> memref<4xi32> {
           %m = memref.alloc() : memref<4xi32>
           return %m : memref<4xi32>
         }";
    let twice = "%x = func.call @fresh() : () -> memref<4xi32>
         %y = func.call @fresh() : () -> memref<4xi32>
         %z = memref.load %x[%c0] : memref<4xi32>
         memref.store %z, %y[%c1] : memref<4xi32>";
    assert_eq!(
        lower(&with_function(function, twice)).unwrap_err(),
        [
            "core::unsupported-op: a second call of a function that allocates what it returns: that has one \
             place for all calls"
        ]
    );
    let once = "%x = func.call @fresh() : () -> memref<4xi32>
         %z = memref.load %x[%c0] : memref<4xi32>
         memref.store %z, %b[%c1] : memref<16xi32>";
    assert!(lower(&with_function(function, once)).is_ok());
}
