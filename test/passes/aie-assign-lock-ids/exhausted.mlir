// RUN: not aiec opt --diagnostics=text --aie-assign-lock-ids %s 2>&1 | FileCheck %s
// A core tile has 16 locks; the finding shows what they are used for.

// CHECK: locks::none-left
// CHECK: tile (0, 2) has only 16 locks: l16 not allocated a lock
// CHECK: resources of tile (0, 2):
// CHECK: locks    17 of 16 (0 l0, 1 l1, 2 l2, 3 l3, 4 l4, 5 l5, 6 l6, 7 l7, 9 more)
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %l0 = aie.lock(%t) {init = 0 : i32, sym_name = "l0"}
    %l1 = aie.lock(%t) {init = 0 : i32, sym_name = "l1"}
    %l2 = aie.lock(%t) {init = 0 : i32, sym_name = "l2"}
    %l3 = aie.lock(%t) {init = 0 : i32, sym_name = "l3"}
    %l4 = aie.lock(%t) {init = 0 : i32, sym_name = "l4"}
    %l5 = aie.lock(%t) {init = 0 : i32, sym_name = "l5"}
    %l6 = aie.lock(%t) {init = 0 : i32, sym_name = "l6"}
    %l7 = aie.lock(%t) {init = 0 : i32, sym_name = "l7"}
    %l8 = aie.lock(%t) {init = 0 : i32, sym_name = "l8"}
    %l9 = aie.lock(%t) {init = 0 : i32, sym_name = "l9"}
    %l10 = aie.lock(%t) {init = 0 : i32, sym_name = "l10"}
    %l11 = aie.lock(%t) {init = 0 : i32, sym_name = "l11"}
    %l12 = aie.lock(%t) {init = 0 : i32, sym_name = "l12"}
    %l13 = aie.lock(%t) {init = 0 : i32, sym_name = "l13"}
    %l14 = aie.lock(%t) {init = 0 : i32, sym_name = "l14"}
    %l15 = aie.lock(%t) {init = 0 : i32, sym_name = "l15"}
    %l16 = aie.lock(%t) {init = 0 : i32, sym_name = "l16"}
    %c = aie.core(%t) {
      %one = arith.constant 1 : i32
      aie.use_lock(%l0, Release, %one)
      aie.use_lock(%l1, Release, %one)
      aie.use_lock(%l2, Release, %one)
      aie.use_lock(%l3, Release, %one)
      aie.use_lock(%l4, Release, %one)
      aie.use_lock(%l5, Release, %one)
      aie.use_lock(%l6, Release, %one)
      aie.use_lock(%l7, Release, %one)
      aie.use_lock(%l8, Release, %one)
      aie.use_lock(%l9, Release, %one)
      aie.use_lock(%l10, Release, %one)
      aie.use_lock(%l11, Release, %one)
      aie.use_lock(%l12, Release, %one)
      aie.use_lock(%l13, Release, %one)
      aie.use_lock(%l14, Release, %one)
      aie.use_lock(%l15, Release, %one)
      aie.use_lock(%l16, Release, %one)
      aie.end
    }
  }
}
