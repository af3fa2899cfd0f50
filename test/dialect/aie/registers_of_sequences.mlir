// RUN: aiec opt --verify-diagnostics %s
// RUN: not aiec %s --emit=insts -o %t 2>&1 | FileCheck %s

// Registers that no tile has, and a poll that never ends. mlir-aie lowers both.
aie.device(npu2) {
  %t = aie.tile(0, 2)
  aie.runtime_sequence() {
    %address = arith.constant 0x32000 : i32
    %value = arith.constant 6 : i32
    %mask = arith.constant 4 : i32
    // CHECK: value 0x6 has bits that mask 0x4 clears: this never ends
    aiex.npu.maskpoll(%address, %value, %mask) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
    // CHECK: no register of a tile begins at 0x402
    aiex.npu.read_reg(%t, 0x402)
    // CHECK: no register of a tile begins at 0x100000
    // CHECK: a multiple of 4 below 0x100000
    aiex.npu.read_reg(%t, 0x100000)
    aiex.npu.read_reg(%t, 0xffffc)
  }
}
