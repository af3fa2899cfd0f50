aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %core = aie.core(%tile) {
    %x = arith.constant 1 : i32
    "cf.switch"(%x)[^bb1, ^bb2] {case_operand_segments = array<i32>, operandSegmentSizes = array<i32: 1, 0, 0>} : (i32) -> ()
  ^bb1:
    aie.end
  ^bb2:
    aie.end
  }
}
