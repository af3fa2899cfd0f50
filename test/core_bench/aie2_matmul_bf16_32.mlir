// Kernel: AIE2 bf16 32×32×32 to f32
// Published: by hand 282
// Source: scalable-analyses/xdna (Ryzen 7 8700G)
// At most: 330 cycles
// Data: bf16 f32 matmul 32 32 32

module {
  aie.device(npu1) {
    func.func private @matmul_bf16_f32(memref<32x32xbf16>, memref<32x32xbf16>, memref<32x32xf32>)
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 2)

    aie.objectfifo @a(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<32x32xbf16>>
    aie.objectfifo @b(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<32x32xbf16>>
    aie.objectfifo @c(%worker, {%shim}, 1 : i32) : !aie.objectfifo<memref<32x32xf32>>

    %core = aie.core(%worker) {
      %a_object = aie.objectfifo.acquire @a(Consume, 1) : !aie.objectfifosubview<memref<32x32xbf16>>
      %a = aie.objectfifo.subview.access %a_object[0] : !aie.objectfifosubview<memref<32x32xbf16>> -> memref<32x32xbf16>
      %b_object = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<32x32xbf16>>
      %b = aie.objectfifo.subview.access %b_object[0] : !aie.objectfifosubview<memref<32x32xbf16>> -> memref<32x32xbf16>
      %c_object = aie.objectfifo.acquire @c(Produce, 1) : !aie.objectfifosubview<memref<32x32xf32>>
      %c = aie.objectfifo.subview.access %c_object[0] : !aie.objectfifosubview<memref<32x32xf32>> -> memref<32x32xf32>
      func.call @matmul_bf16_f32(%a, %b, %c) : (memref<32x32xbf16>, memref<32x32xbf16>, memref<32x32xf32>) -> ()
      aie.objectfifo.release @a(Consume, 1)
      aie.objectfifo.release @b(Consume, 1)
      aie.objectfifo.release @c(Produce, 1)
      aie.end
    } {stack_size = 8192 : i32}

    aie.runtime_sequence(%a: memref<1024xbf16>, %b: memref<1024xbf16>, %c: memref<1024xf32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 0 : i64, metadata = @a} : memref<1024xbf16>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 1 : i64, metadata = @b} : memref<1024xbf16>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 2 : i64, metadata = @c, issue_token = true} : memref<1024xf32>
      aiex.npu.dma_wait {symbol = @c}
    }
  }
}
