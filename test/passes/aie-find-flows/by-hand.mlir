// RUN: aiec opt --aie-find-flows %s | FileCheck %s

// Settings written by hand, with two inputs that nothing drives (a wire, a rule that no packet
// comes to) and an output that nobody takes.
// CHECK:      %[[S:.*]] = aie.tile(1, 0)
// CHECK:      %[[T:.*]] = aie.tile(1, 2)
// Ids under both rules: 12 and 28, of which the least is written.
// CHECK:      aie.packet_flow(12) {
// CHECK-NEXT:   aie.packet_source<%[[S]], NOC : 2>
// CHECK-NEXT:   aie.packet_dest<%[[T]], DMA : 1>
// CHECK-NEXT: }
// CHECK-NEXT: aie.flow(%[[T]], Core : 0, %[[T]], DMA : 0)
// CHECK-NOT:  aie.flow
// CHECK-NOT:  aie.packet_flow
aie.device(npu2) {
  %s = aie.tile(1, 0)
  %m = aie.tile(1, 1)
  %t = aie.tile(1, 2)
  aie.shim_mux(%s) {
    aie.connect<NOC : 2, North : 6>
  }
  aie.switchbox(%s) {
    %0 = aie.amsel<0>(0)
    %1 = aie.masterset(North : 0, %0)
    aie.packet_rules(South : 6) {
      aie.rule(15, 12, %0)
    }
  }
  aie.switchbox(%m) {
    %0 = aie.amsel<0>(1)
    %1 = aie.masterset(North : 0, %0)
    aie.packet_rules(South : 0) {
      aie.rule(7, 4, %0)
    }
  }
  aie.switchbox(%t) {
    aie.connect<Core : 0, DMA : 0>
    aie.connect<West : 0, South : 0>
    aie.connect<Core : 0, North : 1>
    %0 = aie.amsel<0>(0)
    %1 = aie.masterset(DMA : 1, %0)
    aie.packet_rules(South : 0) {
      aie.rule(0, 0, %0)
    }
  }
}
