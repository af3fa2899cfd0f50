// One core adds two vectors of 32-bit floats that arrive on two DMA channels.
// Devices: npu1, npu1_3col, npu2, xcve2302, xcve2802, xcve3858

module {
  aie.device(xcve3858) {
    %shim = aie.tile(2, 0)
    %worker = aie.tile(2, 3)

    aie.objectfifo @a(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<32xf32>>
    aie.objectfifo @b(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<32xf32>>
    aie.objectfifo @sum(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<32xf32>>

    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %round = %c0 to %forever step %c1 {
        %sa = aie.objectfifo.acquire @a(Consume, 1) : !aie.objectfifosubview<memref<32xf32>>
        %a = aie.objectfifo.subview.access %sa[0] : !aie.objectfifosubview<memref<32xf32>> -> memref<32xf32>
        %sb = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<32xf32>>
        %b = aie.objectfifo.subview.access %sb[0] : !aie.objectfifosubview<memref<32xf32>> -> memref<32xf32>
        %ss = aie.objectfifo.acquire @sum(Produce, 1) : !aie.objectfifosubview<memref<32xf32>>
        %s = aie.objectfifo.subview.access %ss[0] : !aie.objectfifosubview<memref<32xf32>> -> memref<32xf32>
        scf.for %i = %c0 to %c32 step %c1 {
          %x = memref.load %a[%i] : memref<32xf32>
          %y = memref.load %b[%i] : memref<32xf32>
          %z = arith.addf %x, %y : f32
          memref.store %z, %s[%i] : memref<32xf32>
        }
        aie.objectfifo.release @a(Consume, 1)
        aie.objectfifo.release @b(Consume, 1)
        aie.objectfifo.release @sum(Produce, 1)
      }
      aie.end
    }

    aie.runtime_sequence(%a: memref<128xf32>, %b: memref<128xf32>, %sum: memref<128xf32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 0 : i64, metadata = @a} : memref<128xf32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 1 : i64, metadata = @b} : memref<128xf32>
      aiex.npu.dma_memcpy_nd(%sum[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 2 : i64, metadata = @sum, issue_token = true} : memref<128xf32>
      aiex.npu.dma_wait {symbol = @sum}
    }
  }
}
