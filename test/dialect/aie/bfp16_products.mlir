// RUN: not aiec opt %s 2>&1 | FileCheck %s

// CHECK: aie.bfp16_products has no value
// CHECK: aie.bfp16_products permits nothing here
// CHECK: on the aie.core or the func.func whose products may round their factors to blocks

aie.device(npu2) {
  func.func private @matmul_bf16_f32(memref<8x8xbf16>, memref<8x8xbf16>, memref<8x8xf32>) attributes {aie.bfp16_products}
  func.func private @f() attributes {aie.bfp16_products = true}
  %t = aie.tile(0, 2)
  %b = aie.buffer(%t) {aie.bfp16_products} : memref<16xi32>
}
