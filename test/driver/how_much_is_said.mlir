// Notes are short, and silent with -q; -v names the passes and the files. General options may be in
// front of a command or behind it.
// RUN: aiec %s -o %t.elf 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: aiec %s -o %t.elf --diagnostics json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: aiec -q %s -o %t.elf 2>&1 | count 0
// RUN: aiec %s -o %t.elf --quiet 2>&1 | count 0
// RUN: aiec -q sim %s 2>&1 | count 0
// RUN: aiec sim -q %t.elf 2>&1 | count 0
// RUN: aiec -v %s -o %t.elf 2>&1 | FileCheck %s --check-prefix=LOUD
// RUN: aiec opt -v --aie-assign-lock-ids %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=OPT
// RUN: not aiec -q -v %s 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: aiec %s -o %t.elf --color always 2>&1 | FileCheck %s --check-prefix=COLOR
// RUN: aiec --color=never %s -o %t.elf 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: aiec opt --mlir-timing --mlir-print-ir-before-all --aie-assign-lock-ids %s -o %t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// RUN: aiec %s -o %t.elf --print-ir-before=emit-jobs 2>&1 | FileCheck %s --check-prefix=JOBS

// NOTE:      driver::no-cert
// NOTE-EMPTY:
// NOTE-NEXT: ☞ this control code is for the simulator; `aiec build` writes what the driver of npu2 loads
// NOTE-NOT:  {{.}}

// JSON:      {"severity":"note","code":"driver::no-cert"
// JSON-NOT:  no-cert

// LOUD:      ms  aie-assign-lock-ids
// LOUD:      ms  emit-jobs
// LOUD:      wrote {{.*}}.elf: {{[0-9]+}} bytes

// OPT:       ms  aie-assign-lock-ids
// OPT:       wrote {{.*}}.mlir: {{[0-9]+}} bytes

// BOTH:      cannot be used with

// COLOR:     {{.\[}}3

// BEFORE:    // before aie-assign-lock-ids
// BEFORE:    aie.lock(%tile_0_2)
// BEFORE:    ms  aie-assign-lock-ids

// JOBS-NOT:  // before aie
// JOBS:      // before emit-jobs
aie.device(npu2) {
  %t = aie.tile(0, 2)
  %l = aie.lock(%t)
  %c = aie.core(%t) {
    aie.end
  }
}
