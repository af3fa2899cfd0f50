// RUN: aiec opt %s -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: aiec opt %t.mlir -o %t.again.mlir
// RUN: cmp %t.mlir %t.again.mlir

// Nested modules, several devices, quoted symbols, blocks that are named before they appear,
// literals, resources, operations of other dialects, discardable attributes, no top-level module.

// CHECK: module @inner attributes {a.b = "c"}
module @inner attributes {a.b = "c"} {
  // CHECK: module {
  module {
    // CHECK: "other.op"() ({
    "other.op"() ({
    ^bb0(%x: !other.type<"a>b">):
      // CHECK: "other.jump"(%arg0)[^bb2, ^bb1] : (!other.type<"a>b">) -> ()
      "other.jump"(%x)[^late, ^early] : (!other.type<"a>b">) -> ()
    ^early:
      "other.end"() : () -> ()
    ^late:
      "other.end"() : () -> ()
    }) {attr = #other.attr<[1, "]"]>} : () -> ()
  }
}
// CHECK: aie.device(npu1) @first
aie.device(npu1) @first {
  // CHECK: aie.tile(0, 2) {other.note = dense<1> : tensor<4xi8>}
  %t = aie.tile(0, 2) {other.note = dense<1> : tensor<4xi8>}
  // CHECK: aie.buffer(%tile_0_2) {sym_name = "strange name"} : memref<2xf32> = dense<[1.000000e+00, 5.000000e-01]>
  %b = aie.buffer(%t) {sym_name = "strange name"} : memref<2xf32> = dense<[0x3F800000, 0.5]>
  // CHECK: aie.buffer(%tile_0_2) {sym_name = "hex"} : memref<2xi16> = dense<[1, 2]>
  %h = aie.buffer(%t) {sym_name = "hex"} : memref<2xi16> = dense<"0x01000200">
}
// CHECK: aie.device(npu2) @"second one"
aie.device(npu2) @"second one" {
  // CHECK: "other.uses"() {blob = dense_resource<blob> : tensor<1xi8>, of = @"strange name"::@b} : () -> ()
  "other.uses"() {blob = dense_resource<blob> : tensor<1xi8>, of = @"strange name"::@b} : () -> ()
}
// CHECK: {-#
// CHECK: blob: "0x0400000001"
{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001"
    }
  }
#-}
