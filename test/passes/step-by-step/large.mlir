// RUN: aiec opt --aie-decompose-large-dma-bd %s | FileCheck %s
// RUN: aiec opt --aie-decompose-large-dma-bd --aie-substitute-shim-dma-allocations --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu --aie-dma-to-npu %s | FileCheck %s --check-prefix=NPU

// A size with a divisor that fits becomes two dimensions.
// CHECK-LABEL: aie.runtime_sequence @factor
// CHECK:       aiex.npu.dma_memcpy_nd(%{{.*}}[0, 0, 0, 0][1, 1080, 2, 960][0, 1921, 960, 1])

// A prime one is cut; data that arrives is awaited as a whole.
// CHECK-LABEL: aie.runtime_sequence @cut
// CHECK:       aiex.npu.dma_memcpy_nd(%{{.*}}[0, 0, 0, 0][1, 1, 1023, 2][0, 0, 3, 1]) {id = 0 : i64, metadata = @out}
// CHECK-NEXT:  aiex.npu.dma_memcpy_nd(%{{.*}}[0, 0, 1023, 0][1, 1, 8, 2][0, 0, 3, 1]) {id = 2 : i64, metadata = @out}
// CHECK-NEXT:  aiex.npu.dma_memcpy_nd(%{{.*}}[0, 0, 0, 0][1, 1, 1, 8]
// CHECK-NEXT:  aiex.npu.dma_wait {symbol = @out}
// CHECK-NEXT:  aiex.npu.dma_wait {symbol = @out}
// CHECK-NEXT:  aiex.npu.dma_wait {symbol = @out}
// CHECK-NOT:   dma_wait

// Words keep their order: dimensions around the one that is cut are cut too.
// CHECK-LABEL: aie.runtime_sequence @order
// CHECK:       [0, 0, 0, 0][1, 1, 1023, 2][0, 5000, 3, 1]
// CHECK-NEXT:  [0, 0, 1023, 0][1, 1, 8, 2][0, 5000, 3, 1]
// CHECK-NEXT:  [0, 1, 0, 0][1, 1, 1023, 2][0, 5000, 3, 1]
// CHECK-NEXT:  [0, 1, 1023, 0][1, 1, 8, 2][0, 5000, 3, 1]

// A task becomes a chain.
// CHECK-LABEL: aie.runtime_sequence @chain
// CHECK:       aie.dma_bd(%{{.*}} offset = 0 len = 2046 sizes = [1, 1, 1023, 2] strides = [0, 0, 3, 1])
// CHECK-NEXT:  aie.next_bd ^[[NEXT:.*]]
// CHECK-NEXT:  ^[[NEXT]]:
// CHECK-NEXT:  aie.dma_bd(%{{.*}} offset = 3069 len = 16 sizes = [1, 1, 8, 2] strides = [0, 0, 3, 1])
// CHECK-NEXT:  aie.end

// What fits, and what has no gaps, stays.
// CHECK-LABEL: aie.runtime_sequence @stays
// CHECK:       [0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]
// CHECK:       [0, 0, 0, 0][1, 1, 1, 2048][0, 0, 0, 1]

// NPU-NOT: aiex.npu.dma_memcpy_nd
// NPU:     aiex.npu.blockwrite
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.shim_dma_allocation @out(%shim, S2MM, 0)
  aie.runtime_sequence @factor(%x: memref<1920x1080xi32>) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1080, 1920][0, 0, 1921, 1]) {id = 0 : i64, metadata = @in} : memref<1920x1080xi32>
  }
  aie.runtime_sequence @cut(%x: memref<4096xi32>) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1031, 2][0, 0, 3, 1]) {id = 0 : i64, metadata = @out} : memref<4096xi32>
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<4096xi32>
    aiex.npu.dma_wait {symbol = @out}
    aiex.npu.dma_wait {symbol = @out}
  }
  aie.runtime_sequence @order(%x: memref<16384xi32>) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 2, 1031, 2][0, 5000, 3, 1]) {id = 0 : i64, metadata = @in} : memref<16384xi32>
  }
  aie.runtime_sequence @chain(%x: memref<4096xi32>) {
    %t = aiex.dma_configure_task_for @in {
      aie.dma_bd(%x : memref<4096xi32> offset = 0 len = 2062 sizes = [1, 1, 1031, 2] strides = [0, 0, 3, 1])
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t)
    aiex.dma_await_task(%t)
  }
  aie.runtime_sequence @stays(%x: memref<4096xi32>) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi32>
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 2048][0, 0, 0, 1]) {id = 1 : i64, metadata = @in} : memref<4096xi32>
  }
}
