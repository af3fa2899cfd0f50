// RUN: aiec %s --emit=npu-elf -o %t.elf
// RUN: aiec dis %t.elf | FileCheck %s
// RUN: aiec sim %s --as=npu-elf --dump buffer:p 2>&1 | FileCheck %s --check-prefix=RUN-OF
// RUN: not aiec sim %s 2>&1 | FileCheck %s --check-prefix=CERT
// RUN: not aiec %s --emit=insts -o %t.bin 2>&1 | FileCheck %s --check-prefix=INSTS

// A table of 8 bytes comes from the host; its second word, 0, and 12 are added to a word of a buffer.
// CHECK: XAIE_IO_CREATE_SCRATCHPAD #0, 0x8, 0x0
// CHECK-NEXT: XAIE_IO_UPDATE_REG #1, #INCR, 0xc, @0x200408
// RUN-OF: completed after
// RUN-OF: 0 0 52 0
// CERT: `aiex.npu.create_scratchpad` is done by NPU firmware
// CERT: --as=npu-elf
// INSTS: has no address of a scratchpad
// INSTS: --emit=insts-elf
aie.device(npu2) @main {
  %core = aie.tile(0, 2)
  %p = aie.buffer(%core) {sym_name = "p", address = 1024 : i32} : memref<4xi32> = dense<[0, 0, 40, 0]>
  aie.runtime_sequence @sequence() {
    aiex.npu.create_scratchpad {size = 8 : ui32}
    aiex.npu.update_from_scratchpad {state_table_idx = 1 : ui8, buffer = @p, address = 2 : ui32, func_arg = 12 : ui32}
  }
}
