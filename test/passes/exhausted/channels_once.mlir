// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// Many fifos without a channel on one tile: who has its channels is said once.

// CHECK: has no S2MM channel left for `in2_cons`
// CHECK: uses a channel
// CHECK: resources of tile (0, 2):
// CHECK: has no S2MM channel left for this one either
// CHECK: aie.objectfifo @in3
// CHECK-NOT: uses a channel
// CHECK-NOT: resources of tile (0, 2):
// CHECK: see the first fifo without a channel on this tile
// CHECK: has no S2MM channel left for this one either
// CHECK: aie.objectfifo @in4
// CHECK-NOT: uses a channel
// CHECK-NOT: resources of tile (0, 2):

module {
  aie.device(npu2) {
    %s = aie.tile(0, 0)
    %s1 = aie.tile(1, 0)
    %s2 = aie.tile(2, 0)
    %c = aie.tile(0, 2)
    aie.objectfifo @in0(%s, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in1(%s, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in2(%s1, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in3(%s1, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in4(%s2, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  }
}
