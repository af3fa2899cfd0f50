// A deadlock for which a fifo is too shallow says which depth is enough, found by trying.
// RUN: not aiec sim %s 2>&1 | FileCheck %s
// RUN: not aiec sim %s --report - 2>&1 | FileCheck %s --check-prefix=STORY
// RUN: aiec %s -o %t.elf
// RUN: not aiec sim %t.elf 2>&1 | FileCheck %s --check-prefix=ELF

// CHECK: sim::deadlock
// CHECK: @x (1 object) is full, and what would empty it waits
// CHECK: help: give @x a larger depth
// CHECK: depth 3 of @x is the smallest that runs (tried: 2, 3, 4)
// STORY: likely mistake: {{.*}}; depth 3 of @x is the smallest that runs (tried: 2, 3, 4)
// ELF: tries depths, and says the smallest that runs

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %one = aie.tile(0, 2)
    %two = aie.tile(0, 3)
    aie.objectfifo @x(%one, {%two}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @y(%one, {%two}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out(%two, {%shim}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
    %core_one = aie.core(%one) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      scf.for %i = %c0 to %c3 step %c1 {
        %s = aie.objectfifo.acquire @x(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @x(Produce, 1)
      }
      %s = aie.objectfifo.acquire @y(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
      aie.objectfifo.release @y(Produce, 1)
      aie.end
    }
    %core_two = aie.core(%two) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c7 = arith.constant 7 : i32
      %y = aie.objectfifo.acquire @y(Consume, 1) : !aie.objectfifosubview<memref<8xi32>>
      aie.objectfifo.release @y(Consume, 1)
      scf.for %i = %c0 to %c3 step %c1 {
        %s = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @x(Consume, 1)
      }
      %o = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
      %b = aie.objectfifo.subview.access %o[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
      scf.for %i = %c0 to %c3 step %c1 {
        memref.store %c7, %b[%i] : memref<8xi32>
      }
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
