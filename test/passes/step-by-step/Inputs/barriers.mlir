aie.device(npu2) {
  memref.global "private" constant @more : memref<1200xi32> = dense<7>
  memref.global "private" constant @words : memref<1200xi32> = dense<9>
  aiex.cert.uc_dma_chain @first {
    aiex.cert.uc_dma_bd @more, 0, 1200, false
  }
  aiex.cert.uc_dma_chain @second {
    aiex.cert.uc_dma_bd @words, 0, 1200, false
  }
  aiex.cert.page {
    aiex.cert.job(1) {
      aiex.cert.uc_dma_write_des_sync(@first)
      aiex.cert.local_barrier(0, 2)
    }
    aiex.cert.job(2) {
      aiex.cert.local_barrier(0, 2)
      aiex.cert.uc_dma_write_des_sync(@second)
    }
  }
}
