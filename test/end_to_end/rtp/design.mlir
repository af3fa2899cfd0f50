// A core that waits for a lock, which the sequence sets after it has written the run-time
// parameters: what to multiply by and what to add.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %rtp = aie.buffer(%worker) {sym_name = "rtp"} : memref<2xi32>
    %ready = aie.lock(%worker, 15) {init = 0 : i32, sym_name = "ready"}
    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c16 = arith.constant 16 : index
      aie.use_lock(%ready, AcquireGreaterEqual, 1)
      %factor = memref.load %rtp[%c0] : memref<2xi32>
      %offset = memref.load %rtp[%c1] : memref<2xi32>
      scf.for %round = %c0 to %c2 step %c1 {
        %si = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        %so = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        scf.for %i = %c0 to %c16 step %c1 {
          %v = memref.load %x[%i] : memref<16xi32>
          %p = arith.muli %v, %factor : i32
          %s = arith.addi %p, %offset : i32
          memref.store %s, %y[%i] : memref<16xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aiex.runtime_sequence(%a: memref<32xi32>, %b: memref<32xi32>) {
      aiex.npu.rtp_write(@rtp, 0, 11)
      aiex.npu.rtp_write(@rtp, 1, -5)
      aiex.set_lock(%ready, 1)
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<32xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<32xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
