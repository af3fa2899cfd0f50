// A sliding window of three rows: each output row is the sum of a row and its neighbours; the first
// and the last row have one neighbour.
// Devices: npu1, npu2, xcve2302, xcve3858

module {
  aie.device(npu2) {
    %shim = aie.tile(2, 0)
    %worker = aie.tile(2, 3)
    aie.objectfifo @in(%shim, {%worker}, 4 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    func.func private @add(%x: memref<8xi32>, %y: memref<8xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        %a = memref.load %x[%i] : memref<8xi32>
        %b = memref.load %y[%i] : memref<8xi32>
        %s = arith.addi %a, %b : i32
        memref.store %s, %y[%i] : memref<8xi32>
      }
      return
    }
    func.func private @clear(%y: memref<8xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0 : i32
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %zero, %y[%i] : memref<8xi32>
      }
      return
    }
    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %s0 = aie.objectfifo.acquire @in(Consume, 2) : !aie.objectfifosubview<memref<8xi32>>
      %first = aie.objectfifo.subview.access %s0[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
      %second = aie.objectfifo.subview.access %s0[1] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
      %so = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
      %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
      func.call @clear(%y) : (memref<8xi32>) -> ()
      func.call @add(%first, %y) : (memref<8xi32>, memref<8xi32>) -> ()
      func.call @add(%second, %y) : (memref<8xi32>, memref<8xi32>) -> ()
      aie.objectfifo.release @out(Produce, 1)
      scf.for %row = %c0 to %c8 step %c1 {
        %s = aie.objectfifo.acquire @in(Consume, 3) : !aie.objectfifosubview<memref<8xi32>>
        %above = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        %here = aie.objectfifo.subview.access %s[1] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        %below = aie.objectfifo.subview.access %s[2] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        %sr = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
        %r = aie.objectfifo.subview.access %sr[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        func.call @clear(%r) : (memref<8xi32>) -> ()
        func.call @add(%above, %r) : (memref<8xi32>, memref<8xi32>) -> ()
        func.call @add(%here, %r) : (memref<8xi32>, memref<8xi32>) -> ()
        func.call @add(%below, %r) : (memref<8xi32>, memref<8xi32>) -> ()
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      %sl = aie.objectfifo.acquire @in(Consume, 2) : !aie.objectfifosubview<memref<8xi32>>
      %before = aie.objectfifo.subview.access %sl[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
      %last = aie.objectfifo.subview.access %sl[1] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
      %sz = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
      %z = aie.objectfifo.subview.access %sz[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
      func.call @clear(%z) : (memref<8xi32>) -> ()
      func.call @add(%before, %z) : (memref<8xi32>, memref<8xi32>) -> ()
      func.call @add(%last, %z) : (memref<8xi32>, memref<8xi32>) -> ()
      aie.objectfifo.release @in(Consume, 2)
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<10x8xi32>, %b: memref<10x8xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 10, 8][0, 0, 8, 1]) {id = 0 : i64, metadata = @in} : memref<10x8xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 10, 8][0, 0, 8, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<10x8xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
