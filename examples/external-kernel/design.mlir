// One core calls a function that it only declares, 64 numbers at a time.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu2) {
    // Three bodies are ready for it: the built-in kernel of that name, the one in kernels.mlir
    // (--link) and the one in kernels.c (--kernel).
    func.func private @vector_scalar_mul_scalar(memref<64xi32>, memref<64xi32>, memref<1xi32>, i32)

    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 3)
    %factor = aie.buffer(%worker) {sym_name = "factor"} : memref<1xi32> = dense<7>

    aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>

    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %count = arith.constant 64 : i32
      %forever = arith.constant 9223372036854775807 : index
      scf.for %round = %c0 to %forever step %c1 {
        %in = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
        %x = aie.objectfifo.subview.access %in[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        %out = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
        %y = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        func.call @vector_scalar_mul_scalar(%x, %y, %factor, %count) : (memref<64xi32>, memref<64xi32>, memref<1xi32>, i32) -> ()
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }

    aie.runtime_sequence(%a: memref<256xi32>, %b: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
