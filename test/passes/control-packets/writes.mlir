// RUN: aiec opt --aie-txn-to-ctrl-packet --aie-legalize-ctrl-packet %s | FileCheck %s
// RUN: aiec opt --aie-txn-to-ctrl-packet --aie-legalize-ctrl-packet --aie-ctrl-packet-infer-tiles --aie-ctrl-packet-to-dma %s | FileCheck --check-prefix=DMA %s

// Writes of constants become packets of at most four words; those under a mask stay where they are.

// CHECK-LABEL: aie.runtime_sequence
// CHECK:         aiex.control_packet {address = 2215936 : ui32, data = array<i32: 1, 2, 3, 4>, opcode = 0 : i32, stream_id = 0 : i32}
// CHECK-NEXT:    aiex.control_packet {address = 2215952 : ui32, data = array<i32: 5, 6>, opcode = 0 : i32, stream_id = 0 : i32}
// CHECK-NOT:     aiex.npu.blockwrite
// CHECK:         aiex.control_packet {address = 2216000 : ui32, data = array<i32: 7>, opcode = 0 : i32, stream_id = 0 : i32}
// CHECK-NEXT:    aiex.npu.maskwrite32
// CHECK:         aiex.control_packet {address = 36700176 : ui32, data = array<i32: 9>, opcode = 0 : i32, stream_id = 0 : i32}

// DMA-LABEL: aie.device(npu2)
// DMA:         aie.tile(0, 2) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 27>}
// DMA:         aie.tile(1, 3) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 29>}
// DMA:         aie.runtime_sequence(%arg0: memref<16xi32>, %arg1: memref<?xi32>) {
// Packets to one tile are one transfer, until something else comes.
// DMA:           aiex.npu.dma_memcpy_nd(%arg1[0, 0, 0, 0][1, 1, 1, 13][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @ctrlpkt_col0_mm2s_chan0} : memref<?xi32>
// DMA:           aiex.npu.sync
// DMA:           aiex.npu.maskwrite32
// DMA:           aiex.npu.dma_memcpy_nd(%arg1[0, 0, 0, 13][1, 1, 1, 3][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @ctrlpkt_col1_mm2s_chan1} : memref<?xi32>
// DMA:           aiex.npu.sync
// DMA-NOT:       aiex.control_packet
aie.device(npu2) {
  memref.global "private" constant @words : memref<6xi32> = dense<[1, 2, 3, 4, 5, 6]>
  %tile = aie.tile(0, 2)
  aie.runtime_sequence(%a: memref<16xi32>) {
    %w = memref.get_global @words : memref<6xi32>
    aiex.npu.blockwrite(%w) {address = 118784 : ui32, column = 0 : i32, row = 2 : i32} : memref<6xi32>
    %address = arith.constant 2216000 : i32
    %value = arith.constant 7 : i32
    aiex.npu.write32(%address, %value) : i32, i32
    aiex.npu.maskwrite32(%address, %value, %value) : i32, i32, i32
    %offset = arith.constant 16 : i32
    %nine = arith.constant 9 : i32
    aiex.npu.write32(%offset, %nine) {column = 1 : i32, row = 3 : i32} : i32, i32
  }
}
