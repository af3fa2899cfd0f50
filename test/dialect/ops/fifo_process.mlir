// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// The older form of a fifo's process.

aie.device(xcve2302) {
  %a = aie.tile(1, 2)
  %b = aie.tile(1, 3)
  %take = arith.constant dense<[1, 0, 2]> : tensor<3xi32>
  %give = arith.constant dense<[1, 1, 1]> : tensor<3xi32>
  %length = arith.constant 10 : index
  aie.objectfifo @f (%a, {%b}, 4 : i32) : !aie.objectfifo<memref<16xi32>>
  func.func @work(%x: memref<16xi32>) {
    return
  }
  aie.objectfifo.register_process @f (Produce, %take : tensor<3xi32>, %give : tensor<3xi32>, @work, %length)
}

// CHECK:      module {
// CHECK-NEXT:   aie.device(xcve2302) {
// CHECK-NEXT:     %tile_1_2 = aie.tile(1, 2)
// CHECK-NEXT:     %tile_1_3 = aie.tile(1, 3)
// CHECK-NEXT:     %cst = arith.constant dense<[1, 0, 2]> : tensor<3xi32>
// CHECK-NEXT:     %cst_0 = arith.constant dense<1> : tensor<3xi32>
// CHECK-NEXT:     %c10 = arith.constant 10 : index
// CHECK-NEXT:     aie.objectfifo @f(%tile_1_2, {%tile_1_3}, 4 : i32) : !aie.objectfifo<memref<16xi32>>
// CHECK-NEXT:     func.func @work(%arg0: memref<16xi32>) {
// CHECK-NEXT:       return
// CHECK-NEXT:     }
// CHECK-NEXT:     aie.objectfifo.register_process @f(Produce, %cst : tensor<3xi32>, %cst_0 : tensor<3xi32>, @work, %c10)
// CHECK-NEXT:   }
// CHECK-NEXT: }
