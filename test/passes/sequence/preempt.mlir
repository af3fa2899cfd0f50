// RUN: aiec opt %s --verify-diagnostics --emit-jobs
// RUN: aiec %s --emit=ctrl-asm -o - 2>&1 | FileCheck %s --check-prefix=WHY

// Control code of aie2ps has no preemption points: this one is left out, and reported.

// WHY: this preemption point is left out
// WHY: help: only aie4 has them
// WHY-NOT: PREEMPT
module {
  aie.device(xcve3858) {
    aie.runtime_sequence @main() {
      // expected-warning @+1 {{this preemption point is left out}}
      aiex.npu.preempt {level = 1 : ui8}
    }
  }
}
