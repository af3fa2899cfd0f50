// RUN: aiec opt %s --aie-create-pathfinder-flows | FileCheck %s

// A control stream takes arbiters from the other end and is marked; the flow beside it is not.

// CHECK-LABEL: aie.device(npu2)
// CHECK:       %switchbox_0_0 = aie.switchbox(%shim_noc_tile_0_0) {
// CHECK-DAG:     [[CTRL:%[0-9]+]] = aie.amsel<5> (3)
// CHECK-DAG:     aie.masterset(South : 0, [[CTRL]]) {is_ctrl_pkt_overlay, keep_pkt_header = true}
// CHECK:         aie.packet_rules(TileControl : 0) {
// CHECK-NEXT:      aie.rule(31, 15, [[CTRL]])
// CHECK-NEXT:    } {is_ctrl_pkt_overlay}
// CHECK-NOT:   is_ctrl_pkt_overlay
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %a = aie.tile(0, 2)
  aie.packet_flow(15) {
    aie.packet_source<%shim, TileControl : 0>
    aie.packet_dest<%shim, South : 0>
  } {keep_pkt_header = true, priority_route = true}
  aie.packet_flow(3) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%shim, DMA : 1>
  }
}
