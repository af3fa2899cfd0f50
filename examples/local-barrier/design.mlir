// Two streams of one column, each through a core tile's memory and back. The second begins with what
// the first has written to the host, and both go on beside each other: the place where they meet
// becomes a LOCAL_BARRIER of the column's controller.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %m0 = aie.tile(0, 3)
    %m1 = aie.tile(0, 5)
    aie.objectfifo @in0(%s0, {%m0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out0(%m0, {%s0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in0] -> [@out0] ([] [0])
    aie.objectfifo @in1(%s0, {%m1}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out1(%m1, {%s0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in1] -> [@out1] ([] [0])
    aie.runtime_sequence(%a: memref<256xi32>, %b: memref<256xi32>, %c: memref<512xi32>) {
      // From a to b, from there to the first half of c; then from c to the start of b.
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in0} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out0} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out0}
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 2 : i64, metadata = @in0} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 3 : i64, metadata = @out0} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out0}
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 240][1, 1, 1, 16][0, 0, 0, 1]) {id = 4 : i64, metadata = @in1} : memref<512xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 496][1, 1, 1, 16][0, 0, 0, 1]) {id = 5 : i64, metadata = @out1} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out1}
      // The first goes on meanwhile.
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 240][0, 0, 0, 1]) {id = 6 : i64, metadata = @in0} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 256][1, 1, 1, 240][0, 0, 0, 1]) {id = 7 : i64, metadata = @out0} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out0}
    }
  }
}
