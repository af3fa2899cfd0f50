// RUN: aiec opt %s --aie-create-pathfinder-flows | FileCheck %s
// RUN: aiec opt %s --aie-create-pathfinder-flows=keep-flows=true | FileCheck %s --check-prefix=KEEP

// Ids 1 and 2 go the same way: one rule. Id 4 goes elsewhere. The header is kept where the flow
// says so, at its last output only.

// CHECK-LABEL: aie.device(npu2)
// CHECK:       %switchbox_0_2 = aie.switchbox(%tile_0_2) {
// CHECK-DAG:     [[SOUTH:%[0-9]+]] = aie.amsel<[[A:[0-7]]]> (0)
// CHECK-DAG:     [[NORTH:%[0-9]+]] = aie.amsel<[[B:[0-7]]]> (0)
// CHECK-DAG:     aie.masterset(South : [[DOWN:[0-3]]], [[SOUTH]])
// CHECK-DAG:     aie.masterset(North : [[UP:[0-5]]], [[NORTH]])
// CHECK:         aie.packet_rules(DMA : 0) {
// CHECK-DAG:       aie.rule(28, 0, [[SOUTH]])
// CHECK-DAG:       aie.rule(31, 4, [[NORTH]])
// CHECK:       %switchbox_0_3 = aie.switchbox(%tile_0_3) {
// CHECK:         aie.masterset(DMA : 1, %{{[0-9]+}}) {keep_pkt_header = true}
// CHECK:         aie.packet_rules(South : [[UP]]) {
// CHECK-NEXT:      aie.rule(31, 4, %{{[0-9]+}})
// CHECK-NOT:   aie.packet_flow

// KEEP: aie.masterset
// KEEP: aie.packet_flow(4)
aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.packet_flow(1) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%mem, DMA : 0>
  }
  aie.packet_flow(2) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%mem, DMA : 0>
  }
  aie.packet_flow(4) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%b, DMA : 1>
  } {keep_pkt_header = true}
}
