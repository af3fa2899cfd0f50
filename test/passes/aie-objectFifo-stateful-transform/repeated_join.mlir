// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// A join whose whole object is sent twice: each input gives two tokens for its part, and the
// output sends all parts, twice, before the next object.

// CHECK-DAG: %o_prod_lock_0 = aie.lock({{.*}}) {init = 2 : i32
// CHECK-DAG: %o_prod_lock_1 = aie.lock({{.*}}) {init = 2 : i32
// CHECK-LABEL: aie.memtile_dma
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: aie.dma_start(S2MM, 0,
// CHECK: aie.use_lock(%o_prod_lock_0, AcquireGreaterEqual, %[[TWO]])
// CHECK-NEXT: aie.dma_bd(%o_buff_0 : memref<32xi32> offset = 0 len = 16)
// CHECK-NEXT: aie.use_lock(%o_cons_lock_0, Release, %[[TWO]])
// CHECK: aie.dma_start(S2MM, 1,
// CHECK: aie.use_lock(%o_prod_lock_1, AcquireGreaterEqual, %[[TWO]])
// CHECK-NEXT: aie.dma_bd(%o_buff_0 : memref<32xi32> offset = 16 len = 16)
// CHECK: aie.dma_start(MM2S, 0,
// CHECK: aie.use_lock(%o_cons_lock_0, AcquireGreaterEqual, %[[ONE]])
// CHECK-NEXT: aie.dma_bd(%o_buff_0 : memref<32xi32> offset = 0 len = 16)
// CHECK: aie.dma_bd(%o_buff_0 : memref<32xi32> offset = 16 len = 16)
// CHECK: aie.dma_bd(%o_buff_0 : memref<32xi32> offset = 0 len = 16)
// CHECK: aie.dma_bd(%o_buff_0 : memref<32xi32> offset = 16 len = 16)
// CHECK-NEXT: aie.use_lock(%o_prod_lock_1, Release, %[[ONE]])
module {
  aie.device(npu1) {
    %m = aie.tile(1, 1)
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    %c = aie.tile(3, 4)
    aie.objectfifo @j0(%a, {%m}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @j1(%b, {%m}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @o(%m, {%c}, 1 : i32) {repeat_count = 2 : i32} : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@j0, @j1] -> [@o] ([0, 16] [])
  }
}
