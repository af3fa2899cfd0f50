// A pattern of a mem tile over halves of words whose dimensions have one step each: the length alone says how much is
// sent, in the order of memory.
// Devices: npu1, npu2, xcve2302, xcve3858

module {
  aie.device(npu2) {
    %shim = aie.tile(2, 0)
    %mem = aie.tile(2, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi16>>
    aie.objectfifo @out(%mem dimensionsToStream [<size = 1, stride = 2>, <size = 1, stride = 1>], {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi16>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.runtime_sequence(%a: memref<64xi16>, %b: memref<64xi16>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<64xi16>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @in} : memref<64xi16>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
