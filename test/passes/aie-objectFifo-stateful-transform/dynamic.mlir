// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// With dynamic lowering the loop stays, carries the index and chooses the buffer by it.

// CHECK: aie.core
// CHECK: %[[LOOP:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[INDEX:.*]] = %{{.*}}) -> (i32)
// CHECK-NEXT: aie.use_lock(%q_cons_lock_0, AcquireGreaterEqual, %c1_i32)
// CHECK-NEXT: %[[PLACE:.*]] = arith.index_cast %[[INDEX]] : i32 to index
// CHECK-NEXT: %[[BUFFER:.*]] = scf.index_switch %[[PLACE]] -> memref<32xi32>
// CHECK-NEXT: case 0 {
// CHECK-NEXT: scf.yield %q_buff_0
// CHECK: case 2 {
// CHECK-NEXT: scf.yield %q_buff_2
// CHECK: default {
// CHECK-NEXT: scf.yield %q_buff_0
// CHECK: func.call @f(%[[BUFFER]])
// CHECK: aie.use_lock(%q_prod_lock_0, Release, %c1_i32)
module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    func.func private @f(memref<32xi32>)
    aie.objectfifo @q(%a, {%b}, 3 : i32) : !aie.objectfifo<memref<32xi32>>
    %core = aie.core(%b) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c12 = arith.constant 12 : index
      scf.for %i = %c0 to %c12 step %c1 {
        %s = aie.objectfifo.acquire @q(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %e = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        func.call @f(%e) : (memref<32xi32>) -> ()
        aie.objectfifo.release @q(Consume, 1)
      }
      aie.end
    } {dynamic_objfifo_lowering = true}
  }
}
