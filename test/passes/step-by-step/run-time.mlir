// RUN: aiec opt --aie-dma-tasks-to-npu --aie-dma-to-npu %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: aiec opt %t.mlir | FileCheck %s

// Numbers that are known at run time only become arithmetic in front of the writes they are part
// of: the BD as a whole first, its pattern as 0, then the words of the pattern.
// CHECK-LABEL: aie.runtime_sequence @sizes
// CHECK:       aiex.npu.blockwrite
// CHECK:       aiex.npu.assert_bd_field(%[[N:.*]]) {max = 1023 : i32}
// CHECK:       aiex.npu.write32(%c118784{{.*}}
// CHECK:       aiex.npu.write32(%c118796{{.*}}
// CHECK:       aiex.npu.write32(%c118800{{.*}}
// CHECK:       aiex.npu.write32(%c118804{{.*}}
// CHECK:       aiex.npu.write32(%c118808{{.*}}
// CHECK:       aiex.npu.address_patch
// CHECK:       aiex.npu.write32(%c119316{{.*}}

// A run without gaps has its length only.
// CHECK-LABEL: aie.runtime_sequence @run
// CHECK:       aiex.npu.blockwrite
// CHECK-NOT:   assert
// CHECK:       aiex.npu.write32(%c118784{{.*}}
// CHECK-NOT:   aiex.npu.write32(%c118796{{.*}}
// CHECK:       aiex.npu.write32(%c118808{{.*}}

// Where it starts, and a task's length and BD.
// CHECK-LABEL: aie.runtime_sequence @offset
// CHECK:       %[[O:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK:       %[[BYTES:.*]] = arith.muli %[[O]], %{{.*}} : i32
// CHECK:       aiex.npu.address_patch(%[[BYTES]] : i32) {addr = 118788 : ui32, arg_idx = 0 : i32}
// CHECK-LABEL: aie.runtime_sequence @task
// CHECK:       %[[BD:.*]] = aiex.dma_bd_pool_pop
// CHECK:       %[[FROM:.*]] = arith.muli %[[BD]], %{{.*}} : i32
// CHECK:       %[[BASE:.*]] = arith.addi %{{.*}}, %[[FROM]] : i32
// CHECK-NOT:   aiex.npu.blockwrite
// CHECK:       aiex.npu.write32(%[[BASE]], %{{.*}})
// CHECK:       aiex.npu.address_patch(%{{.*}} : i32) addr %{{.*}} : i32
// CHECK:       %[[NUMBER:.*]] = arith.andi %[[BD]], %{{.*}} : i32
// CHECK:       %[[WORD:.*]] = arith.ori %{{.*}}, %[[NUMBER]] : i32
// CHECK:       %[[PUSH:.*]] = arith.ori %[[WORD]], %{{.*}} : i32
// CHECK:       aiex.npu.write32(%{{.*}}, %[[PUSH]])
// CHECK:       aiex.npu.sync

// Tasks in a loop whose bounds are known at run time only: the handle that the loop carries goes.
// CHECK-LABEL: aie.runtime_sequence @loop
// CHECK-NOT:   aiex.dma_
// CHECK:       scf.for
// CHECK:       aiex.npu.blockwrite
// CHECK:       aiex.npu.write32
// CHECK:       scf.yield
// CHECK:       aiex.npu.sync
// CHECK-NOT:   aiex.dma_

// Parameters.
// CHECK-LABEL: aie.runtime_sequence @parameter
// CHECK:       aiex.npu.write32(%{{.*}}, %[[V:.*]]) {column = 0 : i32, row = 2 : i32} : i32, i32

// What is no matter of transfers stays.
// CHECK-LABEL: aie.runtime_sequence @others
// CHECK-NEXT:  aiex.npu.create_scratchpad
// CHECK-NEXT:  aiex.npu.preempt
// CHECK-NEXT:  aiex.core_reset
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  %p = aie.buffer(%core) {address = 1024 : i32, sym_name = "p"} : memref<4xi32>
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence @sizes(%x: memref<4096xi32>, %n: i64) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][2, 4, %n, 32][2048, 256, 64, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi32>
  }
  aie.runtime_sequence @run(%x: memref<4096xi32>, %n: i64) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, %n, 32][0, 0, 32, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi32>
  }
  aie.runtime_sequence @offset(%x: memref<4096xi32>, %o: i64) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, %o][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi32>
  }
  aie.runtime_sequence @task(%x: memref<1024xi32>) {
    %bd = aiex.dma_bd_pool_pop(0, 0) : i32
    %t = aiex.dma_configure_task(%shim, MM2S, 0) bd_id %bd : i32 {
      aie.dma_bd(%x : memref<1024xi32> offset = 0 len = 256)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t)
    aiex.dma_await_task(%t)
    aiex.dma_bd_pool_push(0, 0) bd_id %bd : i32
  }
  aie.runtime_sequence @loop(%x: memref<1024xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<1024xi32> offset = 0 len = 256) {bd_id = 1 : i32}
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%first)
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (index) {
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<1024xi32> offset = 0 len = 256) {bd_id = 2 : i32}
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      aiex.dma_free_task(%before)
      scf.yield %t : index
    }
    aiex.dma_await_task(%last)
  }
  aie.runtime_sequence @parameter(%v: i32) {
    aiex.npu.rtp_write(@p, 1, %v) : i32
  }
  aie.runtime_sequence @others() {
    aiex.npu.create_scratchpad {size = 4 : ui32}
    aiex.npu.preempt {level = 1 : ui8}
    aiex.core_reset(%core)
  }
}
