// RUN: aiec opt --aie-lower-dynamic-bd-pool %s | FileCheck %s

// Channels of a mem tile draw from the half of the BDs that they can use (AM025): odd ones from the upper half.
// CHECK-LABEL: aie.runtime_sequence @halves
// CHECK:       aiex.dma_bd_pool_pop(0, 1) partition [0, 24) : i32
// CHECK:       aiex.dma_bd_pool_pop(0, 1) partition [24, 48) : i32
aie.device(npu1) {
  %mem = aie.tile(0, 1)
  %buffer = aie.buffer(%mem) {address = 0 : i32} : memref<64xi32>
  aie.runtime_sequence @halves(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c1 step %c1 {
      %even = aiex.dma_configure_task(%mem, MM2S, 0) {
        aie.dma_bd(%buffer : memref<64xi32> offset = 0 len = 64)
        aie.end
      }
      %odd = aiex.dma_configure_task(%mem, MM2S, 1) {
        aie.dma_bd(%buffer : memref<64xi32> offset = 0 len = 64)
        aie.end
      }
      aiex.dma_free_task(%even)
      aiex.dma_free_task(%odd)
    }
  }
}
