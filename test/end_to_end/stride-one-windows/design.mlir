// Windows that move by one element, so that several strides are one: no run of elements, each is sent again.
// Then a pattern of a mem tile over halves of words that is the identity once its dimensions are merged.
// Devices: npu1, npu2, xcve2302, xcve3858

module {
  aie.device(xcve3858) {
    %shim = aie.tile(2, 0)
    %mem = aie.tile(2, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.objectfifo @halves(%shim, {%mem}, 1 : i32) : !aie.objectfifo<memref<1024xi16>>
    aie.objectfifo @same(%mem dimensionsToStream [<size = 32, stride = 32>, <size = 32, stride = 1>, <size = 1, stride = 32>, <size = 1, stride = 1>], {%shim}, 1 : i32) : !aie.objectfifo<memref<1024xi16>>
    aie.objectfifo.link [@halves] -> [@same] ([] [])
    aie.runtime_sequence(%a: memref<128xi32>, %b: memref<144xi32>, %h: memref<1024xi16>, %s: memref<1024xi16>) {
      // four windows of 16
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<144xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 3][1, 1, 4, 16][0, 0, 1, 1]) {id = 0 : i64, metadata = @in} : memref<128xi32>
      aiex.npu.dma_wait {symbol = @out}
      // windows of windows of windows
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 64][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<144xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 20][2, 2, 2, 2][1, 1, 1, 1]) {id = 2 : i64, metadata = @in} : memref<128xi32>
      aiex.npu.dma_wait {symbol = @out}
      // blocks of windows
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 80][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<144xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 40][1, 4, 2, 8][0, 2, 1, 1]) {id = 3 : i64, metadata = @in} : memref<128xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.npu.dma_memcpy_nd(%s[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 4 : i64, metadata = @same, issue_token = true} : memref<1024xi16>
      aiex.npu.dma_memcpy_nd(%h[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 5 : i64, metadata = @halves} : memref<1024xi16>
      aiex.npu.dma_wait {symbol = @same}
    }
  }
}
