// Transfers that differ in nothing but the host offset, with one BD id again and again; strides,
// an outer repeat, and offsets in more than one dimension.
// Devices: npu1, npu2, xcve2302, xcve3858

module {
  aie.device(xcve3858) {
    %shim = aie.tile(2, 0)
    %mem = aie.tile(2, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.runtime_sequence(%a: memref<8x16xi32>, %b: memref<192xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 2, 0][1, 1, 1, 16][0, 0, 16, 1]) {id = 0 : i64, metadata = @in} : memref<8x16xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 16][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 5, 0][1, 1, 1, 16][0, 0, 16, 1]) {id = 0 : i64, metadata = @in} : memref<8x16xi32>
      aiex.npu.dma_wait {symbol = @out}
      // a block of 4 x 8 from row 1, column 4
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 32][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 1, 4][1, 1, 4, 8][0, 0, 16, 1]) {id = 0 : i64, metadata = @in} : memref<8x16xi32>
      aiex.npu.dma_wait {symbol = @out}
      // row 7 twice, then by an outer dimension rows 0, 2, 4
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 64][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 7, 0][2, 1, 1, 16][0, 0, 16, 1]) {id = 2 : i64, metadata = @in} : memref<8x16xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 96][1, 1, 1, 48][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][3, 1, 1, 16][32, 0, 0, 1]) {id = 3 : i64, metadata = @in} : memref<8x16xi32>
      aiex.npu.dma_wait {symbol = @out}
      // two transfers that wait in the queue of one channel
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 144][1, 1, 1, 48][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 6, 0][1, 1, 1, 16][0, 0, 16, 1]) {id = 4 : i64, metadata = @in} : memref<8x16xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 3, 0][1, 1, 1, 16][0, 0, 16, 1]) {id = 5 : i64, metadata = @in} : memref<8x16xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 16, 1]) {id = 6 : i64, metadata = @in} : memref<8x16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
