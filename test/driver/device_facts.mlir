// RUN: aiec translate --aie-generate-json %s | FileCheck %s
// RUN: aiec translate --aie-generate-target-arch %s | FileCheck %s --check-prefix=ARCH
// RUN: echo "module { }" | aiec translate --aie-generate-json | FileCheck %s --check-prefix=NOTHING
// RUN: echo "module { }" | aiec translate --aie-generate-target-arch | FileCheck %s --check-prefix=FIRST

// By name; MM2S is 1.
// CHECK:      {
// CHECK-NEXT:   "in": {
// CHECK-NEXT:     "channelDir": 1,
// CHECK-NEXT:     "channelIndex": 1,
// CHECK-NEXT:     "col": 2
// CHECK-NEXT:   },
// CHECK-NEXT:   "out": {
// CHECK-NEXT:     "channelDir": 0,
// CHECK-NEXT:     "channelIndex": 0,
// CHECK-NEXT:     "col": 2
// CHECK-NEXT:   }
// CHECK-NEXT: }

// ARCH: AIE2p
// NOTHING:      {
// NOTHING-NEXT: }
// FIRST: {{^}}AIE{{$}}
aie.device(npu2) {
  %t = aie.tile(2, 0)
  aie.shim_dma_allocation @out (%t, S2MM, 0)
  aie.shim_dma_allocation @in (%t, MM2S, 1)
}
