// RUN: aiec opt --split-input-file --verify-diagnostics %s
// Shapes and elements of vectors go together.

func.func @shapes(%v: vector<4xi32>, %w: vector<4x8xi32>, %i: i32, %f: f32, %g: vector<4xf32>) {
  // expected-error@+1 {{`vector.broadcast` can't make vector<8xi32> of vector<4xi32>}}
  %0 = vector.broadcast %v : vector<4xi32> to vector<8xi32>
  // expected-error@+1 {{position 4 lies outside of the 4 of dimension 0}}
  %1 = "vector.extract"(%v) {static_position = array<i64: 4>} : (vector<4xi32>) -> i32
  // expected-error@+1 {{the part of vector<4x8xi32> at this position isn't vector<4xi32>}}
  %2 = "vector.extract"(%w) {static_position = array<i64: 0>} : (vector<4x8xi32>) -> vector<4xi32>
  // expected-error@+1 {{`vector.reduction` can't make f32 of vector<4xi32>}}
  %3 = "vector.reduction"(%v) {kind = #vector.kind<add>} : (vector<4xi32>) -> f32
  // expected-error@+1 {{f32 can't be combined by `minsi`}}
  %4 = vector.reduction <minsi>, %g : vector<4xf32> into f32
  // expected-error@+1 {{`vector.shape_cast` can't make vector<2x4xi32> of vector<4xi32>}}
  %5 = vector.shape_cast %v : vector<4xi32> to vector<2x4xi32>
  // expected-error@+1 {{`vector.bitcast` can't make vector<4xi16> of vector<4xi32>}}
  %6 = vector.bitcast %v : vector<4xi32> to vector<4xi16>
  // expected-error@+1 {{`vector.transpose` can't make vector<4x8xi32> of vector<4x8xi32>}}
  %7 = vector.transpose %w, [1, 0] : vector<4x8xi32> to vector<4x8xi32>
  // expected-error@+1 {{the mask picks 8 of 8 rows}}
  %8 = vector.shuffle %v, %v [0, 8] : vector<4xi32>, vector<4xi32>
  // expected-error@+1 {{`vector.extract_strided_slice` reaches outside of its vector, or has other sizes}}
  %9 = vector.extract_strided_slice %v {offsets = [2], sizes = [4], strides = [1]} : vector<4xi32> to vector<4xi32>
  // expected-error@+1 {{2 elements for a vector of [4]}}
  %10 = "vector.from_elements"(%i, %i) : (i32, i32) -> vector<4xi32>
  // expected-error@+1 {{`vector.step` counts in a row of index}}
  %11 = vector.step : vector<4xi32>
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @products(%a: vector<4x8xi32>, %b: vector<4x4xi32>, %c: vector<4x4xi32>, %d: vector<8x4xi32>) {
  // expected-error@+1 {{operand 1 of type vector<4x4xi32> doesn't have the sizes of its map}}
  %0 = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<4x8xi32>, vector<4x4xi32> into vector<4x4xi32>
  // This is right.
  %1 = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %d, %c : vector<4x8xi32>, vector<8x4xi32> into vector<4x4xi32>
  return
}

// -----

func.func @replaced(%v: vector<8xi32>, %i: i32) {
  // expected-error@+1 {{`vector.insert` makes vector<16xi32> of vector<8xi32>}}
  %0 = "vector.insert"(%i, %v) {static_position = array<i64: 0>} : (i32, vector<8xi32>) -> vector<16xi32>
  // expected-error@+1 {{`vector.extract_strided_slice` with a stride of 2}}
  %1 = "vector.extract_strided_slice"(%v) {offsets = [0], sizes = [4], strides = [2]} : (vector<8xi32>) -> vector<4xi32>
  return
}

// -----

func.func @factors(%v: vector<8xi32>, %f: vector<8xf32>, %i: i32) {
  // expected-error@+1 {{`vector.contract` multiplies vector<8xi32> with vector<8xf32>}}
  %0 = "vector.contract"(%v, %f, %i) {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = [#vector.iterator_type<reduction>], kind = #vector.kind<add>} : (vector<8xi32>, vector<8xf32>, i32) -> i32
  return
}
