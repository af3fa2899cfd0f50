// A packet rule that is replaced at a switch input where words already wait: the warning names the input, the
// line of the write, and the way out for this kind. What is left unfinished is shown where it is declared.

// RUN: aiec sim %s --diagnostics=mlir 2>&1 | FileCheck %s
// RUN: aiec sim %s 2>&1 | FileCheck %s --check-prefix=HELP

// CHECK: hazard_packet_rule.mlir:[[#@LINE+25]]:5: warning: {{.*}}the packet rules of slave port North : 0 of tile (0, 0) change while words wait there, first in cycle
// CHECK-SAME: sim::hazard
// HELP: by this register write
// HELP: help: write the packet rules before
// CHECK: hazard_packet_rule.mlir:[[#@LINE+12]]:10: warning: {{.*}}the run completed, but DMA MM2S 0 of tile (0, 2) 'DMA of data': a task has not ended
// CHECK-SAME: sim::near-miss

aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %work = aie.tile(0, 2)
  %data = aie.buffer(%work) {sym_name = "data"} : memref<256xi32> = dense<1>
  aie.packet_flow(1) {
    aie.packet_source<%work, DMA : 0>
    aie.packet_dest<%shim, DMA : 0>
  }
  %dma = aie.mem(%work) {
    %0 = aie.dma_start(MM2S, 0, ^send, ^end)
  ^send:
    aie.dma_bd(%data : memref<256xi32>, 0, 256) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
    aie.next_bd ^end
  ^end:
    aie.end
  }
  aie.runtime_sequence() {
    // Slot 0 of the slave port North 0, which leads packets with ID 1 until then: packets with ID 2.
    aiex.npu.write32 {address = 0x3F2E0 : ui32, column = 0 : i32, row = 0 : i32, value = 0x021F0100 : ui32}
  }
}
