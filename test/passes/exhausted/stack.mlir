// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// The stack leaves too little for the buffer.

// CHECK: buffers::do-not-fit
// CHECK: no room for `x` of 48000 bytes; stack and buffers need
// CHECK: 68000 of 65536 bytes
// CHECK: or a smaller stack_size
// CHECK: 0x00000 to 0x04e1f bank 0 20000 bytes (stack)

module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %x = aie.buffer(%a) {sym_name = "x"} : memref<12000xi32>
    aie.core(%a) {
      aie.end
    } {stack_size = 20000 : i32}
  }
}
