// RUN: aiec opt --emit-jobs %s -o %t
// RUN: not aiec opt --emit-jobs --diagnostics=text %S/Inputs/free-twice.mlir 2>&1 | FileCheck %s

// A task may be freed after it was awaited, but not twice.
// CHECK: the buffer descriptors of this task are free
// CHECK: free it once
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t)
    aiex.dma_await_task(%t)
    aiex.dma_free_task(%t)
  }
}
