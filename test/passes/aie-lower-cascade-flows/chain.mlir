// RUN: aiec opt --aie-lower-cascade-flows %s | FileCheck %s

// CHECK-NOT: aie.cascade_flow
// CHECK-DAG: aie.configure_cascade(%tile_0_4, North, East)
// CHECK-DAG: aie.configure_cascade(%tile_1_4, West, South)
// CHECK-DAG: aie.configure_cascade(%tile_1_3, North, South)
// CHECK-NOT: aie.cascade_flow
module {
  aie.device(npu1) {
    %a = aie.tile(0, 4)
    %b = aie.tile(1, 4)
    %c = aie.tile(1, 3)
    aie.cascade_flow(%a, %b)
    aie.cascade_flow(%b, %c)
  }
}
