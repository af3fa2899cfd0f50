// The sender puts two, the receiver gets three.
// VERDICT: deadlock cascade
// MISTAKE: cascade-count

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %west = aie.tile(0, 3)
    %east = aie.tile(1, 3)
    aie.objectfifo @in(%shim, {%west}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%east, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.cascade_flow(%west, %east)
    %west_core = aie.core(%west) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      %s0 = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %b0 = aie.objectfifo.subview.access %s0[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %v = vector.load %b0[%c0] : memref<16xi32>, vector<16xi32>
      aie.put_cascade(%v : vector<16xi32>)
      aie.put_cascade(%v : vector<16xi32>)
      aie.objectfifo.release @in(Consume, 1)
      aie.end
    }
    %east_core = aie.core(%east) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %many = arith.constant 1000000 : index
      %s1 = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %b1 = aie.objectfifo.subview.access %s1[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %v0 = aie.get_cascade() : vector<16xi32>
      %v1 = aie.get_cascade() : vector<16xi32>
      %v2 = aie.get_cascade() : vector<16xi32>
      vector.store %v2, %b1[%c0] : memref<16xi32>, vector<16xi32>
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
