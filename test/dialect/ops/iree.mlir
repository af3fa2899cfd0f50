// Spellings of iree-amd-aie: the control port, dimensions of fifos, buffers of mem tiles in one bank.
// RUN: aiec opt %s --aie-assign-buffer-addresses | FileCheck %s

// CHECK: aie.buffer(%mem_tile_0_1) {address = 131072 : i32, mem_bank = 2 : i32, sym_name = "far"}
// CHECK: aie.packet_dest<%tile_0_2, TileControl : 0>
// CHECK: aie.objectfifo @of(%mem_tile_0_1 dimensionsToStream [<size = 8, stride = 4>, <size = 4, stride = 1>], {%tile_0_2 dimensionsFromStream [<size = 8, stride = 4>, <size = 4, stride = 1>]}

aie.device(npu1_4col) {
  %tile_0_0 = aie.tile(0, 0)
  %tile_0_1 = aie.tile(0, 1)
  %tile_0_2 = aie.tile(0, 2)
  %far = aie.buffer(%tile_0_1) {address = 131072 : i32, mem_bank = 0 : i32, sym_name = "far"} : memref<64xi32>
  aie.packet_flow(1) {
    aie.packet_source<%tile_0_0, DMA : 0>
    aie.packet_dest<%tile_0_2, CTRL : 0>
  }
  aie.objectfifo @of(%tile_0_1 toStream [<size = 8, stride = 4>, <size = 4, stride = 1>], {%tile_0_2 fromStream [<size = 8, stride = 4>, <size = 4, stride = 1>]}, 4 : i32) : !aie.objectfifo<memref<32xi32, 1>>
}
