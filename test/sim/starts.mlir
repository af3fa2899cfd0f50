// RUN: aiec sim %s --dump buffer:b | FileCheck %s
// RUN: aiec opt --aie-dma-tasks-to-npu %s | FileCheck %s --check-prefix=NPU
// RUN: aiec opt %s | aiec opt | FileCheck %s --check-prefix=TEXT

// Starts with runs of their own, and one that withholds the token: the wait is for the one after it. The receiver gets
// 1, 2, 1, 2 in runs that go around its buffer, then 1, 2 once more.
// CHECK: | 1 2 1 2
// CHECK: | 1 2
// NPU-COUNT-2: aiex.npu.push_queue(0, 2, S2MM : 0)
// NPU:      %[[TWO:.*]] = arith.constant 1 : i32
// NPU-NEXT: aiex.npu.push_queue(0, 1, MM2S : 0) bd_id %{{.*}} repeat %[[TWO]] {issue_token = false}
// NPU:      aiex.npu.push_queue(0, 1, MM2S : 0) bd_id %{{.*}} repeat %c0_i32{{.*}} {issue_token = true}
// TEXT: aiex.dma_start_task(%{{.*}}) {no_token, repeat_count = 1 : i32}
// TEXT: aiex.dma_start_task(%{{.*}}) repeat %{{.*}} : i32
aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %core = aie.tile(0, 2)
  %a = aie.buffer(%mem) {sym_name = "a", address = 0 : i32} : memref<2xi32> = dense<[1, 2]>
  %b = aie.buffer(%core) {sym_name = "b", address = 1024 : i32} : memref<6xi32>
  aie.flow(%mem, DMA : 0, %core, DMA : 0)
  aie.runtime_sequence() {
    %front = aiex.dma_configure_task(%core, S2MM, 0) {
      aie.dma_bd(%b : memref<6xi32> offset = 0 len = 4) {bd_id = 0 : i32}
      aie.end
    }
    aiex.dma_start_task(%front)
    %rear = aiex.dma_configure_task(%core, S2MM, 0) {
      aie.dma_bd(%b : memref<6xi32> offset = 4 len = 2) {bd_id = 1 : i32}
      aie.end
    }
    aiex.dma_start_task(%rear)
    %send = aiex.dma_configure_task(%mem, MM2S, 0) {
      aie.dma_bd(%a : memref<2xi32> offset = 0 len = 2) {bd_id = 0 : i32}
      aie.end
    } {issue_token = true, repeat_count = 7 : i32}
    aiex.dma_start_task(%send) {no_token, repeat_count = 1 : i32}
    %none = arith.constant 0 : i32
    aiex.dma_start_task(%send) repeat %none : i32
    aiex.dma_await_task(%send)
  }
}
