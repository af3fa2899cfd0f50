// RUN: aiec opt --canonicalize %s | FileCheck %s
// Constants are folded and kept once in each program, at its start; what they decide goes.

// CHECK-LABEL: aie.device(npu1) {
// CHECK-NOT:   arith.constant
// CHECK:       aie.core
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c42_i32 = arith.constant 42 : i32
// CHECK-NEXT:    %0 = memref.load %b[%c0] : memref<8xi32>
// CHECK-NEXT:    %1 = arith.addi %0, %c42_i32 : i32
// CHECK-NEXT:    memref.store %1, %b[%c0] : memref<8xi32>
// CHECK-NEXT:    aie.end
// CHECK:       aie.runtime_sequence
// CHECK:         arith.constant 42 : i32
module {
  aie.device(npu1) {
    %t = aie.tile(0, 2)
    %unused = aie.tile(0, 3)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<8xi32>
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : i32
      %c7 = arith.constant 7 : i32
      %product = arith.muli %c6, %c7 : i32
      %less = arith.cmpi slt, %c6, %c7 : i32
      %dead = memref.load %b[%c1] : memref<8xi32>
      scf.if %less {
        scf.for %i = %c0 to %c1 step %c1 {
          %v = memref.load %b[%i] : memref<8xi32>
          %a = arith.addi %product, %v : i32
          memref.store %a, %b[%i] : memref<8xi32>
        }
      } else {
        memref.store %c6, %b[%c0] : memref<8xi32>
      }
      scf.for %i = %c1 to %c0 step %c1 {
        memref.store %c7, %b[%i] : memref<8xi32>
      }
      aie.end
    }
    aie.runtime_sequence(%x: memref<8xi32>) {
      %address = arith.constant 119300 : i32
      %v = arith.constant 42 : i32
      aiex.npu.write32(%address, %v) : i32, i32
    }
  }
}
