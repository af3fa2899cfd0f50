// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// Neighbours share a memory: one pool, no DMA; the core's loop alternates between the buffers.

// CHECK-DAG: %q_buff_0 = aie.buffer(%tile_0_2) {sym_name = "q_buff_0"} : memref<32xi32>
// CHECK-DAG: %q_buff_1 = aie.buffer(%tile_0_2) {sym_name = "q_buff_1"} : memref<32xi32>
// CHECK-DAG: %q_prod_lock_0 = aie.lock(%tile_0_2) {init = 2 : i32, sym_name = "q_prod_lock_0"}
// CHECK-DAG: %q_cons_lock_0 = aie.lock(%tile_0_2) {init = 0 : i32, sym_name = "q_cons_lock_0"}
// CHECK-NOT: aie.flow
// CHECK-NOT: aie.mem
// CHECK: aie.core(%tile_0_2)
// CHECK: scf.for
// CHECK-NEXT: aie.use_lock(%q_prod_lock_0, AcquireGreaterEqual, %c1_i32)
// CHECK-NEXT: memref.store %{{.*}}, %q_buff_0[%c0]
// CHECK-NEXT: aie.use_lock(%q_cons_lock_0, Release, %c1_i32)
// CHECK-NEXT: aie.use_lock(%q_prod_lock_0, AcquireGreaterEqual, %c1_i32)
// CHECK-NEXT: memref.store %{{.*}}, %q_buff_1[%c0]
// CHECK-NEXT: aie.use_lock(%q_cons_lock_0, Release, %c1_i32)
// CHECK-NEXT: }
module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @q(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    %core = aie.core(%a) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c12 = arith.constant 12 : index
      %v = arith.constant 7 : i32
      scf.for %i = %c0 to %c12 step %c1 {
        %s = aie.objectfifo.acquire @q(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %e = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        memref.store %v, %e[%c0] : memref<32xi32>
        aie.objectfifo.release @q(Produce, 1)
      }
      aie.end
    }
  }
}
