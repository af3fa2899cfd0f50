// RUN: aiec opt --split-input-file --aie-lower-dynamic-bd-pool %s | FileCheck %s
// RUN: aiec opt --split-input-file --aie-lower-dynamic-bd-pool %s | aiec opt --split-input-file - | FileCheck %s
// RUN: aiec opt --split-input-file --aie-lower-dynamic-bd-pool --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu %s | FileCheck %s --check-prefix=WRITES

// Each BD of a chain has a number of its own; a loop carries both beside the task, and a task that is freed gives both back.
// CHECK-LABEL: aie.runtime_sequence @chain
// CHECK:       %[[A:.*]] = aiex.dma_bd_pool_pop(0, 0) partition [0, 16) : i32
// CHECK-NEXT:  %[[B:.*]] = aiex.dma_bd_pool_pop(0, 0) partition [0, 16) : i32
// CHECK-NEXT:  %[[T:.*]] = aiex.dma_configure_task
// CHECK:         aie.dma_bd({{.*}}offset = 32 len = 32) bd_id_val %[[A]] : i32
// CHECK:         aie.dma_bd({{.*}}offset = 0 len = 32) bd_id_val %[[B]] : i32
// CHECK:       %[[LAST:.*]]:3 = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[T]], %[[X:.*]] = %[[A]], %[[Y:.*]] = %[[B]]) -> (index, i32, i32)
// CHECK:         %[[C:.*]] = aiex.dma_bd_pool_pop
// CHECK:         %[[D:.*]] = aiex.dma_bd_pool_pop
// CHECK:         %[[U:.*]] = aiex.dma_configure_task
// CHECK:         aiex.dma_bd_pool_push(0, 0) partition [0, 16) bd_id %[[X]] : i32
// CHECK-NEXT:    aiex.dma_bd_pool_push(0, 0) partition [0, 16) bd_id %[[Y]] : i32
// CHECK:         scf.yield %[[U]], %[[C]], %[[D]] : index, i32, i32
// CHECK:       aiex.dma_bd_pool_push(0, 0) partition [0, 16) bd_id %[[LAST]]#1 : i32
// CHECK-NEXT:  aiex.dma_bd_pool_push(0, 0) partition [0, 16) bd_id %[[LAST]]#2 : i32

// The first BD names the second: bits 30:27 of word 7 over its bits that it is valid and that one follows (AM025).
// WRITES-LABEL: aie.runtime_sequence @chain
// WRITES:       %[[A:.*]] = aiex.dma_bd_pool_pop
// WRITES-NEXT:  %[[B:.*]] = aiex.dma_bd_pool_pop
// WRITES:       %[[NEXT:.*]] = arith.andi %[[B]], %{{.*}} : i32
// WRITES:       %[[FIELD:.*]] = arith.shli %[[NEXT]], %{{.*}} : i32
// WRITES:       arith.constant 100663296 : i32
// WRITES-NEXT:  arith.ori %[[FIELD]], %{{.*}} : i32
// WRITES:       aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %[[A]]
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence @chain(%x: memref<64xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 32 len = 32)
      aie.next_bd ^second
    ^second:
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%first)
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (index) {
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 32 len = 32)
        aie.next_bd ^second
      ^second:
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      aiex.dma_free_task(%before)
      scf.yield %t : index
    }
    aiex.dma_await_task(%last)
    aiex.dma_free_task(%last)
  }
}

// -----

// A BD with a number that is written names one from a pool: its whole word is computed, at the address of its number.
// WRITES-LABEL: aie.runtime_sequence @pinned
// WRITES:       %[[B:.*]] = aiex.dma_bd_pool_pop(0, 0) partition [1, 16) : i32
// WRITES:       %[[NEXT:.*]] = arith.andi %[[B]], %{{.*}} : i32
// WRITES:       aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %c0
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence @pinned(%x: memref<64xi32>) {
    %b = aiex.dma_bd_pool_pop(0, 0) partition [1, 16) : i32
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) {bd_id = 0 : i32}
      aie.next_bd ^second
    ^second:
      aie.dma_bd(%x : memref<64xi32> offset = 32 len = 32) bd_id_val %b : i32
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t)
    aiex.dma_await_task(%t)
    aiex.dma_bd_pool_push(0, 0) partition [1, 16) bd_id %b : i32
  }
}
