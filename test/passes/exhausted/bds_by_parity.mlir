// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// Both ends of the link are on even channels, which have half of the mem tile's BDs.

// CHECK: bds::none-left
// CHECK: maximum 24 available for channel 0
// CHECK: smaller depths or repeat counts, or move a fifo to a channel of the other parity
// CHECK: BDs 26 of 48 (even channels 26 of 24, odd channels 0 of 24)
// CHECK: S2MM 1 of 6 (channel 0 with 13 BDs: in_cons)

module {
  aie.device(npu2) {
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %c = aie.tile(0, 2)
    aie.objectfifo @in(%s, {%m}, [2, 13]) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%m, {%c}, [13, 2]) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
  }
}
