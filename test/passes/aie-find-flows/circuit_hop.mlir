// RUN: aiec opt --aie-find-flows %s | FileCheck %s

// Packets begin on a circuit, which leads to a rule.

// CHECK:     aie.packet_flow(2) {
// CHECK:       aie.packet_source<%mem_tile_0_1, DMA : 0>
// CHECK:       aie.packet_dest<%shim_noc_tile_0_0, DMA : 0>
// CHECK-NOT: _flow

aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %mux = aie.shim_mux(%shim) {
    aie.connect<North : 2, DMA : 0>
  }
  %below = aie.switchbox(%shim) {
    %out = aie.amsel<1> (0)
    %0 = aie.masterset(South : 2, %out)
    aie.packet_rules(North : 0) {
      aie.rule(31, 2, %out)
    }
  }
  %switch = aie.switchbox(%mem) {
    aie.connect<DMA : 0, South : 0>
  }
}
