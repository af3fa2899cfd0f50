// Each core waits for a word from the other before it sends one.
// VERDICT: deadlock circular-wait
// MISTAKE: stream-order

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %west = aie.tile(0, 3)
    %east = aie.tile(1, 3)
    aie.objectfifo @out(%east, {%shim}, 1 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.flow(%west, Core : 0, %east, Core : 0)
    aie.flow(%east, Core : 0, %west, Core : 0)
    %west_core = aie.core(%west) {
      %port = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %answer = aie.get_stream(%port : i32) : i32
      aie.put_stream(%port : i32, %one : i32)
      aie.end
    }
    %east_core = aie.core(%east) {
      %port = arith.constant 0 : i32
      %c0 = arith.constant 0 : index
      %s = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<4xi32>>
      %b = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<4xi32>> -> memref<4xi32>
      %v = aie.get_stream(%port : i32) : i32
      memref.store %v, %b[%c0] : memref<4xi32>
      aie.put_stream(%port : i32, %v : i32)
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<4xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<4xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
