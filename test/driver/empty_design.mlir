// RUN: aiec %s -o %t.elf --diagnostics=text 2>&1 | FileCheck %s
// RUN: split-file %S/Inputs/equal_errors.txt %t && not aiec %t/many.mlir -o %t.elf --diagnostics=text 2>&1 | FileCheck %s --check-prefix=MANY

// CHECK: this design configures nothing and runs nothing
// MANY-COUNT-10: × unknown operation `aie.tiel`
// MANY-NOT: × unknown
// MANY: × 4 more: unknown operation `aie.tiel`
aie.device(xcve3858) {
}
