// Without the feature, the kind says how to get an aiec that has it.

// RUN: not aiec %s --emit=core-llvm -o %t 2>&1 | FileCheck %s

// CHECK: mlir::not-built-in
// CHECK: `--emit=core-llvm` needs upstream MLIR
// CHECK: --features mlir

aie.device(npu2) {
  %t = aie.tile(0, 2)
  %c = aie.core(%t) {
    aie.end
  }
}
