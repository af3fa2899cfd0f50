// RUN: aiec opt --aie-localize-locks %s | FileCheck %s
// A core names its own locks from 48, those to the south from 0, to the west from 16, to the north
// from 32.

// CHECK: aie.core(%tile_1_3)
// CHECK-DAG: %[[OWN:.*]] = arith.constant 51 : index
// CHECK-DAG: %[[SOUTH:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[WEST:.*]] = arith.constant 21 : index
// CHECK-DAG: %[[NORTH:.*]] = arith.constant 38 : index
// CHECK: aie.use_lock(%[[OWN]], Release
// CHECK: aie.use_lock(%[[SOUTH]], Release
// CHECK: aie.use_lock(%[[WEST]], Release
// CHECK: aie.use_lock(%[[NORTH]], Release
module {
  aie.device(npu2) {
    %t = aie.tile(1, 3)
    %s = aie.tile(1, 2)
    %w = aie.tile(0, 3)
    %n = aie.tile(1, 4)
    %lt = aie.lock(%t, 3)
    %ls = aie.lock(%s, 4)
    %lw = aie.lock(%w, 5)
    %ln = aie.lock(%n, 6)
    %c = aie.core(%t) {
      %one = arith.constant 1 : i32
      aie.use_lock(%lt, Release, %one)
      aie.use_lock(%ls, Release, %one)
      aie.use_lock(%lw, Release, %one)
      aie.use_lock(%ln, Release, %one)
      aie.end
    }
  }
}
