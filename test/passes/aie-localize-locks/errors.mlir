// RUN: aiec opt --no-verify --aie-localize-locks --verify-diagnostics %s

module {
  aie.device(npu2) {
    %t = aie.tile(1, 3)
    %e = aie.tile(2, 3)
    %a = aie.lock(%t)
    %b = aie.lock(%e, 1)
    %c = aie.core(%t) {
      %one = arith.constant 1 : i32
      // expected-error@below {{this core uses a lock without a number}}
      aie.use_lock(%a, Release, %one)
      // expected-error@below {{this core can't reach the lock it uses}}
      aie.use_lock(%b, Release, %one)
      aie.end
    }
  }
}
