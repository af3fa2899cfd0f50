// Without the feature, the flag says how to get an aiec that has it.

// RUN: not aiec opt %s --verify-with-mlir --diagnostics=text 2>&1 | FileCheck %s
// RUN: not aiec %s --verify-with-mlir --diagnostics=text 2>&1 | FileCheck %s
// RUN: aiec explain mlir::not-built-in | FileCheck %s --check-prefix=EXPLAIN

// CHECK: mlir::not-built-in
// CHECK: `--verify-with-mlir` needs upstream MLIR, which this aiec was built without
// CHECK: --features mlir

// EXPLAIN: built without it

aie.device(npu2) {
  %t = aie.tile(0, 2)
}
