// `--aie-objectFifo-unroll` leaves contiguous transfers with one dimension, as mlir-aie's does.
// RUN: aiec opt --aie-objectFifo-stateful-transform --aie-objectFifo-unroll %s | FileCheck %s

module {
  aie.device(npu2) {
    %s = aie.tile(1, 0)
    %a = aie.tile(1, 2)
    aie.objectfifo @x(%s, {%a}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.runtime_sequence(%arg0: memref<64x16xi32>) {
      // CHECK: aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, 0][1, 1, 1, 1024][0, 0, 0, 1])
      aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, 0][1, 1, 64, 16][0, 0, 16, 1]) {id = 0 : i64, metadata = @x} : memref<64x16xi32>
    }
  }
}
