// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file %s | FileCheck %s
// Objects of a link on a mem tile in one buffer, which one BD on each side goes around.

// CHECK-LABEL: @forward
// CHECK: %[[BUF:.*]] = aie.buffer(%mem_tile_0_1) {sym_name = "in_cons_buff"} : memref<2048xi32>
// CHECK: %[[P:.*]] = aie.lock(%mem_tile_0_1) {init = 8 : i32, sym_name = "in_cons_prod_lock_0"}
// CHECK: %[[C:.*]] = aie.lock(%mem_tile_0_1) {init = 0 : i32, sym_name = "in_cons_cons_lock_0"}
// CHECK: aie.memtile_dma(%mem_tile_0_1)
// CHECK: aie.dma_start(S2MM, 0, ^[[IN:bb[0-9]+]], ^[[NEXT:bb[0-9]+]])
// CHECK: ^[[IN]]:
// CHECK: aie.use_lock(%[[P]], AcquireGreaterEqual
// CHECK: aie.dma_bd(%[[BUF]] : memref<2048xi32> offset = 0 len = 256) {iteration = #aie.bd_iteration<size = 8, stride = 256, current = 0>}
// CHECK: aie.use_lock(%[[C]], Release
// CHECK: aie.next_bd ^[[IN]]
// CHECK: aie.dma_start(MM2S, 0, ^[[OUT:bb[0-9]+]], ^{{bb[0-9]+}})
// CHECK: ^[[OUT]]:
// CHECK: aie.dma_bd(%[[BUF]] : memref<2048xi32> offset = 0 len = 256) {iteration = #aie.bd_iteration<size = 8, stride = 256, current = 0>}
// CHECK: aie.next_bd ^[[OUT]]
module {
  aie.device(npu2) @forward {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %core = aie.tile(0, 2)
    aie.objectfifo @in (%shim, {%mem}, 8 : i32) : !aie.objectfifo<memref<256xi32>>
    aie.objectfifo @out (%mem, {%core}, [8, 2]) {iterate_bds} : !aie.objectfifo<memref<256xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
  }
}

// -----

// Parts of a join keep their dimensions.
// CHECK-LABEL: @join
// CHECK: aie.dma_bd(%of2_buff : memref<512xi32> offset = 0 len = 128 sizes = [3] strides = [4]) {iteration = #aie.bd_iteration<size = 2, stride = 256, current = 0>}
// CHECK: aie.dma_bd(%of2_buff : memref<512xi32> offset = 128 len = 128 sizes = [2] strides = [2]) {iteration = #aie.bd_iteration<size = 2, stride = 256, current = 0>}
module {
  aie.device(xcve2302) @join {
    %mem = aie.tile(1, 1)
    %a = aie.tile(1, 2)
    %b = aie.tile(3, 3)
    %c = aie.tile(2, 3)
    aie.objectfifo @of0 (%a, {%mem dimensionsFromStream [<size = 3, stride = 4>]}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @of1 (%b, {%mem dimensionsFromStream [<size = 2, stride = 2>]}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @of2 (%mem, {%c}, 2 : i32) {iterate_bds} : !aie.objectfifo<memref<256xi32>>
    aie.objectfifo.link [@of0, @of1] -> [@of2] ([0, 128] [])
  }
}
