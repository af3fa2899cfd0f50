// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Named structured operations: what they compute for an element follows from the name and shows in
// generic form only; it may be left out there.

func.func @f(%i: memref<4x4xi8>, %k: memref<4x4xi32>, %h: memref<4x4xbf16>, %c: memref<4x4xf32>, %b: memref<4x4xi1>, %t: tensor<4x4xf32>) {
  linalg.copy ins(%i : memref<4x4xi8>) outs(%k : memref<4x4xi32>)
  linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%k : memref<4x4xi32>) outs(%c : memref<4x4xf32>)
  linalg.copy ins(%c : memref<4x4xf32>) outs(%h : memref<4x4xbf16>)
  linalg.copy ins(%c : memref<4x4xf32>) outs(%k : memref<4x4xi32>)
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%i, %i : memref<4x4xi8>, memref<4x4xi8>) outs(%k : memref<4x4xi32>)
  linalg.matmul {note} ins(%h, %h : memref<4x4xbf16>, memref<4x4xbf16>) outs(%c : memref<4x4xf32>)
  linalg.matmul ins(%b, %b : memref<4x4xi1>, memref<4x4xi1>) outs(%b : memref<4x4xi1>)
  linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>] ins(%c, %c : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] ins(%c, %c : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  %r = linalg.matmul ins(%t, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  "linalg.copy"(%c, %c) <{operandSegmentSizes = array<i32: 1, 1>}> : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}

// CHECK:      #map = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-NEXT: #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-NEXT: #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @f(%arg0: memref<4x4xi8>, %arg1: memref<4x4xi32>, %arg2: memref<4x4xbf16>, %arg3: memref<4x4xf32>, %arg4: memref<4x4xi1>, %arg5: tensor<4x4xf32>) {
// CHECK-NEXT:     linalg.copy ins(%arg0 : memref<4x4xi8>) outs(%arg1 : memref<4x4xi32>)
// CHECK-NEXT:     linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%arg1 : memref<4x4xi32>) outs(%arg3 : memref<4x4xf32>)
// CHECK-NEXT:     linalg.copy ins(%arg3 : memref<4x4xf32>) outs(%arg2 : memref<4x4xbf16>)
// CHECK-NEXT:     linalg.copy ins(%arg3 : memref<4x4xf32>) outs(%arg1 : memref<4x4xi32>)
// CHECK-NEXT:     linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%arg0, %arg0 : memref<4x4xi8>, memref<4x4xi8>) outs(%arg1 : memref<4x4xi32>)
// CHECK-NEXT:     linalg.matmul {note} ins(%arg2, %arg2 : memref<4x4xbf16>, memref<4x4xbf16>) outs(%arg3 : memref<4x4xf32>)
// CHECK-NEXT:     linalg.matmul ins(%arg4, %arg4 : memref<4x4xi1>, memref<4x4xi1>) outs(%arg4 : memref<4x4xi1>)
// CHECK-NEXT:     linalg.matmul indexing_maps = [#map, #map1, #map2] ins(%arg3, %arg3 : memref<4x4xf32>, memref<4x4xf32>) outs(%arg3 : memref<4x4xf32>)
// CHECK-NEXT:     linalg.matmul ins(%arg3, %arg3 : memref<4x4xf32>, memref<4x4xf32>) outs(%arg3 : memref<4x4xf32>)
// CHECK-NEXT:     %0 = linalg.matmul ins(%arg5, %arg5 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%arg5 : tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:     linalg.copy ins(%arg3 : memref<4x4xf32>) outs(%arg3 : memref<4x4xf32>)
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT: }

