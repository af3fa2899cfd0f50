// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// Memory: memref, tensor.

memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]>
memref.global @room : memref<4xi32> = uninitialized
func.func @memory(%m: memref<4x8xf32>, %n: index, %x: f32, %bytes: memref<128xi8>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xi32>
  %b = memref.alloc(%n) {alignment = 32 : i64} : memref<?xi32>
  %s = memref.alloca() : memref<4xi32, 2 : i32>
  %v = memref.load %m[%c0, %n] : memref<4x8xf32>
  memref.store %v, %m[%n, %c0] : memref<4x8xf32>
  %g = memref.get_global @table : memref<4xi32>
  %h = memref.get_global @room : memref<4xi32>
  memref.copy %g, %h : memref<4xi32> to memref<4xi32>
  %sub = memref.subview %m[1, %n] [2, 4] [1, 2] : memref<4x8xf32> to memref<2x4xf32, strided<[8, 2], offset: ?>>
  %r = memref.reinterpret_cast %m to offset: [0], sizes: [32], strides: [1] : memref<4x8xf32> to memref<32xf32>
  %c = memref.cast %b : memref<?xi32> to memref<16xi32>
  %flat = memref.collapse_shape %m [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  %deep = memref.expand_shape %flat [[0, 1]] output_shape [4, 8] : memref<32xf32> into memref<4x8xf32>
  %w = memref.view %bytes[%c0][] : memref<128xi8> to memref<32xi32>
  %d = memref.dim %b, %c0 : memref<?xi32>
  %t = memref.assume_alignment %m, 32 : memref<4x8xf32>
  memref.dealloc %a : memref<16xi32>
  return
}
func.func @tensors(%t: tensor<?x8xf32>, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %d = tensor.dim %t, %c0 : tensor<?x8xf32>
  %v = tensor.extract %t[%c0, %d] : tensor<?x8xf32>
  %i = tensor.insert %x into %e[%c0, %n] : tensor<?x8xf32>
  %c = tensor.cast %i : tensor<?x8xf32> to tensor<4x8xf32>
  %f = tensor.collapse_shape %c [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %g = tensor.expand_shape %f [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  return %v : f32
}

// CHECK:      module {
// CHECK-NEXT:   memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]>
// CHECK-NEXT:   memref.global @room : memref<4xi32> = uninitialized
// CHECK-NEXT:   func.func @memory(%arg0: memref<4x8xf32>, %arg1: index, %arg2: f32, %arg3: memref<128xi8>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %alloc = memref.alloc() : memref<16xi32>
// CHECK-NEXT:     %alloc_0 = memref.alloc(%arg1) {alignment = 32 : i64} : memref<?xi32>
// CHECK-NEXT:     %alloca = memref.alloca() : memref<4xi32, 2 : i32>
// CHECK-NEXT:     %0 = memref.load %arg0[%c0, %arg1] : memref<4x8xf32>
// CHECK-NEXT:     memref.store %0, %arg0[%arg1, %c0] : memref<4x8xf32>
// CHECK-NEXT:     %1 = memref.get_global @table : memref<4xi32>
// CHECK-NEXT:     %2 = memref.get_global @room : memref<4xi32>
// CHECK-NEXT:     memref.copy %1, %2 : memref<4xi32> to memref<4xi32>
// CHECK-NEXT:     %subview = memref.subview %arg0[1, %arg1] [2, 4] [1, 2] : memref<4x8xf32> to memref<2x4xf32, strided<[8, 2], offset: ?>>
// CHECK-NEXT:     %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [32], strides: [1] : memref<4x8xf32> to memref<32xf32>
// CHECK-NEXT:     %cast = memref.cast %alloc_0 : memref<?xi32> to memref<16xi32>
// CHECK-NEXT:     %collapse_shape = memref.collapse_shape %arg0 {{\[\[}}0, 1]] : memref<4x8xf32> into memref<32xf32>
// CHECK-NEXT:     %expand_shape = memref.expand_shape %collapse_shape {{\[\[}}0, 1]] output_shape [4, 8] : memref<32xf32> into memref<4x8xf32>
// CHECK-NEXT:     %view = memref.view %arg3[%c0][] : memref<128xi8> to memref<32xi32>
// CHECK-NEXT:     %dim = memref.dim %alloc_0, %c0 : memref<?xi32>
// CHECK-NEXT:     %assume_align = memref.assume_alignment %arg0, 32 : memref<4x8xf32>
// CHECK-NEXT:     memref.dealloc %alloc : memref<16xi32>
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @tensors(%arg0: tensor<?x8xf32>, %arg1: index, %arg2: f32) -> f32 {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %0 = tensor.empty(%arg1) : tensor<?x8xf32>
// CHECK-NEXT:     %dim = tensor.dim %arg0, %c0 : tensor<?x8xf32>
// CHECK-NEXT:     %extracted = tensor.extract %arg0[%c0, %dim] : tensor<?x8xf32>
// CHECK-NEXT:     %inserted = tensor.insert %arg2 into %0[%c0, %arg1] : tensor<?x8xf32>
// CHECK-NEXT:     %cast = tensor.cast %inserted : tensor<?x8xf32> to tensor<4x8xf32>
// CHECK-NEXT:     %collapsed = tensor.collapse_shape %cast {{\[\[}}0, 1]] : tensor<4x8xf32> into tensor<32xf32>
// CHECK-NEXT:     %expanded = tensor.expand_shape %collapsed {{\[\[}}0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
// CHECK-NEXT:     return %extracted : f32
// CHECK-NEXT:   }
// CHECK-NEXT: }
