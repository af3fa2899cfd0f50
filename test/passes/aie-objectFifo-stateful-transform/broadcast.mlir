// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// One MM2S channel, a pool at each consumer; the sequence finds the fifo by its allocation.

// CHECK-DAG: aie.buffer(%tile_0_2) {sym_name = "b_0_cons_buff_1"}
// CHECK-DAG: aie.buffer(%tile_1_3) {sym_name = "b_1_cons_buff_0"}
// CHECK-DAG: aie.flow(%shim_noc_tile_0_0, DMA : 0, %tile_0_2, DMA : 0)
// CHECK-DAG: aie.flow(%shim_noc_tile_0_0, DMA : 0, %tile_1_3, DMA : 0)
// CHECK: metadata = @b_shim_alloc
// CHECK: aie.shim_dma_allocation @b_shim_alloc(%shim_noc_tile_0_0, MM2S, 0)
// CHECK-NOT: aie.shim_dma(
module {
  aie.device(npu2) {
    %s = aie.tile(0, 0)
    %a = aie.tile(0, 2)
    %c = aie.tile(1, 3)
    aie.objectfifo @b(%s, {%a, %c}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.runtime_sequence(%x : memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {metadata = @b, id = 0 : i64} : memref<256xi32>
    }
  }
}
