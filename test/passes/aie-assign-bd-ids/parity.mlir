// RUN: aiec opt --aie-assign-bd-ids %s | FileCheck %s
// Even channels of a mem tile use BDs 0 to 23, odd ones 24 to 47; written numbers are kept.

// CHECK-LABEL: aie.memtile_dma
module {
  aie.device(npu2) {
    %t = aie.tile(0, 1)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<64xi32>
    %m = aie.memtile_dma(%t) {
      // CHECK: aie.dma_start(S2MM, 0,
      %0 = aie.dma_start(S2MM, 0, ^s0, ^c1)
    ^s0:
      // CHECK: {bd_id = 0 : i32, next_bd_id = 5 : i32}
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 32)
      aie.next_bd ^s1
    ^s1:
      // CHECK: {bd_id = 5 : i32, next_bd_id = 0 : i32}
      aie.dma_bd(%b : memref<64xi32> offset = 32 len = 32) {bd_id = 5 : i32}
      aie.next_bd ^s0
    ^c1:
      // CHECK: aie.dma_start(MM2S, 1,
      %1 = aie.dma_start(MM2S, 1, ^t0, ^c2)
    ^t0:
      // CHECK: {bd_id = 24 : i32, next_bd_id = 25 : i32}
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 32)
      aie.next_bd ^t1
    ^t1:
      // CHECK: {bd_id = 25 : i32}
      aie.dma_bd(%b : memref<64xi32> offset = 32 len = 32)
      aie.next_bd ^end
    ^c2:
      // CHECK: aie.dma_start(S2MM, 1,
      %2 = aie.dma_start(S2MM, 1, ^u0, ^c3)
    ^u0:
      // CHECK: {bd_id = 26 : i32, next_bd_id = 26 : i32}
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 32)
      aie.next_bd ^u0
    ^c3:
      // CHECK: aie.dma_start(MM2S, 4,
      %3 = aie.dma_start(MM2S, 4, ^v0, ^end)
    ^v0:
      // CHECK: {bd_id = 1 : i32, next_bd_id = 1 : i32}
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 32)
      aie.next_bd ^v0
    ^end:
      aie.end
    }
  }
}
