// Misspelt names and impossible numbers: messages say what is there, and suggest what is meant only.
// RUN: split-file %s %t
// RUN: not aiec %t/letter.mlir 2>&1 | FileCheck %s --check-prefix=LETTER
// RUN: not aiec %t/word.mlir 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not aiec %t/required.mlir 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not aiec %t/depth.mlir 2>&1 | FileCheck %s --check-prefix=DEPTH

// A single letter is near to every other one.
// LETTER: parse::unknown-value
// LETTER: `%z` is not defined in this scope
// LETTER-NOT: did you mean
// WORD: `%shin` is not defined in this scope
// WORD: help: did you mean `%shim`?
// A required attribute is asked for once, where it is missing.
// REQUIRED-NOT: leave it out
// REQUIRED: verify::attribute
// REQUIRED: help: is `symbl` meant to be `symbol`?
// REQUIRED-NOT: leave it out
// DEPTH: a fifo of depth -2
// DEPTH: help: a fifo holds at least one object

//--- letter.mlir
aie.device(npu2) {
  %s = aie.tile(0, 0)
  aie.flow(%s, DMA : 0, %z, DMA : 0)
}
//--- word.mlir
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.flow(%shin, DMA : 0, %core, DMA : 0)
}
//--- required.mlir
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @out(%shim, S2MM, 0)
  aie.runtime_sequence(%a: memref<16xi32>) {
    aiex.npu.dma_wait {symbl = @out}
  }
}
//--- depth.mlir
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.objectfifo @in(%shim, {%core}, -2 : i32) : !aie.objectfifo<memref<16xi32>>
}
