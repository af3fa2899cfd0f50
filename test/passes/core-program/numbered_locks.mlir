// RUN: aiec opt --aie-assign-lock-ids %s | FileCheck %s
// RUN: not aiec --diagnostics=text -o - --device npu2 %S/Inputs/no-such-lock.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// Locks that a core names by number, as aie-localize-locks prints them: 0 to 15 are of the tile to
// the south, 16 to 31 west, 32 to 47 north, 48 to 63 its own. They are declared if need be.

// CHECK-DAG: %[[OWN:.*]] = aie.tile(1, 3)
// CHECK-DAG: %[[SOUTH:.*]] = aie.tile(1, 2)
// CHECK-DAG: %[[WEST:.*]] = aie.tile(0, 3)
// CHECK-DAG: %[[NORTH:.*]] = aie.tile(1, 4)
// CHECK-DAG: %[[L48:.*]] = aie.lock(%[[OWN]], 0) {init = 1 : i32}
// CHECK-DAG: %[[FREE:.*]] = aie.lock(%[[OWN]], 1) {sym_name = "free"}
// CHECK-DAG: %[[L17:.*]] = aie.lock(%[[WEST]], 1)
// CHECK-DAG: %[[L47:.*]] = aie.lock(%[[NORTH]], 15)
// CHECK-DAG: %[[L2:.*]] = aie.lock(%[[SOUTH]], 2)
// CHECK: aie.use_lock(%[[L48]], AcquireGreaterEqual
// CHECK: aie.use_lock(%[[L17]], Release
// CHECK: aie.use_lock(%[[L47]], Release
// CHECK: aie.use_lock(%[[L2]], Release
// CHECK: aie.use_lock(%[[L48]], Release

// NONE: core::not-visible
// NONE: the core at (1, 3) has no lock 64
aie.device(npu2) {
  %own = aie.tile(1, 3)
  %south = aie.tile(1, 2)
  %zero = aie.lock(%own, 0) {init = 1 : i32}
  %free = aie.lock(%own) {sym_name = "free"}
  aie.core(%own) {
    %one = arith.constant 1 : i32
    %c48 = arith.constant 48 : index
    %c17 = arith.constant 17 : index
    %c47 = arith.constant 47 : index
    %c2 = arith.constant 2 : index
    aie.use_lock(%c48, AcquireGreaterEqual, %one)
    aie.use_lock(%c17, Release, %one)
    aie.use_lock(%c47, Release, %one)
    aie.use_lock(%c2, Release, %one)
    aie.use_lock(%c48, Release, %one)
    aie.end
  }
}
