// Without the feature, the option says how to get an aiec that has it, whatever the input is.

// RUN: not aiec sim %s --core-engine=mlir 2>&1 | FileCheck %s
// RUN: not aiec %s --simulate --core-engine=mlir -o %t.elf 2>&1 | FileCheck %s
// RUN: aiec %s -o %t.elf
// RUN: not aiec sim %t.elf --core-engine=mlir 2>&1 | FileCheck %s
// CHECK: mlir::not-built-in
// CHECK: `--core-engine=mlir` needs upstream MLIR
// CHECK: --features mlir

// The built-in engine is always there, and other engines are none.
// RUN: aiec sim %t.elf --core-engine=builtin
// RUN: not aiec sim %t.elf --core-engine=qemu 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: invalid value 'qemu'
// NONE: [possible values: builtin, mlir]

aie.device(npu2) {
  %t = aie.tile(0, 2)
  %c = aie.core(%t) {
    aie.end
  }
}
