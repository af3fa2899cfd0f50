// A core waits for the answer before it has sent the question.
// VERDICT: deadlock lock-cycle
// MISTAKE: circular-fifos

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %ping = aie.tile(0, 2)
    %pong = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%ping}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @there(%ping, {%pong}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @back(%pong, {%ping}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%ping, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %ping_core = aie.core(%ping) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      %s0 = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %s3 = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %s1 = aie.objectfifo.acquire @back(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %s2 = aie.objectfifo.acquire @there(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @there(Produce, 1)
      aie.objectfifo.release @back(Consume, 1)
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    %pong_core = aie.core(%pong) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      %s0 = aie.objectfifo.acquire @there(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %s1 = aie.objectfifo.acquire @back(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @there(Consume, 1)
      aie.objectfifo.release @back(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
