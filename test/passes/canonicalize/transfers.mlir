// RUN: aiec opt --canonicalize %s | FileCheck %s
// Contiguous transfers become linear, others stay; rings of equal blocks become short; waits for
// nothing go.

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<16xi32>
    %l = aie.lock(%t, 0) {sym_name = "l"}
    aie.shim_dma_allocation @a(%shim, MM2S, 0)
    // CHECK:      aie.dma_start(MM2S, 0, ^bb1, ^bb3)
    // CHECK-NEXT: ^bb1: // 2 preds: ^bb0, ^bb2
    // CHECK-NEXT: aie.use_lock(%l, Acquire, %c1_i32)
    // CHECK-NEXT: aie.dma_bd(%b : memref<16xi32> offset = 0 len = 8)
    // CHECK-NEXT: aie.next_bd ^bb2
    // CHECK-NEXT: ^bb2: // pred: ^bb1
    // CHECK-NEXT: aie.dma_bd(%b : memref<16xi32> offset = 8 len = 8)
    // CHECK-NEXT: aie.next_bd ^bb1
    // CHECK-NEXT: ^bb3: // pred: ^bb0
    // CHECK-NEXT: aie.end
    %m = aie.mem(%t) {
      %0 = aie.dma_start(MM2S, 0, ^a0, ^end)
    ^a0:
      %c1 = arith.constant 1 : i32
      aie.use_lock(%l, Acquire, %c1)
      aie.dma_bd(%b : memref<16xi32> offset = 0 len = 8)
      aie.next_bd ^b0
    ^b0:
      aie.dma_bd(%b : memref<16xi32> offset = 8 len = 8)
      aie.next_bd ^a1
    ^a1:
      %c1_1 = arith.constant 1 : i32
      aie.use_lock(%l, Acquire, %c1_1)
      aie.dma_bd(%b : memref<16xi32> offset = 0 len = 8)
      aie.next_bd ^b1
    ^b1:
      aie.dma_bd(%b : memref<16xi32> offset = 8 len = 8)
      aie.next_bd ^a0
    ^end:
      aie.end
    }
    // CHECK:      aie.core
    // CHECK-NOT:  AcquireGreaterEqual
    // CHECK:      aie.use_lock(%l, Release, %c0_i32)
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : i32
      aie.use_lock(%l, AcquireGreaterEqual, %c0)
      aie.use_lock(%l, Release, %c0)
      aie.end
    }
    // CHECK: aie.runtime_sequence
    aie.runtime_sequence(%x: memref<128x64xi32>) {
      // CHECK: aiex.npu.dma_memcpy_nd(%arg0[5, 0, 0, 4096][2, 1, 1, 4096][9, 0, 0, 1])
      aiex.npu.dma_memcpy_nd(%x[5, 0, 64, 0][2, 1, 64, 64][9, 7, 64, 1]) {id = 1 : i64, metadata = @a} : memref<128x64xi32>
      // CHECK: aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, 0][1, 1, 2, 4][0, 0, 3, 1])
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 2, 4][0, 0, 3, 1]) {id = 2 : i64, metadata = @a} : memref<128x64xi32>
      // CHECK: aie.dma_bd(%arg0 : memref<128x64xi32> offset = 0 len = 4096) {bd_id = 3 : i32}
      // CHECK: aie.dma_bd(%arg0 : memref<128x64xi32> offset = 0 len = 64 sizes = [64, 64] strides = [64, 1]) {bd_id = 4 : i32}
      %0 = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<128x64xi32> offset = 0 len = 4096 sizes = [64, 64] strides = [64, 1]) {bd_id = 3 : i32}
        aie.end
      }
      %1 = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<128x64xi32> offset = 0 len = 64 sizes = [64, 64] strides = [64, 1]) {bd_id = 4 : i32}
        aie.end
      }
    }
  }
}
