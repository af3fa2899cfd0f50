// RUN: not aiec opt --aie-place-tiles --diagnostics=text %s 2>&1 | FileCheck %s
// A tile that needs more channels than any tile of its kind has: sharing isn't the reason.

// CHECK: placement::too-few-channels
// CHECK: the fifos and flows of this tile need 0 S2MM and 3 MM2S channels, but a shim NOC tile has
// CHECK: let a mem tile join or split some of them, or use packet flows
module {
  aie.device(npu1) {
    %s = aie.logical_tile<ShimNOCTile>(?, ?)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.flow(%s, DMA : 0, %a, DMA : 0)
    aie.flow(%s, DMA : 1, %a, DMA : 1)
    aie.flow(%s, DMA : 2, %b, DMA : 0)
  }
}
