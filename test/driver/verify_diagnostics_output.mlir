// What was expected is silent, and the module is printed as without the flag; a part that can't be
// printed is left out.
// RUN: aiec opt --verify-diagnostics --split-input-file --aie-assign-core-link-files %s | FileCheck %s
// RUN: not aiec opt --verify-diagnostics --aie-assign-lock-ids %s 2>/dev/null | count 0

// CHECK:     link_files = ["f.o"]
// CHECK-NOT: lock
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    func.func private @f() attributes {link_with = "f.o"}
    // expected-warning@+1 {{link_with on aie.core is deprecated}}
    aie.core(%t) {
      func.call @f() : () -> ()
      aie.end
    } {link_with = "f.o"}
  }
}

// -----

aie.device(npu2) {
  %t = aie.tile(0, 2)
  // expected-error@+1 {{lock}}
  %l = aie.lock(%t, 99)
}
