// RUN: aiec opt --aie-hoist-vector-transfer-pointers %s | FileCheck %s

// What may be outside, is masked, doesn't follow one another or grows otherwise stays as it is.
// CHECK-NOT: iter_args
// CHECK-NOT: collapse_shape
func.func @stay(%a: memref<64xi32>, %m: memref<16x16xi32>, %mask: vector<16xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c64 step %c1 {
    // The last ones are padded.
    %v = vector.transfer_read %a[%i], %zero : memref<64xi32>, vector<16xi32>
    %masked = vector.transfer_read %a[%i], %zero, %mask {in_bounds = [true]} : memref<64xi32>, vector<16xi32>
    %square = arith.muli %i, %i : index
    vector.transfer_write %v, %a[%square] {in_bounds = [true]} : vector<16xi32>, memref<64xi32>
    vector.transfer_write %masked, %a[%square] {in_bounds = [true]} : vector<16xi32>, memref<64xi32>
  }
  scf.for %i = %c0 to %n step %c1 {
    // Parts of rows; a column.
    %v = vector.transfer_read %m[%i, %c0], %zero {in_bounds = [true, true]} : memref<16x16xi32>, vector<2x8xi32>
    %w = vector.transfer_read %m[%i, %c0], %zero {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<16x16xi32>, vector<2xi32>
    vector.transfer_write %v, %m[%c0, %i] {in_bounds = [true, true]} : vector<2x8xi32>, memref<16x16xi32>
    vector.transfer_write %w, %m[%n, %i] : vector<2xi32>, memref<16x16xi32>
  }
  return
}
