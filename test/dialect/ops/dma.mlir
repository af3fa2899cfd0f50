// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// DMA programs, in the form of successors and in that of regions.

aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t02 = aie.tile(0, 2)
  %ext = aie.external_buffer : memref<64xi32>
  %far = aie.buffer(%t01) : memref<128xi16>
  %buf = aie.buffer(%t02) : memref<64xi32>
  %lk = aie.lock(%t02)
  %lk2 = aie.lock(%t02)
  %mlk = aie.lock(%t01)
  %mem = aie.mem(%t02) {
    %one = arith.constant 1 : i32
    %0 = aie.dma_start(S2MM, 0, ^bd0, ^next, repeat_count = 3)
  ^bd0:
    aie.use_lock(%lk, AcquireGreaterEqual, %one)
    aie.dma_bd(%buf : memref<64xi32> offset = 16 len = 16 sizes = [2, 4, 2] strides = [16, 4, 1]) {bd_id = 0 : i32, next_bd_id = 1 : i32}
    aie.use_lock(%lk2, Release, %one)
    aie.next_bd ^bd0
  ^next:
    %1 = aie.dma_start(MM2S, 1, ^bd1, ^end)
  ^bd1:
    aie.dma_bd_packet(2, 5)
    aie.dma_bd(%buf : memref<64xi32>) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>, iteration = #aie.bd_iteration<size = 4, stride = 64, current = 0>}
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %regions = aie.memtile_dma(%t01) {
    %one = arith.constant 1 : i32
    %x = aie.dma(MM2S, 0) {loop = false, repeat_count = 2 : i32, sym_name = "x"} [{
      aie.use_lock(%mlk, AcquireGreaterEqual, %one)
      aie.dma_bd(%far : memref<128xi16> offset = 0 len = 64 sizes = [2, 16] strides = [64, 1] pad [<const_pad_before = 0, const_pad_after = 0>, <const_pad_after = 2, const_pad_before = 2>])
      aie.use_lock(%mlk, Release, %one)
    }, {
      aie.use_lock(%mlk, AcquireGreaterEqual, %one)
      aie.dma_bd(%far : memref<128xi16>)
      aie.use_lock(%mlk, Release, %one)
      aie.end
    }]
    aie.end
  }
  %shim = aie.shim_dma(%t00) {
    %2 = aie.dma_start(MM2S, 0, ^bb1, ^bb2)
  ^bb1:
    aie.dma_bd(%ext : memref<64xi32> offset = 0 len = 64) {burst_length = 256 : i32}
    aie.next_bd ^bb2
  ^bb2:
    aie.end
  }
  aie.bd_chain @chain(%a: memref<64xi32>) {
    aie.dma_bd(%a : memref<64xi32> offset = 0 len = 8)
    aie.end
  }
  aie.objectfifo_rearm_binding @again channels(%t01, %t02 : index, index) locks(%lk : index) {channel_dirs = array<i32: 0, 1>, channel_indices = array<i32: 0, 1>, lock_inits = array<i32: 2>}
}

