// RUN: aiec opt --aie-assign-buffer-addresses --diagnostics=text %s -o %t 2> %t.err && FileCheck %s < %t && FileCheck %s --check-prefix=SAID < %t.err
// RUN: aiec opt --aie-assign-buffer-addresses --diagnostics=mlir %s -o %t 2> %t.err && FileCheck %s --check-prefix=MLIR-AIE < %t.err
// A buffer larger than a bank: all go one after the other, and a note says so once for the device.

// SAID: buffers::across-banks
// SAID: buffers share banks or cross their borders on (0, 2) (no bank for `big`, 20000 bytes), (1, 2) (no bank for `big2`, 20000 bytes): bank by bank they don't fit
// SAID-NOT: buffers::

// MLIR-AIE: warning: Failed to allocate buffer: "big" with size: 20000 bytes.
// MLIR-AIE: note: see current operation: %big = aie.buffer(%tile_0_2) {{{.*}}sym_name = "big"}
// MLIR-AIE: warning: Bank-aware allocation failed, trying basic sequential allocation.
// MLIR-AIE: warning: Failed to allocate buffer: "big2" with size: 20000 bytes.
// MLIR-AIE: warning: Bank-aware allocation failed, trying basic sequential allocation.

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %u = aie.tile(1, 2)
    // CHECK: %big = {{.*}}{address = 0 : i32, sym_name = "big"}
    %big = aie.buffer(%t) {sym_name = "big"} : memref<5000xi32>
    // CHECK: %small = {{.*}}{address = 20000 : i32, sym_name = "small"}
    %small = aie.buffer(%t) {sym_name = "small"} : memref<16xi32>
    // CHECK: %big2 = {{.*}}{address = 0 : i32, sym_name = "big2"}
    %big2 = aie.buffer(%u) {sym_name = "big2"} : memref<5000xi32>
  }
}
