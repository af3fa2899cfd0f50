// A buffer goes through a mem tile and comes back unchanged. No core takes part.
// Devices: npu1, npu1_3col, npu2, npu2_3col, xcve2302, xcve2802, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(2, 0)
    %mem = aie.tile(2, 1)

    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])

    aie.runtime_sequence(%a: memref<512xi32>, %b: memref<512xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<512xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
