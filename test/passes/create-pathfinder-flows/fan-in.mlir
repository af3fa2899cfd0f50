// RUN: aiec opt %s --aie-create-pathfinder-flows | FileCheck %s

// Streams of one id join on their way to one channel: a single output of the mem tile's switch
// with a single select.

// CHECK-LABEL: aie.device(npu2)
// CHECK:       %switchbox_1_1 = aie.switchbox(%mem_tile_1_1) {
// CHECK-NEXT:    [[S:%[0-9]+]] = aie.amsel<0> (0)
// CHECK-NEXT:    %{{[0-9]+}} = aie.masterset(DMA : 3, [[S]])
// CHECK-NOT:     aie.masterset
// CHECK:       }
// CHECK-NOT:   aie.packet_flow
aie.device(npu2) {
  %mem = aie.tile(1, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 2)
  %c = aie.tile(2, 2)
  %d = aie.tile(1, 5)
  aie.packet_flow(9) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_source<%b, DMA : 0>
    aie.packet_source<%c, DMA : 1>
    aie.packet_source<%d, Core : 0>
    aie.packet_dest<%mem, DMA : 3>
  }
}
