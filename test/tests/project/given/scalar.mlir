// A sequence that takes a number: sequences.md's commands compile it for some values.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out]([] [0])
    aie.runtime_sequence(%a: memref<256xi32>, %b: memref<256xi32>, %n: i32) {
      %rows = arith.extsi %n : i32 to i64
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, %rows, 16][0, 0, 16, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, %rows, 16][0, 0, 16, 1]) {id = 1 : i64, issue_token = true, metadata = @out} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
