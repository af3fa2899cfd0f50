// RUN: aiec opt %s --link %S/Inputs/own_product.mlir | FileCheck %s

// A body that a file gives replaces the library's, which has no say about the matrices.
// CHECK: func.func @matmul_bf16_f32(%
// CHECK-NEXT: return
// CHECK: func.func @matmul_bf16_bf16(%
// CHECK-NEXT: return

aie.device(npu2) {
  func.func private @matmul_bf16_f32(memref<8x8xbf16>, memref<8x8xbf16>, memref<8x8xf32>) attributes {aie.bfp16_products}
  func.func private @matmul_bf16_bf16(memref<4x8xbf16>, memref<8x8xbf16>, memref<4x8xbf16>) attributes {aie.bfp16_products}
}
