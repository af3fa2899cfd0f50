aie.device(npu2) {
   %t = aie.tile(0,
}
