// RUN: not aiec opt --aie-assign-buffer-addresses --split-input-file --diagnostics=mlir %s 2>&1 | FileCheck %s
// A bank, then the memory of a tile: where everything lies, and what it is.

// CHECK: no room in bank 1 for `b` of 12000 bytes
// CHECK: note: would override existing mem_bank: ask for another bank
// CHECK: anywhere in bank 1: a (8000 bytes)
// CHECK: resources of tile (0, 2):
// CHECK-NEXT: memory 20000 of 65536 bytes
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {sym_name = "a", mem_bank = 1 : i32} : memref<2000xi32>
    %b = aie.buffer(%t) {sym_name = "b", mem_bank = 1 : i32} : memref<3000xi32>
  }
}

// -----

// CHECK: stack and buffers need 72000 of 65536 bytes
// CHECK: note: use smaller objects or depths
// CHECK: resources of tile (0, 3):
// CHECK-NEXT: memory 72000 of 65536 bytes
// CHECK: no address yet {{ *}}40000 bytes a
module {
  aie.device(npu2) {
    %t = aie.tile(0, 3)
    %a = aie.buffer(%t) {sym_name = "a"} : memref<10000xi32>
    %b = aie.buffer(%t) {sym_name = "b"} : memref<8000xi32>
  }
}
