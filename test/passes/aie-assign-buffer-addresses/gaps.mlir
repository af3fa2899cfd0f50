// RUN: aiec opt --aie-assign-buffer-addresses %s | FileCheck %s
// Neither bank by bank nor one after the other do these buffers fit: the space before the fixed
// buffer is used as well.

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // CHECK: %fixed = {{.*}}address = 32768 : i32
    %fixed = aie.buffer(%t) {sym_name = "fixed", address = 32768 : i32} : memref<20000xi8>
    // CHECK: %before = {{.*}}address = 1024 : i32
    %before = aie.buffer(%t) {sym_name = "before"} : memref<31000xi8>
    // CHECK: %behind = {{.*}}address = 52768 : i32
    %behind = aie.buffer(%t) {sym_name = "behind"} : memref<12600xi8>
    // CHECK: %small = {{.*}}address = 32032 : i32
    %small = aie.buffer(%t) {sym_name = "small"} : memref<700xi8>
    %core = aie.core(%t) {
      aie.end
    }
  }
}
