// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Loop nests: affine, linalg.

#id = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 - 4 >= 0, -d0 + 8 >= 0)>
func.func @affine(%m: memref<64xf32>, %n: index, %x: f32) -> f32 {
  affine.for %i = 0 to 16 step 2 {
    %v = affine.load %m[%i + 1] : memref<64xf32>
    affine.store %v, %m[%i * 2] : memref<64xf32>
    %w = affine.vector_load %m[%i] : memref<64xf32>, vector<4xf32>
    affine.vector_store %w, %m[%i + 4] : memref<64xf32>, vector<4xf32>
    affine.if #set(%i) {
      affine.store %x, %m[%i] : memref<64xf32>
    }
  }
  %sum = affine.for %i = 0 to %n iter_args(%acc = %x) -> (f32) {
    affine.yield %acc : f32
  }
  %a = affine.apply affine_map<(d0)[s0] -> (d0 * 4 + s0)>(%n)[%n]
  %b = affine.min affine_map<(d0) -> (d0, 16)>(%n)
  %c = affine.max affine_map<(d0) -> (d0, 0)>(%n)
  return %sum : f32
}
func.func @linalg(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %x: f32, %v: memref<8xf32>) {
  linalg.fill ins(%x : f32) outs(%c : memref<4x4xf32>)
  linalg.copy ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%v : memref<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    linalg.yield %x : f32
  }
  return
}

// CHECK:      #map = affine_map<(d0)[s0] -> (d0 * 4 + s0)>
// CHECK-NEXT: #map1 = affine_map<(d0) -> (d0, 16)>
// CHECK-NEXT: #map2 = affine_map<(d0) -> (d0, 0)>
// CHECK-NEXT: #map3 = affine_map<(d0) -> (d0)>
// CHECK-NEXT: #set = affine_set<(d0) : (d0 - 4 >= 0, -d0 + 8 >= 0)>
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @affine(%arg0: memref<64xf32>, %arg1: index, %arg2: f32) -> f32 {
// CHECK-NEXT:     affine.for %arg3 = 0 to 16 step 2 {
// CHECK-NEXT:       %4 = affine.load %arg0[%arg3 + 1] : memref<64xf32>
// CHECK-NEXT:       affine.store %4, %arg0[%arg3 * 2] : memref<64xf32>
// CHECK-NEXT:       %5 = affine.vector_load %arg0[%arg3] : memref<64xf32>, vector<4xf32>
// CHECK-NEXT:       affine.vector_store %5, %arg0[%arg3 + 4] : memref<64xf32>, vector<4xf32>
// CHECK-NEXT:       affine.if #set(%arg3) {
// CHECK-NEXT:         affine.store %arg2, %arg0[%arg3] : memref<64xf32>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     %0 = affine.for %arg3 = 0 to %arg1 iter_args(%arg4 = %arg2) -> (f32) {
// CHECK-NEXT:       affine.yield %arg4 : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = affine.apply #map(%arg1)[%arg1]
// CHECK-NEXT:     %2 = affine.min #map1(%arg1)
// CHECK-NEXT:     %3 = affine.max #map2(%arg1)
// CHECK-NEXT:     return %0 : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @linalg(%arg0: memref<4x4xf32>, %arg1: memref<4x4xf32>, %arg2: memref<4x4xf32>, %arg3: f32, %arg4: memref<8xf32>) {
// CHECK-NEXT:     linalg.fill ins(%arg3 : f32) outs(%arg2 : memref<4x4xf32>)
// CHECK-NEXT:     linalg.copy ins(%arg0 : memref<4x4xf32>) outs(%arg1 : memref<4x4xf32>)
// CHECK-NEXT:     linalg.matmul ins(%arg0, %arg1 : memref<4x4xf32>, memref<4x4xf32>) outs(%arg2 : memref<4x4xf32>)
// CHECK-NEXT:     linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%arg4 : memref<8xf32>) {
// CHECK-NEXT:     ^bb0(%arg5: f32):
// CHECK-NEXT:       %0 = linalg.index 0 : index
// CHECK-NEXT:       linalg.yield %arg3 : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT: }
