// RUN: aiec opt --aie-assign-buffer-addresses %s | FileCheck %s
// RUN: aiec opt --aie-assign-buffer-addresses=alloc-scheme=bank-aware %s | FileCheck %s
// The space before a written buffer in its bank is used too: nothing has to leave its bank. The
// reference's cursors waste it, so that it falls back and ignores the banks.

module {
  aie.device(npu2) {
    %t = aie.tile(0, 1)
    // CHECK: %high = {{.*}}address = 65500 : i32, mem_bank = 0 : i32
    %high = aie.buffer(%t) {sym_name = "high", address = 65500 : i32} : memref<9xi32>
    // CHECK: %b1 = {{.*}}address = 0 : i32, mem_bank = 0 : i32
    %b1 = aie.buffer(%t) {sym_name = "b1"} : memref<16000xi32>
    // CHECK: %b2 = {{.*}}address = 65536 : i32, mem_bank = 1 : i32
    %b2 = aie.buffer(%t) {sym_name = "b2"} : memref<16000xi32>
    // CHECK: %b3 = {{.*}}address = 131072 : i32, mem_bank = 2 : i32
    %b3 = aie.buffer(%t) {sym_name = "b3"} : memref<16000xi32>
    // CHECK: %b4 = {{.*}}address = 196608 : i32, mem_bank = 3 : i32
    %b4 = aie.buffer(%t) {sym_name = "b4"} : memref<16000xi32>
    // CHECK: %b5 = {{.*}}address = 262144 : i32, mem_bank = 4 : i32
    %b5 = aie.buffer(%t) {sym_name = "b5"} : memref<16000xi32>
    // CHECK: %b6 = {{.*}}address = 327680 : i32, mem_bank = 5 : i32
    %b6 = aie.buffer(%t) {sym_name = "b6"} : memref<16000xi32>
    // CHECK: %b7 = {{.*}}address = 393216 : i32, mem_bank = 6 : i32
    %b7 = aie.buffer(%t) {sym_name = "b7"} : memref<16000xi32>
    // CHECK: %b0 = {{.*}}address = 458752 : i32, mem_bank = 7 : i32
    %b0 = aie.buffer(%t) {sym_name = "b0"} : memref<15999xi32>
  }
}
