// Rules and their ports are printed from the last to the first, as mlir-aie's router writes them, and wires are at
// the place of their tile.
// RUN: aiec opt --aie-create-pathfinder-flows --mlir-print-debuginfo %s | FileCheck %s

#tile = loc("tile.py":5:1)
// CHECK: aie.packet_rules(North : 0) {
// CHECK-NEXT: aie.rule(31, 3, %{{.*}}) loc
// CHECK-NEXT: aie.rule(31, 2, %{{.*}}) loc
// CHECK: aie.packet_rules(West : 0) {
// CHECK-NEXT: aie.rule(31, 1, %{{.*}}) loc
// CHECK: aie.wire(%tile_1_2 : Core, %switchbox_1_2 : Core) loc(#[[LOC:.*]])
// CHECK: #[[LOC]] = loc("tile.py":5:1)
module {
  aie.device(npu2) {
    %t = aie.tile(1, 2) loc(#tile)
    aie.packet_flow(1) {
      aie.packet_source<%t, West : 0>
      aie.packet_dest<%t, DMA : 0>
    }
    aie.packet_flow(2) {
      aie.packet_source<%t, North : 0>
      aie.packet_dest<%t, DMA : 0>
    }
    aie.packet_flow(3) {
      aie.packet_source<%t, North : 0>
      aie.packet_dest<%t, DMA : 1>
    }
  }
}
