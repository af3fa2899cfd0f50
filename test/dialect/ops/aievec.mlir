// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Vector operations of the cores.

func.func @aievec(%a: vector<16xi32>, %h: vector<32xi16>, %f: vector<16xf32>, %b: vector<16xbf16>, %s: i32, %x: f32, %m: memref<48xi8>, %n: index, %acc: vector<16xi64>) {
  %0 = aievec.add_elem %f, %f : vector<16xf32>
  %1 = aievec.sub_elem %f, %f : vector<16xf32>
  %2 = aievec.mul_elem %a, %a : vector<16xi32>, vector<16xi32>, vector<16xi64>
  %3 = aievec.mac_elem %b, %b, %f : vector<16xbf16>, vector<16xbf16>, vector<16xf32>
  %4 = aievec.min %a, %a : vector<16xi32>
  %5 = aievec.max %a, %a : vector<16xi32>
  %6 = aievec.neg %f : vector<16xf32>
  %7 = aievec.exp %b : vector<16xbf16>
  %8 = aievec.tanh %b : vector<16xbf16>
  %9 = aievec.inv %x : f32
  %10 = aievec.ext %h {index = 0 : i8} : vector<32xi16>, vector<16xi16>
  %11 = aievec.ext_elem %a, %s : vector<16xi32>, i32, i32
  %12 = aievec.concat %a, %a : vector<16xi32>, vector<32xi32>
  %13 = aievec.concat %10, %10, %10, %10 : vector<16xi16>, vector<64xi16>
  %14 = aievec.shift %a, %a, %s {isAcc = false} : vector<16xi32>, vector<16xi32>, i32, vector<16xi32>
  %undefined = llvm.mlir.undef : vector<16xi32>
  %15 = aievec.shuffle %a, [t32_4x4] : vector<16xi32>
  %16 = aievec.shuffle %a, %a [t32_4x8_lo] : vector<16xi32>
  %17 = aievec.broadcast %h {idx = 3 : i8} : vector<32xi16>, vector<32xi16>
  %18 = aievec.broadcast_scalar %x : f32, vector<16xf32>
  %19 = aievec.cast %f {isResAcc = true} : vector<16xf32>, vector<16xf32>
  %20 = aievec.srs %acc, %s : vector<16xi64>, i32, vector<16xi32>
  %21 = aievec.ups %a {shift = 0 : i8} : vector<16xi32>, vector<16xi64>
  %22 = aievec.pack %10 : vector<16xi16>, vector<16xi8>
  %23 = aievec.unpack %22 : vector<16xi8>, vector<16xi16>
  %24 = aievec.upd %m[%n] {index = 0 : i8, offset = 0 : i32} : memref<48xi8>, vector<32xi8>
  %25 = aievec.upd %m[%n], %24 {index = 1 : i8, offset = 0 : i32} : memref<48xi8>, vector<32xi8>
  return
}
func.func @matrices(%a: vector<4x8xbf16>, %b: vector<8x4xbf16>, %c: vector<4x4xf32>) {
  %0 = aievec.matmul %a, %b, %c : vector<4x8xbf16>, vector<8x4xbf16> into vector<4x4xf32>
  %1 = aievec.matmul_aie2p %a, %b, %0 : vector<4x8xbf16>, vector<8x4xbf16> into vector<4x4xf32>
  return
}
func.func @first_generation(%a: vector<32xi16>, %b: vector<16xi16>, %acc: vector<16xi48>, %l: vector<8xi32>) {
  %0 = aievec_aie1.mul %a, %b {xoffsets = "0x03020100", xstart = "1", zoffsets = "0", zstart = "2"} : vector<32xi16>, vector<16xi16>, vector<16xi48>
  %1 = aievec_aie1.mac %a, %b, %acc {fmsub = true, xstart = "0"} : vector<32xi16>, vector<16xi16>, vector<16xi48>
  %2 = aievec_aie1.select %a {select = "0x00000000", xstart = "0"} : vector<32xi16>, vector<32xi16>
  %3 = aievec_aie1.add %l, %l : vector<8xi32>, vector<8xi32>, vector<8xi32>
  %4 = aievec_aie1.sub %l, %l : vector<8xi32>, vector<8xi32>, vector<8xi32>
  return
}

