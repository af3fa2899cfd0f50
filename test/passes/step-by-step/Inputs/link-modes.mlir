aie.device(npu1) {
  func.func private @nothing() attributes {link_with_mode = "merge"}
  func.func private @odd() attributes {link_with = "odd.o", link_with_mode = "inline"}
}
