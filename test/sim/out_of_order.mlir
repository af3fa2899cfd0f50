// RUN: aiec sim %s --dump buffer:b --dump buffer:c | FileCheck %s

// Packets choose the descriptors of the core's channel: the one that is sent first names descriptor 5, which is the
// second of the chain.
// CHECK: buffer:b
// CHECK: | 3 4 0 0
// CHECK: buffer:c
// CHECK: | 1 2 0 0
aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %core = aie.tile(0, 2)
  %a = aie.buffer(%mem) {sym_name = "a", address = 0 : i32} : memref<4xi32> = dense<[1, 2, 3, 4]>
  %b = aie.buffer(%core) {sym_name = "b", address = 1024 : i32} : memref<4xi32>
  %c = aie.buffer(%core) {sym_name = "c", address = 2048 : i32} : memref<4xi32>
  aie.packet_flow(3) {
    aie.packet_source<%mem, DMA : 0>
    aie.packet_dest<%core, DMA : 0>
  } {keep_pkt_header = true}
  %m = aie.memtile_dma(%mem) {
    aie.dma_start(MM2S, 0, ^first, ^end)
  ^first:
    aie.dma_bd(%a : memref<4xi32> offset = 0 len = 2) {bd_id = 0 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>, out_of_order_id = 5 : i32}
    aie.next_bd ^second
  ^second:
    aie.dma_bd(%a : memref<4xi32> offset = 2 len = 2) {bd_id = 1 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>, out_of_order_id = 4 : i32}
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %k = aie.mem(%core) {
    aie.dma_start(S2MM, 0, ^first, ^end, repeat_count = 1) {out_of_order}
  ^first:
    aie.dma_bd(%b : memref<4xi32> offset = 0 len = 2) {bd_id = 4 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
    aie.next_bd ^second
  ^second:
    aie.dma_bd(%c : memref<4xi32> offset = 0 len = 2) {bd_id = 5 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
    aie.next_bd ^end
  ^end:
    aie.end
  }
  aie.runtime_sequence() {
  }
}
