// RUN: aiec opt --cse %s | FileCheck %s
// Equal pure operations become one where the first dominates the other.

// CHECK:     %tile_0_2 = aie.tile(0, 2)
// CHECK-NOT: aie.tile
// CHECK:     aie.lock(%tile_0_2, 0)
// CHECK:     aie.lock(%tile_0_2, 1)
// CHECK:     func.func
// CHECK:       %0 = arith.addi %arg0, %arg1 : i32
// CHECK:       cf.cond_br
// CHECK:     ^bb1:
// CHECK-NEXT:  %1 = arith.muli %0, %0 : i32
// CHECK:     ^bb2:
// Neither of two branches dominates the other.
// CHECK-NEXT:  %2 = arith.muli %0, %0 : i32
module {
  aie.device(npu1) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 2)
    %l0 = aie.lock(%a, 0) {sym_name = "l0"}
    %l1 = aie.lock(%b, 1) {sym_name = "l1"}
    func.func @f(%x: i32, %y: i32, %c: i1) -> i32 {
      %0 = arith.addi %x, %y : i32
      %1 = arith.addi %y, %x : i32
      cf.cond_br %c, ^yes, ^no
    ^yes:
      %2 = arith.muli %0, %1 : i32
      return %2 : i32
    ^no:
      %3 = arith.muli %1, %0 : i32
      return %3 : i32
    }
  }
}
