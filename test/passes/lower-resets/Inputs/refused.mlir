aie.device(npu2) {
  aie.runtime_sequence() {
    aiex.dma_channel_reset_for(@missing)
  }
}

// -----

aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %lock = aie.lock(%tile) {init = 1 : i32}
  aie.runtime_sequence() {
    aiex.set_lock(%lock, 1)
  }
}
