// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// A PLIO end is numbered like a DMA end and keeps its mark; registered host buffers make a shim DMA
// program of their own size.

// CHECK: aie.flow(%tile_5_3, DMA : 0, %[[SHIM:.*]], PLIO : 0)
// CHECK: aie.shim_dma_allocation @x_shim_alloc(%[[SHIM]], S2MM, 0) {plio = true}
// CHECK: aie.shim_dma(%shim_noc_tile_2_0)
// CHECK: aie.use_lock(%in_cons_lock_0, AcquireGreaterEqual
// CHECK-NEXT: aie.dma_bd(%ddr0 : memref<256xi32> offset = 0 len = 256)
// CHECK: aie.dma_bd(%ddr1 : memref<256xi32> offset = 0 len = 256)
// CHECK: aie.shim_dma_allocation @in_shim_alloc(%shim_noc_tile_2_0, MM2S, 0)
module {
  aie.device(xcve2302) {
    %p = aie.tile(3, 0)
    %s = aie.tile(2, 0)
    %d = aie.tile(5, 3)
    %e = aie.tile(6, 3)
    %ddr0 = aie.external_buffer {sym_name = "ddr0"} : memref<256xi32>
    %ddr1 = aie.external_buffer {sym_name = "ddr1"} : memref<256xi32>
    aie.objectfifo @x(%d, {%p}, 2 : i32) {plio = true} : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @in(%s, {%e}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.register_external_buffers @in(%s, {%ddr0, %ddr1}) : (memref<256xi32>, memref<256xi32>)
  }
}
