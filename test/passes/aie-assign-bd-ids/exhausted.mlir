// RUN: not aiec opt --diagnostics=text --aie-assign-bd-ids %s 2>&1 | FileCheck %s
// An even channel of a mem tile may use 24 of its 48 buffer descriptors.

// CHECK: bds::none-left
// CHECK: Allocator exhausted available BD IDs (maximum 24 available for channel 0)
// CHECK: BDs      25 of 48
module {
  aie.device(npu2) {
    %t = aie.tile(0, 1)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<64xi32>
    %m = aie.memtile_dma(%t) {
      %0 = aie.dma_start(MM2S, 0, ^b0, ^end)
    ^b0:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b1
    ^b1:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b2
    ^b2:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b3
    ^b3:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b4
    ^b4:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b5
    ^b5:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b6
    ^b6:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b7
    ^b7:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b8
    ^b8:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b9
    ^b9:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b10
    ^b10:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b11
    ^b11:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b12
    ^b12:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b13
    ^b13:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b14
    ^b14:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b15
    ^b15:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b16
    ^b16:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b17
    ^b17:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b18
    ^b18:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b19
    ^b19:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b20
    ^b20:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b21
    ^b21:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b22
    ^b22:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b23
    ^b23:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b24
    ^b24:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b0
    ^end:
      aie.end
    }
  }
}
