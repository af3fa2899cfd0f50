// Without the feature, the option says how to get an aiec that has it.

// RUN: not aiec %s --peano %t -o %t 2>&1 | FileCheck %s
// RUN: not test -e %t

// CHECK: mlir::not-built-in
// CHECK: `--peano` needs upstream MLIR
// CHECK: --features mlir

// Machine code is written only where there is some.

// RUN: not aiec %s --emit=core-elf --core=model -o %t --diagnostics=mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: peano.mlir:[[#@LINE+5]]:8: error: 'aie.core' op the core at (0, 2) has no machine code
// NONE: leave `--core=model` out

aie.device(npu2) {
  %t = aie.tile(0, 2)
  %c = aie.core(%t) {
    aie.end
  }
}
