// Many objects go the long way before the first goes the short way, on which the join waits.
// VERDICT: deadlock fifo-too-shallow
// MISTAKE: fifo-too-shallow

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %src = aie.tile(0, 2)
    %mid = aie.tile(1, 3)
    %dst = aie.tile(0, 4)
    aie.objectfifo @in(%shim, {%src}, 4 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @near(%src, {%dst}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @far(%src, {%mid}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @on(%mid, {%dst}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%dst, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %src_core = aie.core(%src) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      scf.for %round = %c0 to %many step %c1 {
        %s90 = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %turn = arith.constant 32 : index
        scf.for %j = %c0 to %turn step %c1 {
          %s1 = aie.objectfifo.acquire @far(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
          aie.objectfifo.release @far(Produce, 1)
        }
        scf.for %k = %c0 to %turn step %c1 {
          %s2 = aie.objectfifo.acquire @near(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
          aie.objectfifo.release @near(Produce, 1)
        }
        aie.objectfifo.release @in(Consume, 1)
      }
      aie.end
    }
    %mid_core = aie.core(%mid) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      scf.for %round = %c0 to %many step %c1 {
        %s0 = aie.objectfifo.acquire @far(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %b0 = aie.objectfifo.subview.access %s0[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        %s1 = aie.objectfifo.acquire @on(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %b1 = aie.objectfifo.subview.access %s1[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        scf.for %i = %c0 to %c16 step %c1 {
          %v = memref.load %b0[%i] : memref<16xi32>
          memref.store %v, %b1[%i] : memref<16xi32>
        }
        aie.objectfifo.release @far(Consume, 1)
        aie.objectfifo.release @on(Produce, 1)
      }
      aie.end
    }
    %dst_core = aie.core(%dst) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      scf.for %round = %c0 to %many step %c1 {
        %s0 = aie.objectfifo.acquire @near(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %s1 = aie.objectfifo.acquire @on(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %s2 = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @near(Consume, 1)
        aie.objectfifo.release @on(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<512xi32>, %b: memref<512xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<512xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
