// RUN: aiec %s --emit=job-graph -o - | FileCheck %s
// RUN: aiec %s --emit=job-graph --reconfigure=diff -o - | FileCheck %s --check-prefix=DIFF
// RUN: aiec %s --emit=job-graph-svg -o - | FileCheck %s --check-prefix=SVG
// RUN: aiec %s --emit=job-graph --device-name=a -o - | FileCheck %s --check-prefix=ALONE

// A sequence that loads two devices, the first of them twice: the graphs of the loads in their
// order, each behind the one before.

// CHECK: load0 [shape=folder, style=bold, label="1. LOAD_PDI 1: section @a\nleave what was loaded before: {{[0-9]+}} writes in {{[0-9]+}} stages"];
// CHECK: load0 -> n0_0 [style=bold
// CHECK: [label="set up (0, 3)", style=solid];
// CHECK: load1 [shape=folder, style=bold, label="2. LOAD_PDI 2: section @b
// CHECK: n0_{{[0-9]+}} -> load1 [style=bold
// CHECK: load2 [shape=folder, style=bold, label="3. LOAD_PDI 1: section @a
// CHECK: n1_{{[0-9]+}} -> load2 [style=bold
// CHECK-NOT: load3

// DIFF: label="1. configure @a"
// DIFF: label="2. configure @b (diff)
// DIFF: label="3. configure @a (diff)

// SVG: 1. LOAD_PDI 1: section @a
// SVG: set up (0, 3)
// SVG: <title>all controllers meet</title>
// SVG: 2. LOAD_PDI 2: section @b
// SVG: 3. LOAD_PDI 1: section @a

// ALONE-NOT: load0
// ALONE: set up (0, 3)
// ALONE-NOT: n1_

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
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.flow(%s, DMA : 0, %m, DMA : 0)
    %t = aie.tile(0, 3)
    %l = aie.lock(%t, 0) {init = 1 : i32}
  }
  aie.device(xcve3858) @b {
    %t = aie.tile(0, 3)
    %l = aie.lock(%t, 0) {init = 2 : i32}
  }
}
