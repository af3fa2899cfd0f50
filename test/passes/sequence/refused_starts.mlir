// RUN: not aiec opt --emit-jobs --diagnostics=text %s 2>&1 | FileCheck %s

// A wait for a task of which every start withholds the token.
// CHECK: no start of this task that isn't awaited yet sends its token
// CHECK: leave out `no_token`
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t) {no_token}
    aiex.dma_await_task(%t)
  }
}
