// A mistake to learn from: each of two cores waits for the other before it sends anything.
// The simulation stops and says who waits for what.
// Devices: npu1, npu2, xcve2302, xcve2802, xcve3858
// Ends: deadlock

module {
  aie.device(xcve3858) {
    %shim = aie.tile(2, 0)
    %ping = aie.tile(2, 3)
    %pong = aie.tile(3, 3)

    aie.objectfifo @in(%shim, {%ping}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @there(%ping, {%pong}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @back(%pong, {%ping}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%ping, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>

    %ping_core = aie.core(%ping) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %s0 = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %in = aie.objectfifo.subview.access %s0[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      // the mistake: the answer is awaited before the question is sent
      %s1 = aie.objectfifo.acquire @back(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %back = aie.objectfifo.subview.access %s1[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %s2 = aie.objectfifo.acquire @there(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %there = aie.objectfifo.subview.access %s2[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %s3 = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %out = aie.objectfifo.subview.access %s3[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %c16 step %c1 {
        %question = memref.load %in[%i] : memref<16xi32>
        memref.store %question, %there[%i] : memref<16xi32>
        %answer = memref.load %back[%i] : memref<16xi32>
        memref.store %answer, %out[%i] : memref<16xi32>
      }
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @there(Produce, 1)
      aie.objectfifo.release @back(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }

    %pong_core = aie.core(%pong) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %s0 = aie.objectfifo.acquire @there(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %there = aie.objectfifo.subview.access %s0[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %s1 = aie.objectfifo.acquire @back(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %back = aie.objectfifo.subview.access %s1[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %c16 step %c1 {
        %question = memref.load %there[%i] : memref<16xi32>
        %answer = arith.addi %question, %question : i32
        memref.store %answer, %back[%i] : memref<16xi32>
      }
      aie.objectfifo.release @there(Consume, 1)
      aie.objectfifo.release @back(Produce, 1)
      aie.end
    }

    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
