// RUN: aiec %s --emit=mlir --print-ir-after=aie-lower-outer-bd-dimensions -o %t 2>&1 | FileCheck %s

// A BD with locks becomes a chain, of which the last BD goes on as the one before: here the program ends.

// CHECK-LABEL: aie.mem
// CHECK:      ^bb1:
// CHECK-NEXT:   aie.use_lock({{.*}}, AcquireGreaterEqual
// CHECK-NEXT:   aie.dma_bd({{.*}} offset = 0 len = 8 sizes = [2, 2, 2]
// CHECK-NEXT:   aie.next_bd ^bb2
// CHECK:      ^bb2:
// CHECK-NEXT:   aie.dma_bd({{.*}} offset = 16 len = 8 sizes = [2, 2, 2]
// CHECK-NEXT:   aie.next_bd ^bb3
// CHECK:      ^bb3:
// CHECK-NEXT:   aie.dma_bd({{.*}} offset = 32 len = 8 sizes = [2, 2, 2]
// CHECK-NEXT:   aie.use_lock({{.*}}, Release
// CHECK-NEXT:   aie.end
aie.device(npu2) {
  %t = aie.tile(0, 2)
  %s = aie.tile(0, 0)
  %b = aie.buffer(%t) : memref<64xi32>
  %full = aie.lock(%t) {init = 1 : i32}
  %empty = aie.lock(%t) {init = 0 : i32}
  aie.flow(%t, DMA : 0, %s, DMA : 0)
  aie.mem(%t) {
    aie.dma_start(MM2S, 0, ^run, ^end)
  ^run:
    aie.use_lock(%full, AcquireGreaterEqual, 1)
    aie.dma_bd(%b : memref<64xi32> offset = 0 len = 24 sizes = [3, 2, 2, 2] strides = [16, 8, 4, 1])
    aie.use_lock(%empty, Release, 1)
    aie.end
  ^end:
    aie.end
  }
  aie.shim_dma_allocation @out (%s, S2MM, 0)
  aie.runtime_sequence(%out : memref<24xi32>) {
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 24][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @out} : memref<24xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
