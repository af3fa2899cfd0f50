// Early-2025 form: buffers and locks declared inside the DMA program, offsets as constants, symbols
// of memref.globals, no token asked of the S2MM transfer that is waited for.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1_4col) {
    memref.global "public" @in : memref<16xi32>
    memref.global "public" @out : memref<16xi32>
    %tile_0_0 = aie.tile(0, 0)
    %tile_0_1 = aie.tile(0, 1)
    aie.flow(%tile_0_0, DMA : 0, %tile_0_1, DMA : 0)
    aie.flow(%tile_0_1, DMA : 1, %tile_0_0, DMA : 0)
    aie.shim_dma_allocation @in(MM2S, 0, 0)
    aiex.runtime_sequence(%arg0: memref<64xi32>, %arg1: memref<32xi32>, %arg2: memref<64xi32>) {
      %c0_i64 = arith.constant 0 : i64
      %c1_i64 = arith.constant 1 : i64
      %c32_i64 = arith.constant 32 : i64
      aiex.npu.dma_memcpy_nd(0, 0, %arg0[%c0_i64, %c0_i64, %c0_i64, %c32_i64] [%c1_i64, %c1_i64, %c1_i64, %c32_i64] [%c0_i64, %c0_i64, %c0_i64, %c1_i64]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(0, 0, %arg2[0, 0, 0, 16][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
    %memtile_dma_0_1 = aie.memtile_dma(%tile_0_1) {
      %b0 = aie.buffer(%tile_0_1) {sym_name = "b0"} : memref<16xi32>
      %b1 = aie.buffer(%tile_0_1) {sym_name = "b1"} : memref<16xi32>
      %free = aie.lock(%tile_0_1, 0) {init = 2 : i32, sym_name = "free"}
      %full = aie.lock(%tile_0_1, 1) {init = 0 : i32, sym_name = "full"}
      %0 = aie.dma_start(S2MM, 0, ^bb1, ^bb3)
    ^bb1:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%b0 : memref<16xi32>, 0, 16)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^bb2
    ^bb2:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%b1 : memref<16xi32>, 0, 16)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^bb1
    ^bb3:
      %1 = aie.dma_start(MM2S, 1, ^bb4, ^bb6)
    ^bb4:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%b0 : memref<16xi32>, 0, 16, [<size = 4, stride = 1>, <size = 4, stride = 4>])
      aie.use_lock(%free, Release, 1)
      aie.next_bd ^bb5
    ^bb5:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%b1 : memref<16xi32>, 0, 16)
      aie.use_lock(%free, Release, 1)
      aie.next_bd ^bb4
    ^bb6:
      aie.end
    }
    aie.shim_dma_allocation @out(S2MM, 0, 0)
  }
}
