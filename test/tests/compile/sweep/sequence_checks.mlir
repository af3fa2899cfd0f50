// Checks, clears and polls of sequences that the examples don't have.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %core = aie.tile(0, 2)
    %polled = aie.buffer(%core) {sym_name = "polled", address = 1024 : i32} : memref<4xi32>
    aie.objectfifo @in(%shim, {%mem}, 1 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%mem, {%shim}, 1 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.runtime_sequence @run(%a: memref<64xi32>, %b: memref<64xi32>) {
      %holds = arith.constant true
      aiex.npu.require(%holds) {message = "it holds"} : i1
      aiex.buffer_clear(%core, 64, 8)
      aiex.buffer_clear(%mem, 128, 4)
      %status = arith.constant 0x1df00 : i32
      %word = arith.constant 1 : i32
      %value = arith.constant 2 : i32
      %mask = arith.constant 3 : i32
      aiex.npu.maskpoll(%status, %value, %mask) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
      aiex.npu.maskpoll(%word, %value, %mask) {buffer = @polled} : i32, i32, i32
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
