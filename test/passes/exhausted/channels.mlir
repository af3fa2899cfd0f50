// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// Three fifos come in from afar, a core tile has two S2MM channels.

// CHECK: objectfifo::no-channel
// CHECK: Tile (0, 2) has no S2MM channel left for `in2_cons`
// CHECK: put neighbours next to each other so that they share memory, join or distribute on a
// CHECK: resources of tile (0, 2):
// CHECK: S2MM 2 of 2 (channel 0: object fifo end in0_cons, channel 1: object fifo end in1_cons)

module {
  aie.device(npu2) {
    %s = aie.tile(0, 0)
    %s1 = aie.tile(1, 0)
    %c = aie.tile(0, 2)
    aie.objectfifo @in0(%s, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in1(%s, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in2(%s1, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  }
}
