// Buffers and fifos with initial contents: weights that a mem tile sends as often as asked, and a
// table in the core's own memory.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %worker = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @weights(%mem, {%worker}, 1 : i32) : !aie.objectfifo<memref<4xi32>> = [dense<[1, 10, 100, 1000]> : memref<4xi32>]
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
    %table = aie.buffer(%worker) {sym_name = "table"} : memref<2x2xi32> = dense<[[5, 6], [7, 8]]>
    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %sw = aie.objectfifo.acquire @weights(Consume, 1) : !aie.objectfifosubview<memref<4xi32>>
      %w = aie.objectfifo.subview.access %sw[0] : !aie.objectfifosubview<memref<4xi32>> -> memref<4xi32>
      scf.for %round = %c0 to %c4 step %c1 {
        %si = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<4xi32>>
        %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<4xi32>> -> memref<4xi32>
        %so = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<4xi32>>
        %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<4xi32>> -> memref<4xi32>
        scf.for %i = %c0 to %c4 step %c1 {
          %v = memref.load %x[%i] : memref<4xi32>
          %k = memref.load %w[%i] : memref<4xi32>
          %p = arith.muli %v, %k : i32
          %row = arith.divui %i, %c2 : index
          %column = arith.remui %i, %c2 : index
          %t = memref.load %table[%row, %column] : memref<2x2xi32>
          %s = arith.addi %p, %t : i32
          memref.store %s, %y[%i] : memref<4xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.objectfifo.release @weights(Consume, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
