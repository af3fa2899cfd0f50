// Kernel: AIE2P mul 4,096 × i32
// Published: roof 1,356 (as the scaled vector)
// Source: mlir-aie: programming_guide/section-4/section-4c
// At most: 1627 cycles
// Data: i32 mul

module {
  aie.device(npu2) {
    func.func private @eltwise_mul_i32(memref<4096xi32>, memref<4096xi32>, memref<4096xi32>)
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 2)

    aie.objectfifo @x(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<4096xi32>>
    aie.objectfifo @y(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<4096xi32>>
    aie.objectfifo @z(%worker, {%shim}, 1 : i32) : !aie.objectfifo<memref<4096xi32>>

    %core = aie.core(%worker) {
      %x_object = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<4096xi32>>
      %x = aie.objectfifo.subview.access %x_object[0] : !aie.objectfifosubview<memref<4096xi32>> -> memref<4096xi32>
      %y_object = aie.objectfifo.acquire @y(Consume, 1) : !aie.objectfifosubview<memref<4096xi32>>
      %y = aie.objectfifo.subview.access %y_object[0] : !aie.objectfifosubview<memref<4096xi32>> -> memref<4096xi32>
      %z_object = aie.objectfifo.acquire @z(Produce, 1) : !aie.objectfifosubview<memref<4096xi32>>
      %z = aie.objectfifo.subview.access %z_object[0] : !aie.objectfifosubview<memref<4096xi32>> -> memref<4096xi32>
      func.call @eltwise_mul_i32(%x, %y, %z) : (memref<4096xi32>, memref<4096xi32>, memref<4096xi32>) -> ()
      aie.objectfifo.release @x(Consume, 1)
      aie.objectfifo.release @y(Consume, 1)
      aie.objectfifo.release @z(Produce, 1)
      aie.end
    }

    aie.runtime_sequence(%x: memref<4096xi32>, %y: memref<4096xi32>, %z: memref<4096xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4096][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<4096xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 4096][0, 0, 0, 1]) {id = 1 : i64, metadata = @y} : memref<4096xi32>
      aiex.npu.dma_memcpy_nd(%z[0, 0, 0, 0][1, 1, 1, 4096][0, 0, 0, 1]) {id = 2 : i64, metadata = @z, issue_token = true} : memref<4096xi32>
      aiex.npu.dma_wait {symbol = @z}
    }
  }
}
