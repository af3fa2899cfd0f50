// RUN: aiec opt --aie-hoist-vector-transfer-pointers %s | FileCheck %s
// RUN: echo 0123456789abcdef0123456789ABCDEFfedcba9876543210FEDCBA987654321 > %t.64 && echo the same in other words of four bytes each for 64 of them in al > %t.other
// RUN: cat %t.64 %t.other %t.64 %t.64 %t.other %t.other %t.64 %t.other > %t.512 && cat %t.512 %t.other %t.64 %t.512 > %t.in
// RUN: aiec opt --aie-hoist-vector-transfer-pointers %s -o %t.mlir && aiec sim %t.mlir --arg 0=%t.in --out 1=%t.hoisted
// RUN: aiec sim %s --arg 0=%t.in --out 1=%t.plain && cmp %t.hoisted %t.plain

// What the core reads and writes stays, also from the last row to the first.
// CHECK:      scf.for %{{.*}} = %{{.*}} to %{{.*}} step
// CHECK:        memref.collapse_shape %{{.*}} {{\[}}[0, 1]] : memref<16x16xi32> into memref<256xi32>
// CHECK:        scf.for %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) -> (index, index, index)
// CHECK:          vector.transfer_read %{{.*}}[%[[A]]], %{{.*}} {in_bounds = [true]} : memref<256xi32>, vector<2xi32>
// CHECK-NEXT:     arith.addi %[[A]], %c16
// CHECK:          vector.transfer_read %{{.*}}[%[[B]]]
// CHECK:          vector.transfer_write %{{.*}}, %{{.*}}[%[[C]]]
// CHECK:      scf.for %{{.*}} iter_args(%[[D:.*]] = %c224) -> (index)
// CHECK:        vector.transfer_write %{{.*}}, %{{.*}}[%[[D]]] {in_bounds = [true]} : vector<32xi32>
// CHECK:        arith.addi %[[D]], %c-16
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  aie.objectfifo @in(%shim, {%tile}, 2 : i32) : !aie.objectfifo<memref<16x16xi32>>
  aie.objectfifo @out(%tile, {%shim}, 2 : i32) : !aie.objectfifo<memref<16x16xi32>>
  %core = aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %a = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16x16xi32>>
    %x = aie.objectfifo.subview.access %a[0] : !aie.objectfifosubview<memref<16x16xi32>> -> memref<16x16xi32>
    %b = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16x16xi32>>
    %y = aie.objectfifo.subview.access %b[0] : !aie.objectfifosubview<memref<16x16xi32>> -> memref<16x16xi32>
    scf.for %j = %c0 to %c16 step %c2 {
      scf.for %i = %c0 to %c15 step %c1 {
        %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<16x16xi32>, vector<2xi32>
        %next = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%i]
        %w = vector.transfer_read %x[%next, %j], %zero {in_bounds = [true]} : memref<16x16xi32>, vector<2xi32>
        %s = arith.addi %v, %w : vector<2xi32>
        vector.transfer_write %s, %y[%i, %j] {in_bounds = [true]} : vector<2xi32>, memref<16x16xi32>
      }
    }
    // Two rows at once, from the last to the first; the last row of the result is the first of the input.
    %r = arith.constant 14 : index
    scf.for %i = %c0 to %c1 step %c1 {
      %back = arith.subi %r, %i : index
      %rows = vector.transfer_read %x[%c0, %c0], %zero : memref<16x16xi32>, vector<2x16xi32>
      vector.transfer_write %rows, %y[%back, %c0] : vector<2x16xi32>, memref<16x16xi32>
    }
    aie.objectfifo.release @in(Consume, 1)
    aie.objectfifo.release @out(Produce, 1)
    aie.end
  }
  aie.runtime_sequence(%in: memref<16x16xi32>, %out: memref<16x16xi32>) {
    %0 = aiex.dma_configure_task_for @in {
      aie.dma_bd(%in : memref<16x16xi32>, 0, 256)
      aie.end
    }
    %1 = aiex.dma_configure_task_for @out {
      aie.dma_bd(%out : memref<16x16xi32>, 0, 256)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%0)
    aiex.dma_start_task(%1)
    aiex.dma_await_task(%1)
    aiex.dma_free_task(%0)
  }
}
