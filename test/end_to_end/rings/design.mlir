// Objects that lie in one buffer of a mem tile, which BDs go around (iterate_bds): a forward, and a
// join of two cores whose parts come back as one object.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %a = aie.tile(0, 3)
    %b = aie.tile(0, 4)
    aie.objectfifo @in(%shim, {%mem}, 5 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @halves(%mem, {%a, %b}, [5, 2, 2]) {iterate_bds} : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo.link [@in] -> [@halves] ([] [])
    aie.objectfifo @from_a(%a, {%mem}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @from_b(%b, {%mem}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out(%mem, {%shim}, 3 : i32) {iterate_bds} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@from_a, @from_b] -> [@out] ([0, 8] [])
    aie.core(%a) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 3 : i32
      scf.for %n = %c0 to %forever step %c1 {
        %x = aie.objectfifo.acquire @halves(Consume, 1) : memref<8xi32>
        %y = aie.objectfifo.acquire @from_a(Produce, 1) : memref<8xi32>
        scf.for %i = %c0 to %c8 step %c1 {
          %v = memref.load %x[%i] : memref<8xi32>
          %w = arith.muli %v, %k : i32
          memref.store %w, %y[%i] : memref<8xi32>
        }
        aie.objectfifo.release @halves(Consume, 1)
        aie.objectfifo.release @from_a(Produce, 1)
      }
      aie.end
    }
    aie.core(%b) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant -1 : i32
      scf.for %n = %c0 to %forever step %c1 {
        %x = aie.objectfifo.acquire @halves(Consume, 1) : memref<8xi32>
        %y = aie.objectfifo.acquire @from_b(Produce, 1) : memref<8xi32>
        scf.for %i = %c0 to %c8 step %c1 {
          %v = memref.load %x[%i] : memref<8xi32>
          %w = arith.muli %v, %k : i32
          memref.store %w, %y[%i] : memref<8xi32>
        }
        aie.objectfifo.release @halves(Consume, 1)
        aie.objectfifo.release @from_b(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%src: memref<104xi32>, %dst: memref<208xi32>) {
      aiex.npu.dma_memcpy_nd(%src[0, 0, 0, 0][1, 1, 1, 104][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<104xi32>
      aiex.npu.dma_memcpy_nd(%dst[0, 0, 0, 0][1, 1, 1, 208][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<208xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
