// Column 3 is to overwrite b. Its transfer is pushed before column 2, which reads b twice, is awaited; what it is
// fed with is pushed after. Nothing that column 2 does touches what feeds it: only the wait keeps them apart.
// Then the same with the word of the host: a core of column 3 goes on when its lock is set.
// Devices: npu1, npu2, xcve2302, xcve3858

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(2, 0)
    %m0 = aie.tile(2, 1)
    %s1 = aie.tile(3, 0)
    %m1 = aie.tile(3, 1)
    %w = aie.tile(3, 3)
    aie.objectfifo @in0(%s0, {%m0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out0(%m0, {%s0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in0] -> [@out0] ([] [0])
    aie.objectfifo @in1(%s1, {%m1}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out1(%m1, {%s1}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in1] -> [@out1] ([] [0])
    %go = aie.lock(%w, 15) {init = 0 : i32, sym_name = "go"}
    aie.objectfifo @made(%w, {%s1}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.core(%w) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %seven = arith.constant dense<7> : vector<16xi32>
      aie.use_lock(%go, AcquireGreaterEqual, 1)
      scf.for %i = %c0 to %c64 step %c1 {
        %s = aie.objectfifo.acquire @made(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %o = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        vector.store %seven, %o[%c0] : memref<16xi32>, vector<16xi32>
        aie.objectfifo.release @made(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<1024xi32>, %b: memref<1024xi32>, %c: memref<4096xi32>) {
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 2048][0, 0, 0, 1]) {id = 1 : i64, metadata = @out0} : memref<4096xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][2, 1, 1, 1024][0, 0, 0, 1]) {id = 0 : i64, metadata = @in0, issue_token = true} : memref<1024xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 3 : i64, metadata = @out1} : memref<1024xi32>
      aiex.npu.dma_wait {symbol = @in0}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 2 : i64, metadata = @in1} : memref<1024xi32>
      aiex.npu.dma_wait {symbol = @out0}
      aiex.npu.dma_wait {symbol = @out1}
      // b is posted to be overwritten first, and read then
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1]) {id = 4 : i64, metadata = @made} : memref<1024xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 2048][1, 1, 1, 2048][0, 0, 0, 1]) {id = 5 : i64, metadata = @out0} : memref<4096xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][2, 1, 1, 1024][0, 0, 0, 1]) {id = 6 : i64, metadata = @in0, issue_token = true} : memref<1024xi32>
      aiex.npu.dma_wait {symbol = @in0}
      aiex.npu.dma_wait {symbol = @out0}
      aiex.set_lock(%go, 1)
      aiex.npu.dma_wait {symbol = @made}
    }
  }
}
