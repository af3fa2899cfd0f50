// RUN: aiec opt --split-input-file --verify-diagnostics %s
// Locks and buffers: ids, who reaches them, what a core's attributes may say together.

aie.device(xcvc1902) {
  %t1 = aie.tile(1, 1)
  %t2 = aie.tile(4, 4)
  // expected-error@+1 {{'aie.lock' op in Column 4 and Row 4 is accessed from an unreachable tile in Column 1 and Row 1}}
  %lock = aie.lock(%t2, 3)
  // expected-error@+1 {{lock assigned invalid id (maximum is 15)}}
  %high = aie.lock(%t2, 16)
  aie.core(%t1) {
    %c1 = arith.constant 1 : i32
    // expected-note@+1 {{user}}
    aie.use_lock(%lock, Acquire, %c1)
    aie.end
  }
  aie.core(%t2) {
    %c1 = arith.constant 1 : i32
    // expected-error@+1 {{AcquireGreaterEqual is not supported in AIE1.}}
    aie.use_lock(%lock, AcquireGreaterEqual, %c1)
    aie.end
  }
}

// -----

aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %t = aie.tile(0, 2)
  // expected-error@+1 {{failed to verify that op exists in a tile with local memory}}
  %b = aie.buffer(%shim) : memref<4xi32>
  // expected-error@+1 {{stack_size 65536 leaves no local memory}}
  aie.core(%t) {
    aie.end
  } {stack_size = 65536 : i32}
}

// -----

aie.device(npu1) {
  %t = aie.tile(0, 2)
  // expected-error@+1 {{artifact 'dup.o' appears in both 'link_files' and 'link_merge_files'}}
  aie.core(%t) {
    aie.end
  } {link_files = ["a.o", "dup.o"], link_merge_files = ["dup.o"]}
}
