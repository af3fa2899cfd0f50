// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt --mlir-print-op-generic %s | FileCheck --check-prefix=GENERIC %s

// Maps and sets get names in the order of their first use; identity layouts are none.

// CHECK: #map = affine_map<(d0) -> (d0 + 1)>
// CHECK-NEXT: #map1 = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-NEXT: #set = affine_set<(d0) : (d0 >= 0)>
// CHECK-NEXT: module {
// GENERIC: #map = affine_map<(d0) -> (d0 + 1)>
// GENERIC: "builtin.module"

#plus = affine_map<(d0) -> (d0 + 1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#from0 = affine_set<(d0) : (d0 >= 0)>
#ident = affine_map<(d0) -> (d0)>
!swapped = memref<4x8xi32, #swap>
module {
  // CHECK: func.func @f(%arg0: index, %arg1: memref<8xi32>)
  func.func @f(%i: index, %m: memref<8xi32, #ident>) {
    // CHECK: affine.apply #map(%arg0)
    %0 = affine.apply #plus(%i)
    // CHECK: affine.load %arg1[%arg0 + 1]
    %1 = affine.load %m[%i + 1] : memref<8xi32>
    // CHECK: memref.alloc() : memref<4x8xi32, #map1>
    %2 = memref.alloc() : !swapped
    // CHECK: "a.b"() {list = [#map1, 1, {key = #map}], type = memref<4x8xi32, #map1>} : () -> ()
    "a.b"() {list = [#swap, 1, {key = #plus}], type = !swapped} : () -> ()
    // CHECK: affine.if #set(%arg0)
    affine.if #from0(%i) {
    }
    return
  }
}
