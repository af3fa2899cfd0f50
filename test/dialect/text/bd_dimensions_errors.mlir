// RUN: aiec opt --verify-diagnostics %s
// What isn't a list of dimensions isn't left out of a BD without a word.

module {
  aie.device(npu1) {
    %t = aie.tile(0, 2)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<16xi32>
    %m = aie.mem(%t) {
      %0 = aie.dma_start(MM2S, 0, ^a, ^end)
    ^a:
      // expected-error@+1 {{the attribute `dimensions` of `aie.dma_bd` isn't a list of dimensions}}
      aie.dma_bd(%b : memref<16xi32>) {dimensions = "2x4", len = 8 : i32, offset = 0 : i32}
      aie.next_bd ^b
    ^b:
      // expected-error@+1 {{the attribute `dimensions` of `aie.dma_bd` isn't a list of dimensions}}
      aie.dma_bd(%b : memref<16xi32>) {dimensions = #aie<bd_dim_layout_array_array[[<size = 2, stride = 4>]]>, len = 8 : i32, offset = 0 : i32}
      aie.next_bd ^c
    ^c:
      // expected-error@+1 {{the attribute `dimensions` of `aie.dma_bd` comes beside `sizes` and `strides`}}
      aie.dma_bd(%b : memref<16xi32> offset = 0 len = 8 sizes = [8] strides = [1]) {dimensions = #aie<bd_dim_layout_array[<size = 2, stride = 4>]>}
      aie.next_bd ^a
    ^end:
      aie.end
    }
  }
}
