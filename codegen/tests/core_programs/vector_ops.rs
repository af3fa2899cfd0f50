//! Vector operations beyond lane by lane, the `aievec` and `index` dialects.

use super::tile::{Tile, run};
use super::{core, run_i32};

#[test]
fn products_along_maps() {
    // 2 x 3 times 3 x 2, onto 2 x 2; then the dot product of two vectors
    let tile = run_i32(
        "%zero = arith.constant 0 : i32
         %v = vector.load %a[%c0] : memref<16xi32>, vector<6xi32>
         %l = vector.shape_cast %v : vector<6xi32> to vector<2x3xi32>
         %r = vector.shape_cast %v : vector<6xi32> to vector<3x2xi32>
         %acc = arith.constant dense<[[100, 200], [300, 400]]> : vector<2x2xi32>
         %p = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>} %l, %r, %acc : vector<2x3xi32>, vector<3x2xi32> into vector<2x2xi32>
         %f = vector.shape_cast %p : vector<2x2xi32> to vector<4xi32>
         vector.store %f, %b[%c0] : memref<16xi32>, vector<4xi32>
         %d = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = [\"reduction\"]} %v, %v, %zero : vector<6xi32>, vector<6xi32> into i32
         memref.store %d, %b[%c4] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 5), [122, 228, 349, 464, 91]);
}

