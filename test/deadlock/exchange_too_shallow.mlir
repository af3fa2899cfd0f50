// Both cores send eight objects before they take any; the fifos hold four each.
// VERDICT: deadlock fifo-too-shallow
// MISTAKE: fifo-too-shallow

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %left = aie.tile(0, 2)
    %right = aie.tile(2, 4)
    aie.objectfifo @there(%left, {%right}, [2, 2]) : !aie.objectfifo<memref<256xi32>>
    aie.objectfifo @back(%right, {%left}, [2, 2]) : !aie.objectfifo<memref<256xi32>>
    aie.objectfifo @out(%left, {%shim}, 1 : i32) : !aie.objectfifo<memref<256xi32>>
    %left_core = aie.core(%left) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %eight = arith.constant 8 : index
      scf.for %i = %c0 to %eight step %c1 {
        %s = aie.objectfifo.acquire @there(Produce, 1) : memref<256xi32>
        aie.objectfifo.release @there(Produce, 1)
      }
      scf.for %i = %c0 to %eight step %c1 {
        %s = aie.objectfifo.acquire @back(Consume, 1) : memref<256xi32>
        aie.objectfifo.release @back(Consume, 1)
      }
      %o = aie.objectfifo.acquire @out(Produce, 1) : memref<256xi32>
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    %right_core = aie.core(%right) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %eight = arith.constant 8 : index
      scf.for %i = %c0 to %eight step %c1 {
        %s = aie.objectfifo.acquire @back(Produce, 1) : memref<256xi32>
        aie.objectfifo.release @back(Produce, 1)
      }
      scf.for %i = %c0 to %eight step %c1 {
        %s = aie.objectfifo.acquire @there(Consume, 1) : memref<256xi32>
        aie.objectfifo.release @there(Consume, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%b: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
