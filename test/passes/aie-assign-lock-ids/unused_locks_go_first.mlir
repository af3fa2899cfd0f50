// RUN: aiec opt --aie-objectFifo-stateful-transform --aie-assign-lock-ids %s | FileCheck %s
// Where locks run out, those that a pass made and nothing uses are dropped: object fifos leave such
// a pair at each shim end. Written locks stay.

// CHECK-NOT: sym_name = "i0_prod_lock_0"
// CHECK: sym_name = "kept11"
module {
  aie.device(npu2) {
    %s = aie.tile(0, 0)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @i0(%s, {%a}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @i1(%s, {%b}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @o0(%a, {%s}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @o1(%b, {%s}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    %k0 = aie.lock(%s) {init = 0 : i32, sym_name = "kept0"}
    %k1 = aie.lock(%s) {init = 0 : i32, sym_name = "kept1"}
    %k2 = aie.lock(%s) {init = 0 : i32, sym_name = "kept2"}
    %k3 = aie.lock(%s) {init = 0 : i32, sym_name = "kept3"}
    %k4 = aie.lock(%s) {init = 0 : i32, sym_name = "kept4"}
    %k5 = aie.lock(%s) {init = 0 : i32, sym_name = "kept5"}
    %k6 = aie.lock(%s) {init = 0 : i32, sym_name = "kept6"}
    %k7 = aie.lock(%s) {init = 0 : i32, sym_name = "kept7"}
    %k8 = aie.lock(%s) {init = 0 : i32, sym_name = "kept8"}
    %k9 = aie.lock(%s) {init = 0 : i32, sym_name = "kept9"}
    %k10 = aie.lock(%s) {init = 0 : i32, sym_name = "kept10"}
    %k11 = aie.lock(%s) {init = 0 : i32, sym_name = "kept11"}
  }
}
