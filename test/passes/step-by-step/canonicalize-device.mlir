// A netlist of before `aie.device`. One that has a device stays as it is.
// RUN: aiec opt --aie-canonicalize-device %s | FileCheck %s
// RUN: aiec opt --aie-canonicalize-device --aie-canonicalize-device %s | FileCheck %s

// CHECK: aie.device(xcvc1902) {
// CHECK-NEXT: %[[A:.*]] = aie.tile(0, 1)
// CHECK-NEXT: %[[B:.*]] = aie.tile(1, 2)
// CHECK-NEXT: aie.flow(%[[A]], DMA : 0, %[[B]], Core : 1)
// CHECK-NOT: aie.device
%a = aie.tile(0, 1)
%b = aie.tile(1, 2)
aie.flow(%a, DMA : 0, %b, Core : 1)
