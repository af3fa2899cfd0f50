// RUN: aiec %s --emit=mlir -o %t.mlir
// RUN: aiec %t.mlir --emit=ctrl-asm -o %t.again
// RUN: aiec %s --emit=ctrl-asm -o %t.once
// RUN: diff %t.once %t.again
// RUN: aiec opt --emit-jobs %t.mlir -o - | FileCheck %s
// RUN: aiec %t.mlir -o %t.elf 2>&1 | FileCheck %s --check-prefix=WORDS --allow-empty

// A module that holds the control code of a compilation isn't configured again.

// CHECK-COUNT-1: {configures}
// CHECK-NOT: {configures}
// WORDS-NOT: nothing reads

module {
  aie.device(xcve3858) {
    %shim = aie.tile(2, 0)
    %mem = aie.tile(2, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
