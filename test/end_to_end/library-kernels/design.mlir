// The built-in kernels of one core: a product of blocked matrices, then scaled, rectified, summed.
// Devices: npu1, xcve2802

module {
  aie.device(npu1) {
    func.func private @zero_i16(memref<16x16xi16>)
    func.func private @matmul_i16_i16(memref<16x16xi16>, memref<16x16xi16>, memref<16x16xi16>)
    func.func private @vector_scalar_mul_vector(memref<16x16xi16>, memref<16x16xi16>, memref<1xi32>, i32)
    func.func private @relu(memref<16x16xi16>, memref<16x16xi16>)
    func.func private @passThroughTile(memref<16x16xi16>, memref<16x16xi16>, i32, i32)
    func.func private @reduce_max_vector(memref<16x16xi16>, memref<1xi16>, i32)

    %shim = aie.tile(2, 0)
    %worker = aie.tile(2, 3)
    %factor = aie.buffer(%worker) {sym_name = "factor"} : memref<1xi32> = dense<-3>
    %work = aie.buffer(%worker) {sym_name = "work"} : memref<16x16xi16>
    %scaled = aie.buffer(%worker) {sym_name = "scaled"} : memref<16x16xi16>

    aie.objectfifo @a(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<16x16xi16>>
    aie.objectfifo @b(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<16x16xi16>>
    aie.objectfifo @c(%worker, {%shim}, 1 : i32) : !aie.objectfifo<memref<16x16xi16>>

    %core = aie.core(%worker) {
      %n16 = arith.constant 16 : i32
      %n256 = arith.constant 256 : i32
      %a = aie.objectfifo.acquire @a(Consume, 1) : !aie.objectfifosubview<memref<16x16xi16>>
      %ma = aie.objectfifo.subview.access %a[0] : !aie.objectfifosubview<memref<16x16xi16>> -> memref<16x16xi16>
      %b = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<16x16xi16>>
      %mb = aie.objectfifo.subview.access %b[0] : !aie.objectfifosubview<memref<16x16xi16>> -> memref<16x16xi16>
      func.call @zero_i16(%work) : (memref<16x16xi16>) -> ()
      func.call @matmul_i16_i16(%ma, %mb, %work) : (memref<16x16xi16>, memref<16x16xi16>, memref<16x16xi16>) -> ()
      aie.objectfifo.release @a(Consume, 1)
      aie.objectfifo.release @b(Consume, 1)
      func.call @vector_scalar_mul_vector(%work, %scaled, %factor, %n256) : (memref<16x16xi16>, memref<16x16xi16>, memref<1xi32>, i32) -> ()
      func.call @relu(%scaled, %work) : (memref<16x16xi16>, memref<16x16xi16>) -> ()
      %c = aie.objectfifo.acquire @c(Produce, 1) : !aie.objectfifosubview<memref<16x16xi16>>
      %mc = aie.objectfifo.subview.access %c[0] : !aie.objectfifosubview<memref<16x16xi16>> -> memref<16x16xi16>
      func.call @passThroughTile(%work, %mc, %n16, %n16) : (memref<16x16xi16>, memref<16x16xi16>, i32, i32) -> ()
      %largest = memref.reinterpret_cast %mc to offset: [0], sizes: [1], strides: [1] : memref<16x16xi16> to memref<1xi16>
      func.call @reduce_max_vector(%work, %largest, %n256) : (memref<16x16xi16>, memref<1xi16>, i32) -> ()
      aie.objectfifo.release @c(Produce, 1)
      aie.end
    }

    aie.runtime_sequence(%a: memref<256xi16>, %b: memref<256xi16>, %c: memref<256xi16>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @a} : memref<256xi16>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @b} : memref<256xi16>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 2 : i64, metadata = @c, issue_token = true} : memref<256xi16>
      aiex.npu.dma_wait {symbol = @c}
    }
  }
}
