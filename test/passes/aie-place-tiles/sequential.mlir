// RUN: aiec opt --aie-place-tiles --split-input-file %s | FileCheck %s
// Cores fill columns upward; the core that lacks a DMA channel gets neighbours.

// CHECK-LABEL: aie.device(npu2)
// CHECK-NOT: aie.logical_tile
// CHECK: %[[SHIM:.*]] = aie.tile(0, 0)
// CHECK: %[[SINK:.*]] = aie.tile(0, 3)
// CHECK-DAG: %[[A:.*]] = aie.tile(0, 2)
// CHECK-DAG: %[[B:.*]] = aie.tile(0, 4)
// CHECK-DAG: %[[C:.*]] = aie.tile(0, 5)
// CHECK: aie.objectfifo @f0(%[[A]], {%[[SINK]]}
// CHECK: aie.objectfifo @f1(%[[B]], {%[[SINK]]}
// CHECK: aie.objectfifo @f2(%[[C]], {%[[SINK]]}
// CHECK: aie.objectfifo @in(%[[SHIM]], {%[[A]]}
module {
  aie.device(npu2) {
    %c0 = aie.logical_tile<CoreTile>(?, ?)
    %c1 = aie.logical_tile<CoreTile>(?, ?)
    %c2 = aie.logical_tile<CoreTile>(?, ?)
    %sink = aie.logical_tile<CoreTile>(?, ?)
    %s = aie.logical_tile<ShimNOCTile>(?, ?)
    aie.objectfifo @f0(%c0, {%sink}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f1(%c1, {%sink}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f2(%c2, {%sink}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in(%s, {%c0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  }
}

// -----

// A cascade chain of cores goes along a row: below is the mem tile.
// CHECK-LABEL: aie.device(npu2)
// CHECK-DAG: %[[A:.*]] = aie.tile(0, 2)
// CHECK-DAG: %[[B:.*]] = aie.tile(1, 2)
// CHECK-DAG: %[[C:.*]] = aie.tile(2, 2)
// CHECK: aie.cascade_flow(%[[A]], %[[B]])
// CHECK: aie.cascade_flow(%[[B]], %[[C]])
module {
  aie.device(npu2) {
    %c0 = aie.logical_tile<CoreTile>(?, ?)
    %c1 = aie.logical_tile<CoreTile>(?, ?)
    %c2 = aie.logical_tile<CoreTile>(?, ?)
    aie.cascade_flow(%c0, %c1)
    aie.cascade_flow(%c1, %c2)
  }
}
