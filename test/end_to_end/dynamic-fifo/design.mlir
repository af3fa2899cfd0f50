// The objects of a fifo chosen at run time: an odd number of rounds over an even depth, indexed
// dynamically instead of unrolled.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%worker}, 3 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %c8 = arith.constant 8 : index
      scf.for %round = %c0 to %c5 step %c1 {
        %si = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<8xi32>>
        %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        %so = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
        %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        %r = arith.index_cast %round : index to i32
        scf.for %i = %c0 to %c8 step %c1 {
          %v = memref.load %x[%i] : memref<8xi32>
          %s = arith.addi %v, %r : i32
          memref.store %s, %y[%i] : memref<8xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    } {dynamic_objfifo_lowering = true}
    aie.runtime_sequence(%a: memref<40xi32>, %b: memref<40xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 40][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<40xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 40][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<40xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
