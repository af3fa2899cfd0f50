// An allocation that both ends of a linked fifo don't reach is left out, with a warning: the link
// moves its data by DMA.
// RUN: aiec opt --aie-objectFifo-stateful-transform %s 2>&1 | FileCheck %s
// RUN: aiec opt --aie-objectFifo-stateful-transform --verify-diagnostics %s

// CHECK-DAG: aie.buffer(%tile_1_2) {sym_name = "x_cons_buff_0"}
// CHECK-DAG: aie.buffer(%tile_2_2) {sym_name = "y_cons_buff_0"}
// CHECK-DAG: aie.flow(%tile_1_2, DMA : 0, %tile_2_2, DMA : 0)
module {
  aie.device(npu2) {
    %s = aie.tile(1, 0)
    %a = aie.tile(1, 2)
    %b = aie.tile(2, 2)
    aie.objectfifo @x(%s, {%a}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @y(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    // expected-warning@below {{so each end has its own objects}}
    aie.objectfifo.allocate @y(%b)
    aie.objectfifo.link [@x] -> [@y] ([] [])
  }
}
