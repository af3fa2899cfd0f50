// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// Channels of written flows are taken; a pinned channel is reserved before others choose.

// CHECK: aie.flow(%tile_1_2, DMA : 0, %tile_3_4, DMA : 1)
// CHECK-DAG: aie.flow(%tile_1_2, DMA : 1, %tile_3_4, DMA : 0)
// CHECK-DAG: aie.flow(%tile_3_4, DMA : 1, %tile_1_2, DMA : 0)
// CHECK-DAG: aie.flow(%tile_3_4, DMA : 0, %tile_1_2, DMA : 1)
module {
  aie.device(npu2) {
    %a = aie.tile(1, 2)
    %c = aie.tile(3, 4)
    aie.flow(%a, DMA : 0, %c, DMA : 1)
    aie.objectfifo @x(%a, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @y(%c, {%a}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @z(%c, {%a}, 2 : i32) {prod_dma_channel = 0 : i32, cons_dma_channels = array<i32: 1>} : !aie.objectfifo<memref<64xi32>>
  }
}
