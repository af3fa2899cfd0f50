// Kernel: AIE2 scale 1,024 × i32, plain `scf.for`
// Published: scalar 12,297; vectors 1,490; pipelined 339
// Source: mlir-aie: programming_guide/section-4/section-4c
// At most: 339 cycles
// Data: i32 scale 3

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 2)

    aie.objectfifo @x(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<1024xi32>>
    aie.objectfifo @y(%worker, {%shim}, 1 : i32) : !aie.objectfifo<memref<1024xi32>>

    %core = aie.core(%worker) {
      %x_object = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<1024xi32>>
      %x = aie.objectfifo.subview.access %x_object[0] : !aie.objectfifosubview<memref<1024xi32>> -> memref<1024xi32>
      %y_object = aie.objectfifo.acquire @y(Produce, 1) : !aie.objectfifosubview<memref<1024xi32>>
      %y = aie.objectfifo.subview.access %y_object[0] : !aie.objectfifosubview<memref<1024xi32>> -> memref<1024xi32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %count = arith.constant 1024 : index
      %factor = arith.constant 3 : i32
      scf.for %i = %c0 to %count step %c1 {
        %value = memref.load %x[%i] : memref<1024xi32>
        %scaled = arith.muli %value, %factor : i32
        memref.store %scaled, %y[%i] : memref<1024xi32>
      }
      aie.objectfifo.release @x(Consume, 1)
      aie.objectfifo.release @y(Produce, 1)
      aie.end
    }

    aie.runtime_sequence(%x: memref<1024xi32>, %y: memref<1024xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<1024xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 1 : i64, metadata = @y, issue_token = true} : memref<1024xi32>
      aiex.npu.dma_wait {symbol = @y}
    }
  }
}
