// RUN: not aiec %s --emit=insts -o %t.bin --diagnostics=text 2>&1 | FileCheck %s

// CHECK: 4 words from byte 65528 of 65536 can't be cleared
// CHECK: within the data memory of a core's or a mem tile
// CHECK: 8 words from byte 0 of 0 can't be cleared
// CHECK: 1 words from byte 2 of 65536 can't be cleared
// CHECK: 0 words from byte 0 of 65536 can't be cleared
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.runtime_sequence() {
    aiex.buffer_clear(%core, 65528, 4)
    aiex.buffer_clear(%shim, 0, 8)
    aiex.buffer_clear(%core, 2, 1)
    aiex.buffer_clear(%core, 0, 0)
  }
}
