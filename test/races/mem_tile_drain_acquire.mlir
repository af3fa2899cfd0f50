// A mem tile takes in and gives out
// RACES: none
module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.flow(%shim, DMA : 0, %m, DMA : 0)
    aie.flow(%m, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @in(MM2S, 0, 0)
    aie.shim_dma_allocation @out(S2MM, 0, 0)
    %x = aie.buffer(%m) {sym_name = "x"} : memref<16xi32>
    %free = aie.lock(%m, 0) {init = 1 : i32, sym_name = "free"}
    %full = aie.lock(%m, 1) {init = 0 : i32, sym_name = "full"}
    %mem = aie.memtile_dma(%m) {
      %0 = aie.dma_start(S2MM, 0, ^fill, ^next)
    ^fill:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32>, 0, 16)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^fill
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^drain, ^end)
    ^drain:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32>, 0, 16)
      aie.use_lock(%free, Release, 1)
      aie.next_bd ^drain
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
