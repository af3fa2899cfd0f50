// The same with pairs of objects, which the fifo holds.
// VERDICT: completed

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %one = aie.tile(0, 2)
    %two = aie.tile(1, 4)
    aie.objectfifo @in(%shim, {%one, %two}, 4 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @link(%one, {%two}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%two, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %one_core = aie.core(%one) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      scf.for %round = %c0 to %many step %c1 {
        %s0 = aie.objectfifo.acquire @in(Consume, 2) : !aie.objectfifosubview<memref<16xi32>>
        %s1 = aie.objectfifo.acquire @link(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @in(Consume, 2)
        aie.objectfifo.release @link(Produce, 1)
      }
      aie.end
    }
    %two_core = aie.core(%two) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      scf.for %round = %c0 to %many step %c1 {
        %s1 = aie.objectfifo.acquire @link(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %s0 = aie.objectfifo.acquire @in(Consume, 2) : !aie.objectfifosubview<memref<16xi32>>
        %b0 = aie.objectfifo.subview.access %s0[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        %s2 = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %b2 = aie.objectfifo.subview.access %s2[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        scf.for %i = %c0 to %c16 step %c1 {
          %v = memref.load %b0[%i] : memref<16xi32>
          memref.store %v, %b2[%i] : memref<16xi32>
        }
        aie.objectfifo.release @in(Consume, 2)
        aie.objectfifo.release @link(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
