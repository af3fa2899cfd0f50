// RUN: aiec opt --aie-assign-tile-controller-ids %s | FileCheck %s
// RUN: aiec opt --aie-assign-tile-controller-ids=column-wise-unique-ids=false %s | FileCheck %s --check-prefix=UNIQUE

// CHECK: aie.tile(0, 2) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
// CHECK: aie.tile(1, 0) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 15>}
// CHECK: aie.tile(1, 3) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 29>}
// UNIQUE: aie.tile(1, 0) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 14>}
// UNIQUE: aie.tile(1, 3) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 23>}
module {
  aie.device(npu2) {
    %a = aie.tile(0, 2) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
    %b = aie.tile(1, 0)
    %c = aie.tile(1, 3)
  }
}
