// A sliding window whose passes depend on run-time conditions: how many objects are missing is
// known in the core only. A sum of two neighbours for each object but the last.
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
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      // 0 times, once, twice; each time with one pass more.
      scf.for %round = %c0 to %c3 step %c1 {
        scf.for %j = %c0 to %round step %c1 {
          %a, %b = aie.objectfifo.acquire @in(Consume, 2) : memref<8xi32>, memref<8xi32>
          %y = aie.objectfifo.acquire @out(Produce, 1) : memref<8xi32>
          scf.for %i = %c0 to %c8 step %c1 {
            %v = memref.load %a[%i] : memref<8xi32>
            %w = memref.load %b[%i] : memref<8xi32>
            %s = arith.addi %v, %w : i32
            memref.store %s, %y[%i] : memref<8xi32>
          }
          aie.objectfifo.release @in(Consume, 1)
          aie.objectfifo.release @out(Produce, 1)
        }
        %odd = arith.remui %round, %c2 : index
        %take = arith.cmpi eq, %odd, %c0 : index
        scf.if %take {
          %a, %b = aie.objectfifo.acquire @in(Consume, 2) : memref<8xi32>, memref<8xi32>
          %y = aie.objectfifo.acquire @out(Produce, 1) : memref<8xi32>
          scf.for %i = %c0 to %c8 step %c1 {
            %v = memref.load %a[%i] : memref<8xi32>
            %w = memref.load %b[%i] : memref<8xi32>
            %s = arith.addi %v, %w : i32
            memref.store %s, %y[%i] : memref<8xi32>
          }
          aie.objectfifo.release @in(Consume, 1)
          aie.objectfifo.release @out(Produce, 1)
        }
      }
      aie.end
    }
    aie.runtime_sequence(%x: memref<48xi32>, %y: memref<40xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 48][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<48xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 40][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<40xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
