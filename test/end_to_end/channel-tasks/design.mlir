// Several tasks that a DMA program starts on one channel are done one after the other, each 256 times.
// Devices: npu1

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %core = aie.tile(0, 2)
    %words = aie.buffer(%core) : memref<8xi32> = dense<[1, 2, 3, 4, 5, 6, 7, 8]>
    aie.flow(%core, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    aie.mem(%core) {
      aie.dma_start(MM2S, 0, ^first, ^second, repeat_count = 255)
    ^first:
      aie.dma_bd(%words : memref<8xi32> offset = 4 len = 2)
      aie.next_bd ^end
    ^second:
      aie.dma_start(MM2S, 0, ^middle, ^third, repeat_count = 255)
    ^middle:
      aie.dma_bd(%words : memref<8xi32> offset = 0 len = 4)
      aie.next_bd ^end
    ^third:
      aie.dma_start(MM2S, 0, ^last, ^end, repeat_count = 255)
    ^last:
      aie.dma_bd(%words : memref<8xi32> offset = 6 len = 2)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<2048xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 2048][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
