// RUN: not aiec %s -o %t.elf 2>&1 | FileCheck %s

// CHECK: the shim mux of (0, 0) has no such port
// CHECK: aie.connect<North : 3007, DMA : 1>
// CHECK: the shim mux of (0, 0) has no such port
// CHECK: aie.connect<DMA : -1, North : 3>
aie.device(npu1) {
  %t = aie.tile(0, 0)
  aie.shim_mux(%t) {
    aie.connect<North : 3007, DMA : 1>
    aie.connect<DMA : -1, North : 3>
  }
  aie.runtime_sequence() {
  }
}
