// RUN: aiec opt %s --aie-create-pathfinder-flows | FileCheck %s

// A broadcast shares its trunk up to (0, 2); the shim DMA enters at South 3; the flows are gone.

// CHECK-LABEL: aie.device(npu1)
// CHECK:       %shim_mux_0_0 = aie.shim_mux(%shim_noc_tile_0_0) {
// CHECK-NEXT:    aie.connect<DMA : 0, North : 3>
// CHECK-NEXT:  }
// CHECK:       %switchbox_0_0 = aie.switchbox(%shim_noc_tile_0_0) {
// CHECK-NEXT:    aie.connect<South : 3, North : [[UP:[0-5]]]>
// CHECK-NEXT:  }
// CHECK:       %switchbox_0_2 = aie.switchbox(%tile_0_2) {
// CHECK-NEXT:    aie.connect<South : [[UP]], DMA : 0>
// CHECK-NEXT:    aie.connect<South : [[UP]], {{North|East}} : {{[0-5]}}>
// CHECK-NEXT:  }
// CHECK:       %switchbox_0_1 = aie.switchbox(%mem_tile_0_1) {
// CHECK-NEXT:    aie.connect<South : [[UP]], North : [[UP]]>
// CHECK-NEXT:  }
// CHECK-NOT:   aie.flow
// CHECK-DAG:   aie.wire(%shim_mux_0_0 : North, %switchbox_0_0 : South)
// CHECK-DAG:   aie.wire(%shim_noc_tile_0_0 : DMA, %shim_mux_0_0 : DMA)
// CHECK-DAG:   aie.wire(%switchbox_0_0 : North, %switchbox_0_1 : South)
// CHECK-DAG:   aie.wire(%tile_0_2 : Core, %switchbox_0_2 : Core)
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 3)
  aie.flow(%shim, DMA : 0, %a, DMA : 0)
  aie.flow(%shim, DMA : 0, %b, DMA : 1)
}
