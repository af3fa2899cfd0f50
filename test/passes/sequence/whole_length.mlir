// RUN: not aiec %s --emit=insts -o %t.bin --diagnostics=text 2>&1 | FileCheck %s

// A length of all runs, and a task of one: three quarters wouldn't move. The second task runs four times.
// CHECK: a length of 64 elements doesn't match a pattern of 16 elements for each run
// CHECK: write the length of one run, 16, and `repeat_count = 3 : i32` at the task
// CHECK-NOT: doesn't match
// CHECK: the outermost dimension of 4 is walked by the task's runs, and there are 1
// CHECK: write `repeat_count = 3 : i32` at the task
// CHECK-NOT: the outermost dimension
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo.link [@in] -> [@out] ([] [])
  aie.runtime_sequence(%a: memref<256xi32>) {
    %t = aiex.dma_configure_task_for @in {
      aie.dma_bd(%a : memref<256xi32> offset = 0 len = 64 sizes = [4, 2, 2, 4] strides = [40, 20, 8, 1])
      aie.end
    }
    aiex.dma_start_task(%t)
    %u = aiex.dma_configure_task_for @in {
      aie.dma_bd(%a : memref<256xi32> offset = 0 len = 64 sizes = [4, 2, 2, 4] strides = [40, 20, 8, 1])
      aie.end
    } {repeat_count = 3 : i32}
    aiex.dma_start_task(%u)
    %v = aiex.dma_configure_task_for @in {
      aie.dma_bd(%a : memref<256xi32> offset = 0 len = 16 sizes = [4, 2, 2, 4] strides = [40, 20, 8, 1])
      aie.end
    }
    aiex.dma_start_task(%v)
    %w = aiex.dma_configure_task_for @in {
      aie.dma_bd(%a : memref<256xi32> offset = 0 len = 16 sizes = [2, 2, 2, 4] strides = [80, 20, 8, 1])
      aie.end
    }
    aiex.dma_start_task(%w)
    aiex.dma_start_task(%w)
  }
}
