// RUN: aiec opt --aie-objectFifo-stateful-transform=packet-sw-objFifos=true %s | FileCheck %s
// Packet-switched fifos get ids that no written packet flow has.

// CHECK: aie.packet_flow(7)
// CHECK: aie.packet_flow(8)
// CHECK-NEXT: aie.packet_source<%tile_1_2, DMA : 1>
// CHECK-NEXT: aie.packet_dest<%tile_3_4, DMA : 1>
// CHECK: aie.dma_start(MM2S, 1,
// CHECK: aie.use_lock(%x_cons_lock_0, AcquireGreaterEqual
// CHECK-NEXT: aie.dma_bd_packet(0, 8)
// CHECK-NEXT: aie.dma_bd(%x_buff_0
module {
  aie.device(npu2) {
    %a = aie.tile(1, 2)
    %c = aie.tile(3, 4)
    aie.packet_flow(7) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(3) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.objectfifo @x(%a, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  }
}
