// A size that is only a number is refused before memory is taken for it, once.
// RUN: aiec %s -o %t.elf
// RUN: not aiec sim %t.elf 2>&1 | FileCheck %s

// CHECK:     argument 0 has 4611686018427387904 bytes
// CHECK-NOT: argument 0 has
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.objectfifo @in(%shim, {%core}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.runtime_sequence(%a: memref<1152921504606846976xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in, issue_token = true} : memref<1152921504606846976xi32>
    aiex.npu.dma_wait {symbol = @in}
  }
}
