// RUN: aiec opt --aie-verify-runtime-rearm --verify-diagnostics %s

// The lock that the DMA gives is set, the one it takes isn't.
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %buffer = aie.buffer(%tile) : memref<16xi32>
  %empty = aie.lock(%tile, 0) {init = 1 : i32}
  %full = aie.lock(%tile, 1) {init = 0 : i32}
  %mem = aie.mem(%tile) {
    %start = aie.dma_start(S2MM, 0, ^bd, ^end)
  ^bd:
    aie.use_lock(%empty, AcquireGreaterEqual, 1)
    aie.dma_bd(%buffer : memref<16xi32> offset = 0 len = 16)
    aie.use_lock(%full, Release, 1)
    aie.next_bd ^bd
  ^end:
    aie.end
  }
  aie.runtime_sequence() {
    // expected-error@below {{locks of this channel are not set after its reset}}
    aiex.dma_channel_reset(%tile, S2MM, 0)
    aiex.set_lock(%full, 0)
  }
}
