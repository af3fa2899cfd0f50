// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// The data of the core's own program are a buffer like others where the stack is too small.

// CHECK: buffers::do-not-fit
// CHECK: no room for `core_0_2_data` of 20000 bytes
// CHECK: 20000 bytes core_0_2_data

module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %x = aie.buffer(%a) {sym_name = "x"} : memref<12000xi32>
    aie.core(%a) {
      %own = memref.alloca() : memref<5000xi32>
      aie.end
    }
  }
}
