// RUN: aiec sim %s --dump buffer:b --dump buffer:c | FileCheck %s
// RUN: aiec opt --aie-dma-tasks-to-npu --aie-dma-to-npu %s | FileCheck %s --check-prefix=NPU

// A task whose descriptors packets choose, then one in order on the same channel, which takes the
// header as data: the mode is set and ended in front of the pushes.
// CHECK: buffer:b
// CHECK: | 1 65539 5 6
// CHECK: buffer:c
// CHECK: | 3 4 0 0
// NPU:       %[[CONTROL:.*]] = arith.constant 2219520 : i32
// NPU-NEXT:  %[[ON:.*]] = arith.constant 8 : i32
// NPU-NEXT:  %[[BIT:.*]] = arith.constant 8 : i32
// NPU-NEXT:  aiex.npu.maskwrite32(%[[CONTROL]], %[[ON]], %[[BIT]])
// NPU:       %[[CONTROL:.*]] = arith.constant 2219520 : i32
// NPU-NEXT:  %[[OFF:.*]] = arith.constant 0 : i32
// NPU-NEXT:  %[[BIT:.*]] = arith.constant 8 : i32
// NPU-NEXT:  aiex.npu.maskwrite32(%[[CONTROL]], %[[OFF]], %[[BIT]])
aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %core = aie.tile(0, 2)
  %a = aie.buffer(%mem) {sym_name = "a", address = 0 : i32} : memref<6xi32> = dense<[1, 2, 3, 4, 5, 6]>
  %b = aie.buffer(%core) {sym_name = "b", address = 1024 : i32} : memref<4xi32>
  %c = aie.buffer(%core) {sym_name = "c", address = 2048 : i32} : memref<4xi32>
  aie.packet_flow(3) {
    aie.packet_source<%mem, DMA : 0>
    aie.packet_dest<%core, DMA : 0>
  } {keep_pkt_header = true}
  aie.runtime_sequence(%x: memref<4xi32>) {
    %receive = aiex.dma_configure_task(%core, S2MM, 0, <pkt_type = 0, pkt_id = 3>) {
      aie.dma_bd(%b : memref<4xi32> offset = 0 len = 2) {bd_id = 4 : i32}
      aie.next_bd ^second
    ^second:
      aie.dma_bd(%c : memref<4xi32> offset = 0 len = 2) {bd_id = 5 : i32}
      aie.end
    } {out_of_order, repeat_count = 1 : i32}
    aiex.dma_start_task(%receive)
    %send = aiex.dma_configure_task(%mem, MM2S, 0, <pkt_type = 0, pkt_id = 3>) {
      aie.dma_bd(%a : memref<6xi32> offset = 2 len = 2) {bd_id = 0 : i32, out_of_order_id = 5 : i32}
      aie.next_bd ^second
    ^second:
      aie.dma_bd(%a : memref<6xi32> offset = 0 len = 2) {bd_id = 1 : i32, out_of_order_id = 4 : i32}
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%send)
    aiex.dma_await_task(%send)
    %status = arith.constant 0x1df00 : i32
    %running = arith.constant 0x80000 : i32
    %off = arith.constant 0 : i32
    aiex.npu.maskpoll(%status, %off, %running) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
    %plain = aiex.dma_configure_task(%core, S2MM, 0) {
      aie.dma_bd(%b : memref<4xi32> offset = 1 len = 3) {bd_id = 6 : i32}
      aie.end
    }
    aiex.dma_start_task(%plain)
    %last = aiex.dma_configure_task(%mem, MM2S, 0, <pkt_type = 0, pkt_id = 3>) {
      aie.dma_bd(%a : memref<6xi32> offset = 4 len = 2) {bd_id = 2 : i32}
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%last)
    aiex.dma_await_task(%last)
  }
}
