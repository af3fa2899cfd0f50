// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Spellings of 2025 and of early 2026: they are read, and printed as today's.

module {
  aie.device(npu1_1col) {
    %t00 = aie.tile(0, 0)
    %t02 = aie.tile(0, 2)
    %lk = aie.lock(%t02, 0)
    %buf = aie.buffer(%t02) {sym_name = "rtp"} : memref<64xi32>
    aie.shim_dma_allocation @in(MM2S, 0, 0)
    %core = aie.core(%t02) {
      aie.use_lock(%lk, "Acquire")
      aie.use_lock(%lk, AcquireGreaterEqual, 2)
      aie.use_lock(%lk, Release, 1, NonBlocking)
      aie.end
    }
    %mem = aie.mem(%t02) {
      %0 = aie.dma_start("S2MM", 0, ^bd0, ^next)
    ^bd0:
      aie.use_lock(%lk, AcquireGreaterEqual, 1)
      aie.dma_bd(%buf : memref<64xi32>, 0, 32, [<size = 4, stride = 8>, <size = 8, stride = 1>]) {bd_id = 0 : i32}
      aie.use_lock(%lk, Release, 1)
      aie.next_bd ^bd0
    ^next:
      %1 = aie.dma_start("MM2S", 0, ^bd1, ^end)
    ^bd1:
      aie.dma_bd(%buf : memref<64xi32>) {offset = 16 : i32, len = 8 : i32}
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aiex.runtime_sequence @seq(%a: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(0, 0, %a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {metadata = @in, id = 0 : i64} : memref<64xi32>
      aiex.npu.write32 {address = 256 : ui32, value = 7 : ui32, column = 0 : i32, row = 2 : i32}
      aiex.npu.maskwrite32 {address = 256 : ui32, value = 7 : ui32, mask = 15 : ui32}
      aiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 0 : i32, channel = 0 : i32, column_num = 1 : i32, row_num = 1 : i32}
      aiex.npu.address_patch {addr = 119268 : ui32, arg_idx = 0 : i32, arg_plus = 16 : i32}
      aiex.npu.push_queue(0, 0, MM2S : 0) {issue_token = true, repeat_count = 2 : i32, bd_id = 3 : i32}
      aiex.npu.rtp_write(@rtp, 0, 50)
    }
  }
}

// CHECK:      module {
// CHECK-NEXT:   aie.device(npu1_1col) {
// CHECK-NEXT:     %shim_noc_tile_0_0 = aie.tile(0, 0)
// CHECK-NEXT:     %tile_0_2 = aie.tile(0, 2)
// CHECK-NEXT:     %lock_0_2 = aie.lock(%tile_0_2, 0)
// CHECK-NEXT:     %rtp = aie.buffer(%tile_0_2) {sym_name = "rtp"} : memref<64xi32>
// CHECK-NEXT:     aie.shim_dma_allocation @in(%shim_noc_tile_0_0, MM2S, 0)
// CHECK-NEXT:     %core_0_2 = aie.core(%tile_0_2) {
// CHECK-NEXT:       %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT:       %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT:       aie.use_lock(%lock_0_2, Acquire, %c1_i32)
// CHECK-NEXT:       aie.use_lock(%lock_0_2, AcquireGreaterEqual, %c2_i32)
// CHECK-NEXT:       aie.use_lock(%lock_0_2, Release, %c1_i32, NonBlocking)
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:     %mem_0_2 = aie.mem(%tile_0_2) {
// CHECK-NEXT:       %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT:       %0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
// CHECK-NEXT:     ^bb1:  // 2 preds: ^bb0, ^bb1
// CHECK-NEXT:       aie.use_lock(%lock_0_2, AcquireGreaterEqual, %c1_i32)
// CHECK-NEXT:       aie.dma_bd(%rtp : memref<64xi32> offset = 0 len = 32 sizes = [4, 8] strides = [8, 1]) {bd_id = 0 : i32}
// CHECK-NEXT:       aie.use_lock(%lock_0_2, Release, %c1_i32)
// CHECK-NEXT:       aie.next_bd ^bb1
// CHECK-NEXT:     ^bb2:  // pred: ^bb0
// CHECK-NEXT:       %1 = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
// CHECK-NEXT:     ^bb3:  // pred: ^bb2
// CHECK-NEXT:       aie.dma_bd(%rtp : memref<64xi32> offset = 16 len = 8)
// CHECK-NEXT:       aie.next_bd ^bb4
// CHECK-NEXT:     ^bb4:  // 2 preds: ^bb2, ^bb3
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:     aie.runtime_sequence @seq(%arg0: memref<64xi32>) {
// CHECK-NEXT:       %c256_i32 = arith.constant 256 : i32
// CHECK-NEXT:       %c7_i32 = arith.constant 7 : i32
// CHECK-NEXT:       %c15_i32 = arith.constant 15 : i32
// CHECK-NEXT:       %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT:       %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT:       %c16_i32 = arith.constant 16 : i32
// CHECK-NEXT:       %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT:       %c3_i32 = arith.constant 3 : i32
// CHECK-NEXT:       %c50_i32 = arith.constant 50 : i32
// CHECK-NEXT:       aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
// CHECK-NEXT:       aiex.npu.write32(%c256_i32, %c7_i32) {column = 0 : i32, row = 2 : i32} : i32, i32
// CHECK-NEXT:       aiex.npu.maskwrite32(%c256_i32, %c7_i32, %c15_i32) : i32, i32, i32
// CHECK-NEXT:       aiex.npu.sync(%c0_i32, %c0_i32, %c0_i32, %c0_i32, %c1_i32, %c1_i32) : i32, i32, i32, i32, i32, i32
// CHECK-NEXT:       aiex.npu.address_patch(%c16_i32 : i32) {addr = 119268 : ui32, arg_idx = 0 : i32}
// CHECK-NEXT:       aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %c3_i32 repeat %c2_i32 {issue_token = true} : i32, i32
// CHECK-NEXT:       aiex.npu.rtp_write(@rtp, 0, %c50_i32) : i32
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
