// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file %s | FileCheck %s
// Both ends of a link move whole objects of the pool, however their own objects are cut, also on
// core tiles and where the smaller object owns the pool: nothing is lost.

// CHECK-LABEL: aie.device(npu2) @core
// CHECK: sym_name = "in_cons_buff_0"} : memref<16xi32>
// CHECK: aie.mem(%tile_0_2)
// CHECK: aie.dma_start(S2MM, 0
// CHECK: aie.dma_bd(%in_cons_buff_0 : memref<16xi32> offset = 0 len = 16)
// CHECK: aie.dma_start(MM2S, 0
// CHECK: aie.dma_bd(%in_cons_buff_0 : memref<16xi32> offset = 0 len = 16)
module {
  aie.device(npu2) @core {
    %shim = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%t}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%t, {%shim}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo.link [@in] -> [@out]([] [])
  }
}

// -----

// CHECK-LABEL: aie.device(npu2) @contents
// CHECK: sym_name = "out_buff_0"} : memref<8xi32> = dense<7>
// CHECK: aie.dma_start(S2MM, 0
// CHECK: aie.dma_bd(%out_buff_0 : memref<8xi32> offset = 0 len = 8)
// CHECK: aie.dma_start(MM2S, 0
// CHECK: aie.dma_bd(%out_buff_0 : memref<8xi32> offset = 0 len = 8)
module {
  aie.device(npu2) @contents {
    %shim = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.objectfifo @in(%shim, {%m}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%m, {%shim}, 1 : i32) : !aie.objectfifo<memref<8xi32>> = [dense<7> : memref<8xi32>]
    aie.objectfifo.link [@in] -> [@out]([] [])
  }
}
