// Names of mid-2023: dmaStart, dmaBd with its buffer in brackets, useLock, nextBd, memTileDMA; branches that end BDs.
// RUN: aiec opt %s 2>&1 | FileCheck %s

// CHECK: spellings of early 2024 or before
// CHECK: aie.mem(%tile_0_2) {
// CHECK:   aie.dma_start(MM2S, 0, ^bb1, ^bb2)
// CHECK:   aie.use_lock(%lock_0_2, AcquireGreaterEqual, %c1_i32)
// CHECK:   aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
// CHECK:   aie.next_bd ^bb2
// CHECK: aie.memtile_dma(%mem_tile_0_1) {
// CHECK:   aie.dma_bd(%b1 : memref<64xi32> offset = 0 len = 64 sizes = [4, 16] strides = [16, 1])
// CHECK:   aie.next_bd ^bb2
// CHECK: aie.objectfifo @of(%mem_tile_0_1, {%tile_0_2}, 2 : i32)
module {
  AIE.device(ipu) {
    %t01 = AIE.tile(0, 1)
    %t02 = AIE.tile(0, 2)
    %l0 = AIE.lock(%t02, 0) {init = 1 : i32}
    %b = AIE.buffer(%t02) {sym_name = "b"} : memref<64xi32>
    %b1 = AIE.buffer(%t01) {sym_name = "b1"} : memref<64xi32>
    %m = AIE.mem(%t02) {
      %0 = AIE.dmaStart(MM2S, 0, ^a, ^e)
    ^a:
      AIE.useLock(%l0, AcquireGreaterEqual, 1)
      AIE.dmaBd(<%b : memref<64xi32>, 0, 64>, 0)
      AIE.useLock(%l0, Release, 1)
      AIE.nextBd ^e
    ^e:
      AIE.end
    }
    %mt = AIE.memTileDMA(%t01) {
      %0 = AIE.dmaStart(MM2S, 0, ^a, ^e)
    ^a:
      AIE.dmaBd(<%b1 : memref<64xi32>, 0, 64>, 0, [<4, 16>, <16, 1>])
      br ^e
    ^e:
      AIE.end
    }
    AIE.objectFifo @of(%t01, %t02, 2) : !AIE.objectFifo<memref<16xi32>>
  }
}
