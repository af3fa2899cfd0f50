// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s
// RUN: aiec %s --jobs=per-column --emit=ctrl-asm -o - | FileCheck %s

// Data of column 0 pass column 1 and 2 in circuits. An input of a switch that isn't connected yet
// holds what comes, so that no controller waits for another.

// CHECK: .attach_to_group 0
// CHECK: .attach_to_group 2
// CHECK-NOT: REMOTE_BARRIER

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %s2 = aie.tile(2, 0)
    %w = aie.tile(2, 3)
    aie.objectfifo @in(%s0, {%w}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%w, {%s2}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %table = aie.buffer(%w) {sym_name = "table"} : memref<8192xi32> = dense<3>
    aie.core(%w) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 16 : index
      %x = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %a = aie.objectfifo.subview.access %x[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %y = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %b = aie.objectfifo.subview.access %y[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %a[%i] : memref<16xi32>
        %t = memref.load %table[%i] : memref<8192xi32>
        %s = arith.addi %v, %t : i32
        memref.store %s, %b[%i] : memref<16xi32>
      }
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