// CHECK:      module {
// CHECK-NEXT:   aie.device(npu2) {
// CHECK-NEXT:     %shim_noc_tile_0_0 = aie.tile(0, 0)
// CHECK-NEXT:     %mem_tile_0_1 = aie.tile(0, 1)
// CHECK-NEXT:     %tile_0_2 = aie.tile(0, 2)
// CHECK-NEXT:     %0 = aie.external_buffer : memref<64xi32>
// CHECK-NEXT:     %buffer_0_1 = aie.buffer(%mem_tile_0_1) : memref<128xi16>
// CHECK-NEXT:     %buffer_0_2 = aie.buffer(%tile_0_2) : memref<64xi32>
// CHECK-NEXT:     %lock_0_2 = aie.lock(%tile_0_2)
// CHECK-NEXT:     %lock_0_2_0 = aie.lock(%tile_0_2)
// CHECK-NEXT:     %lock_0_1 = aie.lock(%mem_tile_0_1)
// CHECK-NEXT:     %mem_0_2 = aie.mem(%tile_0_2) {
// CHECK-NEXT:       %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT:       %1 = aie.dma_start(S2MM, 0, ^bb1, ^bb2, repeat_count = 3)
// CHECK-NEXT:     ^bb1:  // 2 preds: ^bb0, ^bb1
// CHECK-NEXT:       aie.use_lock(%lock_0_2, AcquireGreaterEqual, %c1_i32)
// CHECK-NEXT:       aie.dma_bd(%buffer_0_2 : memref<64xi32> offset = 16 len = 16 sizes = [2, 4, 2] strides = [16, 4, 1]) {bd_id = 0 : i32, next_bd_id = 1 : i32}
// CHECK-NEXT:       aie.use_lock(%lock_0_2_0, Release, %c1_i32)
// CHECK-NEXT:       aie.next_bd ^bb1
// CHECK-NEXT:     ^bb2:  // pred: ^bb0
// CHECK-NEXT:       %2 = aie.dma_start(MM2S, 1, ^bb3, ^bb4)
// CHECK-NEXT:     ^bb3:  // pred: ^bb2
// CHECK-NEXT:       aie.dma_bd_packet(2, 5)
// CHECK-NEXT:       aie.dma_bd(%buffer_0_2 : memref<64xi32>) {iteration = #aie.bd_iteration<size = 4, stride = 64, current = 0>, packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
// CHECK-NEXT:       aie.next_bd ^bb4
// CHECK-NEXT:     ^bb4:  // 2 preds: ^bb2, ^bb3
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:     %memtile_dma_0_1 = aie.memtile_dma(%mem_tile_0_1) {
// CHECK-NEXT:       %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT:       %x = aie.dma(MM2S, 0) {loop = false, repeat_count = 2 : i32, sym_name = "x"} [{
// CHECK-NEXT:         aie.use_lock(%lock_0_1, AcquireGreaterEqual, %c1_i32)
// CHECK-NEXT:         aie.dma_bd(%buffer_0_1 : memref<128xi16> offset = 0 len = 64 sizes = [2, 16] strides = [64, 1] pad [<const_pad_before = 0, const_pad_after = 0>, <const_pad_before = 2, const_pad_after = 2>])
// CHECK-NEXT:         aie.use_lock(%lock_0_1, Release, %c1_i32)
// CHECK-NEXT:       }, {
// CHECK-NEXT:         aie.use_lock(%lock_0_1, AcquireGreaterEqual, %c1_i32)
// CHECK-NEXT:         aie.dma_bd(%buffer_0_1 : memref<128xi16>)
// CHECK-NEXT:         aie.use_lock(%lock_0_1, Release, %c1_i32)
// CHECK-NEXT:         aie.end
// CHECK-NEXT:       }]
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:     %shim_dma_0_0 = aie.shim_dma(%shim_noc_tile_0_0) {
// CHECK-NEXT:       %1 = aie.dma_start(MM2S, 0, ^bb1, ^bb2)
// CHECK-NEXT:     ^bb1:  // pred: ^bb0
// CHECK-NEXT:       aie.dma_bd(%0 : memref<64xi32> offset = 0 len = 64) {burst_length = 256 : i32}
// CHECK-NEXT:       aie.next_bd ^bb2
// CHECK-NEXT:     ^bb2:  // 2 preds: ^bb0, ^bb1
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:     aie.bd_chain @chain(%arg0: memref<64xi32>) {
// CHECK-NEXT:       aie.dma_bd(%arg0 : memref<64xi32> offset = 0 len = 8)
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:     aie.objectfifo_rearm_binding @again channels(%mem_tile_0_1, %tile_0_2 : index, index) locks(%lock_0_2 : index) {channel_dirs = array<i32: 0, 1>, channel_indices = array<i32: 0, 1>, lock_inits = array<i32: 2>}
// CHECK-NEXT:   }
// CHECK-NEXT: }
