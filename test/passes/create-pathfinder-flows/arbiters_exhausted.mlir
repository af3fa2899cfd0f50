// RUN: not aiec opt --aie-create-pathfinder-flows=arbiters=8 --no-verify %s 2>&1 | FileCheck %s
// RUN: not aiec opt --aie-create-pathfinder-flows --no-verify %s 2>&1 | FileCheck %s --check-prefix=SIX
// All 8 arbiters with all their msels are taken by hand: the finding shows the streams at that tile
// and the resources of the tile's switch, for the number of arbiters that is allowed.

// CHECK: tile (0, 2)
// CHECK: 8 arbiters with 4 msels
// CHECK-NOT: --arbiters=8
// CHECK: packet streams through tile (0, 2) (4 rules for each input, 8 arbiters with 4 msels):
// SIX: 6 arbiters with 4 msels
// SIX: this is for arbiters 0 to 5; --arbiters=8 allows those up to 7, which mlir-aie's verifier refuses
// SIX: packet streams through tile (0, 2) (4 rules for each input, 6 arbiters with 4 msels):
// CHECK-NEXT: id 3: DMA : 0 of tile (0, 2) to DMA : 1 of tile (0, 2)
// CHECK: resources of tile (0, 2):
// CHECK: arbiters: 8 of 8
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %s = aie.switchbox(%t) {
      %a0_0 = aie.amsel<0> (0)
      %a0_1 = aie.amsel<0> (1)
      %a0_2 = aie.amsel<0> (2)
      %a0_3 = aie.amsel<0> (3)
      %a1_0 = aie.amsel<1> (0)
      %a1_1 = aie.amsel<1> (1)
      %a1_2 = aie.amsel<1> (2)
      %a1_3 = aie.amsel<1> (3)
      %a2_0 = aie.amsel<2> (0)
      %a2_1 = aie.amsel<2> (1)
      %a2_2 = aie.amsel<2> (2)
      %a2_3 = aie.amsel<2> (3)
      %a3_0 = aie.amsel<3> (0)
      %a3_1 = aie.amsel<3> (1)
      %a3_2 = aie.amsel<3> (2)
      %a3_3 = aie.amsel<3> (3)
      %a4_0 = aie.amsel<4> (0)
      %a4_1 = aie.amsel<4> (1)
      %a4_2 = aie.amsel<4> (2)
      %a4_3 = aie.amsel<4> (3)
      %a5_0 = aie.amsel<5> (0)
      %a5_1 = aie.amsel<5> (1)
      %a5_2 = aie.amsel<5> (2)
      %a5_3 = aie.amsel<5> (3)
      %a6_0 = aie.amsel<6> (0)
      %a6_1 = aie.amsel<6> (1)
      %a6_2 = aie.amsel<6> (2)
      %a6_3 = aie.amsel<6> (3)
      %a7_0 = aie.amsel<7> (0)
      %a7_1 = aie.amsel<7> (1)
      %a7_2 = aie.amsel<7> (2)
      %a7_3 = aie.amsel<7> (3)
    }
    aie.packet_flow(3) {
      aie.packet_source<%t, DMA : 0>
      aie.packet_dest<%t, DMA : 1>
    }
  }
}
