// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// Five objects of 16 KiB and a stack don't fit 64 KiB.

// CHECK: buffers::do-not-fit
// CHECK: no room for `f_buff_3` of 16384 bytes; stack and buffers need 82944 of 65536 bytes
// CHECK: 17408 bytes too many: use smaller objects or depths, or put some buffers on a neighbour
// CHECK: memory 82944 of 65536 bytes
// CHECK: (stack)
// CHECK: 16384 bytes f_buff_0

module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @f(%a, {%b}, 5 : i32) : !aie.objectfifo<memref<4096xi32>>
    aie.core(%a) {
      aie.end
    }
  }
}
