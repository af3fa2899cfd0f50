module {
  aie.device(npu1) {
  }
}
