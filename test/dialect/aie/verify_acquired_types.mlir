// RUN: not aiec check %s --diagnostics=text 2>&1 | FileCheck %s

// Objects that an acquire gives by themselves are those of the fifo, in another shape or not.
// CHECK: an object of this fifo is memref<16xi32>, not memref<16xi16>
// CHECK: an object of this fifo is memref<16xi32>, not memref<32xi32>
// CHECK: 2 objects are acquired and 1 given
// CHECK-NOT: an object of this fifo
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %w = aie.tile(0, 2)
  aie.objectfifo @x(%shim, {%w}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.core(%w) {
    %a = aie.objectfifo.acquire @x(Consume, 1) : memref<16xi16>
    aie.objectfifo.release @x(Consume, 1)
    %b = aie.objectfifo.acquire @x(Consume, 1) : memref<32xi32>
    aie.objectfifo.release @x(Consume, 1)
    %c = aie.objectfifo.acquire @x(Consume, 2) : memref<16xi32>
    aie.objectfifo.release @x(Consume, 2)
    %d = aie.objectfifo.acquire @x(Consume, 1) : memref<4x4xi32>
    aie.objectfifo.release @x(Consume, 1)
    aie.end
  }
}
