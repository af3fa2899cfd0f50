// Kernel: AIE2P relu 4,096 × bf16
// Published: roof 128 (loads and stores)
// Source: llvm-aie: AIE2PSchedule.td, slots
// At most: 153 cycles
// Data: bf16 relu

module {
  aie.device(npu2) {
    func.func private @relu_bf16(memref<4096xbf16>, memref<4096xbf16>)
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 2)

    aie.objectfifo @x(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<4096xbf16>>
    aie.objectfifo @z(%worker, {%shim}, 1 : i32) : !aie.objectfifo<memref<4096xbf16>>

    %core = aie.core(%worker) {
      %x_object = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<4096xbf16>>
      %x = aie.objectfifo.subview.access %x_object[0] : !aie.objectfifosubview<memref<4096xbf16>> -> memref<4096xbf16>
      %z_object = aie.objectfifo.acquire @z(Produce, 1) : !aie.objectfifosubview<memref<4096xbf16>>
      %z = aie.objectfifo.subview.access %z_object[0] : !aie.objectfifosubview<memref<4096xbf16>> -> memref<4096xbf16>
      func.call @relu_bf16(%x, %z) : (memref<4096xbf16>, memref<4096xbf16>) -> ()
      aie.objectfifo.release @x(Consume, 1)
      aie.objectfifo.release @z(Produce, 1)
      aie.end
    } {stack_size = 8192 : i32}

    aie.runtime_sequence(%x: memref<4096xbf16>, %z: memref<4096xbf16>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4096][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<4096xbf16>
      aiex.npu.dma_memcpy_nd(%z[0, 0, 0, 0][1, 1, 1, 4096][0, 0, 0, 1]) {id = 1 : i64, metadata = @z, issue_token = true} : memref<4096xbf16>
      aiex.npu.dma_wait {symbol = @z}
    }
  }
}