#[test]
fn other_combinations_of_products() {
    // The largest, the smallest, all of their bits; of i8 the products wrap before they are compared
    let tile = run_i32(
        "%v = vector.load %a[%c0] : memref<16xi32>, vector<6xi32>
         %l = vector.shape_cast %v : vector<6xi32> to vector<2x3xi32>
         %r = arith.constant dense<[5, -7, 2]> : vector<3xi32>
         %low = arith.constant dense<[-100, 18]> : vector<2xi32>
         %max = vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = [\"parallel\", \"reduction\"], kind = #vector.kind<maxsi>} %l, %r, %low : vector<2x3xi32>, vector<3xi32> into vector<2xi32>
         vector.store %max, %b[%c0] : memref<16xi32>, vector<2xi32>
         %min = vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = [\"parallel\", \"reduction\"], kind = #vector.kind<minsi>} %l, %r, %low : vector<2x3xi32>, vector<3xi32> into vector<2xi32>
         vector.store %min, %b[%c2] : memref<16xi32>, vector<2xi32>
         %k = arith.constant dense<[100, 3]> : vector<2xi8>
         %t = arith.constant dense<[2, 4]> : vector<2xi8>
         %start = arith.constant -128 : i8
         %wrapped = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = [\"reduction\"], kind = #vector.kind<maxsi>} %k, %t, %start : vector<2xi8>, vector<2xi8> into i8
         %wide = arith.extsi %wrapped : i8 to i32
         memref.store %wide, %b[%c4] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 5), [6, 20, -100, -35, 12]);
}

#[test]
fn dimensions_of_size_one_are_stretched() {
    let tile = run_i32(
        "%v = vector.load %a[%c0] : memref<16xi32>, vector<2xi32>
         %column = vector.shape_cast %v : vector<2xi32> to vector<2x1xi32>
         %wide = vector.broadcast %column : vector<2x1xi32> to vector<2x3xi32>
         %0 = vector.shape_cast %wide : vector<2x3xi32> to vector<6xi32>
         vector.store %0, %b[%c0] : memref<16xi32>, vector<6xi32>
         %between = vector.shape_cast %v : vector<2xi32> to vector<1x2x1xi32>
         %all = vector.broadcast %between : vector<1x2x1xi32> to vector<2x2x2xi32>
         %1 = vector.shape_cast %all : vector<2x2x2xi32> to vector<8xi32>
         vector.store %1, %b[%c8] : memref<16xi32>, vector<8xi32>",
    );
    let (x, y) = (tile.i32s(0x400, 2)[0], tile.i32s(0x400, 2)[1]);
    assert_ne!(x, y);
    assert_eq!(tile.i32s(0x800, 6), [x, x, x, y, y, y]);
    assert_eq!(tile.i32s(0x820, 8), [x, x, y, y, x, x, y, y]);
}

#[test]
fn reductions_along_dimensions() {
    let tile = run_i32(
        "%zero = arith.constant 0 : i32
         %v = vector.load %a[%c0] : memref<16xi32>, vector<6xi32>
         %m = vector.shape_cast %v : vector<6xi32> to vector<2x3xi32>
         %start3 = arith.constant dense<[10, 20, 30]> : vector<3xi32>
         %columns = vector.multi_reduction <add>, %m, %start3 [0] : vector<2x3xi32> to vector<3xi32>
         vector.store %columns, %b[%c0] : memref<16xi32>, vector<3xi32>
         %start2 = arith.constant dense<[2, 9]> : vector<2xi32>
         %rows = vector.multi_reduction <maxsi>, %m, %start2 [1] : vector<2x3xi32> to vector<2xi32>
         vector.store %rows, %b[%c4] : memref<16xi32>, vector<2xi32>
         %all = vector.multi_reduction <add>, %m, %zero [0, 1] : vector<2x3xi32> to i32
         memref.store %all, %b[%c8] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 3), [15, 27, 39]);
    assert_eq!(tile.i32s(0x810, 2), [3, 9]);
    assert_eq!(tile.i32s(0x820, 1), [21]);
}

#[test]
fn vectors_from_elements_and_bits() {
    let tile = run_i32(
        "%x = memref.load %a[%c2] : memref<16xi32>
         %seven = arith.constant 7 : i32
         %e = vector.from_elements %x, %seven, %x : vector<3xi32>
         vector.store %e, %b[%c0] : memref<16xi32>, vector<3xi32>
         %step = vector.step : vector<4xindex>
         %steps = arith.index_cast %step : vector<4xindex> to vector<4xi32>
         vector.store %steps, %b[%c4] : memref<16xi32>, vector<4xi32>
         %v = arith.constant dense<[1, 2, -3, 4]> : vector<4xi16>
         %w = vector.bitcast %v : vector<4xi16> to vector<2xi32>
         vector.store %w, %b[%c8] : memref<16xi32>, vector<2xi32>
         %poison = ub.poison : i32
         memref.store %poison, %b[%c16] : memref<16xi32>",
    );
    assert_eq!(tile.i32s(0x800, 3), [3, 7, 3]);
    assert_eq!(tile.i32s(0x810, 4), [0, 1, 2, 3]);
    assert_eq!(tile.i32s(0x820, 2), [0x0002_0001, 0x0004_FFFD]);
}

#[test]
fn indices() {
    let tile = run_i32(
        "%x = index.constant -17
         %y = index.constant 5
         %less = index.cmp slt(%x, %y)
         %below = index.cmp ult(%x, %y)
         %true = index.bool.constant true
         %operations = arith.constant 0 : i32
         %0 = index.divs %x, %y
         %1 = index.ceildivs %x, %y
         %2 = index.floordivs %x, %y
         %3 = index.rems %x, %y
         %4 = index.maxs %x, %y
         %5 = index.shl %y, %c2
         %6 = index.shrs %x, %c1
         %7 = index.sub %x, %y
         %i0 = index.casts %0 : index to i32
         %i1 = index.casts %1 : index to i32
         %i2 = index.casts %2 : index to i32
         %i3 = index.casts %3 : index to i32
         %i4 = index.casts %4 : index to i32
         %i5 = index.casts %5 : index to i32
         %i6 = index.casts %6 : index to i32
         %i7 = index.casts %7 : index to i32
         %l = arith.extui %less : i1 to i32
         %u = arith.extui %below : i1 to i32
         %t = arith.extui %true : i1 to i32
         %m = arith.constant -1 : i8
         %wide = index.castu %m : i8 to index
         %w = index.casts %wide : index to i32
         %v = vector.from_elements %i0, %i1, %i2, %i3, %i4, %i5, %i6, %i7, %l, %u, %t, %w : vector<12xi32>
         vector.store %v, %b[%c0] : memref<16xi32>, vector<12xi32>",
    );
    let expected = [-3, -3, -4, -2, 5, 20, -9, -22, 1, 0, 1, 255];
    assert_eq!(tile.i32s(0x800, 12), expected);
}

#[test]
fn functions_of_numbers() {
    let tile = run_i32(
        "%x = arith.constant 0.5 : f32
         %y = arith.constant 2.0 : f32
         %three = arith.constant 3 : i32
         %minus = arith.constant -2 : i32
         %cube = math.ipowi %minus, %three : i32
         memref.store %cube, %b[%c0] : memref<16xi32>
         %p = math.fpowi %y, %minus : f32, i32
         %erf = math.erf %x : f32
         %erfc = math.erfc %x : f32
         %one = arith.addf %erf, %erfc : f32
         %asinh = math.asinh %x : f32
         %back = math.sinh %asinh : f32
         %acosh = math.acosh %y : f32
         %again = math.cosh %acosh : f32
         %atanh = math.atanh %x : f32
         %third = math.tanh %atanh : f32
         %v = vector.from_elements %p, %one, %back, %again, %third : vector<5xf32>
         %w = arith.bitcast %v : vector<5xf32> to vector<5xi32>
         vector.store %w, %b[%c1] : memref<16xi32>, vector<5xi32>",
    );
    assert_eq!(tile.i32s(0x800, 1), [-8]);
    let floats: Vec<f32> = tile
        .i32s(0x804, 5)
        .iter()
        .map(|b| f32::from_bits(*b as u32))
        .collect();
    for (found, wanted) in floats.iter().zip([0.25f32, 1.0, 0.5, 2.0, 0.5]) {
        assert!((found - wanted).abs() < 1e-6, "{floats:?}");
    }
}

/// Runs a body over 64 bytes of i16 at `%a` and `%b`: `a` holds 1, 2, 3… 32.
fn run_i16(body: &str) -> Tile {
    let mut tile = Tile::default();
    let numbers: Vec<i32> = (0..16).map(|i| (2 * i + 1) | ((2 * i + 2) << 16)).collect();
    tile.set_i32(0x400, &numbers);
    let types = ["memref<32xi16>", "memref<32xi16>", "memref<32xi16>"];
    run(&core(types, body), tile)
}

fn i16s(tile: &Tile, at: usize, count: usize) -> Vec<i16> {
    let words = tile.i32s(at, count.div_ceil(2));
    let halves = words
        .iter()
        .flat_map(|word| [*word as i16, (*word >> 16) as i16]);
    halves.take(count).collect()
}

#[test]
fn accumulators() {
    let tile = run_i16(
        "%c10 = arith.constant 10 : i32
         %v = aievec.upd %a[%c0] {index = 0 : i8, offset = 0 : i32} : memref<32xi16>, vector<32xi16>
         %p = aievec.mul_elem %v, %v : vector<32xi16>, vector<32xi16>, vector<32xi32>
         %m = aievec.mac_elem %v, %v, %p : vector<32xi16>, vector<32xi16>, vector<32xi32>
         %less = aievec.mac_elem %v, %v, %m {fmsub = true} : vector<32xi16>, vector<32xi16>, vector<32xi32>
         %two = aievec.add_elem %less, %m : vector<32xi32>
         %s = aievec.srs %two, %c10 : vector<32xi32>, i32, vector<32xi16>
         vector.store %s, %b[%c0] : memref<32xi16>, vector<32xi16>
         %u = aievec.ups %v {shift = 8 : i8} : vector<32xi16>, vector<32xi32>
         %t = aievec.srs %u, %c10 : vector<32xi32>, i32, vector<32xi16>
         %back = aievec.sub_elem %v, %t : vector<32xi16>
         vector.store %back, %n[%c0] : memref<32xi16>, vector<32xi16>",
    );
    let expected: Vec<i16> = (1..=32).map(|x| (3 * x * x) >> 10).collect();
    assert_eq!(i16s(&tile, 0x800, 32), expected);
    let expected: Vec<i32> = (0..16)
        .map(|i| {
            let value = |x: i32| (x - (x >> 2)) & 0xFFFF;
            value(2 * i + 1) | (value(2 * i + 2) << 16)
        })
        .collect();
    assert_eq!(tile.north_i32s(0x400, 16), expected);
}

#[test]
fn parts_of_vectors() {
    let tile = run_i16(
        "%v = vector.load %a[%c0] : memref<32xi16>, vector<32xi16>
         %four = arith.constant 4 : i32
         %h = aievec.ext %v {index = 1 : i8} : vector<32xi16>, vector<16xi16>
         %q = aievec.ext %v {index = 3 : i8} : vector<32xi16>, vector<8xi16>
         %c = aievec.concat %q, %q : vector<8xi16>, vector<16xi16>
         %s = aievec.shift %h, %c, %four {isAcc = false} : vector<16xi16>, vector<16xi16>, i32, vector<16xi16>
         vector.store %s, %b[%c0] : memref<32xi16>, vector<16xi16>
         %e = aievec.ext_elem %v, %four : vector<32xi16>, i32, i16
         %all = aievec.broadcast_scalar %e : i16, vector<8xi16>
         %lane = aievec.broadcast %v {idx = 9 : i8} : vector<32xi16>, vector<32xi16>
         %l = aievec.ext %lane {index = 0 : i8} : vector<32xi16>, vector<8xi16>
         %min = aievec.min %all, %q : vector<8xi16>
         %max = aievec.max %l, %min : vector<8xi16>
         %neg = aievec.neg %max : vector<8xi16>
         vector.store %neg, %b[%c16] : memref<32xi16>, vector<8xi16>
         %up = aievec.upd %a[%c8], %v {index = 1 : i8, offset = 32 : i32} : memref<32xi16>, vector<32xi16>
         vector.store %up, %n[%c0] : memref<32xi16>, vector<32xi16>",
    );
    let shifted: Vec<i16> = (19..=32).chain([25, 26]).collect();
    assert_eq!(i16s(&tile, 0x800, 16), shifted);
    assert_eq!(i16s(&tile, 0x820, 8), [-10; 8]);
    // the upper half from element 8 + 2 on
    let expected: Vec<i32> = (1..=16)
        .chain(11..=26)
        .collect::<Vec<i32>>()
        .chunks(2)
        .map(|pair| pair[0] | (pair[1] << 16))
        .collect();
    assert_eq!(tile.north_i32s(0x400, 16), expected);
}

#[test]
fn shuffles_transpose() {
    let tile = run_i16(
        "%v = vector.load %a[%c0] : memref<32xi16>, vector<32xi16>
         %t = aievec.shuffle %v [t16_8x4] : vector<32xi16>
         vector.store %t, %b[%c0] : memref<32xi16>, vector<32xi16>
         %odd = aievec.shuffle %v, %v [t16_32x2_hi] : vector<32xi16>
         vector.store %odd, %n[%c0] : memref<32xi16>, vector<32xi16>",
    );
    let expected: Vec<i16> = (0..32).map(|at| (at % 8) * 4 + at / 8 + 1).collect();
    assert_eq!(i16s(&tile, 0x800, 32), expected);
    let expected: Vec<i32> = (0..16)
        .map(|i| ((4 * i + 2) % 32) | (((4 * i + 3) % 32 + 1) << 16))
        .collect();
    assert_eq!(tile.north_i32s(0x400, 16), expected);
    let tile = run_i32(
        "%v = vector.load %a[%c0] : memref<16xi32>, vector<16xi32>
         %flip = aievec.shuffle %v [t32_4x4] : vector<16xi32>
         vector.store %flip, %b[%c0] : memref<16xi32>, vector<16xi32>",
    );
    let expected: Vec<i32> = (0..16).map(|at| at % 4 * 4 + at / 4 + 1).collect();
    assert_eq!(tile.i32s(0x800, 16), expected);
}

#[test]
fn matrix_products_and_functions_of_floats() {
    let tile = run_i32(
        "%i = vector.load %a[%c0] : memref<16xi32>, vector<8xi32>
         %f = arith.sitofp %i : vector<8xi32> to vector<8xbf16>
         %l = vector.shape_cast %f : vector<8xbf16> to vector<2x4xbf16>
         %r = vector.shape_cast %f : vector<8xbf16> to vector<4x2xbf16>
         %acc = arith.constant dense<0.5> : vector<2x2xf32>
         %p = aievec.matmul %l, %r, %acc : vector<2x4xbf16>, vector<4x2xbf16> into vector<2x2xf32>
         %v = vector.shape_cast %p : vector<2x2xf32> to vector<4xf32>
         %bits = arith.bitcast %v : vector<4xf32> to vector<4xi32>
         vector.store %bits, %b[%c0] : memref<16xi32>, vector<4xi32>
         %four = arith.constant 4.0 : f32
         %quarter = aievec.inv %four : f32
         %q = arith.bitcast %quarter : f32 to i32
         memref.store %q, %b[%c4] : memref<16xi32>
         %zeros = arith.constant dense<0.0> : vector<16xbf16>
         %ones = aievec.exp %zeros : vector<16xbf16>
         %still = aievec.tanh %zeros : vector<16xbf16>
         %sum = aievec.add_elem %ones, %still : vector<16xbf16>
         %wide = aievec.ups %sum {shift = 0 : i8} : vector<16xbf16>, vector<16xf32>
         %w = arith.bitcast %wide : vector<16xf32> to vector<16xi32>
         %first = vector.extract %w[15] : i32 from vector<16xi32>
         memref.store %first, %b[%c8] : memref<16xi32>",
    );
    let float = |at: usize| f32::from_bits(tile.i32s(at, 1)[0] as u32);
    // [1 2 3 4; 5 6 7 8] · [1 2; 3 4; 5 6; 7 8]
    let product = [50.5, 60.5, 114.5, 140.5];
    for (n, wanted) in product.into_iter().enumerate() {
        assert_eq!(float(0x800 + 4 * n), wanted);
    }
    assert_eq!((float(0x810), float(0x820)), (0.25, 1.0));
}

#[test]
fn vectors_of_several_rows_in_memory() {
    let tile = run_i32(
        "%rows = memref.reinterpret_cast %a to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<16xi32> to memref<4x4xi32, strided<[4, 1]>>
         %out = memref.reinterpret_cast %b to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<16xi32> to memref<4x4xi32, strided<[4, 1]>>
         %zero = arith.constant 0 : i32
         %block = vector.transfer_read %rows[%c1, %c2], %zero {in_bounds = [true, true]} : memref<4x4xi32, strided<[4, 1]>>, vector<2x2xi32>
         vector.transfer_write %block, %out[%c0, %c0] {in_bounds = [true, true]} : vector<2x2xi32>, memref<4x4xi32, strided<[4, 1]>>
         %turned = vector.transfer_read %rows[%c0, %c0], %zero {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<4x4xi32, strided<[4, 1]>>, vector<2x2xi32>
         vector.store %turned, %out[%c2, %c2] : memref<4x4xi32, strided<[4, 1]>>, vector<2x2xi32>
         %column = vector.transfer_read %rows[%c0, %c2], %zero {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<4x4xi32, strided<[4, 1]>>, vector<4xi32>
         vector.store %column, %n[%c0] : memref<16xi32>, vector<4xi32>
         %same = vector.transfer_read %rows[%c1, %c1], %zero {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<4x4xi32, strided<[4, 1]>>, vector<2x2xi32>
         %same4 = vector.shape_cast %same : vector<2x2xi32> to vector<4xi32>
         vector.store %same4, %n[%c4] : memref<16xi32>, vector<4xi32>
         %all = vector.load %rows[%c0, %c0] : memref<4x4xi32, strided<[4, 1]>>, vector<2x4xi32>
         %all8 = vector.shape_cast %all : vector<2x4xi32> to vector<8xi32>
         vector.store %all8, %n[%c8] : memref<16xi32>, vector<8xi32>",
    );
    let b = tile.i32s(0x800, 16);
    assert_eq!([b[0], b[1], b[4], b[5]], [7, 8, 11, 12]);
    assert_eq!([b[10], b[11], b[14], b[15]], [1, 5, 2, 6]);
    let n = tile.north_i32s(0x400, 16);
    assert_eq!(n[..4], [3, 7, 11, 15]);
    assert_eq!(n[4..8], [6, 7, 6, 7]);
    assert_eq!(n[8..], [1, 2, 3, 4, 5, 6, 7, 8]);
}
