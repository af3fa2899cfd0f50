// A function whose argument is a view of all objects is called with what was acquired.
// RUN: aiec opt --aie-register-objectFifos %s | FileCheck %s

// CHECK: %[[A:.*]] = aie.objectfifo.acquire @x(Produce, 2)
// CHECK-NEXT: func.call @work(%[[A]]) : (!aie.objectfifosubview<memref<64xi32>>) -> ()
// CHECK-NEXT: aie.objectfifo.release @x(Produce, 2)
module {
  aie.device(npu1) {
    %a = aie.tile(0, 2)
    %b = aie.tile(1, 3)
    aie.objectfifo @x(%a, {%b}, 4 : i32) : !aie.objectfifo<memref<64xi32>>
    func.func private @work(!aie.objectfifosubview<memref<64xi32>>)
    %two = arith.constant dense<[2]> : tensor<1xi32>
    %ten = arith.constant 10 : index
    aie.objectfifo.register_process @x(Produce, %two : tensor<1xi32>, %two : tensor<1xi32>, @work, %ten)
  }
}
