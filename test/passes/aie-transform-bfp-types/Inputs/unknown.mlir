aie.device(npu2) {
  func.func private @kernel(memref<8x!aiex.bfp<"v32bfp16ebs8">>)
}
