// RUN: aiec opt --aie-assign-lock-ids --split-input-file --no-verify --verify-diagnostics %s

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.lock(%t, 3) {sym_name = "a"}
    // expected-error@below {{lock `b` is assigned to the same lock (3) as another op, `a`}}
    %b = aie.lock(%t, 3) {sym_name = "b"}
  }
}

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // expected-error@below {{lock `a` starts at 64, but a lock counts from 0 to 63}}
    %a = aie.lock(%t) {init = 64 : i32, sym_name = "a"}
  }
}
