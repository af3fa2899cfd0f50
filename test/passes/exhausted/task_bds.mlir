// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// Seventeen tasks that nothing proves done, on a tile with sixteen BDs.

// CHECK: sequence::no-bd-left
// CHECK: all 16 buffer descriptors that MM2S channel 0 of tile (0, 0) can use are taken
// CHECK: await or free tasks that are done
// CHECK: resources of tile (0, 0):
// CHECK: BDs 0 of 16
// CHECK: tasks 16 BDs, neither awaited nor freed here

module {
  aie.device(npu2) {
    %s = aie.tile(0, 0)
    %c = aie.tile(0, 2)
    aie.objectfifo @in(%s, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.runtime_sequence(%a: memref<16xi32>) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %17 = arith.constant 17 : index
      scf.for %i = %0 to %17 step %1 {
        %t = aiex.dma_configure_task_for @in {
          aie.dma_bd(%a : memref<16xi32>, 0, 16)
          aie.end
        }
        aiex.dma_start_task(%t)
      }
    }
  }
}
