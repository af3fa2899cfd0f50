// A transfer past a view of an argument is allowed, as the argument may go on there, but hardly meant.
// RUN: aiec %s -o %t.elf 2>&1 | FileCheck %s

// CHECK-NOT: reaches element 63
// CHECK:     the transfer reaches element 127 of 64
// CHECK:     dma_memcpy_nd(%v[0, 0, 0, 0][1, 1, 1, 128]
// CHECK:     keep offset, sizes and strides inside the view
aie.device(npu1) {
  %t = aie.tile(0, 0)
  %c = aie.tile(0, 2)
  aie.shim_dma_allocation @a(%t, MM2S, 0)
  aie.flow(%t, DMA : 0, %c, DMA : 0)
  aie.runtime_sequence(%x: memref<256xi32>) {
    %v = memref.subview %x[64] [64] [1] : memref<256xi32> to memref<64xi32, strided<[1], offset: 64>>
    aiex.npu.dma_memcpy_nd(%v[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @a} : memref<64xi32, strided<[1], offset: 64>>
    aiex.npu.dma_memcpy_nd(%v[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 1 : i64, metadata = @a} : memref<64xi32, strided<[1], offset: 64>>
  }
}