// CHECK:      module {
// CHECK-NEXT:   func.func @aievec(%arg0: vector<16xi32>, %arg1: vector<32xi16>, %arg2: vector<16xf32>, %arg3: vector<16xbf16>, %arg4: i32, %arg5: f32, %arg6: memref<48xi8>, %arg7: index, %arg8: vector<16xi64>) {
// CHECK-NEXT:     %0 = aievec.add_elem %arg2, %arg2 : vector<16xf32>
// CHECK-NEXT:     %1 = aievec.sub_elem %arg2, %arg2 : vector<16xf32>
// CHECK-NEXT:     %2 = aievec.mul_elem %arg0, %arg0 : vector<16xi32>, vector<16xi32>, vector<16xi64>
// CHECK-NEXT:     %3 = aievec.mac_elem %arg3, %arg3, %arg2 : vector<16xbf16>, vector<16xbf16>, vector<16xf32>
// CHECK-NEXT:     %4 = aievec.min %arg0, %arg0 : vector<16xi32>
// CHECK-NEXT:     %5 = aievec.max %arg0, %arg0 : vector<16xi32>
// CHECK-NEXT:     %6 = aievec.neg %arg2 : vector<16xf32>
// CHECK-NEXT:     %7 = aievec.exp %arg3 : vector<16xbf16>
// CHECK-NEXT:     %8 = aievec.tanh %arg3 : vector<16xbf16>
// CHECK-NEXT:     %9 = aievec.inv %arg5 : f32
// CHECK-NEXT:     %10 = aievec.ext %arg1 {index = 0 : i8} : vector<32xi16>, vector<16xi16>
// CHECK-NEXT:     %11 = aievec.ext_elem %arg0, %arg4 : vector<16xi32>, i32, i32
// CHECK-NEXT:     %12 = aievec.concat %arg0, %arg0 : vector<16xi32>, vector<32xi32>
// CHECK-NEXT:     %13 = aievec.concat %10, %10, %10, %10 : vector<16xi16>, vector<64xi16>
// CHECK-NEXT:     %14 = aievec.shift %arg0, %arg0, %arg4 {isAcc = false} : vector<16xi32>, vector<16xi32>, i32, vector<16xi32>
// CHECK-NEXT:     %15 = llvm.mlir.undef : vector<16xi32>
// CHECK-NEXT:     %16 = aievec.shuffle %arg0 [t32_4x4] : vector<16xi32>
// CHECK-NEXT:     %17 = aievec.shuffle %arg0, %arg0 [t32_4x8_lo] : vector<16xi32>
// CHECK-NEXT:     %18 = aievec.broadcast %arg1 {idx = 3 : i8} : vector<32xi16>, vector<32xi16>
// CHECK-NEXT:     %19 = aievec.broadcast_scalar %arg5 : f32, vector<16xf32>
// CHECK-NEXT:     %20 = aievec.cast %arg2 {isResAcc = true} : vector<16xf32>, vector<16xf32>
// CHECK-NEXT:     %21 = aievec.srs %arg8, %arg4 : vector<16xi64>, i32, vector<16xi32>
// CHECK-NEXT:     %22 = aievec.ups %arg0 {shift = 0 : i8} : vector<16xi32>, vector<16xi64>
// CHECK-NEXT:     %23 = aievec.pack %10 : vector<16xi16>, vector<16xi8>
// CHECK-NEXT:     %24 = aievec.unpack %23 : vector<16xi8>, vector<16xi16>
// CHECK-NEXT:     %25 = aievec.upd %arg6[%arg7] {index = 0 : i8, offset = 0 : i32} : memref<48xi8>, vector<32xi8>
// CHECK-NEXT:     %26 = aievec.upd %arg6[%arg7], %25 {index = 1 : i8, offset = 0 : i32} : memref<48xi8>, vector<32xi8>
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @matrices(%arg0: vector<4x8xbf16>, %arg1: vector<8x4xbf16>, %arg2: vector<4x4xf32>) {
// CHECK-NEXT:     %0 = aievec.matmul %arg0, %arg1, %arg2 : vector<4x8xbf16>, vector<8x4xbf16> into vector<4x4xf32>
// CHECK-NEXT:     %1 = aievec.matmul_aie2p %arg0, %arg1, %0 : vector<4x8xbf16>, vector<8x4xbf16> into vector<4x4xf32>
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @first_generation(%arg0: vector<32xi16>, %arg1: vector<16xi16>, %arg2: vector<16xi48>, %arg3: vector<8xi32>) {
// CHECK-NEXT:     %0 = aievec_aie1.mul %arg0, %arg1 {xoffsets = "0x03020100", xstart = "1", zoffsets = "0", zstart = "2"} : vector<32xi16>, vector<16xi16>, vector<16xi48>
// CHECK-NEXT:     %1 = aievec_aie1.mac %arg0, %arg1, %arg2 {fmsub = true, xstart = "0"} : vector<32xi16>, vector<16xi16>, vector<16xi48>
// CHECK-NEXT:     %2 = aievec_aie1.select %arg0 {select = "0x00000000", xstart = "0"} : vector<32xi16>, vector<32xi16>
// CHECK-NEXT:     %3 = aievec_aie1.add %arg3, %arg3 : vector<8xi32>, vector<8xi32>, vector<8xi32>
// CHECK-NEXT:     %4 = aievec_aie1.sub %arg3, %arg3 : vector<8xi32>, vector<8xi32>, vector<8xi32>
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT: }
