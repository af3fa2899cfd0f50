aie.device(npu1) {
  aie.tyle(0, 2)
}
