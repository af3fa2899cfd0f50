// RUN: aiec opt --split-input-file --verify-diagnostics %s
// Elements, indices, sizes and views of memrefs are the memref's own.

memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]>
// expected-error@+1 {{a global of memref<4xi32> can't begin as tensor<3xi32>}}
"memref.global"() {sym_name = "short", type = memref<4xi32>, initial_value = dense<[1, 2, 3]> : tensor<3xi32>} : () -> ()

func.func @elements(%m: memref<8xi32>, %f: f32, %i: i32, %n: index) {
  // expected-error@+1 {{can't write f32 into a memref of i32}}
  "memref.store"(%f, %m, %n) : (f32, memref<8xi32>, index) -> ()
  // expected-error@+1 {{can't read f32 from a memref of i32}}
  %0 = "memref.load"(%m, %n) : (memref<8xi32>, index) -> f32
  // expected-error@+1 {{`memref.load` has an index of type i32}}
  %1 = "memref.load"(%m, %i) : (memref<8xi32>, i32) -> i32
  // expected-error@+1 {{`memref.load` needs a memref, not i32}}
  %2 = "memref.load"(%i, %n) : (i32, index) -> i32
  // expected-error@+1 {{can't read vector<4xf32> from a memref of i32}}
  %3 = vector.load %m[%n] : memref<8xi32>, vector<4xf32>
  // expected-error@+1 {{a vector of 2 dimensions from a memref of 1}}
  %4 = vector.load %m[%n] : memref<8xi32>, vector<2x2xi32>
  %5 = memref.get_global @table : memref<4xi32>
  // expected-error@+1 {{this writes into `@table`, which is constant}}
  memref.store %i, %5[%n] : memref<4xi32>
  // expected-error@+1 {{`@table` is read as memref<8xi32> where it is memref<4xi32>}}
  %6 = memref.get_global @table : memref<8xi32>
  return
}

// -----

