// The core that releases does so once and ends; the other one wants it twice.
// VERDICT: deadlock never-released-lock
// MISTAKE: lock-releaser-ended

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %low = aie.tile(0, 2)
    %high = aie.tile(0, 3)
    %p = aie.lock(%low, 4) {init = 0 : i32, sym_name = "p"}
    %q = aie.lock(%low, 5) {init = 0 : i32, sym_name = "q"}
    aie.objectfifo @in(%shim, {%low}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%low, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %low_core = aie.core(%low) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      %s0 = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %b0 = aie.objectfifo.subview.access %s0[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %s1 = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %b1 = aie.objectfifo.subview.access %s1[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %c16 step %c1 {
        %v = memref.load %b0[%i] : memref<16xi32>
        memref.store %v, %b1[%i] : memref<16xi32>
      }
      aie.use_lock(%p, AcquireGreaterEqual, 1)
      aie.use_lock(%p, AcquireGreaterEqual, 1)
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    %high_core = aie.core(%high) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      aie.use_lock(%p, Release, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
