// A 16 x 16 matrix is transposed by the address generator of a mem tile's DMA.
// Devices: npu1, npu1_3col, npu2, xcve2302, xcve2802, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(2, 0)
    %mem = aie.tile(2, 1)

    // written row by row, read column by column
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16x16xi32>>
    aie.objectfifo @out(%mem dimensionsToStream [<size = 16, stride = 1>, <size = 16, stride = 16>], {%shim}, 2 : i32) : !aie.objectfifo<memref<16x16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])

    aie.runtime_sequence(%a: memref<16x16xi32>, %b: memref<16x16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16x16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<16x16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
