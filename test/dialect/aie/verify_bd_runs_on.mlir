// RUN: aiec check %s --diagnostics=text 2>&1 | FileCheck %s

// A length beyond the pattern, but for whole repeats of it, reads what follows the pattern's begin.
// CHECK: 20 elements are transferred by a pattern of 16
// CHECK: let the length be that of the pattern
// CHECK-NOT: are transferred by a pattern
aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %buf = aie.buffer(%mem) : memref<64xi32>
  aie.memtile_dma(%mem) {
    %0 = aie.dma_start(MM2S, 0, ^first, ^end)
  ^first:
    aie.dma_bd(%buf : memref<64xi32> offset = 0 len = 20 sizes = [4, 4] strides = [8, 1])
    aie.next_bd ^second
  ^second:
    aie.dma_bd(%buf : memref<64xi32> offset = 0 len = 32 sizes = [4, 4] strides = [8, 1])
    aie.next_bd ^end
  ^end:
    aie.end
  }
}
