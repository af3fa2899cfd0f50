// RUN: aiec opt --aie-objectFifo-stateful-transform=packet-sw-objFifos=true %s | FileCheck %s
// A core's stream port neither writes headers nor takes them off: such fifos stay circuits.

// CHECK: aie.flow(%tile_0_2, DMA : 0, %tile_2_4, Core : 0)
// CHECK: aie.flow(%tile_2_4, Core : 0, %tile_0_3, DMA : 0)
// CHECK: aie.packet_flow(0)
// CHECK-NOT: aie.packet_flow
module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %c = aie.tile(2, 4)
    aie.objectfifo @x(%a, {%c}, 1 : i32) {aie_stream = 1 : i32, aie_stream_port = 0 : i32} : !aie.objectfifo<memref<2xi32>>
    aie.objectfifo @y(%c, {%b}, 1 : i32) {aie_stream = 0 : i32, aie_stream_port = 0 : i32} : !aie.objectfifo<memref<2xi32>>
    aie.objectfifo @z(%a, {%c}, 1 : i32) : !aie.objectfifo<memref<2xi32>>
  }
}
