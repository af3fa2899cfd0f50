// RUN: not aiec opt --aie-objectFifo-stateful-transform=packet-sw-objFifos=true --diagnostics=text %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec opt --aie-objectFifo-stateful-transform=packet-sw-objFifos=true %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// Written flows have all 32 packet ids.

// CHECK: objectfifo::no-packet-id
// CHECK: max number of packet IDs reached: there are 32
// CHECK: give several of the fifos one aie.packet_flow by hand, or leave packet-sw-objFifos
// CHECK: packet ids of the device:
// CHECK-NEXT: 0: a written packet flow

module {
  aie.device(npu2) {
    %a = aie.tile(1, 2)
    %c = aie.tile(3, 4)
    aie.packet_flow(0) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(1) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(2) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(3) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(4) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(5) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(6) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(7) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(8) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(9) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(10) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(11) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(12) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(13) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(14) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(15) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(16) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(17) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(18) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(19) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(20) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(21) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(22) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(23) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(24) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(25) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(26) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(27) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(28) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(29) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(30) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.packet_flow(31) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%c, DMA : 0>
    }
    aie.objectfifo @x(%a, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  }
}
