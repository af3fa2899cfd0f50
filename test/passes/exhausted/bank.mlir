// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// Both buffers want one bank of 16 KiB.

// CHECK: buffers::overlap
// CHECK: bank 1 of tile (0, 2) has 16384 bytes, but buffers of 20000 bytes ask for it
// CHECK: leave the bank or the address of one of them to the compiler
// CHECK: memory 20000 of 65536 bytes
// CHECK: no address yet bank 1 12000 bytes a
// CHECK: no address yet bank 1 8000 bytes b

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {sym_name = "a", mem_bank = 1 : i32} : memref<3000xi32>
    %b = aie.buffer(%t) {sym_name = "b", mem_bank = 1 : i32} : memref<2000xi32>
  }
}
