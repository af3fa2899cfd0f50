// A core's words go to a mem tile compressed, from the second line on: the first descriptors were loaded before the
// sequence sets the bits of the others and of both channels.
// Devices: npu1, npu2

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %t = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%t}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @link(%t, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@link] -> [@out] ([] [])
    aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %c64 = arith.constant 64 : index
      scf.for %n = %c0 to %c8 step %c1 {
        %x = aie.objectfifo.acquire @in(Consume, 1) : memref<64xi32>
        %y = aie.objectfifo.acquire @link(Produce, 1) : memref<64xi32>
        scf.for %i = %c0 to %c64 step %c1 {
          %v = memref.load %x[%i] : memref<64xi32>
          %w = arith.muli %v, %v : i32
          memref.store %w, %y[%i] : memref<64xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @link(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<512xi32>, %b: memref<512xi32>) {
      // Enable_Compression of DMA_BD0_1 to DMA_BD3_1 of the core tile
      aiex.npu.maskwrite32 {address = 0x1d004 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 2 : i32}
      aiex.npu.maskwrite32 {address = 0x1d024 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 2 : i32}
      aiex.npu.maskwrite32 {address = 0x1d044 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 2 : i32}
      aiex.npu.maskwrite32 {address = 0x1d064 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 2 : i32}
      // of DMA_BD0_4 to DMA_BD3_4 of the mem tile
      aiex.npu.maskwrite32 {address = 0xa0010 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 1 : i32}
      aiex.npu.maskwrite32 {address = 0xa0030 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 1 : i32}
      aiex.npu.maskwrite32 {address = 0xa0050 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 1 : i32}
      aiex.npu.maskwrite32 {address = 0xa0070 : ui32, value = 0x80000000 : ui32, mask = 0x80000000 : ui32, column = 0 : i32, row = 1 : i32}
      // Compression_Enable of DMA_MM2S_0_Ctrl of the core tile, Decompression_Enable of DMA_S2MM_0_Ctrl of the mem tile
      aiex.npu.maskwrite32 {address = 0x1de10 : ui32, value = 0x10 : ui32, mask = 0x10 : ui32, column = 0 : i32, row = 2 : i32}
      aiex.npu.maskwrite32 {address = 0xa0600 : ui32, value = 0x10 : ui32, mask = 0x10 : ui32, column = 0 : i32, row = 1 : i32}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<512xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
