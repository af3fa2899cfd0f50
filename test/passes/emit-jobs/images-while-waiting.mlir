// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// The second descriptor has a number of its own: it is written while the first task's token is
// pending. The third takes the number of the first, which is free behind its wait: it is written
// while the second's is pending. The fourth takes that of the second before anything proves that
// done: it comes behind all waits.

// CHECK: START_JOB 2
// CHECK: UC_DMA_WRITE_DES_SYNC
// CHECK-NEXT: APPLY_OFFSET_57
// CHECK-NEXT: UC_DMA_WRITE_DES $r0,
// CHECK-NEXT: WAIT_TCTS
// CHECK-NEXT: WAIT_UC_DMA $r0
// CHECK-NEXT: WRITE_32
// CHECK-NEXT: APPLY_OFFSET_57
// CHECK-NEXT: UC_DMA_WRITE_DES $r0,
// CHECK-NEXT: WAIT_TCTS
// CHECK-NEXT: WAIT_UC_DMA $r0
// CHECK-NEXT: WRITE_32
// CHECK-NEXT: WAIT_TCTS
// CHECK-NEXT: APPLY_OFFSET_57
// CHECK-NEXT: UC_DMA_WRITE_DES_SYNC

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %m0 = aie.tile(0, 1)
    aie.objectfifo @in(%s0, {%m0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%m0, {%s0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [0])
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 8 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 16][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 32][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 48][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
