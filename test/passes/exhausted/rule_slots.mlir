// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// Ids of even and of odd parity part: no mask and value tell them apart, and an input has four
// rules. On the way there are too few switches to part them step by step.

// CHECK: route::rule-slots
// CHECK: enter tile (0, 0) at South : 3 and part there to outputs that
// CHECK: need more than the 4 rules of a port
// CHECK: give ids that go the same way numbers in one aligned block
// CHECK: packet streams through tile (0, 0)
// CHECK: resources of tile (0, 0):

module {
  aie.device(npu1_1col) {
    %s = aie.tile(0, 0)
    %b = aie.tile(0, 2)
    aie.packet_flow(0) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(1) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(2) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(3) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(4) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(5) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(6) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(7) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(8) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(9) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(10) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(11) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(12) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(13) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(14) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(15) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(16) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(17) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(18) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(19) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(20) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(21) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(22) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(23) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(24) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(25) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(26) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(27) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(28) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
    aie.packet_flow(29) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(30) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aie.packet_flow(31) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%b, DMA : 1>
    }
  }
}
