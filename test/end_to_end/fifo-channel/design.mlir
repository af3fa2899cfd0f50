// Shim allocations with the names of fifos, as older text has them, say which channels the fifos' ends have.
// Devices: npu1, npu2

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %core = aie.tile(0, 2)
    aie.shim_dma_allocation @in(%shim, MM2S, 1)
    aie.objectfifo @in(%shim, {%core}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out(%core, {%shim}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.shim_dma_allocation @out(%shim, S2MM, 1)
    aie.core(%core) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %three = arith.constant 3 : i32
      scf.for %n = %c0 to %c2 step %c1 {
        %i = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<8xi32>>
        %a = aie.objectfifo.subview.access %i[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        %o = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
        %b = aie.objectfifo.subview.access %o[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        scf.for %k = %c0 to %c8 step %c1 {
          %x = memref.load %a[%k] : memref<8xi32>
          %y = arith.muli %x, %three : i32
          memref.store %y, %b[%k] : memref<8xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
