// RUN: aiec opt --aie-create-pathfinder-flows --verify-each %s | FileCheck %s
// RUN: aiec opt --aie-create-pathfinder-flows=route-packet=false --verify-each %s | FileCheck %s --check-prefix=CIRCUIT
// RUN: aiec %s --emit=routing-json --verify-each -o - | FileCheck %s --check-prefix=JSON

// Settings written by hand stay without being asked for.
// CHECK:     aie.connect<Core : 0, North : 1>
// CHECK-NOT: aie.flow
// CIRCUIT:   aie.packet_flow(3)
// JSON:      "flows": [
aie.device(npu2) {
  %s = aie.tile(0, 0)
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.flow(%s, DMA : 0, %a, DMA : 0)
  aie.packet_flow(3) {
    aie.packet_source<%a, DMA : 1>
    aie.packet_dest<%s, DMA : 0>
  }
  aie.switchbox(%a) {
    aie.connect<Core : 0, North : 1>
  }
  aie.switchbox(%b) {
    aie.connect<South : 1, DMA : 0>
  }
}
