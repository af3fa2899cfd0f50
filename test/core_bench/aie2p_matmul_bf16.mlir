// Kernel: AIE2P bf16 64×64×32 to f32
// Published: Peano 954
// Source: traced on Strix, of mlir-aie: aie_kernels/aie2p/mm.cc
// At most: 700 cycles
// Data: bf16 f32 matmul 64 64 32

module {
  aie.device(npu2) {
    func.func private @matmul_bf16_f32(memref<64x64xbf16>, memref<64x32xbf16>, memref<64x32xf32>) attributes {aie.bfp16_products}
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 2)

    aie.objectfifo @a(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<64x64xbf16>>
    aie.objectfifo @b(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<64x32xbf16>>
    aie.objectfifo @c(%worker, {%shim}, 1 : i32) : !aie.objectfifo<memref<64x32xf32>>

    %core = aie.core(%worker) {
      %a_object = aie.objectfifo.acquire @a(Consume, 1) : !aie.objectfifosubview<memref<64x64xbf16>>
      %a = aie.objectfifo.subview.access %a_object[0] : !aie.objectfifosubview<memref<64x64xbf16>> -> memref<64x64xbf16>
      %b_object = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<64x32xbf16>>
      %b = aie.objectfifo.subview.access %b_object[0] : !aie.objectfifosubview<memref<64x32xbf16>> -> memref<64x32xbf16>
      %c_object = aie.objectfifo.acquire @c(Produce, 1) : !aie.objectfifosubview<memref<64x32xf32>>
      %c = aie.objectfifo.subview.access %c_object[0] : !aie.objectfifosubview<memref<64x32xf32>> -> memref<64x32xf32>
      func.call @matmul_bf16_f32(%a, %b, %c) : (memref<64x64xbf16>, memref<64x32xbf16>, memref<64x32xf32>) -> ()
      aie.objectfifo.release @a(Consume, 1)
      aie.objectfifo.release @b(Consume, 1)
      aie.objectfifo.release @c(Produce, 1)
      aie.end
    } {stack_size = 8192 : i32}

    aie.runtime_sequence(%a: memref<4096xbf16>, %b: memref<2048xbf16>, %c: memref<2048xf32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4096][0, 0, 0, 1]) {id = 0 : i64, metadata = @a} : memref<4096xbf16>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 2048][0, 0, 0, 1]) {id = 1 : i64, metadata = @b} : memref<2048xbf16>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 2048][0, 0, 0, 1]) {id = 2 : i64, metadata = @c, issue_token = true} : memref<2048xf32>
      aiex.npu.dma_wait {symbol = @c}
    }
  }
}
