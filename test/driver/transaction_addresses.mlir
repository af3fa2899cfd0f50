// RUN: aiec translate --aie-npu-to-binary --aie-output-binary=false %s 2>/dev/null | FileCheck %s
// RUN: not aiec translate --aie-npu-to-binary %S/Inputs/transaction_run_time.mlir 2>&1 | FileCheck %s --check-prefix=RUN-TIME

// The tile comes from column and row: of the address that is written only the offset in the tile stays.
// CHECK: 06400DEF
// CHECK: 00000042
// The address as it is, where no tile is named.
// CHECK: 06500DEF
// CHECK: 00000043

// RUN-TIME: 'aiex.npu.maskwrite32' op Cannot translate maskwrite32 with non-constant address, value, or mask to a static TXN binary
aie.device(npu2) {
  aie.runtime_sequence() {
    %a = arith.constant 0xABC00DEF : i32
    %v = arith.constant 0x42 : i32
    aiex.npu.write32(%a, %v) {column = 3 : i32, row = 4 : i32} : i32, i32
    %b = arith.constant 0x06500DEF : i32
    %w = arith.constant 0x43 : i32
    aiex.npu.write32(%b, %w) : i32, i32
  }
}
