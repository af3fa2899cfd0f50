// What MLIR stores in another form than its text has shows in generic form, and comes back.

// RUN: aiec opt --mlir-print-op-generic %s | FileCheck %s
// RUN: aiec opt --mlir-print-op-generic %s | aiec opt - | FileCheck %s --check-prefix=BACK

// CHECK: #map = affine_map<(d0, d1) -> (d1)>
// CHECK: "index.cmp"(%arg0, %arg1) <{pred = #index<cmp_predicate slt>}>
// BACK: index.cmp slt(%arg0, %arg1)
func.func @compare(%a: index, %b: index) -> i1 {
  %less = index.cmp slt(%a, %b)
  return %less : i1
}

// CHECK: "vector.transfer_read"
// CHECK-SAME: in_bounds = [false], operandSegmentSizes = array<i32: 1, 2, 1, 0>, permutation_map = #map}>
// CHECK: "vector.transfer_write"
// CHECK-SAME: in_bounds = [true], operandSegmentSizes = array<i32: 1, 1, 2, 0>, permutation_map = #map}>
// BACK: vector.transfer_read %arg0[%arg1, %arg1], %arg2 : memref<4x16xi32>, vector<16xi32>
// BACK: vector.transfer_write %{{.*}}, %arg0[%arg1, %arg1] {in_bounds = [true]} : vector<16xi32>, memref<4x16xi32>
func.func @transfers(%m: memref<4x16xi32>, %i: index, %pad: i32) {
  %v = vector.transfer_read %m[%i, %i], %pad : memref<4x16xi32>, vector<16xi32>
  vector.transfer_write %v, %m[%i, %i] {in_bounds = [true]} : vector<16xi32>, memref<4x16xi32>
  return
}

// CHECK: "vector.contract"
// CHECK-SAME: iterator_types = [#vector.iterator_type<parallel>, #vector.iterator_type<parallel>, #vector.iterator_type<reduction>], kind = #vector.kind<add>
// BACK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @contract(%a: vector<4x8xf32>, %b: vector<8x4xf32>, %c: vector<4x4xf32>) -> vector<4x4xf32> {
  %r = vector.contract {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } %a, %b, %c : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
  return %r : vector<4x4xf32>
}

// The result may go without a name, but it is there.
// CHECK: %{{.*}} = "memref.assume_alignment"(%arg0) <{alignment = 32 : i32}> : (memref<4x16xi32>) -> memref<4x16xi32>
// BACK: memref.assume_alignment %arg0, 32 : memref<4x16xi32>
func.func @aligned(%m: memref<4x16xi32>) {
  memref.assume_alignment %m, 32 : memref<4x16xi32>
  return
}
