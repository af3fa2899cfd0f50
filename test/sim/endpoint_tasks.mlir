// RUN: aiec sim %s --dump buffer:b | FileCheck %s
// RUN: aiec sim %s --as=npu-elf --core=model --dump buffer:b | FileCheck %s
// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s --check-prefix=LOWERED

// Tasks of a mem tile and of a core tile whose channels are named by the ends of a route: they get channel, direction
// and header when the route gets them.
// CHECK: buffer:b
// CHECK: | 5 6 7 8
// LOWERED:      aie.packet_flow(
// LOWERED:      aiex.dma_configure_task(%tile_0_2, S2MM, 0) {
// LOWERED:      aiex.dma_configure_task(%mem_tile_0_1, MM2S, 0, <pkt_type = 0, pkt_id = 0>) {
// LOWERED-NOT:  route
aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %core = aie.tile(0, 2)
  %a = aie.buffer(%mem) {sym_name = "a", address = 0 : i32} : memref<4xi32> = dense<[5, 6, 7, 8]>
  %b = aie.buffer(%core) {sym_name = "b", address = 1024 : i32} : memref<4xi32>
  aie.route_endpoint @a_out(%mem) DMA
  aie.route_endpoint @b_in(%core) DMA
  aie.route from @a_out to [@b_in] {packet = #aie.packet_info<>}
  aie.runtime_sequence() {
    %take = aiex.dma_configure_task_for @b_in {
      aie.dma_bd(%b : memref<4xi32> offset = 0 len = 4)
      aie.end
    } {issue_token = true}
    %send = aiex.dma_configure_task_for @a_out {
      aie.dma_bd(%a : memref<4xi32> offset = 0 len = 4)
      aie.end
    }
    aiex.dma_start_task(%take)
    aiex.dma_start_task(%send)
    aiex.dma_await_task(%take)
  }
}
