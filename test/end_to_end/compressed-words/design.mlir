// A mem tile compresses what it passes on, from the second line on, and the host gets the compressed words: units of 8 words.
// Devices: npu1

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.runtime_sequence(%a: memref<256xi32>, %b: memref<136xi32>) {
      // Enable_Compression of DMA_BD0_4 to DMA_BD3_4, Compression_Enable of DMA_MM2S_0_Ctrl
      aiex.npu.maskwrite32 {address = 0xa0010 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 1 : i32}
      aiex.npu.maskwrite32 {address = 0xa0030 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 1 : i32}
      aiex.npu.maskwrite32 {address = 0xa0050 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 1 : i32}
      aiex.npu.maskwrite32 {address = 0xa0070 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 1 : i32}
      aiex.npu.maskwrite32 {address = 0xa0630 : ui32, value = 0x10 : ui32, mask = 0x10 : ui32, column = 0 : i32, row = 1 : i32}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 136][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<136xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
