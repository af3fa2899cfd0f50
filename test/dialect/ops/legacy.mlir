// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Operations of older designs.

aie.device(xcvc1902) {
  %a = aie.tile(2, 2)
  %b = aie.tile(2, 3)
  %switch = aie.shim_switchbox(3) {
    aie.connect<South : 0, North : 0>
  }
  %buf = aie.buffer(%a) : memref<256xi32>
  %buf2 = aie.buffer(%b) : memref<256xi32>
  aiex.multicast(%a, DMA : 0) {
    aiex.multi_dest<%b, DMA : 0>
  }
  aiex.broadcast_packet(%a, DMA : 0) {
    aiex.bp_id(0x1) {
      aiex.bp_dest<%b, DMA : 0>
    }
  }
  aiex.token(0) {sym_name = "t"}
  %core = aie.core(%a) {
    aiex.useToken @t(Acquire, 1)
    aiex.useToken @t(Release, 2)
    aie.end
  }
  aiex.memcpy @t(1, 2) (%a : <%buf, 0, 256>, %b : <%buf2, 0, 256>) : (memref<256xi32>, memref<256xi32>)
}

// CHECK:      module {
// CHECK-NEXT:   aie.device(xcvc1902) {
// CHECK-NEXT:     %tile_2_2 = aie.tile(2, 2)
// CHECK-NEXT:     %tile_2_3 = aie.tile(2, 3)
// CHECK-NEXT:     %0 = aie.shim_switchbox(3) {
// CHECK-NEXT:       aie.connect<South : 0, North : 0>
// CHECK-NEXT:     }
// CHECK-NEXT:     %buffer_2_2 = aie.buffer(%tile_2_2) : memref<256xi32>
// CHECK-NEXT:     %buffer_2_3 = aie.buffer(%tile_2_3) : memref<256xi32>
// CHECK-NEXT:     aiex.multicast(%tile_2_2, DMA : 0) {
// CHECK-NEXT:       aiex.multi_dest<%tile_2_3, DMA : 0>
// CHECK-NEXT:     }
// CHECK-NEXT:     aiex.broadcast_packet(%tile_2_2, DMA : 0) {
// CHECK-NEXT:       aiex.bp_id(1) {
// CHECK-NEXT:         aiex.bp_dest<%tile_2_3, DMA : 0>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     aiex.token(0) {sym_name = "t"}
// CHECK-NEXT:     %core_2_2 = aie.core(%tile_2_2) {
// CHECK-NEXT:       aiex.useToken @t(Acquire, 1)
// CHECK-NEXT:       aiex.useToken @t(Release, 2)
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:     aiex.memcpy @t(1, 2) (%tile_2_2 : <%buffer_2_2, 0, 256>, %tile_2_3 : <%buffer_2_3, 0, 256>) : (memref<256xi32>, memref<256xi32>)
// CHECK-NEXT:   }
// CHECK-NEXT: }
