// RUN: not aiec %s --emit=npu-elf -o %t.elf --diagnostics=text 2>&1 | FileCheck %s

// CHECK: a scratchpad of 300 bytes
// CHECK: up to 128
// CHECK: word 40 of a scratchpad
// CHECK: `state_table_idx` is 0 to 31
aie.device(npu2) @main {
  %core = aie.tile(0, 2)
  %p = aie.buffer(%core) {sym_name = "p", address = 1024 : i32} : memref<4xi32>
  aie.runtime_sequence @sequence() {
    aiex.npu.create_scratchpad {size = 300 : ui32}
    aiex.npu.update_from_scratchpad {state_table_idx = 40 : ui8, buffer = @p, address = 0 : ui32}
  }
}
