// RUN: aiec opt --split-input-file --aie-unroll-runtime-sequence-loops %s | FileCheck %s --check-prefix=UNROLL
// RUN: aiec opt --split-input-file --aie-unroll-runtime-sequence-loops --aie-lower-dynamic-bd-pool --aie-assign-runtime-sequence-bd-ids %s | FileCheck %s --check-prefix=IDS
// RUN: aiec opt --split-input-file --aie-unroll-runtime-sequence-loops --aie-lower-dynamic-bd-pool --aie-assign-runtime-sequence-bd-ids %s | FileCheck %s --check-prefix=POOL

// An inner loop whose bound is the counter of the outer one: 0 + 1 + 2 writes, then what the outer
// loop carries.
// UNROLL-LABEL: aie.runtime_sequence @triangle
// UNROLL-NOT:     scf.for
// UNROLL-COUNT-3: aiex.npu.write32
// UNROLL-NOT:     aiex.npu.write32
// UNROLL-COUNT-3: = aiex.dma_configure_task
// UNROLL:         %[[LAST:.*]] = aiex.dma_configure_task
// UNROLL-NOT:     dma_configure_task
// UNROLL:         aiex.dma_await_task(%[[LAST]])

// Each task is freed behind the next one: two numbers take turns.
// IDS-LABEL: aie.runtime_sequence @triangle
// IDS:       bd_id = 0 : i32
// IDS:       bd_id = 1 : i32
// IDS:       bd_id = 0 : i32
// IDS:       bd_id = 1 : i32

// POOL-LABEL: aie.runtime_sequence @triangle
// POOL-NOT:   dma_bd_pool
// POOL:       bd_id = 0 : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence @triangle(%x: memref<64xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %address = arith.constant 4096 : i32
    scf.for %i = %c0 to %c3 step %c1 {
      scf.for %j = %c0 to %i step %c1 {
        %value = arith.index_cast %j : index to i32
        aiex.npu.write32(%address, %value) : i32, i32
      }
    }
    %first = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%first)
    %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%before = %first) -> (index) {
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      aiex.dma_free_task(%before)
      scf.yield %t : index
    }
    aiex.dma_await_task(%last)
  }
}

// -----

// The number goes where the task goes: out of the branch, through the loop, to the place where
// the task is freed.
// POOL-LABEL: aie.runtime_sequence @pool
// POOL:       %[[IF:.*]]:3 = scf.if %{{.*}} -> (i32, index, i32) {
// POOL:         %[[A:.*]] = aiex.dma_bd_pool_pop(1, 0) partition [0, 16) : i32
// POOL:         %[[TA:.*]] = aiex.dma_configure_task(%{{.*}}, MM2S, 0)
// POOL:           bd_id_val %[[A]] : i32
// POOL:         scf.yield %{{.*}}, %[[TA]], %[[A]] : i32, index, i32
// POOL:       } else {
// POOL:         %[[B:.*]] = aiex.dma_bd_pool_pop(1, 0) partition [0, 16) : i32
// POOL:         scf.yield %{{.*}}, %{{.*}}, %[[B]] : i32, index, i32
// POOL:       %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[T:.*]] = %[[IF]]#1, %[[N:.*]] = %[[IF]]#2) -> (index, i32)
// POOL:         %[[C:.*]] = aiex.dma_bd_pool_pop(1, 0) partition [0, 16) : i32
// POOL:         aiex.dma_bd_pool_push(1, 0) partition [0, 16) bd_id %[[N]] : i32
// POOL:         scf.yield %{{.*}}, %[[C]] : index, i32
// POOL:       aiex.dma_await_task(%[[LOOP]]#0)
// POOL:       aiex.dma_bd_pool_push(1, 0) partition [0, 16) bd_id %[[LOOP]]#1 : i32
// POOL-NOT:   bd_id = {{[0-9]}}
aie.device(npu2) {
  %shim = aie.tile(1, 0)
  aie.runtime_sequence @pool(%x: memref<64xi32>, %yes: i1, %n: index, %a: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %other, %first = scf.if %yes -> (i32, index) {
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64)
        aie.end
      } {issue_token = true}
      scf.yield %a, %t : i32, index
    } else {
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 32 len = 32)
        aie.end
      } {issue_token = true}
      scf.yield %a, %t : i32, index
    }
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (index) {
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%before)
      aiex.dma_free_task(%before)
      scf.yield %t : index
    }
    aiex.dma_await_task(%last)
    aiex.dma_free_task(%last)
  }
}
