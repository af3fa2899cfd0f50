// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Control flow: func, scf, cf.

func.func private @kernel(memref<16xi32>, i32) -> i32 attributes {link_with = "kernel.o"}
func.func @calls(%m: memref<16xi32>, %x: i32) -> i32 {
  %r = func.call @kernel(%m, %x) : (memref<16xi32>, i32) -> i32
  %s = call @kernel(%m, %r) : (memref<16xi32>, i32) -> i32
  %f = func.constant @kernel : (memref<16xi32>, i32) -> i32
  %t = func.call_indirect %f(%m, %s) : (memref<16xi32>, i32) -> i32
  return %t : i32
}
func.func @structured(%n: index, %x: i32, %p: i1) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      func.call @calls2() : () -> ()
    }
  }
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (i32) {
    %next = scf.if %p -> (i32) {
      scf.yield %acc : i32
    } else {
      scf.yield %x : i32
    }
    scf.yield %next : i32
  }
  %w = scf.while (%a = %x) : (i32) -> i32 {
    scf.condition(%p) %a : i32
  } do {
  ^bb0(%a: i32):
    scf.yield %a : i32
  }
  %s = scf.index_switch %n -> i32
  case 0 {
    scf.yield %x : i32
  }
  case 5 {
    scf.yield %w : i32
  }
  default {
    scf.yield %sum : i32
  }
  scf.execute_region {
    scf.yield
  }
  return %s : i32
}
func.func private @calls2()
func.func @branches(%p: i1, %x: i32) -> i32 {
  cf.assert %p, "a message"
  cf.cond_br %p, ^bb1(%x : i32), ^bb2
^bb1(%y: i32):
  cf.br ^bb3(%y : i32)
^bb2:
  cf.br ^bb3(%x : i32)
^bb3(%z: i32):
  return %z : i32
}
func.func @switches(%x: i8, %y: i32) -> i32 {
  cf.switch %x : i8, [
    default: ^bb1,
    -3: ^bb2(%y : i32)
  ]
^bb1:
  return %y : i32
^bb2(%z: i32):
  return %z : i32
}
func.func @several(%i: index, %y: i32) -> (i32, i8) {
  %v:2 = scf.index_switch %i -> i32, i8
  default {
    %b = arith.constant 1 : i8
    scf.yield %y, %b : i32, i8
  }
  return %v#0, %v#1 : i32, i8
}

// CHECK:      module {
// CHECK-NEXT:   func.func private @kernel(memref<16xi32>, i32) -> i32 attributes {link_with = "kernel.o"}
// CHECK-NEXT:   func.func @calls(%arg0: memref<16xi32>, %arg1: i32) -> i32 {
// CHECK-NEXT:     %0 = call @kernel(%arg0, %arg1) : (memref<16xi32>, i32) -> i32
// CHECK-NEXT:     %1 = call @kernel(%arg0, %0) : (memref<16xi32>, i32) -> i32
// CHECK-NEXT:     %f = func.constant @kernel : (memref<16xi32>, i32) -> i32
// CHECK-NEXT:     %2 = func.call_indirect %f(%arg0, %1) : (memref<16xi32>, i32) -> i32
// CHECK-NEXT:     return %2 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @structured(%arg0: index, %arg1: i32, %arg2: i1) -> i32 {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     scf.for %arg3 = %c0 to %arg0 step %c1 {
// CHECK-NEXT:       scf.if %arg2 {
// CHECK-NEXT:         func.call @calls2() : () -> ()
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     %0 = scf.for %arg3 = %c0 to %arg0 step %c1 iter_args(%arg4 = %arg1) -> (i32) {
// CHECK-NEXT:       %3 = scf.if %arg2 -> (i32) {
// CHECK-NEXT:         scf.yield %arg4 : i32
// CHECK-NEXT:       } else {
// CHECK-NEXT:         scf.yield %arg1 : i32
// CHECK-NEXT:       }
// CHECK-NEXT:       scf.yield %3 : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = scf.while (%arg3 = %arg1) : (i32) -> i32 {
// CHECK-NEXT:       scf.condition(%arg2) %arg3 : i32
// CHECK-NEXT:     } do {
// CHECK-NEXT:     ^bb0(%arg3: i32):
// CHECK-NEXT:       scf.yield %arg3 : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = scf.index_switch %arg0 -> i32
// CHECK-NEXT:     case 0 {
// CHECK-NEXT:       scf.yield %arg1 : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     case 5 {
// CHECK-NEXT:       scf.yield %1 : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     default {
// CHECK-NEXT:       scf.yield %0 : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     scf.execute_region {
// CHECK-NEXT:       scf.yield
// CHECK-NEXT:     }
// CHECK-NEXT:     return %2 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func private @calls2()
// CHECK-NEXT:   func.func @branches(%arg0: i1, %arg1: i32) -> i32 {
// CHECK-NEXT:     cf.assert %arg0, "a message"
// CHECK-NEXT:     cf.cond_br %arg0, ^bb1(%arg1 : i32), ^bb2
// CHECK-NEXT:   ^bb1(%0: i32):  // pred: ^bb0
// CHECK-NEXT:     cf.br ^bb3(%0 : i32)
// CHECK-NEXT:   ^bb2:  // pred: ^bb0
// CHECK-NEXT:     cf.br ^bb3(%arg1 : i32)
// CHECK-NEXT:   ^bb3(%1: i32):  // 2 preds: ^bb1, ^bb2
// CHECK-NEXT:     return %1 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @switches(%arg0: i8, %arg1: i32) -> i32 {
// CHECK-NEXT:     cf.switch %arg0 : i8, [
// CHECK-NEXT:       default: ^bb1,
// CHECK-NEXT:       -3: ^bb2(%arg1 : i32)
// CHECK-NEXT:     ]
// CHECK-NEXT:   ^bb1:  // pred: ^bb0
// CHECK-NEXT:     return %arg1 : i32
// CHECK-NEXT:   ^bb2(%0: i32):  // pred: ^bb0
// CHECK-NEXT:     return %0 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @several(%arg0: index, %arg1: i32) -> (i32, i8) {
// CHECK-NEXT:     %0:2 = scf.index_switch %arg0 -> i32, i8
// CHECK-NEXT:     default {
// CHECK-NEXT:       %c1_i8 = arith.constant 1 : i8
// CHECK-NEXT:       scf.yield %arg1, %c1_i8 : i32, i8
// CHECK-NEXT:     }
// CHECK-NEXT:     return %0#0, %0#1 : i32, i8
// CHECK-NEXT:   }
// CHECK-NEXT: }
