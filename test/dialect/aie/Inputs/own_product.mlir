func.func @matmul_bf16_f32(%a: memref<8x8xbf16>, %b: memref<8x8xbf16>, %c: memref<8x8xf32>) {
  return
}

func.func @matmul_bf16_bf16(%a: memref<4x8xbf16>, %b: memref<8x8xbf16>, %c: memref<4x8xbf16>) {
  return
}