func.func @views(%m: memref<8xi32>, %d: memref<4x4xi32>, %n: index) {
  // expected-error@+1 {{`memref.cast` can't make memref<4xi32> of memref<8xi32>}}
  %0 = memref.cast %m : memref<8xi32> to memref<4xi32>
  // expected-error@+1 {{`memref.collapse_shape` can't make memref<15xi32> of memref<4x4xi32> by these groups}}
  %1 = memref.collapse_shape %d [[0, 1]] : memref<4x4xi32> into memref<15xi32>
  // expected-error@+1 {{a view of i32 elements has f32 elements}}
  %2 = "memref.subview"(%m) {static_offsets = array<i64: 0>, static_sizes = array<i64: 4>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (memref<8xi32>) -> memref<4xf32>
  // expected-error@+1 {{2 offsets for a memref of 1 dimensions}}
  %3 = "memref.subview"(%m) {static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (memref<8xi32>) -> memref<4xi32>
  // expected-error@+1 {{can't copy memref<8xi32> to memref<4x4xi32>}}
  memref.copy %m, %d : memref<8xi32> to memref<4x4xi32>
  // expected-error@+1 {{1 sizes for the 0 dynamic dimensions of memref<4xi32>}}
  %4 = "memref.alloc"(%n) {operandSegmentSizes = array<i32: 1, 0>} : (index) -> memref<4xi32>
  // expected-error@+1 {{`memref.view` looks at a row of i8}}
  %5 = memref.view %m[%n][] : memref<8xi32> to memref<2xi32>
  return
}

// -----

func.func @transfers(%m: memref<4x8xi32>, %f: f32, %n: index) {
  %c = arith.constant 0 : i32
  // expected-error@+1 {{padding of f32 for a memref of i32}}
  %0 = "vector.transfer_read"(%m, %n, %n, %f) {permutation_map = affine_map<(d0, d1) -> (d1)>, in_bounds = [true], operandSegmentSizes = array<i32: 1, 2, 1, 0>} : (memref<4x8xi32>, index, index, f32) -> vector<4xi32>
  // expected-error@+1 {{a map of 2 results for vector<4xi32>}}
  %1 = "vector.transfer_read"(%m, %n, %n, %c) {permutation_map = affine_map<(d0, d1) -> (d0, d1)>, in_bounds = [true], operandSegmentSizes = array<i32: 1, 2, 1, 0>} : (memref<4x8xi32>, index, index, i32) -> vector<4xi32>
  // expected-error@+1 {{in_bounds of 2 entries for vector<4xi32>}}
  %2 = "vector.transfer_read"(%m, %n, %n, %c) {permutation_map = affine_map<(d0, d1) -> (d1)>, in_bounds = [true, true], operandSegmentSizes = array<i32: 1, 2, 1, 0>} : (memref<4x8xi32>, index, index, i32) -> vector<4xi32>
  return
}

// -----

memref.global "private" constant @table : memref<8xi32> = dense<1>
func.func private @fill(%m: memref<8xi32>, %i: i32, %n: index) {
  memref.store %i, %m[%n] : memref<8xi32>
  return
}
func.func private @through(%i: i32, %m: memref<8xi32>, %n: index) {
  func.call @fill(%m, %i, %n) : (memref<8xi32>, i32, index) -> ()
  return
}
func.func private @reads(%m: memref<8xi32>, %n: index) -> i32 {
  %0 = memref.load %m[%n] : memref<8xi32>
  return %0 : i32
}
func.func @constants(%m: memref<8xi32>, %i: i32, %n: index) {
  %0 = memref.get_global @table : memref<8xi32>
  // expected-error@+1 {{this writes into `@table`, which is constant}}
  affine.store %i, %0[%n] : memref<8xi32>
  // expected-error@+1 {{this writes into `@table`, which is constant}}
  memref.copy %m, %0 : memref<8xi32> to memref<8xi32>
  memref.copy %0, %m : memref<8xi32> to memref<8xi32>
  // expected-error@+1 {{the function called here writes into `@table`, which is constant}}
  func.call @fill(%0, %i, %n) : (memref<8xi32>, i32, index) -> ()
  %1 = memref.subview %0[0] [8] [1] : memref<8xi32> to memref<8xi32, strided<[1]>>
  %2 = memref.cast %1 : memref<8xi32, strided<[1]>> to memref<8xi32>
  // expected-error@+1 {{the function called here writes into `@table`, which is constant}}
  func.call @through(%i, %2, %n) : (i32, memref<8xi32>, index) -> ()
  %3 = func.call @reads(%0, %n) : (memref<8xi32>, index) -> i32
  return
}

// -----

func.func @layouts(%m: memref<32xi32>, %d: memref<4x8xi32>, %n: index, %i: i32) {
  // expected-error@+1 {{the layout of the result isn't the view's, which begins at 4 and has strides of 1}}
  %0 = "memref.subview"(%m) {static_offsets = array<i64: 4>, static_sizes = array<i64: 8>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (memref<32xi32>) -> memref<8xi32>
  // expected-error@+1 {{a view of 8 elements from 28 on, 1 apart, leaves the 32 of dimension 0}}
  %1 = memref.subview %m[28] [8] [1] : memref<32xi32> to memref<8xi32, strided<[1], offset: 28>>
  // expected-error@+1 {{a view of 4 elements from 0 on, 3 apart, leaves the 8 of dimension 1}}
  %2 = memref.subview %d[0, 0] [4, 4] [1, 3] : memref<4x8xi32> to memref<4x4xi32, strided<[8, 3]>>
  %3 = memref.subview %d[3, 0] [1, 8] [1, 1] : memref<4x8xi32> to memref<8xi32, strided<[1], offset: 24>>
  %4 = memref.subview %d[%n, 1] [1, 3] [1, 2] : memref<4x8xi32> to memref<1x3xi32, strided<[8, 2], offset: ?>>
  // expected-error@+1 {{`memref.dim` counts in index, not in i32}}
  %5 = "memref.dim"(%m, %n) : (memref<32xi32>, index) -> i32
  // expected-error@+1 {{`memref.dim` counts in index, not in i32}}
  %6 = "memref.dim"(%m, %i) : (memref<32xi32>, i32) -> index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{a memref of 1 dimensions has none of number 1}}
  %7 = memref.dim %m, %c1 : memref<32xi32>
  // expected-error@+1 {{`memref.assume_alignment` makes memref<16xi32> of memref<32xi32>}}
  %8 = "memref.assume_alignment"(%m) {alignment = 32 : i32} : (memref<32xi32>) -> memref<16xi32>
  return
}

// -----

func.func @casts(%m: memref<32xi32>, %d: f64) {
  // expected-error@+1 {{`memref.cast` goes between memrefs, f64 is none}}
  %0 = "memref.cast"(%d) : (f64) -> memref<?xi32>
  // expected-error@+1 {{`memref.cast` goes between memrefs, vector<8xindex> is none}}
  %1 = "memref.cast"(%m) : (memref<32xi32>) -> vector<8xindex>
  // expected-error@+1 {{an alignment of 33 bytes}}
  %2 = "memref.assume_alignment"(%m) {alignment = 33 : i32} : (memref<32xi32>) -> memref<32xi32>
  // expected-error@+1 {{expected result type with stride = 0 instead of 8 in dim = 0}}
  %3 = "memref.reinterpret_cast"(%m) {operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 4, 8>, static_strides = array<i64: 0, 1>} : (memref<32xi32>) -> memref<4x8xi32, strided<[8, 1]>>
  // expected-error@+1 {{expected 1 size values, got 2}}
  %4 = "memref.reinterpret_cast"(%m) {operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 4, 8>, static_strides = array<i64: 8, 1>} : (memref<32xi32>) -> memref<4xi32>
  return
}
