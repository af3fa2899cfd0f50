// RUN: aiec check %s --core=model --diagnostics=text 2>&1 | FileCheck %s

// CHECK: the divisor is 0
// CHECK: a quotient by 0 has no value
// CHECK: checked 1 file: 1 warning
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %buffer = aie.buffer(%tile) : memref<4xi32>
  aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %v = memref.load %buffer[%c0] : memref<4xi32>
    %a = arith.divsi %v, %zero : i32
    %b = arith.remui %a, %two : i32
    memref.store %b, %buffer[%c0] : memref<4xi32>
    aie.end
  }
}
