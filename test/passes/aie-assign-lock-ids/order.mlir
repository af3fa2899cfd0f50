// RUN: aiec opt --aie-assign-lock-ids %s | FileCheck %s
// Written numbers stay; the others take the lowest free ones in textual order.

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %m = aie.tile(0, 1)
    // CHECK: %a = aie.lock(%{{.*}}, 1)
    %a = aie.lock(%t) {sym_name = "a"}
    // CHECK: %b = aie.lock(%{{.*}}, 0)
    %b = aie.lock(%t, 0) {sym_name = "b"}
    // CHECK: %c = aie.lock(%{{.*}}, 2)
    %c = aie.lock(%t) {sym_name = "c"}
    // CHECK: %d = aie.lock(%{{.*}}, 3)
    %d = aie.lock(%t, 3) {sym_name = "d"}
    // CHECK: %e = aie.lock(%{{.*}}, 4)
    %e = aie.lock(%t) {sym_name = "e"}
    // CHECK: %f = aie.lock(%{{.*}}, 5)
    %f = aie.lock(%t) {sym_name = "f"}
    // Each tile counts on its own.
    // CHECK: %g = aie.lock(%{{.*}}, 0)
    %g = aie.lock(%m) {sym_name = "g"}
  }
}
