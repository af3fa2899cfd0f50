// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec opt %s 2>&1 | FileCheck %s --check-prefix=OPT

// CHECK-DAG: would take a chain of 50 BDs, more than the tile has
// CHECK-DAG: a length of 10 elements with a pattern of 2 runs of 8
// CHECK-DAG: both an iteration and a dimension that would become one
// CHECK-DAG: each run of the outermost dimension would be a packet of its own
// CHECK-DAG: the outermost dimension would take a chain of 2 BDs

// mlir-aie's verifier refuses all of them.
// OPT: 4 dimensions; a BD of a core tile has 3

aie.device(npu2) {
  %t = aie.tile(0, 2)
  %m = aie.tile(0, 3)
  %n = aie.tile(0, 4)
  %b = aie.buffer(%t) : memref<1024xi32>
  %c = aie.buffer(%m) : memref<1024xi32>
  %d = aie.buffer(%n) : memref<1024xi32>
  %l = aie.lock(%t) {init = 1 : i32}
  %k = aie.lock(%n) {init = 1 : i32}
  aie.mem(%t) {
    aie.dma_start(MM2S, 0, ^many, ^next)
  ^many:
    aie.use_lock(%l, AcquireGreaterEqual, 1)
    aie.dma_bd(%b : memref<1024xi32> offset = 0 len = 400 sizes = [50, 2, 2, 2] strides = [16, 8, 4, 1])
    aie.use_lock(%l, Release, 1)
    aie.next_bd ^many
  ^next:
    aie.dma_start(MM2S, 1, ^short, ^end)
  ^short:
    aie.dma_bd(%b : memref<1024xi32> offset = 0 len = 10 sizes = [2, 2, 2, 2] strides = [16, 8, 4, 1])
    aie.next_bd ^short
  ^end:
    aie.end
  }
  aie.mem(%m) {
    aie.dma_start(MM2S, 0, ^both, ^next)
  ^both:
    aie.dma_bd(%c : memref<1024xi32> offset = 0 len = 16 sizes = [2, 2, 2, 2] strides = [16, 8, 4, 1]) {iteration = #aie.bd_iteration<size = 2, stride = 4, current = 0>}
    aie.next_bd ^both
  ^next:
    aie.dma_start(MM2S, 1, ^packet, ^end)
  ^packet:
    aie.dma_bd_packet(0, 3)
    aie.dma_bd(%c : memref<1024xi32> offset = 0 len = 16 sizes = [2, 2, 2, 2] strides = [16, 8, 4, 1])
    aie.next_bd ^packet
  ^end:
    aie.end
  }
  aie.mem(%n) {
    aie.dma(MM2S, 0) [{
      aie.use_lock(%k, AcquireGreaterEqual, 1)
      aie.dma_bd(%d : memref<1024xi32> offset = 0 len = 16 sizes = [2, 2, 2, 2] strides = [16, 8, 4, 1])
      aie.use_lock(%k, Release, 1)
    }]
    aie.end
  }
}
