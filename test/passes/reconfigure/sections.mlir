// RUN: aiec %s --emit=ctrl-asm -o - | FileCheck %s
// RUN: aiec %s --emit=ctrl-asm -o %t.asm && aiec asm %t.asm -o %t.elf && aiec %s -o %t2.elf && aiec dis %t2.elf | FileCheck %s --check-prefix=DIS

// Each device is a section that LOAD_PDI runs; one that is loaded twice has one section and one number.

// CHECK: .attach_to_group 0
// CHECK: LOAD_PDI 0x00000001, @a_0
// CHECK: LOAD_PDI 0x00000002, @b_0
// CHECK: LOAD_PDI 0x00000001, @a_0
// CHECK-NOT: LOAD_PDI
// CHECK: a_0:
// CHECK: .endl a_0
// CHECK: b_0:
// CHECK: .endl b_0
// CHECK-NOT: a_0:

// DIS-COUNT-3: LOAD_PDI

module {
  aie.device(xcve3858) {
    aie.runtime_sequence @main() {
      aiex.configure @a {
      }
      aiex.configure @b {
      }
      aiex.configure @a {
      }
    }
  }
  aie.device(xcve3858) @a {
    %t = aie.tile(0, 3)
    %l = aie.lock(%t, 0) {init = 1 : i32}
  }
  aie.device(xcve3858) @b {
    %t = aie.tile(0, 3)
    %l = aie.lock(%t, 0) {init = 2 : i32}
  }
}
