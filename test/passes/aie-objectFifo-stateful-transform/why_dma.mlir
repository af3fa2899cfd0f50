// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file %s | FileCheck %s
// Neighbours share memory; whatever needs a DMA rules that out.

// CHECK-LABEL: @plain
// CHECK: aie.buffer(%tile_0_2) {sym_name = "x_buff_0"}
// CHECK-NOT: x_cons_buff
// CHECK-NOT: aie.flow
// CHECK-NOT: aie.mem
module { aie.device(npu2) @plain {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @x(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
} }

// -----

// CHECK-LABEL: @asked
// CHECK: aie.flow(%tile_0_2, DMA : 0, %tile_0_3, DMA : 0)
module { aie.device(npu2) @asked {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @x(%a, {%b}, 2 : i32) {via_DMA = true} : !aie.objectfifo<memref<8xi32>>
} }

// -----

// CHECK-LABEL: @repeat_once
// CHECK: aie.flow(%tile_0_2, DMA : 0, %tile_0_3, DMA : 0)
module { aie.device(npu2) @repeat_once {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @x(%a, {%b}, 2 : i32) {repeat_count = 1 : i32} : !aie.objectfifo<memref<8xi32>>
} }

// -----

// Each end keeps its own object size.
// CHECK-LABEL: @other_objects
// CHECK: aie.buffer(%tile_0_3) {sym_name = "x_cons_buff_0"} : memref<4xi32>
// CHECK: aie.buffer(%tile_0_2) {sym_name = "x_buff_0"} : memref<8xi32>
// CHECK: aie.flow
// CHECK: aie.mem(%tile_0_2)
// CHECK: aie.dma_bd(%x_buff_0 : memref<8xi32> offset = 0 len = 8)
// CHECK: aie.mem(%tile_0_3)
// CHECK: aie.dma_bd(%x_cons_buff_0 : memref<4xi32> offset = 0 len = 4)
module { aie.device(npu2) @other_objects {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @x(%a, {%b}, 1 : i32) : !aie.objectfifo<memref<8xi32>> -> !aie.objectfifo<memref<4xi32>>
} }

// -----

// CHECK-LABEL: @broadcast
// CHECK: aie.flow(%tile_0_2, DMA : 0, %tile_0_4, DMA : 0)
// CHECK: aie.flow(%tile_0_2, DMA : 0, %tile_0_3, DMA : 0)
module { aie.device(npu2) @broadcast {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %c = aie.tile(0, 4)
  aie.objectfifo @x(%a, {%b, %c}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
} }

// -----

// Dimensions on either side, which the BDs of that side get.
// CHECK-LABEL: @dimensions
// CHECK: aie.flow
// CHECK: aie.mem(%tile_0_2)
// CHECK: aie.dma_bd(%x_buff_0 : memref<8xi32> offset = 0 len = 8 sizes = [4, 2] strides = [1, 4])
// CHECK: aie.mem(%tile_0_3)
// CHECK: aie.dma_bd(%x_cons_buff_0 : memref<8xi32> offset = 0 len = 8 sizes = [2, 4] strides = [1, 2])
module { aie.device(npu2) @dimensions {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @x(%a dimensionsToStream [<size = 4, stride = 1>, <size = 2, stride = 4>], {%b dimensionsFromStream [<size = 2, stride = 1>, <size = 4, stride = 2>]}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
} }

// -----

// An older name of allocate: 1 is the consumer's tile.
// CHECK-LABEL: @at_consumer
// CHECK: aie.buffer(%tile_0_3) {sym_name = "x_buff_0"}
// CHECK-NOT: aie.flow
module { aie.device(npu2) @at_consumer {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @x(%a, {%b}, 2 : i32) {via_shared_mem = 1 : i32} : !aie.objectfifo<memref<8xi32>>
} }

// -----

// Not neighbours, but a tile between is in reach of both.
// CHECK-LABEL: @between
// CHECK: aie.buffer(%tile_0_3) {sym_name = "x_buff_0"}
// CHECK: aie.lock(%tile_0_3) {init = 2 : i32, sym_name = "x_prod_lock_0"}
// CHECK-NOT: aie.flow
module { aie.device(npu2) @between {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %c = aie.tile(0, 4)
  aie.objectfifo @x(%a, {%c}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.objectfifo.allocate @x(%b)
} }
