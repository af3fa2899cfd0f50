// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// Bounds that two cores take from the device stay there.

// CHECK: aie.device(npu2) {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: aie.core(%tile_0_2)
// CHECK: scf.for %{{.*}} = %[[ZERO]] to
// CHECK: aie.core(%tile_0_3)
// CHECK: scf.for %{{.*}} = %[[ZERO]] to
module {
  aie.device(npu2) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %x = arith.constant 3 : i32
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @f(%a, {%b}, 4 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.core(%a) {
      scf.for %i = %c0 to %c16 step %c1 {
        %s = aie.objectfifo.acquire @f(Produce, 1) : memref<8xi32>
        memref.store %x, %s[%c0] : memref<8xi32>
        aie.objectfifo.release @f(Produce, 1)
      }
      aie.end
    }
    aie.core(%b) {
      scf.for %i = %c0 to %c16 step %c1 {
        %s = aie.objectfifo.acquire @f(Consume, 1) : memref<8xi32>
        memref.store %x, %s[%c0] : memref<8xi32>
        aie.objectfifo.release @f(Consume, 1)
      }
      aie.end
    }
  }
}
