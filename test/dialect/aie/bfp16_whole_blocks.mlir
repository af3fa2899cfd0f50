// RUN: aiec opt --verify-diagnostics %s
// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s --core=machine -o %t 2>&1 | FileCheck %s

// Both forms of cores refuse matrices that aren't whole blocks.
// CHECK-COUNT-2: core::no-whole-blocks
// CHECK: leave aie.bfp16_products

aie.device(npu2) @divided {
  // expected-error@+1 {{matrices of 64×64 and 64×36 aren't whole blocks of 8×8 and 8×8}}
  func.func private @matmul_bf16_f32(memref<64x64xbf16>, memref<64x36xbf16>, memref<64x36xf32>) attributes {aie.bfp16_products}
}

aie.device(npu2) @dynamic {
  // expected-error@+1 {{matrices of unknown size may not be whole blocks of 8×8 and 8×8}}
  func.func private @matmul_bf16_bf16(memref<?x8xbf16>, memref<8x8xbf16>, memref<?x8xbf16>) attributes {aie.bfp16_products}
}

// Nothing is in blocks by 8 here: other architectures, other elements, whole blocks.
aie.device(npu1) @without_blocks {
  func.func private @matmul_bf16_f32(memref<4x8xbf16>, memref<8x4xbf16>, memref<4x4xf32>) attributes {aie.bfp16_products}
}

aie.device(npu2) @whole {
  func.func private @matmul_i16_i32(memref<4x4xi16>, memref<4x8xi16>, memref<4x8xi32>) attributes {aie.bfp16_products}
  func.func private @matmul_bf16_f32(memref<16x8xbf16>, memref<8x24xbf16>, memref<16x24xf32>) attributes {aie.bfp16_products}
}
