// RUN: aiec %s --jobs=single --emit=mlir -o - | FileCheck %s
// RUN: aiec %s --jobs=single --emit=mlir --device xcve3858 -o - | FileCheck %s --check-prefix=DEEP

// A task queue holds four tasks and drops a fifth: before the fifth and sixth push the size of the
// queue is polled, as no token tells that a task has ended.

// CHECK: aiex.cert.uc_dma_chain @chain_1
// CHECK-COUNT-4: , 119316, 1,
// CHECK: aiex.cert.uc_dma_chain @chain_2
// CHECK-COUNT-1: , 119316, 1,
// CHECK: aiex.cert.uc_dma_write_des_sync(@chain_1)
// CHECK-NEXT: aiex.cert.mask_poll_32(119336, 4194304, 0)
// CHECK: aiex.cert.uc_dma_write_des_sync(@chain_2)
// CHECK-NEXT: aiex.cert.mask_poll_32(
// CHECK-NEXT: aiex.cert.write32(119316,
// CHECK-NOT: mask_poll_32

// The MM2S queues of aie2ps shim tiles hold sixteen.
// DEEP-NOT: mask_poll_32

module {
  aie.device(npu1) {
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.objectfifo @in(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.runtime_sequence(%a: memref<96xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<96xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 16][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @in} : memref<96xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 32][1, 1, 1, 16][0, 0, 0, 1]) {id = 2 : i64, metadata = @in} : memref<96xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 48][1, 1, 1, 16][0, 0, 0, 1]) {id = 3 : i64, metadata = @in} : memref<96xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 64][1, 1, 1, 16][0, 0, 0, 1]) {id = 4 : i64, metadata = @in} : memref<96xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 80][1, 1, 1, 16][0, 0, 0, 1]) {id = 5 : i64, metadata = @in} : memref<96xi32>
    }
  }
}
