// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// Each fifo says whether it is a circuit or packets; a written id is kept, others go around it.

// CHECK: aie.flow(%tile_1_2, DMA : 0, %tile_3_2, DMA : 0)
// CHECK: aie.packet_flow(1) {
// CHECK: aie.packet_source<%tile_1_3, DMA : 0>
// CHECK: aie.packet_dest<%tile_3_3, DMA : 0>
// CHECK: aie.packet_flow(0) {
// CHECK: aie.packet_source<%tile_3_2, DMA : 0>
// CHECK: aie.packet_dest<%tile_1_3, DMA : 0>
// CHECK-LABEL: aie.mem(%tile_1_2)
// CHECK-NOT: aie.dma_bd_packet
// CHECK-LABEL: aie.mem(%tile_3_2)
// CHECK: aie.dma_bd_packet(0, 0)
// CHECK-LABEL: aie.mem(%tile_1_3)
// CHECK: aie.dma_bd_packet(0, 1)
module {
  aie.device(xcve2302) {
    %a = aie.tile(1, 2)
    %b = aie.tile(3, 2)
    %c = aie.tile(1, 3)
    %d = aie.tile(3, 3)
    aie.objectfifo @plain (%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @auto (%c, {%d}, 2 : i32) {packet} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @pinned (%b, {%c}, 2 : i32) {packet, packet_id = 0 : i8} : !aie.objectfifo<memref<16xi32>>
  }
}
