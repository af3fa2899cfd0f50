// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s | aiec opt - | FileCheck %s
// RUN: aiec opt --mlir-print-op-generic %s | aiec opt - | FileCheck %s

// CHECK-LABEL: @pointers
// CHECK: %[[P:.*]] = ptr.to_ptr %{{.*}} : memref<64xi32, #ptr.generic_space> -> !ptr.ptr<#ptr.generic_space>
// CHECK: %[[D:.*]] = ptr.get_metadata %{{.*}} : memref<64xi32, #ptr.generic_space>
// CHECK: %[[Q:.*]] = ptr.ptr_add %[[P]], %{{.*}} : !ptr.ptr<#ptr.generic_space>, index
// CHECK: ptr.from_ptr %[[Q]] metadata %[[D]] : !ptr.ptr<#ptr.generic_space> -> memref<64xi32, #ptr.generic_space>
func.func @pointers(%m: memref<64xi32, #ptr.generic_space>, %bytes: index) -> i32 {
  %c0 = arith.constant 0 : index
  %p = ptr.to_ptr %m : memref<64xi32, #ptr.generic_space> -> !ptr.ptr<#ptr.generic_space>
  %d = ptr.get_metadata %m : memref<64xi32, #ptr.generic_space>
  %q = ptr.ptr_add %p, %bytes : !ptr.ptr<#ptr.generic_space>, index
  %n = ptr.from_ptr %q metadata %d : !ptr.ptr<#ptr.generic_space> -> memref<64xi32, #ptr.generic_space>
  %v = memref.load %n[%c0] : memref<64xi32, #ptr.generic_space>
  return %v : i32
}
