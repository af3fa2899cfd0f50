// RUN: aiec opt --aie-assign-buffer-addresses %s | FileCheck %s
// Written addresses and banks are kept; free buffers go around them.

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // CHECK: %d = {{.*}}address = 4096 : i32, mem_bank = 0 : i32
    %d = aie.buffer(%t) {sym_name = "d", address = 4096 : i32} : memref<64xi8>
    // CHECK: %g = {{.*}}address = 4160 : i32, mem_bank = 0 : i32
    %g = aie.buffer(%t) {sym_name = "g", mem_bank = 0 : i32} : memref<64xi8>
    // CHECK: %f = {{.*}}address = 32768 : i32, mem_bank = 2 : i32
    %f = aie.buffer(%t) {sym_name = "f", mem_bank = 2 : i32} : memref<64xi8>
    // CHECK: %e = {{.*}}address = 4224 : i32, mem_bank = 0 : i32
    %e = aie.buffer(%t) {sym_name = "e"} : memref<5000xi8>
    // CHECK: %a = {{.*}}address = 16384 : i32, mem_bank = 1 : i32
    %a = aie.buffer(%t) {sym_name = "a"} : memref<100xi8>
    %core = aie.core(%t) {
      aie.end
    }
  }
}
