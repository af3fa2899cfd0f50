// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// What doesn't fit a mem tile goes to its neighbours, which only channels 0 to 3 reach; the locks
// stay.

// CHECK-DAG: aie.buffer(%mem_tile_1_1) {sym_name = "big_cons_buff_2"}
// CHECK-DAG: aie.buffer(%mem_tile_0_1) {sym_name = "big_cons_buff_3"}
// CHECK-DAG: aie.buffer(%mem_tile_2_1) {sym_name = "big_cons_buff_4"}
// CHECK-DAG: aie.lock(%mem_tile_1_1) {init = 5 : i32, sym_name = "big_cons_prod_lock_0"}
module {
  aie.device(npu1) {
    %m = aie.tile(1, 1)
    %s = aie.tile(1, 0)
    %a = aie.tile(1, 2)
    aie.objectfifo @big(%s, {%m}, 5 : i32) : !aie.objectfifo<memref<40000xi32>>
    aie.objectfifo @on(%m, {%a}, 2 : i32) : !aie.objectfifo<memref<1000xi32>>
    aie.objectfifo.link [@big] -> [@on] ([] [])
  }
}
