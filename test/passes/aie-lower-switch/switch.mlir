// RUN: aiec opt --aie-lower-switch %s | FileCheck %s
// RUN: aiec opt %s | aiec opt | FileCheck %s --check-prefix=TEXT
// RUN: not aiec opt --aie-lower-switch --diagnostics=text %S/Inputs/short.mlir 2>&1 | FileCheck %s --check-prefix=SHORT

// TEXT:      cf.switch %{{.*}} : i32, [
// TEXT-NEXT:   default: ^bb1(%{{.*}} : i32),
// TEXT-NEXT:   4: ^bb2,
// TEXT-NEXT:   -7: ^bb1(%{{.*}} : i32)
// TEXT-NEXT: ]
// CHECK:      %[[X:.*]] = memref.load
// CHECK:      arith.constant 4 : i32
// CHECK-NEXT: %[[A:.*]] = arith.cmpi eq, %[[X]],
// CHECK-NEXT: cf.cond_br %[[A]], ^bb2, ^[[NEXT:.*]]
// CHECK:      ^[[NEXT]]:
// CHECK-NEXT: arith.constant -7 : i32
// CHECK-NEXT: %[[B:.*]] = arith.cmpi eq, %[[X]],
// CHECK-NEXT: cf.cond_br %[[B]], ^bb1(%{{.*}} : i32), ^bb1(%{{.*}} : i32)
// SHORT: the cases of this switch don't fit its blocks
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %b = aie.buffer(%tile) {sym_name = "b"} : memref<4xi32>
  %core = aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %x = memref.load %b[%c0] : memref<4xi32>
    cf.switch %x : i32, [
      default: ^bb1(%one : i32),
      4: ^bb2,
      -7: ^bb1(%two : i32)
    ]
  ^bb1(%y: i32):
    memref.store %y, %b[%c0] : memref<4xi32>
    cf.br ^bb2
  ^bb2:
    aie.end
  }
}
