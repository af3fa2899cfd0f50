// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// One number is a wish: an end that a core acquires n objects of holds n + 1, one that no core
// acquires what is written. A list is taken as it is.

// CHECK-DAG: sym_name = "one_cons_buff_0"
// CHECK-DAG: sym_name = "four_cons_buff_1"
// CHECK-DAG: sym_name = "two_cons_buff_2"
// CHECK-DAG: sym_name = "list_cons_buff_3"
// CHECK-DAG: sym_name = "list_buff_4"
// CHECK-DAG: sym_name = "four_buff_3"
// CHECK-DAG: {init = 1 : i32, sym_name = "one_cons_prod_lock_0"}
// CHECK-DAG: {init = 2 : i32, sym_name = "four_cons_prod_lock_0"}
// CHECK-DAG: {init = 3 : i32, sym_name = "two_cons_prod_lock_0"}
// CHECK-DAG: {init = 4 : i32, sym_name = "list_cons_prod_lock_0"}
// CHECK-DAG: {init = 5 : i32, sym_name = "list_prod_lock_0"}
// CHECK-DAG: {init = 4 : i32, sym_name = "four_prod_lock_0"}
module {
  aie.device(npu2) {
    %m = aie.tile(0, 1)
    %c = aie.tile(0, 2)
    %d = aie.tile(0, 3)
    aie.objectfifo @one(%m, {%c}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @four(%m, {%c}, 4 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @two(%m, {%d}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @list(%m, {%d}, [5, 4]) : !aie.objectfifo<memref<8xi32>>
    aie.core(%c) {
      %0 = aie.objectfifo.acquire @one(Consume, 1) : memref<8xi32>
      %1 = aie.objectfifo.acquire @four(Consume, 1) : memref<8xi32>
      aie.objectfifo.release @one(Consume, 1)
      aie.objectfifo.release @four(Consume, 1)
      aie.end
    }
    aie.core(%d) {
      %0, %1 = aie.objectfifo.acquire @two(Consume, 2) : memref<8xi32>, memref<8xi32>
      %2 = aie.objectfifo.acquire @list(Consume, 1) : memref<8xi32>
      aie.objectfifo.release @two(Consume, 2)
      aie.objectfifo.release @list(Consume, 1)
      aie.end
    }
  }
}
