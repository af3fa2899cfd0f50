// RUN: aiec opt %s | FileCheck %s
// The attribute `dimensions` of a BD in each of its spellings.

module {
  aie.device(npu1) {
    %t = aie.tile(0, 2)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<16xi32>
    %m = aie.mem(%t) {
      %0 = aie.dma_start(MM2S, 0, ^a, ^end)
    ^a:
      // CHECK: aie.dma_bd(%b : memref<16xi32> offset = 0 len = 8 sizes = [2, 4] strides = [8, 1])
      aie.dma_bd(%b : memref<16xi32>) {dimensions = #aie<bd_dim_layout_array[<size = 2, stride = 8>, <size = 4, stride = 1>]>, len = 8 : i32, offset = 0 : i32}
      aie.next_bd ^b
    ^b:
      // CHECK: sizes = [2, 4] strides = [7, 1])
      aie.dma_bd(%b : memref<16xi32>) {dimensions = #aie.bd_dim_layout_array[<size = 2, stride = 7>, <size = 4, stride = 1>], len = 8 : i32, offset = 0 : i32}
      aie.next_bd ^c
    ^c:
      // CHECK: sizes = [2, 4] strides = [6, 1])
      aie.dma_bd(%b : memref<16xi32>) {dimensions = #aie.bd_dim_layout_array<[<size = 2, stride = 6>, <size = 4, stride = 1>]>, len = 8 : i32, offset = 0 : i32}
      aie.next_bd ^d
    ^d:
      // CHECK: sizes = [2, 4] strides = [5, 1])
      aie.dma_bd(%b : memref<16xi32>) {dimensions = [#aie.bd_dim_layout<size = 2, stride = 5>, #aie.bd_dim_layout<size = 4, stride = 1>], len = 8 : i32, offset = 0 : i32}
      aie.next_bd ^a
    ^end:
      aie.end
    }
  }
}
