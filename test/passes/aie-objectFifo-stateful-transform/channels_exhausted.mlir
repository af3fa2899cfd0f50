// RUN: not aiec opt --diagnostics=text --aie-objectFifo-stateful-transform %s 2>&1 | FileCheck %s
// A core tile has two channels for each direction: who has them, and what else the tile holds.

// CHECK: objectfifo::no-channel
// CHECK: number of input DMA channel exceeded! Tile (3, 4) has no S2MM channel left for `z_cons`
// CHECK: help: put neighbours next to each other
// CHECK: resources of tile (3, 4):
// CHECK-NEXT: memory 1536 of 65536 bytes
// CHECK: locks 6 of 16
// CHECK: S2MM 2 of 2 (channel 0: object fifo end x_cons, channel 1: object fifo end y_cons)
module {
  aie.device(npu2) {
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    %d = aie.tile(0, 2)
    %c = aie.tile(3, 4)
    aie.objectfifo @x(%a, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @y(%b, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @z(%d, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  }
}
