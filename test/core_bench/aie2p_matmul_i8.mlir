// Kernel: AIE2P int8 128×64×64 to i32
// Published: by hand 1,067 issued
// Source: hipfire: gemm_core.rs
// At most: 1200 cycles
// Data: i8 i32 matmul 128 64 64

module {
  aie.device(npu2) {
    func.func private @matmul_i8_i32(memref<128x64xi8>, memref<64x64xi8>, memref<128x64xi32>)
    %shim = aie.tile(0, 0)
    // The result takes two banks, the factors one each.
    %worker = aie.tile(0, 2) {allocation_scheme = "whole-banks"}

    aie.objectfifo @a(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<128x64xi8>>
    aie.objectfifo @b(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<64x64xi8>>
    aie.objectfifo @c(%worker, {%shim}, 1 : i32) : !aie.objectfifo<memref<128x64xi32>>

    %core = aie.core(%worker) {
      %a_object = aie.objectfifo.acquire @a(Consume, 1) : !aie.objectfifosubview<memref<128x64xi8>>
      %a = aie.objectfifo.subview.access %a_object[0] : !aie.objectfifosubview<memref<128x64xi8>> -> memref<128x64xi8>
      %b_object = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<64x64xi8>>
      %b = aie.objectfifo.subview.access %b_object[0] : !aie.objectfifosubview<memref<64x64xi8>> -> memref<64x64xi8>
      %c_object = aie.objectfifo.acquire @c(Produce, 1) : !aie.objectfifosubview<memref<128x64xi32>>
      %c = aie.objectfifo.subview.access %c_object[0] : !aie.objectfifosubview<memref<128x64xi32>> -> memref<128x64xi32>
      func.call @matmul_i8_i32(%a, %b, %c) : (memref<128x64xi8>, memref<64x64xi8>, memref<128x64xi32>) -> ()
      aie.objectfifo.release @a(Consume, 1)
      aie.objectfifo.release @b(Consume, 1)
      aie.objectfifo.release @c(Produce, 1)
      aie.end
    }

    aie.runtime_sequence(%a: memref<8192xi8>, %b: memref<4096xi8>, %c: memref<8192xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 8192][0, 0, 0, 1]) {id = 0 : i64, metadata = @a} : memref<8192xi8>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 4096][0, 0, 0, 1]) {id = 1 : i64, metadata = @b} : memref<4096xi8>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 8192][0, 0, 0, 1]) {id = 2 : i64, metadata = @c, issue_token = true} : memref<8192xi32>
      aiex.npu.dma_wait {symbol = @c}
    }
  }
}
