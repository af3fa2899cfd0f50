// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// Windows count objects: with repeat_count 2 each object is two tokens, and a window that slides
// takes the missing object's two. The first pass, which takes both objects, is peeled.

// CHECK: %z_prod_lock_0 = aie.lock({{.*}}) {init = 6 : i32
// CHECK: aie.core
// CHECK: aie.use_lock(%z_prod_lock_0, AcquireGreaterEqual, %c4_i32)
// CHECK-NEXT: func.call @f(%z_buff_1)
// CHECK-NEXT: aie.use_lock(%z_cons_lock_0, Release, %c2_i32)
// CHECK-NEXT: aie.use_lock(%z_prod_lock_0, AcquireGreaterEqual, %c2_i32)
// CHECK-NEXT: func.call @f(%z_buff_2)
// CHECK: scf.for
// CHECK-NEXT: aie.use_lock(%z_prod_lock_0, AcquireGreaterEqual, %c2_i32)
// CHECK-NEXT: func.call @f(%z_buff_1)
module {
  aie.device(npu1) {
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 4)
    func.func private @f(memref<64xi32>)
    aie.objectfifo @z(%a, {%b}, [3, 2]) {repeat_count = 2 : i32} : !aie.objectfifo<memref<64xi32>>
    %core = aie.core(%a) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c12 = arith.constant 12 : index
      scf.for %i = %c0 to %c12 step %c1 {
        %0 = aie.objectfifo.acquire @z(Produce, 2) : !aie.objectfifosubview<memref<64xi32>>
        %e = aie.objectfifo.subview.access %0[1] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        func.call @f(%e) : (memref<64xi32>) -> ()
        aie.objectfifo.release @z(Produce, 1)
      }
      aie.end
    }
  }
}
