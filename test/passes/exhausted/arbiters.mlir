// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// More sets of outputs that overlap than an arbiter has msels.

// CHECK: route::arbiters
// CHECK: let multicast packet flows have equal destinations, or use fewer of them
// CHECK: packet streams through tile (0,
// CHECK: resources of tile (0,

module {
  aie.device(npu1_1col) {
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %c2 = aie.tile(0, 2)
    %c3 = aie.tile(0, 3)
    aie.packet_flow(0) {
      aie.packet_source<%c2, DMA : 0>
      aie.packet_dest<%m, DMA : 0>
      aie.packet_dest<%m, DMA : 1>
      aie.packet_dest<%m, DMA : 2>
    }
    aie.packet_flow(1) {
      aie.packet_source<%c2, DMA : 1>
      aie.packet_dest<%m, DMA : 0>
      aie.packet_dest<%m, DMA : 1>
      aie.packet_dest<%m, DMA : 2>
    }
    aie.packet_flow(2) {
      aie.packet_source<%c3, DMA : 0>
      aie.packet_dest<%m, DMA : 0>
      aie.packet_dest<%m, DMA : 2>
      aie.packet_dest<%m, DMA : 3>
    }
    aie.packet_flow(3) {
      aie.packet_source<%c2, DMA : 0>
      aie.packet_dest<%m, DMA : 0>
      aie.packet_dest<%m, DMA : 1>
    }
    aie.packet_flow(4) {
      aie.packet_source<%c2, DMA : 1>
      aie.packet_dest<%m, DMA : 0>
      aie.packet_dest<%m, DMA : 1>
      aie.packet_dest<%m, DMA : 2>
      aie.packet_dest<%m, DMA : 3>
    }
    aie.packet_flow(5) {
      aie.packet_source<%c3, DMA : 0>
      aie.packet_dest<%m, DMA : 0>
      aie.packet_dest<%m, DMA : 3>
    }
  }
}
