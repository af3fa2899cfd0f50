aie.device(xcve3858) {
  %tile_0_0 = aie.tile(0, 0)
  %tile_0_3 = aie.tile(0, 3)
  aie.flow(%tile_0_0, DMA : 0, %tile_0_3, DMA : 0)
  aie.flow(%tile_0_0, DMA : 1, %tile_0_3, DMA : 0)
}
