// RUN: aiec opt --mlir-print-op-generic %s | FileCheck %s
// RUN: aiec opt --mlir-print-op-generic %s | aiec opt - | FileCheck %s --check-prefix=AGAIN

// Groups of operands that mlir-aie 1.4.5 doesn't have are written where they are used.
// CHECK: "aie.dma_bd"{{.*}}operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>
// CHECK: "aie.dma_bd"{{.*}}operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 1, 0, 0>
// AGAIN: aie.dma_bd({{.*}} offset = 0 len = 32)
// AGAIN: aie.dma_bd({{.*}} offset = 0 len = 32) bd_id_val %{{.*}} : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %bd = aiex.dma_bd_pool_pop(0, 0) partition [0, 16) : i32
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) {bd_id = 1 : i32}
      aie.end
    }
    %u = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) bd_id_val %bd : i32
      aie.end
    }
  }
}
