// RUN: aiec sim %s --arg-size 0=1024 2>&1 | FileCheck %s
// A task that is freed before anything was awaited: one finding names the operation, and the next task doesn't get its
// buffer descriptor while it runs. What the run reads of %b it has written itself.

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %work = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%work}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%work, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%work) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 9223372036854775807 : index
      scf.for %i = %c0 to %many step %c1 {
        %v = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %x = aie.objectfifo.subview.access %v[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        %w = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %y = aie.objectfifo.subview.access %w[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        scf.for %j = %c0 to %c16 step %c1 {
          %a = memref.load %x[%j] : memref<16xi32>
          memref.store %a, %y[%j] : memref<16xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<256xi32>, %b: memref<256xi32>) {
      %t0 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<256xi32>, 0, 128)
        aie.end
      }
      %t1 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<256xi32>, 0, 128)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t0)
      aiex.dma_start_task(%t1)
      aiex.dma_free_task(%t0)
      %t2 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<256xi32>, 128, 128)
        aie.end
      }
      aiex.dma_start_task(%t2)
      aiex.dma_await_task(%t1)
      %t3 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<256xi32>, 128, 128)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t3)
      aiex.dma_await_task(%t3)
      %t4 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%b : memref<256xi32>, 0, 128)
        aie.end
      }
      %t5 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%a : memref<256xi32>, 0, 128)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t4)
      aiex.dma_start_task(%t5)
      aiex.dma_await_task(%t5)
      aiex.dma_free_task(%t2)
    }
  }
}

// CHECK: completed after
// CHECK-NOT: sim::
// CHECK: sequence::bad-task
// CHECK: `aiex.dma_free_task` frees a task that may still run
// CHECK-NOT: sequence::
// CHECK: argument 0 'a'
// CHECK-NOT: argument 1
