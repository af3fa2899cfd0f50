// RUN: aiec opt --canonicalize %s | FileCheck %s
// Loops that compare without sign run as often as their numbers say without sign; rings of BDs that count their
// runs stay as they are.

module {
  aie.device(npu1) {
    %t = aie.tile(0, 2)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<64xi32>
    // CHECK:      aie.dma_start(MM2S, 0, ^bb1, ^bb3)
    // CHECK:      aie.next_bd ^bb2
    // CHECK:      aie.next_bd ^bb1
    %m = aie.mem(%t) {
      %0 = aie.dma_start(MM2S, 0, ^one, ^end)
    ^one:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 8) {iteration = #aie.bd_iteration<size = 4, stride = 8, current = 0>}
      aie.next_bd ^two
    ^two:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 8) {iteration = #aie.bd_iteration<size = 4, stride = 8, current = 0>}
      aie.next_bd ^one
    ^end:
      aie.end
    }
    // CHECK: aie.core
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %high = arith.constant -2147483648 : i32
      %higher = arith.constant -2147483647 : i32
      %x = arith.constant 11 : i32
      // CHECK: scf.for unsigned
      // CHECK: memref.store %c11_i32
      scf.for unsigned %i = %zero to %high step %one : i32 {
        memref.store %x, %b[%c0] : memref<64xi32>
      }
      // CHECK-NOT: scf.for
      // CHECK: memref.store %c-2147483648_i32
      scf.for unsigned %i = %high to %higher step %one : i32 {
        memref.store %i, %b[%c0] : memref<64xi32>
      }
      // CHECK-NOT: memref.store
      // CHECK: aie.end
      scf.for unsigned %i = %high to %one step %one : i32 {
        memref.store %i, %b[%c0] : memref<64xi32>
      }
      aie.end
    }
  }
}
