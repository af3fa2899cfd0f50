// RUN: aiec opt --aie-hoist-declarations %s | FileCheck %s

// Buffers and locks of a program are in front of it afterwards, in their order.

// CHECK: %[[OUT:.*]] = aie.buffer(%{{.*}}) {sym_name = "outside"}
// CHECK-NEXT: %[[BUF:.*]] = aie.buffer(%{{.*}}) {sym_name = "inside"}
// CHECK-NEXT: %[[LOCK:.*]] = aie.lock(%{{.*}}) {init = 1 : i32, sym_name = "l"}
// CHECK-NEXT: aie.mem(
// CHECK-NOT: aie.buffer
// CHECK: aie.use_lock(%[[LOCK]], AcquireGreaterEqual
// CHECK-NEXT: aie.dma_bd(%[[BUF]]
module {
  aie.device(npu1) {
    %t = aie.tile(0, 2)
    %o = aie.buffer(%t) {sym_name = "outside"} : memref<16xi32>
    %m = aie.mem(%t) {
      %b = aie.buffer(%t) {sym_name = "inside"} : memref<16xi32>
      %l = aie.lock(%t) {init = 1 : i32, sym_name = "l"}
      %c1 = arith.constant 1 : i32
      %0 = aie.dma_start(S2MM, 0, ^bd, ^end)
    ^bd:
      aie.use_lock(%l, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b : memref<16xi32> offset = 0 len = 16)
      aie.next_bd ^end
    ^end:
      aie.end
    }
  }
}
