// RUN: aiec opt --aie-create-pathfinder-flows --aie-find-flows %s | FileCheck %s
// RUN: aiec opt --aie-create-pathfinder-flows --aie-find-flows=ids=all %s | FileCheck %s --check-prefix=ALL
// RUN: aiec opt --aie-create-pathfinder-flows=keep-flows --aie-find-flows %s | FileCheck %s --check-prefix=KEPT
// RUN: not aiec opt --aie-find-flows=ids=most %s 2>&1 | FileCheck %s --check-prefix=OPTION

// CHECK:     %[[S:.*]] = aie.tile(0, 0)
// CHECK:     %[[A:.*]] = aie.tile(0, 2)
// CHECK:     %[[B:.*]] = aie.tile(1, 3)
// CHECK:     aie.connect
// CHECK:     aie.flow(%[[S]], DMA : 0, %[[B]], DMA : 1)
// CHECK-NEXT: aie.flow(%[[S]], DMA : 0, %[[A]], DMA : 0)
// One packet flow for each destination; the header's fate is kept.
// CHECK:     aie.packet_flow(4) {
// CHECK:       aie.packet_source<%[[A]], DMA : 0>
// CHECK:       aie.packet_dest<%[[B]], DMA : 0>
// CHECK-NOT:   aie.packet_dest
// CHECK:     } {keep_pkt_header = true}
// CHECK:     aie.packet_flow(4) {
// CHECK:       aie.packet_dest<%[[S]], DMA : 1>
// CHECK-NEXT: }
// CHECK-NOT: aie.packet_flow
// CHECK-NOT: aie.flow

// A rule for ids 4 and 5 lets both through.
// ALL:       aie.packet_flow(4)
// ALL:       aie.packet_flow(5)

// What is in the text is not written again.
// KEPT-COUNT-2: aie.flow(
// KEPT-NOT:     aie.flow(
// KEPT:         aie.packet_flow(4)
// KEPT:         aie.packet_flow(5)
// KEPT-NOT:     aie.packet_flow

// OPTION: for the --ids option: Cannot find option named 'most'! There are least, all
aie.device(npu2) {
  %s = aie.tile(0, 0)
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 3)
  aie.flow(%s, DMA : 0, %a, DMA : 0)
  aie.flow(%s, DMA : 0, %b, DMA : 1)
  aie.packet_flow(4) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%b, DMA : 0>
    aie.packet_dest<%s, DMA : 1>
  } {keep_pkt_header = true}
  aie.packet_flow(5) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%b, DMA : 0>
    aie.packet_dest<%s, DMA : 1>
  } {keep_pkt_header = true}
}
