// RUN: aiec opt --aie-objectFifo-stateful-transform %s | aiec opt - | FileCheck %s
// Pools go behind the last tile; a tile that is written behind a core comes before it, so that the
// core doesn't use what is defined later.

// CHECK: %tile_3_3 = aie.tile(3, 3)
// CHECK: %x_buff_0 = aie.buffer
// CHECK: aie.core(%tile_1_2)
module {
  aie.device(npu2) {
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    aie.objectfifo @x(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    %core = aie.core(%a) {
      %0 = aie.objectfifo.acquire @x(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
      aie.objectfifo.release @x(Produce, 1)
      aie.end
    }
    %c = aie.tile(3, 3)
  }
}
