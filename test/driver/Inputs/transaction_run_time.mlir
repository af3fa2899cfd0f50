aie.device(npu2) {
  aie.runtime_sequence(%n: i32) {
    %a = arith.constant 0x100 : i32
    aiex.npu.maskwrite32(%a, %n, %a) : i32, i32, i32
  }
}
