// RUN: aiec opt --aie-register-objectFifos %s | FileCheck %s
// Equal consecutive passes make one loop; a function that takes objects gets them.

// CHECK: aie.core(%tile_2_2)
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = aie.objectfifo.acquire @x(Produce, 1)
// CHECK-NEXT: %[[E:.*]] = aie.objectfifo.subview.access %[[A]][0]
// CHECK-NEXT: func.call @work(%[[E]])
// CHECK-NEXT: aie.objectfifo.release @x(Produce, 1)
// CHECK: aie.core(%tile_2_3)
// CHECK: scf.for
// CHECK: aie.objectfifo.acquire @x(Consume, 2)
// CHECK: func.call @none()
// CHECK-NEXT: }
// CHECK: aie.objectfifo.acquire @x(Consume, 1)
// CHECK: aie.objectfifo.release @x(Consume, 2)
// CHECK-NOT: register_process
module {
  aie.device(xcve2302) {
    %a = aie.tile(2, 2)
    %b = aie.tile(2, 3)
    aie.objectfifo @x(%a, {%b}, 4 : i32) : !aie.objectfifo<memref<64xi32>>
    func.func private @work(memref<64xi32>)
    func.func private @none()
    %one = arith.constant dense<[1]> : tensor<1xi32>
    %acq = arith.constant dense<[2, 2, 1]> : tensor<3xi32>
    %rel = arith.constant dense<[0, 0, 2]> : tensor<3xi32>
    %ten = arith.constant 10 : index
    %three = arith.constant 3 : index
    aie.objectfifo.register_process @x(Produce, %one : tensor<1xi32>, %one : tensor<1xi32>, @work, %ten)
    aie.objectfifo.register_process @x(Consume, %acq : tensor<3xi32>, %rel : tensor<3xi32>, @none, %three)
  }
}
