// RUN: aiec opt --aie-lower-multicast %s | FileCheck %s

// CHECK: aie.flow(%tile_7_2, DMA : 1, %tile_7_3, DMA : 0)
// CHECK-NEXT: aie.flow(%tile_7_2, DMA : 1, %tile_7_4, Core : 0)
// CHECK-NOT: aiex.multicast
module {
  aie.device(npu2) {
    %a = aie.tile(7, 2)
    %b = aie.tile(7, 3)
    %c = aie.tile(7, 4)
    aiex.multicast(%a, "DMA" : 1) {
      aiex.multi_dest<%b, "DMA" : 0>
      aiex.multi_dest<%c, "Core" : 0>
    }
  }
}
