// RUN: not aiec check %s --diagnostics=text 2>&1 | FileCheck %s

// Said once: neither form of cores has masks, so that no note speaks of the simulator.
// CHECK: cores have no masks: `vector.transfer_read` has one
// CHECK: choose lanes by `arith.select`
// CHECK-NOT: the simulator runs the core
// CHECK: checked 1 file: 1 error
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %buffer = aie.buffer(%tile) : memref<16xi32>
  aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0 : i32
    %mask = arith.constant dense<[true, false, true, false]> : vector<4xi1>
    %v = vector.transfer_read %buffer[%c0], %pad, %mask : memref<16xi32>, vector<4xi32>
    %s = vector.reduction <add>, %v : vector<4xi32> into i32
    memref.store %s, %buffer[%c0] : memref<16xi32>
    aie.end
  }
}
