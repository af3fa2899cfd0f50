// RUN: aiec opt %s --aie-create-pathfinder-flows | FileCheck %s

// On AIE2ps the shim's S2MM channels leave through South 1 and 3, and tokens reach the
// micro-controller's port.

// CHECK-LABEL: aie.device(xcve3858)
// CHECK:       aie.shim_mux(%shim_noc_tile_2_0) {
// CHECK-DAG:     aie.connect<North : 1, DMA : 0>
// CHECK-DAG:     aie.connect<North : 3, DMA : 1>
// CHECK:       aie.switchbox(%shim_noc_tile_2_0) {
// CHECK-DAG:     aie.connect<North : {{[0-3]}}, South : 1>
// CHECK-DAG:     aie.connect<North : {{[0-3]}}, South : 3>
// CHECK:         aie.masterset(Controller32 : 0, %{{[0-9]+}})
aie.device(xcve3858) {
  %shim = aie.tile(2, 0)
  %mem = aie.tile(2, 1)
  %core = aie.tile(2, 3)
  aie.flow(%mem, DMA : 0, %shim, DMA : 0)
  aie.flow(%core, DMA : 0, %shim, DMA : 1)
  aie.packet_flow(3) {
    aie.packet_source<%core, TileControl : 0>
    aie.packet_dest<%shim, Controller32 : 0>
  }
}
