// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Object fifos.

aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t02 = aie.tile(0, 2)
  %t03 = aie.tile(0, 3)
  aie.objectfifo @in(%t00, {%t01}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @a (%t01 dimensionsToStream [<size = 4, stride = 1>], {%t02 dimensionsFromStream [<stride = 1, size = 2>], %t03}, [2, 2, 3]) {via_DMA = true, repeat_count = 2 : i32} : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @b(%t02, {%t03}, 1 : i32) : !aie.objectfifo<memref<2xi32>> = [dense<[1, 2]> : memref<2xi32>]
  aie.objectfifo @c(%t01, {%t03}, 1 : i32) : !aie.objectfifo<memref<16xi32>> -> !aie.objectfifo<memref<8xi32>>
  aie.objectfifo @left(%t02, {%t01}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.objectfifo @right(%t03, {%t01}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.objectfifo @both(%t01, {%t00}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo.link [@in] -> [@a]([] [])
  aie.objectfifo.link [@left, @right] -> [@both]([0, 8] [])
  aie.objectfifo.allocate @b(%t02)
  %e = aie.external_buffer : memref<16xi32>
  aie.objectfifo.register_external_buffers @in (%t00, {%e, %e}) : (memref<16xi32>, memref<16xi32>)
  %core = aie.core(%t03) {
    %s = aie.objectfifo.acquire @a (Consume, 2) : !aie.objectfifosubview<memref<16xi32>>
    %x = aie.objectfifo.subview.access %s[1] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
    aie.objectfifo.release @a (Consume, 1)
    aie.end
  }
}

// CHECK:      module {
// CHECK-NEXT:   aie.device(npu2) {
// CHECK-NEXT:     %shim_noc_tile_0_0 = aie.tile(0, 0)
// CHECK-NEXT:     %mem_tile_0_1 = aie.tile(0, 1)
// CHECK-NEXT:     %tile_0_2 = aie.tile(0, 2)
// CHECK-NEXT:     %tile_0_3 = aie.tile(0, 3)
// CHECK-NEXT:     aie.objectfifo @in(%shim_noc_tile_0_0, {%mem_tile_0_1}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
// CHECK-NEXT:     aie.objectfifo @a(%mem_tile_0_1 dimensionsToStream [<size = 4, stride = 1>], {%tile_0_2 dimensionsFromStream [<size = 2, stride = 1>], %tile_0_3}, [2, 2, 3]) {repeat_count = 2 : i32, via_DMA = true} : !aie.objectfifo<memref<16xi32>>
// CHECK-NEXT:     aie.objectfifo @b(%tile_0_2, {%tile_0_3}, 1 : i32) : !aie.objectfifo<memref<2xi32>>  = [dense<[1, 2]> : memref<2xi32>]
// CHECK-NEXT:     aie.objectfifo @c(%mem_tile_0_1, {%tile_0_3}, 1 : i32) : !aie.objectfifo<memref<16xi32>>  -> !aie.objectfifo<memref<8xi32>>
// CHECK-NEXT:     aie.objectfifo @left(%tile_0_2, {%mem_tile_0_1}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
// CHECK-NEXT:     aie.objectfifo @right(%tile_0_3, {%mem_tile_0_1}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
// CHECK-NEXT:     aie.objectfifo @both(%mem_tile_0_1, {%shim_noc_tile_0_0}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
// CHECK-NEXT:     aie.objectfifo.link [@in] -> [@a]([] [])
// CHECK-NEXT:     aie.objectfifo.link [@left, @right] -> [@both]([0, 8] [])
// CHECK-NEXT:     aie.objectfifo.allocate @b(%tile_0_2)
// CHECK-NEXT:     %0 = aie.external_buffer : memref<16xi32>
// CHECK-NEXT:     aie.objectfifo.register_external_buffers @in(%shim_noc_tile_0_0, {%0, %0}) : (memref<16xi32>, memref<16xi32>)
// CHECK-NEXT:     %core_0_3 = aie.core(%tile_0_3) {
// CHECK-NEXT:       %1 = aie.objectfifo.acquire @a(Consume, 2) : !aie.objectfifosubview<memref<16xi32>>
// CHECK-NEXT:       %2 = aie.objectfifo.subview.access %1[1] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
// CHECK-NEXT:       aie.objectfifo.release @a(Consume, 1)
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