// GENERIC:      #map = affine_map<(d0, d1, d2) -> (d0, d2)>
// GENERIC-NEXT: #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
// GENERIC-NEXT: #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
// GENERIC-NEXT: #map3 = affine_map<(d0, d1, d2) -> (d2, d0)>
// GENERIC:         "linalg.copy"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: i8, %arg7: i32):
// GENERIC-NEXT:       %1 = "arith.extsi"(%arg6) : (i8) -> i32
// GENERIC-NEXT:       "linalg.yield"(%1) : (i32) -> ()
// GENERIC-NEXT:     }) : (memref<4x4xi8>, memref<4x4xi32>) -> ()
// GENERIC-NEXT:     "linalg.copy"(%arg1, %arg3) <{cast = #linalg.type_fn<cast_unsigned>, operandSegmentSizes = array<i32: 1, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: i32, %arg7: f32):
// GENERIC-NEXT:       %1 = "arith.uitofp"(%arg6) : (i32) -> f32
// GENERIC-NEXT:       "linalg.yield"(%1) : (f32) -> ()
// GENERIC-NEXT:     }) : (memref<4x4xi32>, memref<4x4xf32>) -> ()
// GENERIC-NEXT:     "linalg.copy"(%arg3, %arg2) <{operandSegmentSizes = array<i32: 1, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: f32, %arg7: bf16):
// GENERIC-NEXT:       %1 = "arith.truncf"(%arg6) : (f32) -> bf16
// GENERIC-NEXT:       "linalg.yield"(%1) : (bf16) -> ()
// GENERIC-NEXT:     }) : (memref<4x4xf32>, memref<4x4xbf16>) -> ()
// GENERIC-NEXT:     "linalg.copy"(%arg3, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: f32, %arg7: i32):
// GENERIC-NEXT:       %1 = "arith.fptosi"(%arg6) : (f32) -> i32
// GENERIC-NEXT:       "linalg.yield"(%1) : (i32) -> ()
// GENERIC-NEXT:     }) : (memref<4x4xf32>, memref<4x4xi32>) -> ()
// GENERIC-NEXT:     "linalg.matmul"(%arg0, %arg0, %arg1) <{cast = #linalg.type_fn<cast_unsigned>, indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: i8, %arg7: i8, %arg8: i32):
// GENERIC-NEXT:       %1 = "arith.extui"(%arg6) : (i8) -> i32
// GENERIC-NEXT:       %2 = "arith.extui"(%arg7) : (i8) -> i32
// GENERIC-NEXT:       %3 = "arith.muli"(%1, %2) : (i32, i32) -> i32
// GENERIC-NEXT:       %4 = "arith.addi"(%arg8, %3) : (i32, i32) -> i32
// GENERIC-NEXT:       "linalg.yield"(%4) : (i32) -> ()
// GENERIC-NEXT:     }) : (memref<4x4xi8>, memref<4x4xi8>, memref<4x4xi32>) -> ()
// GENERIC-NEXT:     "linalg.matmul"(%arg2, %arg2, %arg3) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: bf16, %arg7: bf16, %arg8: f32):
// GENERIC-NEXT:       %1 = "arith.extf"(%arg6) : (bf16) -> f32
// GENERIC-NEXT:       %2 = "arith.extf"(%arg7) : (bf16) -> f32
// GENERIC-NEXT:       %3 = "arith.mulf"(%1, %2) : (f32, f32) -> f32
// GENERIC-NEXT:       %4 = "arith.addf"(%arg8, %3) : (f32, f32) -> f32
// GENERIC-NEXT:       "linalg.yield"(%4) : (f32) -> ()
// GENERIC-NEXT:     }) {note} : (memref<4x4xbf16>, memref<4x4xbf16>, memref<4x4xf32>) -> ()
// GENERIC-NEXT:     "linalg.matmul"(%arg4, %arg4, %arg4) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: i1, %arg7: i1, %arg8: i1):
// GENERIC-NEXT:       %1 = "arith.andi"(%arg6, %arg7) : (i1, i1) -> i1
// GENERIC-NEXT:       %2 = "arith.ori"(%arg8, %1) : (i1, i1) -> i1
// GENERIC-NEXT:       "linalg.yield"(%2) : (i1) -> ()
// GENERIC-NEXT:     }) : (memref<4x4xi1>, memref<4x4xi1>, memref<4x4xi1>) -> ()
// GENERIC-NEXT:     "linalg.matmul"(%arg3, %arg3, %arg3) <{indexing_maps = [#map3, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: f32, %arg7: f32, %arg8: f32):
// GENERIC-NEXT:       %1 = "arith.mulf"(%arg6, %arg7) : (f32, f32) -> f32
// GENERIC-NEXT:       %2 = "arith.addf"(%arg8, %1) : (f32, f32) -> f32
// GENERIC-NEXT:       "linalg.yield"(%2) : (f32) -> ()
// GENERIC-NEXT:     }) : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
// GENERIC-NEXT:     "linalg.matmul"(%arg3, %arg3, %arg3) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: f32, %arg7: f32, %arg8: f32):
// GENERIC-NEXT:       %1 = "arith.mulf"(%arg6, %arg7) : (f32, f32) -> f32
// GENERIC-NEXT:       %2 = "arith.addf"(%arg8, %1) : (f32, f32) -> f32
// GENERIC-NEXT:       "linalg.yield"(%2) : (f32) -> ()
// GENERIC-NEXT:     }) : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
// GENERIC-NEXT:     %0 = "linalg.matmul"(%arg5, %arg5, %arg5) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: f32, %arg7: f32, %arg8: f32):
// GENERIC-NEXT:       %1 = "arith.mulf"(%arg6, %arg7) : (f32, f32) -> f32
// GENERIC-NEXT:       %2 = "arith.addf"(%arg8, %1) : (f32, f32) -> f32
// GENERIC-NEXT:       "linalg.yield"(%2) : (f32) -> ()
// GENERIC-NEXT:     }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// GENERIC-NEXT:     "linalg.copy"(%arg3, %arg3) <{operandSegmentSizes = array<i32: 1, 1>}> ({
// GENERIC-NEXT:     ^bb0(%arg6: f32, %arg7: f32):
// GENERIC-NEXT:       "linalg.yield"(%arg6) : (f32) -> ()
// GENERIC-NEXT:     }) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
// GENERIC-NEXT:     "func.return"() : () -> ()
