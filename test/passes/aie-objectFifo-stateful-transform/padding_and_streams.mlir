// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file %s | FileCheck %s
// A mem tile pads what it sends; an end that is a core's stream port has neither objects nor DMA.

// CHECK-LABEL: @padding
// CHECK: sym_name = "in_cons_buff_0"} : memref<2x3xi32>
// CHECK: aie.memtile_dma
// CHECK: aie.dma_start(MM2S, 0, ^bb{{[0-9]+}}, ^bb{{[0-9]+}}) {pad_value = 7 : i32}
// CHECK: aie.dma_bd(%in_cons_buff_0 : memref<2x3xi32> offset = 0 len = 20 sizes = [2, 3] strides = [3, 1] pad
module { aie.device(npu2) @padding {
  %s = aie.tile(0, 0)
  %m = aie.tile(0, 1)
  aie.objectfifo @in(%s, {%m}, 1 : i32) : !aie.objectfifo<memref<2x3xi32>>
  aie.objectfifo @out(%m dimensionsToStream [<size = 2, stride = 3>, <size = 3, stride = 1>], {%s}, 1 : i32) {padDimensions = #aie<bd_pad_layout_array[<const_pad_before = 1, const_pad_after = 1>, <const_pad_before = 2, const_pad_after = 0>]>, padValue = 7 : i32} : !aie.objectfifo<memref<4x5xi32>>
  aie.objectfifo.link [@in] -> [@out]([] [])
} }

// -----

// CHECK-LABEL: @streams
// CHECK-NOT: x_cons
// CHECK: sym_name = "x_buff_0"
// CHECK-NOT: y_
// CHECK: aie.flow(%tile_0_2, DMA : 0, %tile_2_4, Core : 0)
// CHECK: aie.flow(%tile_2_4, Core : 0, %tile_0_3, Core : 0)
module { aie.device(npu2) @streams {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %c = aie.tile(2, 4)
  aie.objectfifo @x(%a, {%c}, 1 : i32) {aie_stream = 1 : i32, aie_stream_port = 0 : i32} : !aie.objectfifo<memref<2xi32>>
  aie.objectfifo @y(%c, {%b}, 1 : i32) {aie_stream = 2 : i32, aie_stream_port = 0 : i32} : !aie.objectfifo<memref<2xi32>>
} }
