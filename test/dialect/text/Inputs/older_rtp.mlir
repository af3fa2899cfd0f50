aie.device(npu2) {
  aie.runtime_sequence() {
    aiex.npu.rtp_write(0, 2, 4, 50)
  }
}
