// Two neighbours: the western core doubles a vector and hands it over the cascade, 16 numbers at
// a time; the eastern core adds its own input.
// Devices: npu1, npu2, xcve2302, xcve2802, xcve3858

module {
  aie.device(npu2) {
    %shim = aie.tile(2, 0)
    %west = aie.tile(2, 3)
    %east = aie.tile(3, 3)

    aie.objectfifo @x(%shim, {%west}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @y(%shim, {%east}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @z(%east, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.cascade_flow(%west, %east)

    %west_core = aie.core(%west) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %forever = arith.constant 9223372036854775807 : index
      %two = arith.constant dense<2> : vector<16xi32>
      scf.for %round = %c0 to %forever step %c1 {
        %s = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
        %x = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        scf.for %i = %c0 to %c64 step %c16 {
          %v = vector.load %x[%i] : memref<64xi32>, vector<16xi32>
          %doubled = arith.muli %v, %two : vector<16xi32>
          aie.put_cascade(%doubled : vector<16xi32>)
        }
        aie.objectfifo.release @x(Consume, 1)
      }
      aie.end
    }

    %east_core = aie.core(%east) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %round = %c0 to %forever step %c1 {
        %sy = aie.objectfifo.acquire @y(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
        %y = aie.objectfifo.subview.access %sy[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        %sz = aie.objectfifo.acquire @z(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
        %z = aie.objectfifo.subview.access %sz[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        scf.for %i = %c0 to %c64 step %c16 {
          %partial = aie.get_cascade() : vector<16xi32>
          %v = vector.load %y[%i] : memref<64xi32>, vector<16xi32>
          %sum = arith.addi %partial, %v : vector<16xi32>
          vector.store %sum, %z[%i] : memref<64xi32>, vector<16xi32>
        }
        aie.objectfifo.release @y(Consume, 1)
        aie.objectfifo.release @z(Produce, 1)
      }
      aie.end
    }

    aie.runtime_sequence(%x: memref<256xi32>, %y: memref<256xi32>, %z: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @y} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%z[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 2 : i64, metadata = @z, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @z}
    }
  }
}
