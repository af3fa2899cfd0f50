// RUN: aiec opt %s --aie-create-pathfinder-flows | FileCheck %s

// Hand-written connections, one of them a broadcast, stay where they are; the flow takes the only
// way north that is left. A flow that they carry already leaves no trace.

// CHECK-LABEL: aie.device(npu2)
// CHECK:       aie.switchbox(%tile_0_2) {
// CHECK-NEXT:    aie.connect<South : 0, North : 0>
// CHECK-NEXT:    aie.connect<South : 0, North : 1>
// CHECK-NEXT:    aie.connect<South : 2, North : 2>
// CHECK-NEXT:    aie.connect<South : 3, North : 3>
// CHECK-NEXT:    aie.connect<South : 4, North : 4>
// CHECK-NEXT:    aie.connect<Core : 0, DMA : 1>
// CHECK-NEXT:    aie.connect<DMA : 0, North : 5>
// CHECK-NEXT:  }
// CHECK-NOT:   aie.flow
aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %switchbox_0_2 = aie.switchbox(%a) {
    aie.connect<South : 0, North : 0>
    aie.connect<South : 0, North : 1>
    aie.connect<South : 2, North : 2>
    aie.connect<South : 3, North : 3>
    aie.connect<South : 4, North : 4>
    aie.connect<Core : 0, DMA : 1>
  }
  aie.flow(%a, DMA : 0, %b, DMA : 0)
  aie.flow(%a, Core : 0, %a, DMA : 1)
}
