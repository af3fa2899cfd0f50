// A core's cascade input that is turned while the core that sends there runs: the warning names both
// tiles, the line of the write, and the way out for this kind.

// RUN: aiec sim %s --diagnostics=mlir 2>&1 | FileCheck %s
// RUN: aiec sim %s 2>&1 | FileCheck %s --check-prefix=HELP

// CHECK: hazard_cascade.mlir:[[#@LINE+20]]:5: warning: {{.*}}the cascade of tile (0, 2) is turned to tile (0, 3), whose core runs already, first in cycle
// CHECK-SAME: sim::hazard
// HELP: by this register write
// HELP: help: write Accumulator_Control of both tiles before

aie.device(npu1) {
  %north = aie.tile(0, 3)
  %south = aie.tile(0, 2)
  %core = aie.core(%north) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %many = arith.constant 2000 : index
    scf.for %i = %c0 to %many step %c1 {
      %x = arith.addi %i, %i : index
    }
    aie.end
  }
  aie.runtime_sequence() {
    // Accumulator_Control: the cascade comes from the west, then from the north again.
    aiex.npu.write32 {address = 0x36060 : ui32, column = 0 : i32, row = 2 : i32, value = 1 : ui32}
    aiex.npu.write32 {address = 0x36060 : ui32, column = 0 : i32, row = 2 : i32, value = 0 : ui32}
  }
}
