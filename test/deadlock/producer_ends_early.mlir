// The core makes three objects, the transfer wants four.
// VERDICT: deadlock never-released-lock
// MISTAKE: producer-ended

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %work = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%work}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%work, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%work) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %rounds = arith.constant 3 : index
      scf.for %round = %c0 to %rounds step %c1 {
        %s0 = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %b0 = aie.objectfifo.subview.access %s0[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        %s1 = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %b1 = aie.objectfifo.subview.access %s1[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        scf.for %i = %c0 to %c16 step %c1 {
          %v = memref.load %b0[%i] : memref<16xi32>
          memref.store %v, %b1[%i] : memref<16xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
