// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Operations that the compiler doesn't know stay as they are, in generic form.

module {
  %0 = "llvm.mlir.constant"() <{value = 7 : i32}> : () -> i32
  %1 = "llvm.add"(%0, %0) : (i32, i32) -> i32
  "emitc.verbatim"() <{value = "#include <a.h>"}> : () -> ()
  %c = arith.trunci %1 : i32 to i1
  "emitc.if"(%c) ({
    "emitc.yield"() : () -> ()
  }, {
  }) {note = "kept"} : (i1) -> ()
  %2:2 = "new.op"(%1)<{p = 1 : i8}> ({
  ^bb0(%a: !new.type<i32, "x">):
    "new.end"() : () -> ()
  }) : (i32) -> (i32, !llvm.ptr)
  %3 = builtin.unrealized_conversion_cast %2#1 : !llvm.ptr to memref<4xi32>
}

// CHECK:      module {
// CHECK-NEXT:   %0 = "llvm.mlir.constant"() <{value = 7 : i32}> : () -> i32
// CHECK-NEXT:   %1 = "llvm.add"(%0, %0) : (i32, i32) -> i32
// CHECK-NEXT:   "emitc.verbatim"() <{value = "#include <a.h>"}> : () -> ()
// CHECK-NEXT:   %2 = arith.trunci %1 : i32 to i1
// CHECK-NEXT:   "emitc.if"(%2) ({
// CHECK-NEXT:     "emitc.yield"() : () -> ()
// CHECK-NEXT:   }, {
// CHECK-NEXT:   }) {note = "kept"} : (i1) -> ()
// CHECK-NEXT:   %3:2 = "new.op"(%1) <{p = 1 : i8}> ({
// CHECK-NEXT:   ^bb0(%arg0: !new.type<i32, "x">):
// CHECK-NEXT:     "new.end"() : () -> ()
// CHECK-NEXT:   }) : (i32) -> (i32, !llvm.ptr)
// CHECK-NEXT:   %4 = builtin.unrealized_conversion_cast %3#1 : !llvm.ptr to memref<4xi32>
// CHECK-NEXT: }
