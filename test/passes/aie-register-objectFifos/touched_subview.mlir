// A registered function that reads and writes the objects of its view is put into the core.
// RUN: aiec sim %s --dump arg:0 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: aiec opt --aie-register-objectFifos --aie-inline-functions %s | FileCheck %s

// CHECK: %[[A:.*]] = aie.objectfifo.acquire @x(Produce, 2)
// CHECK-NOT: func.call
// CHECK: aie.objectfifo.subview.access %[[A]][0]
// CHECK: aie.objectfifo.subview.access %[[A]][1]
// CHECK: aie.objectfifo.release @x(Produce, 2)

// DONE: completed
// DONE: | 7 8 7 8
// DONE: | 7 8
module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 2)
    aie.objectfifo @x(%tile, {%shim}, 4 : i32) : !aie.objectfifo<memref<1xi32>>
    func.func @work(%view: !aie.objectfifosubview<memref<1xi32>>) {
      %c0 = arith.constant 0 : index
      %seven = arith.constant 7 : i32
      %one = arith.constant 1 : i32
      %first = aie.objectfifo.subview.access %view[0] : !aie.objectfifosubview<memref<1xi32>> -> memref<1xi32>
      %second = aie.objectfifo.subview.access %view[1] : !aie.objectfifosubview<memref<1xi32>> -> memref<1xi32>
      memref.store %seven, %first[%c0] : memref<1xi32>
      %there = memref.load %first[%c0] : memref<1xi32>
      %next = arith.addi %there, %one : i32
      memref.store %next, %second[%c0] : memref<1xi32>
      return
    }
    %two = arith.constant dense<[2]> : tensor<1xi32>
    %times = arith.constant 3 : index
    aie.objectfifo.register_process @x(Produce, %two : tensor<1xi32>, %two : tensor<1xi32>, @work, %times)
    aie.runtime_sequence(%to: memref<6xi32>) {
      aiex.npu.dma_memcpy_nd(%to[0, 0, 0, 0][1, 1, 1, 6][0, 0, 0, 1]) {metadata = @x, id = 0 : i64, issue_token = true} : memref<6xi32>
      aiex.npu.dma_wait {symbol = @x}
    }
  }
}
