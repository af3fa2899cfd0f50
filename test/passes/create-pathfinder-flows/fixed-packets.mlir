// RUN: aiec opt %s --aie-create-pathfinder-flows --split-input-file | FileCheck %s

// Packets of id 1 are led by hand. The flow of id 2 starts at the same input and ends in the same
// output of the other tile: it adds a rule here and there, on the arbiter that has the output.

// CHECK-LABEL: aie.device(npu2)
// CHECK:       aie.switchbox(%tile_0_2) {
// CHECK-NEXT:    [[NEW:%[0-9]+]] = aie.amsel<
// CHECK-NEXT:    [[A:%[0-9]+]] = aie.amsel<2> (1)
// CHECK-NEXT:    {{.*}} = aie.masterset(North : 3, [[A]])
// CHECK-NEXT:    aie.packet_rules(DMA : 0) {
// CHECK-NEXT:      aie.rule(31, 1, [[A]])
// CHECK-NEXT:      aie.rule(31, 2, [[NEW]])
// CHECK-NEXT:    }
// CHECK:       aie.switchbox(%tile_0_3) {
// CHECK-NEXT:    [[B:%[0-9]+]] = aie.amsel<4> (0)
// CHECK-NEXT:    {{.*}} = aie.masterset(DMA : 0, [[B]])
// CHECK-NEXT:    aie.packet_rules(South : 3) {
// CHECK-NEXT:      aie.rule(31, 1, [[B]])
// CHECK-NEXT:    }
// CHECK-NEXT:    aie.packet_rules({{.*}}) {
// CHECK-NEXT:      aie.rule(31, 2, [[B]])
// CHECK-NOT:   aie.packet_flow
aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %switchbox_0_2 = aie.switchbox(%a) {
    %0 = aie.amsel<2> (1)
    %1 = aie.masterset(North : 3, %0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 1, %0)
    }
  }
  %switchbox_0_3 = aie.switchbox(%b) {
    %0 = aie.amsel<4> (0)
    %1 = aie.masterset(DMA : 0, %0)
    aie.packet_rules(South : 3) {
      aie.rule(31, 1, %0)
    }
  }
  aie.packet_flow(2) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%b, DMA : 0>
  }
}

// -----

// The rule for ids 0 to 3 would take id 6's packets if it were widened; id 6 gets one of its own,
// and as it goes to one output more than the others, a select of its own on their arbiter.

// CHECK-LABEL: aie.device(npu2)
// CHECK:       aie.switchbox(%tile_0_2) {
// CHECK-NEXT:    [[BOTH:%[0-9]+]] = aie.amsel<2> (0)
// CHECK-NEXT:    [[A:%[0-9]+]] = aie.amsel<2> (1)
// CHECK-NEXT:    {{.*}} = aie.masterset(DMA : 1, [[A]], [[BOTH]])
// CHECK-NEXT:    aie.packet_rules(Core : 0) {
// CHECK-NEXT:      aie.rule(28, 0, [[A]])
// CHECK-NEXT:      aie.rule(31, 6, [[BOTH]])
// CHECK-NEXT:    }
// CHECK-NEXT:    {{.*}} = aie.masterset({{.*}}, [[BOTH]])
// CHECK-NOT:   aie.packet_flow
aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %switchbox_0_2 = aie.switchbox(%a) {
    %0 = aie.amsel<2> (1)
    %1 = aie.masterset(DMA : 1, %0)
    aie.packet_rules(Core : 0) {
      aie.rule(28, 0, %0)
    }
  }
  aie.packet_flow(6) {
    aie.packet_source<%a, Core : 0>
    aie.packet_dest<%a, DMA : 1>
    aie.packet_dest<%b, DMA : 0>
  }
}
