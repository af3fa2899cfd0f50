aie.device(npu1) {
}
