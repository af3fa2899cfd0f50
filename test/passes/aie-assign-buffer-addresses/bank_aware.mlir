// RUN: aiec opt --aie-assign-buffer-addresses %s | FileCheck %s
// Larger buffers first, each in the next bank that has room, behind the core's stack.

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // CHECK: %a = aie.buffer({{.*}}) {address = 32768 : i32, mem_bank = 2 : i32, sym_name = "a"}
    %a = aie.buffer(%t) {sym_name = "a"} : memref<100xi8>
    // CHECK: %b = aie.buffer({{.*}}) {address = 1024 : i32, mem_bank = 0 : i32, sym_name = "b"}
    %b = aie.buffer(%t) {sym_name = "b"} : memref<3000xi8>
    // CHECK: %c = aie.buffer({{.*}}) {address = 16384 : i32, mem_bank = 1 : i32, sym_name = "c"}
    %c = aie.buffer(%t) {sym_name = "c"} : memref<200xi8>
    // CHECK: %d = aie.buffer({{.*}}) {address = 16608 : i32, mem_bank = 1 : i32, sym_name = "d"}
    %d = aie.buffer(%t) {sym_name = "d"} : memref<50xi8>
    // CHECK: %e = aie.buffer({{.*}}) {address = 49152 : i32, mem_bank = 3 : i32, sym_name = "e"}
    %e = aie.buffer(%t) {sym_name = "e"} : memref<70xi8>
    // CHECK: %f = aie.buffer({{.*}}) {address = 4032 : i32, mem_bank = 0 : i32, sym_name = "f"}
    %f = aie.buffer(%t) {sym_name = "f"} : memref<60xi8>
    %core = aie.core(%t) {
      aie.end
    }
  }
}
