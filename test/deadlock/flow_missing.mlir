// There is no flow back to the shim.
// VERDICT: deadlock unrouted-stream
// MISTAKE: flow-missing

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %low = aie.tile(0, 2)
    %buf = aie.buffer(%low) {sym_name = "buf"} : memref<64xi32>
    %full = aie.lock(%low, 1) {init = 0 : i32, sym_name = "full"}
    aie.flow(%shim, DMA : 0, %low, DMA : 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    %low_dma = aie.mem(%low) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^send)
    ^in:
      aie.dma_bd(%buf : memref<64xi32>, 0, 64)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^end
    ^send:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%buf : memref<64xi32>, 0, 64)
      aie.next_bd ^end
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
