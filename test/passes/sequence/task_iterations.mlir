// RUN: aiec opt --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu %s | FileCheck %s

// An iteration beside the pattern is that of an outermost dimension more, and may begin with another run than the first. Sizes and
// strides are stored less 1 (AM025), strides in words.
// CHECK-LABEL: aie.runtime_sequence @written
// CHECK:       aiex.npu.writebd {{.*}}bd_id = 0 : i32{{.*}}iteration_current = 0 : i32, iteration_size = 1 : i32, iteration_stride = 127 : i32
// CHECK:       aiex.npu.writebd {{.*}}bd_id = 1 : i32{{.*}}iteration_current = 0 : i32, iteration_size = 1 : i32, iteration_stride = 127 : i32
// CHECK:       aiex.npu.writebd {{.*}}bd_id = 0 : i32{{.*}}iteration_current = 1 : i32, iteration_size = 3 : i32, iteration_stride = 63 : i32
// Operands that are known are the same; a stride of 0 repeats, which the task's count does.
// CHECK-LABEL: aie.runtime_sequence @operands
// CHECK:       aiex.npu.writebd {{.*}}iteration_current = 0 : i32, iteration_size = 3 : i32, iteration_stride = 31 : i32
// CHECK:       aiex.npu.writebd {{.*}}iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32
// CHECK-LABEL: aie.runtime_sequence @at_run_time
// CHECK-SAME:  %[[SIZE:[a-z0-9_]*]]: i32, %[[STRIDE:[a-z0-9_]*]]: i32
// CHECK:       aiex.npu.writebd
// CHECK:       arith.subi %[[SIZE]], %{{.*}} : i32
// CHECK:       arith.muli %[[STRIDE]], %{{.*}} : i32
// CHECK:       aiex.npu.assert_bd_field({{.*}}) {max = 63 : i32} : i32
// CHECK:       aiex.npu.assert_bd_field({{.*}}) {max = 1048575 : i32} : i32
// CHECK:       aiex.npu.write32
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %buffer = aie.buffer(%mem) {address = 0 : i32} : memref<256xi32>
  aie.runtime_sequence @written(%x: memref<256xi32>) {
    %a = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<256xi32> offset = 0 len = 64 sizes = [2, 4, 8] strides = [8, 16, 1]) {iteration = #aie.bd_iteration<size = 2, stride = 128, current = 0>}
      aie.end
    } {repeat_count = 1 : i32}
    aiex.dma_start_task(%a)
    %b = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<256xi32> offset = 0 len = 64 sizes = [2, 2, 4, 8] strides = [128, 8, 16, 1])
      aie.end
    } {repeat_count = 1 : i32}
    aiex.dma_start_task(%b)
    %c = aiex.dma_configure_task(%mem, MM2S, 0) {
      aie.dma_bd(%buffer : memref<256xi32> offset = 0 len = 64) {iteration = #aie.bd_iteration<size = 4, stride = 64, current = 1>}
      aie.end
    } {repeat_count = 3 : i32}
    aiex.dma_start_task(%c)
  }
  aie.runtime_sequence @operands(%x: memref<256xi16>) {
    %size = arith.constant 4 : i32
    %stride = arith.constant 64 : i32
    %zero = arith.constant 0 : i32
    %a = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<256xi16> offset = 0 len = 64) iteration_size_val %size : i32 iteration_stride_val %stride : i32
      aie.end
    } {repeat_count = 3 : i32}
    aiex.dma_start_task(%a)
    %b = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<256xi16> offset = 0 len = 64) iteration_size_val %size : i32 iteration_stride_val %zero : i32
      aie.end
    } {repeat_count = 3 : i32}
    aiex.dma_start_task(%b)
  }
  aie.runtime_sequence @at_run_time(%x: memref<256xi32>, %size: i32, %stride: i32) {
    %a = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<256xi32> offset = 0 len = 64) iteration_size_val %size : i32 iteration_stride_val %stride : i32
      aie.end
    } {repeat_count = 3 : i32}
    aiex.dma_start_task(%a)
  }
}
