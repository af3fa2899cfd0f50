aie.device(npu2) {
  %own = aie.tile(1, 3)
  aie.core(%own) {
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : index
    aie.use_lock(%c64, Release, %one)
    aie.end
  }
}
