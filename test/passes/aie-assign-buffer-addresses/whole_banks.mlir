// RUN: aiec opt --aie-assign-buffer-addresses %s | FileCheck %s
// A buffer larger than a bank takes whole ones from the top on, all others go round the banks that are left; without such a buffer
// nothing differs from bank-aware.

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2) {allocation_scheme = "whole-banks"}
    %u = aie.tile(1, 2) {allocation_scheme = "whole-banks"}
    // CHECK: %a = {{.*}}{address = 0 : i32, mem_bank = 0 : i32, sym_name = "a"}
    %a = aie.buffer(%t) {sym_name = "a"} : memref<2048xi32>
    // CHECK: %b = {{.*}}{address = 16384 : i32, mem_bank = 1 : i32, sym_name = "b"}
    %b = aie.buffer(%t) {sym_name = "b"} : memref<1024xi32>
    // CHECK: %c = {{.*}}{address = 32768 : i32, sym_name = "c"}
    %c = aie.buffer(%t) {sym_name = "c"} : memref<8192xi32>
    // CHECK: %d = {{.*}}{address = 0 : i32, mem_bank = 0 : i32, sym_name = "d"}
    %d = aie.buffer(%u) {sym_name = "d"} : memref<16xi32>
    // CHECK: %e = {{.*}}{address = 16384 : i32, mem_bank = 1 : i32, sym_name = "e"}
    %e = aie.buffer(%u) {sym_name = "e"} : memref<16xi32>
  }
}
