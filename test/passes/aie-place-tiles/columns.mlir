// RUN: aiec opt --aie-place-tiles --split-input-file %s | FileCheck %s
// Mem and shim tiles go where their streams are shortest.

// A stream to several tiles passes the columns between them anyway, so the single ones decide.
// CHECK-LABEL: module @broadcast
// CHECK: aie.tile(0, 0)
module @broadcast {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %c = aie.tile(7, 2)
    %s = aie.logical_tile<ShimNOCTile>(?, ?)
    aie.flow(%b, DMA : 0, %s, DMA : 0)
    aie.packet_flow(0x1) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
  }
}

// -----

// In textual order the small ones would leave no mem tile with five outputs: the large go first.
// CHECK-LABEL: module @packing
// CHECK-NOT: aie.logical_tile
// CHECK-DAG: aie.tile(0, 1)
// CHECK-DAG: aie.tile(1, 1)
module @packing {
  aie.device(npu1_2col) {
    %c0 = aie.tile(0, 2)
    %c1 = aie.tile(0, 3)
    %c2 = aie.tile(0, 4)
    %c3 = aie.tile(1, 2)
    %c4 = aie.tile(1, 3)
    %c5 = aie.tile(1, 4)
    %small0 = aie.logical_tile<MemTile>(?, ?)
    %small1 = aie.logical_tile<MemTile>(?, ?)
    %large0 = aie.logical_tile<MemTile>(?, ?)
    %large1 = aie.logical_tile<MemTile>(?, ?)
    aie.flow(%small0, DMA : 0, %c0, DMA : 0)
    aie.flow(%small1, DMA : 0, %c0, DMA : 1)
    aie.flow(%large0, DMA : 0, %c1, DMA : 0)
    aie.flow(%large0, DMA : 1, %c1, DMA : 1)
    aie.flow(%large0, DMA : 2, %c2, DMA : 0)
    aie.flow(%large0, DMA : 3, %c2, DMA : 1)
    aie.flow(%large0, DMA : 4, %c0, TileControl : 0)
    aie.flow(%large1, DMA : 0, %c3, DMA : 0)
    aie.flow(%large1, DMA : 1, %c3, DMA : 1)
    aie.flow(%large1, DMA : 2, %c4, DMA : 0)
    aie.flow(%large1, DMA : 3, %c4, DMA : 1)
    aie.flow(%large1, DMA : 4, %c5, DMA : 0)
  }
}
