// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Vectors.

func.func @vectors(%m: memref<64xf32>, %a: vector<16xf32>, %i: index, %x: f32, %k: vector<16xi1>) {
  %p = arith.constant 0.0 : f32
  %r = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<64xf32>, vector<16xf32>
  %q = vector.transfer_read %m[%i], %p, %k : memref<64xf32>, vector<16xf32>
  vector.transfer_write %r, %m[%i] {in_bounds = [true]} : vector<16xf32>, memref<64xf32>
  %l = vector.load %m[%i] : memref<64xf32>, vector<16xf32>
  vector.store %l, %m[%i] : memref<64xf32>, vector<16xf32>
  %f = vector.fma %r, %q, %l : vector<16xf32>
  %b = vector.broadcast %x : f32 to vector<16xf32>
  %s = vector.splat %x : vector<4xf32>
  %e = vector.extract %a[3] : f32 from vector<16xf32>
  %e2 = vector.extract %a[%i] : f32 from vector<16xf32>
  %n = vector.insert %e, %a[5] : f32 into vector<16xf32>
  %sum = vector.reduction <add>, %a : vector<16xf32> into f32
  %max = vector.reduction <maximumf>, %a, %x : vector<16xf32> into f32
  %shaped = vector.shape_cast %a : vector<16xf32> to vector<4x4xf32>
  %mr = vector.multi_reduction <add>, %shaped, %s [0] : vector<4x4xf32> to vector<4xf32>
  %c = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %shaped, %shaped, %shaped : vector<4x4xf32>, vector<4x4xf32> into vector<4x4xf32>
  %t = vector.transpose %shaped, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
  %w = vector.bitcast %a : vector<16xf32> to vector<32xbf16>
  %h = vector.shuffle %s, %s [0, 2, 4, 6] : vector<4xf32>, vector<4xf32>
  %o = vector.extract_strided_slice %a {offsets = [4], sizes = [4], strides = [1]} : vector<16xf32> to vector<4xf32>
  %j = vector.insert_strided_slice %o, %a {offsets = [8], strides = [1]} : vector<4xf32> into vector<16xf32>
  %y = vector.from_elements %x, %x : vector<2xf32>
  %z = vector.step : vector<4xindex>
  return
}

// CHECK:      #map = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-NEXT: #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-NEXT: #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @vectors(%arg0: memref<64xf32>, %arg1: vector<16xf32>, %arg2: index, %arg3: f32, %arg4: vector<16xi1>) {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %0 = vector.transfer_read %arg0[%arg2], %cst {in_bounds = [true]} : memref<64xf32>, vector<16xf32>
// CHECK-NEXT:     %1 = vector.transfer_read %arg0[%arg2], %cst, %arg4 : memref<64xf32>, vector<16xf32>
// CHECK-NEXT:     vector.transfer_write %0, %arg0[%arg2] {in_bounds = [true]} : vector<16xf32>, memref<64xf32>
// CHECK-NEXT:     %2 = vector.load %arg0[%arg2] : memref<64xf32>, vector<16xf32>
// CHECK-NEXT:     vector.store %2, %arg0[%arg2] : memref<64xf32>, vector<16xf32>
// CHECK-NEXT:     %3 = vector.fma %0, %1, %2 : vector<16xf32>
// CHECK-NEXT:     %4 = vector.broadcast %arg3 : f32 to vector<16xf32>
// CHECK-NEXT:     %5 = vector.broadcast %arg3 : f32 to vector<4xf32>
// CHECK-NEXT:     %6 = vector.extract %arg1[3] : f32 from vector<16xf32>
// CHECK-NEXT:     %7 = vector.extract %arg1[%arg2] : f32 from vector<16xf32>
// CHECK-NEXT:     %8 = vector.insert %6, %arg1 [5] : f32 into vector<16xf32>
// CHECK-NEXT:     %9 = vector.reduction <add>, %arg1 : vector<16xf32> into f32
// CHECK-NEXT:     %10 = vector.reduction <maximumf>, %arg1, %arg3 : vector<16xf32> into f32
// CHECK-NEXT:     %11 = vector.shape_cast %arg1 : vector<16xf32> to vector<4x4xf32>
// CHECK-NEXT:     %12 = vector.multi_reduction <add>, %11, %5 [0] : vector<4x4xf32> to vector<4xf32>
// CHECK-NEXT:     %13 = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %11, %11, %11 : vector<4x4xf32>, vector<4x4xf32> into vector<4x4xf32>
// CHECK-NEXT:     %14 = vector.transpose %11, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
// CHECK-NEXT:     %15 = vector.bitcast %arg1 : vector<16xf32> to vector<32xbf16>
// CHECK-NEXT:     %16 = vector.shuffle %5, %5 [0, 2, 4, 6] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:     %17 = vector.extract_strided_slice %arg1 {offsets = [4], sizes = [4], strides = [1]} : vector<16xf32> to vector<4xf32>
// CHECK-NEXT:     %18 = vector.insert_strided_slice %17, %arg1 {offsets = [8], strides = [1]} : vector<4xf32> into vector<16xf32>
// CHECK-NEXT:     %19 = vector.from_elements %arg3, %arg3 : vector<2xf32>
// CHECK-NEXT:     %20 = vector.step : vector<4xindex>
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT: }
