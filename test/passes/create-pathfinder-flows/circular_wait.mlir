// RUN: not aiec opt %s --aie-create-pathfinder-flows 2>&1 | FileCheck %s

// Two multicasts to the same two ports, from either side: one may occupy the one port and wait for
// the other, which the other one occupies. No route and no arbiter changes that.

// CHECK:      error: {{.*}}packets of 2 streams could wait for each other in a cycle, and no routes and
// CHECK-SAME: arbiters without such a cycle were found [route::circular-wait]
// CHECK:      note: can occupy arbiter {{[0-7]}} of tile ([[A:[0-9, ]+]]) and wait for arbiter {{[0-7]}} of tile ([[B:[0-9, ]+]])
// CHECK:      note: make one of them a circuit
aie.device(npu1) {
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 2)
  %c = aie.tile(2, 2)
  %d = aie.tile(3, 2)
  aie.packet_flow(1) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%b, DMA : 0>
    aie.packet_dest<%c, DMA : 0>
  }
  aie.packet_flow(2) {
    aie.packet_source<%d, DMA : 0>
    aie.packet_dest<%b, DMA : 0>
    aie.packet_dest<%c, DMA : 0>
  }
}
