aie.device(npu1) {
  %tile_0_2 = aie.tile(0, 2)
  %tile_0_3 = aie.tile(0, 3)
  func.func private @merged() attributes {link_with = "shared.a", link_with_mode = "merge"}
  func.func private @linked() attributes {link_with = "shared.a"}
  %core_0_2 = aie.core(%tile_0_2) {
    func.call @merged() : () -> ()
    aie.end
  }
  %core_0_3 = aie.core(%tile_0_3) {
    func.call @linked() : () -> ()
    aie.end
  }
}
