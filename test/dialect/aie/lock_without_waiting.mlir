// RUN: aiec opt --split-input-file --verify-diagnostics %s
// Blocking or not is written in the text only (mlir-aie's lowerings don't read it): a release never waits, an acquire
// always does.

aie.device(npu1) {
  %t = aie.tile(0, 2)
  %lock = aie.lock(%t, 0)
  aie.core(%t) {
    %one = arith.constant 1 : i32
    // expected-warning@+1 {{NonBlocking has no effect: this acquire waits for its lock}}
    aie.use_lock(%lock, AcquireGreaterEqual, %one, NonBlocking)
    aie.use_lock(%lock, Release, %one, NonBlocking)
    aie.use_lock(%lock, AcquireGreaterEqual, %one, Blocking)
    aie.end
  }
}
