// RUN: aiec opt --aie-lower-core-reset --aie-lower-dma-channel-reset --aie-lower-set-lock %s | FileCheck %s
// RUN: not aiec opt --split-input-file --aie-lower-dma-channel-reset --aie-lower-set-lock --diagnostics=text %S/Inputs/refused.mlir 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK:      aie.runtime_sequence
// CHECK:      %[[CORE:.*]] = arith.constant 204800 : i32
// CHECK:      aiex.npu.maskwrite32(%[[CORE]], %{{.*}}, %{{.*}}) {column = 0 : i32, row = 2 : i32}
// CHECK:      %[[CHANNEL:.*]] = arith.constant 122384 : i32
// CHECK:      aiex.npu.maskwrite32(%[[CHANNEL]], %{{.*}}, %{{.*}}) {column = 0 : i32, row = 2 : i32}
// CHECK:      %[[LOCK:.*]] = arith.constant 127024 : i32
// CHECK:      aiex.npu.write32(%[[LOCK]], %{{.*}}) {column = 0 : i32, row = 2 : i32}
// CHECK-NOT:  aiex.core_reset
// CHECK-NOT:  aiex.set_lock
// REFUSED:    it isn't known how to rearm the fifo `@missing`
// REFUSED:    this lock has no number yet
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %lock = aie.lock(%tile, 3) {init = 1 : i32}
  aie.runtime_sequence() {
    aiex.core_reset(%tile)
    aiex.dma_channel_reset(%tile, MM2S, 0)
    aiex.set_lock(%lock, 1)
  }
}
