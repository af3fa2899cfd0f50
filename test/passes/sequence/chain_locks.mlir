// A chain takes buffers and locks. Each start is a task of its own: the allocation of locks and BDs, the router's look
// for waits and the check of lock counts see what the two starts acquire and release.
// RUN: aiec opt --aie-materialize-bd-chains %s | FileCheck %s
// RUN: aiec sim %s --dump arg:0 2>&1 | FileCheck %s --check-prefix=DONE --implicit-check-not=warning

// CHECK-NOT:   aie.bd_chain
// CHECK:       aiex.dma_configure_task(%{{.*}}, MM2S, 0) {
// CHECK-NEXT:    %{{.*}} = arith.constant 1 : i32
// CHECK-NEXT:    aie.use_lock(%full, AcquireGreaterEqual, %{{.*}})
// CHECK-NEXT:    aie.dma_bd(%buf : memref<4xi32> offset = 0 len = 4)
// CHECK-NEXT:    aie.use_lock(%empty, Release, %{{.*}})
// CHECK:       aie.use_lock(%full_b, AcquireGreaterEqual, %{{.*}})
// CHECK-NEXT:  aie.dma_bd(%other : memref<4xi32> offset = 0 len = 4)

// DONE: completed
// DONE: | 11 11 11 11
// DONE: | 22 22 22 22
module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 2)
    %full = aie.lock(%tile) {init = 0 : i32, sym_name = "full"}
    %empty = aie.lock(%tile) {init = 1 : i32, sym_name = "empty"}
    %full_b = aie.lock(%tile) {init = 0 : i32, sym_name = "full_b"}
    %empty_b = aie.lock(%tile) {init = 1 : i32, sym_name = "empty_b"}
    %buf = aie.buffer(%tile) {sym_name = "buf"} : memref<4xi32>
    %other = aie.buffer(%tile) {sym_name = "other"} : memref<4xi32>
    aie.flow(%tile, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    %core = aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %one = arith.constant 1 : i32
      %a = arith.constant 11 : i32
      %b = arith.constant 22 : i32
      aie.use_lock(%empty, AcquireGreaterEqual, %one)
      scf.for %i = %c0 to %c4 step %c1 {
        memref.store %a, %buf[%i] : memref<4xi32>
      }
      aie.use_lock(%full, Release, %one)
      aie.use_lock(%empty_b, AcquireGreaterEqual, %one)
      scf.for %i = %c0 to %c4 step %c1 {
        memref.store %b, %other[%i] : memref<4xi32>
      }
      aie.use_lock(%full_b, Release, %one)
      aie.end
    }
    aie.bd_chain @drain(%from: memref<4xi32>, %get: index, %give: index) {
      %one = arith.constant 1 : i32
      aie.use_lock(%get, AcquireGreaterEqual, %one)
      aie.dma_bd(%from : memref<4xi32> offset = 0 len = 4)
      aie.use_lock(%give, Release, %one)
      aie.end
    }
    aie.runtime_sequence(%to: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%to[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<8xi32>
      %a = aiex.dma_start_bd_chain @drain(%buf, %full, %empty) : (memref<4xi32>, index, index) on (%tile, MM2S, 0)
      %b = aiex.dma_start_bd_chain @drain(%other, %full_b, %empty_b) : (memref<4xi32>, index, index) on (%tile, MM2S, 0)
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
