// Kernel: AIE2 i16 64×64×32 to i32
// Published: 2,535
// Source: mlir-aie: programming_guide/section-4/section-4c
// At most: 2400 cycles
// Data: i16 i32 matmul 64 64 32

module {
  aie.device(npu1) {
    func.func private @matmul_i16_i32(memref<64x64xi16>, memref<64x32xi16>, memref<64x32xi32>)
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 2)

    aie.objectfifo @a(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<64x64xi16>>
    aie.objectfifo @b(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<64x32xi16>>
    aie.objectfifo @c(%worker, {%shim}, 1 : i32) : !aie.objectfifo<memref<64x32xi32>>

    %core = aie.core(%worker) {
      %a_object = aie.objectfifo.acquire @a(Consume, 1) : !aie.objectfifosubview<memref<64x64xi16>>
      %a = aie.objectfifo.subview.access %a_object[0] : !aie.objectfifosubview<memref<64x64xi16>> -> memref<64x64xi16>
      %b_object = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<64x32xi16>>
      %b = aie.objectfifo.subview.access %b_object[0] : !aie.objectfifosubview<memref<64x32xi16>> -> memref<64x32xi16>
      %c_object = aie.objectfifo.acquire @c(Produce, 1) : !aie.objectfifosubview<memref<64x32xi32>>
      %c = aie.objectfifo.subview.access %c_object[0] : !aie.objectfifosubview<memref<64x32xi32>> -> memref<64x32xi32>
      func.call @matmul_i16_i32(%a, %b, %c) : (memref<64x64xi16>, memref<64x32xi16>, memref<64x32xi32>) -> ()
      aie.objectfifo.release @a(Consume, 1)
      aie.objectfifo.release @b(Consume, 1)
      aie.objectfifo.release @c(Produce, 1)
      aie.end
    }

    aie.runtime_sequence(%a: memref<4096xi16>, %b: memref<2048xi16>, %c: memref<2048xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4096][0, 0, 0, 1]) {id = 0 : i64, metadata = @a} : memref<4096xi16>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 2048][0, 0, 0, 1]) {id = 1 : i64, metadata = @b} : memref<2048xi16>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 2048][0, 0, 0, 1]) {id = 2 : i64, metadata = @c, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_wait {symbol = @c}
    }
  }
}
