// RUN: aiec opt %s | FileCheck %s

// The texts of operations write structures without keys too: the values are in the order in which
// the keys are printed.

aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  %buf = aie.buffer(%tile) {sym_name = "b"} : memref<128xi32>
  // CHECK: aie.shim_dma_allocation @a(%{{.*}}, MM2S, 0, <pkt_type = 1, pkt_id = 5>)
  aie.shim_dma_allocation @a(%shim, MM2S, 0, <1, 5>)
  aie.mem(%tile) {
    %0 = aie.dma_start(MM2S, 0, ^a, ^e)
  ^a:
    // CHECK: aie.dma_bd(%{{.*}} : memref<128xi32>
    // CHECK-SAME: [8, 8, 2]
    // CHECK-SAME: [16, 1, 8]
    // CHECK-SAME: {packet = #aie.packet_info<pkt_type = 1, pkt_id = 5>}
    aie.dma_bd(%buf : memref<128xi32>, 0, 128, [<8, 16>, <8, 1>, <2, 8>]) {packet = #aie.packet_info<1, 5>}
    aie.next_bd ^e
  ^e:
    aie.end
  }
}
