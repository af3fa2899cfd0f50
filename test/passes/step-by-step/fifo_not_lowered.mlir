// RUN: not aiec opt --aie-dma-to-npu --diagnostics=text %s 2>&1 | FileCheck %s
// A transfer of an object fifo that hasn't been lowered.

// CHECK: sequence::no-such-channel-name
// CHECK: there is no shim DMA channel `@in`
// CHECK: help: the object fifo of that name has no channel yet: lower it first
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %core = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%core}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.runtime_sequence(%a: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
    }
  }
}
