aie.device(npu2) @a {
  %t = aie.tile(0, 2)
}
aie.device(npu2) @b {
  %t = aie.tile(0, 2)
}
