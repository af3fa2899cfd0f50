// RUN: aiec opt --aie-register-objectFifos %s 2>&1 | FileCheck %s
// A pattern of several numbers is the whole process; the length doesn't stretch it.

// CHECK: warning: {{.*}}the patterns of `@work` say 4 passes
// CHECK: arith.constant dense<1> : tensor<1xi32>
// CHECK: aie.core(%tile_2_2)
// CHECK-NEXT: aie.objectfifo.acquire @x(Produce, 2)
// CHECK: func.call @work()
// CHECK-NOT: aie.objectfifo.release
// CHECK: scf.for
// CHECK: aie.objectfifo.acquire @x(Produce, 3)
// CHECK: aie.objectfifo.release @x(Produce, 1)
// CHECK: aie.objectfifo.acquire @x(Produce, 2)
// CHECK: aie.objectfifo.release @x(Produce, 2)
// CHECK-NEXT: aie.end
module {
  aie.device(xcve2302) {
    %a = aie.tile(2, 2)
    %b = aie.tile(2, 3)
    aie.objectfifo @x(%a, {%b}, 4 : i32) : !aie.objectfifo<memref<64xi32>>
    func.func private @work()
    %one = arith.constant dense<[1]> : tensor<1xi32>
    %acq = arith.constant dense<[2, 3, 3, 2]> : tensor<4xi32>
    %rel = arith.constant dense<[0, 1, 1, 2]> : tensor<4xi32>
    %ten = arith.constant 10 : index
    aie.objectfifo.register_process @x(Produce, %acq : tensor<4xi32>, %rel : tensor<4xi32>, @work, %ten)
  }
}
