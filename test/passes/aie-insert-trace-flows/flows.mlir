// RUN: aiec opt --split-input-file --aie-insert-trace-flows %s | FileCheck %s
// RUN: aiec opt --split-input-file --aie-insert-trace-flows="distribute-channels=true packet-id-start=7" %s | FileCheck --check-prefix=TWO %s
// RUN: aiec opt --split-input-file --aie-insert-trace-flows="lateral-routing=true" %s | FileCheck --check-prefix=BESIDE %s

// Ids follow columns and rows, past those that the design uses; the channel that a flow uses stays
// with it. The sequence gets an argument for the traces.

// CHECK-LABEL: aie.device(npu2) @ids
// CHECK:         aie.tile(0, 0) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 15>}
// CHECK:         aie.packet_flow(1)
// CHECK:         aie.trace @core
// CHECK-NEXT:      aie.trace.packet id = 4 type = core
// CHECK:         aie.trace @memory
// CHECK-NEXT:      aie.trace.packet id = 3 type = mem
// CHECK:         aie.trace @above
// CHECK-NEXT:      aie.trace.packet id = 2 type = memtile
// CHECK:         aie.runtime_sequence(%arg0: memref<64xi32>, %arg1: memref<8192xi8>) {
// CHECK-NOT:       aie.trace.host_config
// CHECK:           aie.trace.start_config @core
// The timers of the core, of its memory module and of the mem tile start anew with broadcast 15.
// CHECK:           %[[TIMER:.*]] = arith.constant 212992 : i32
// CHECK-NEXT:      %[[EVENT:.*]] = arith.constant 31232 : i32
// CHECK-NEXT:      aiex.npu.write32(%[[TIMER]], %[[EVENT]]) {column = 0 : i32, row = 3 : i32}
// CHECK:           arith.constant 81920 : i32
// CHECK:           aiex.npu.write32({{.*}}) {column = 0 : i32, row = 2 : i32}
// CHECK:           arith.constant 606208 : i32
// CHECK-NEXT:      arith.constant 40192 : i32
// CHECK-NEXT:      aiex.npu.write32({{.*}}) {column = 0 : i32, row = 1 : i32}
// CHECK:           aiex.npu.writebd {bd_id = 15 : i32, buffer_length = 2048 : i32
// CHECK-SAME:        valid_bd = 1 : i32}
// CHECK:           aiex.npu.address_patch(%{{.*}} : i32) {addr = 119268 : ui32, arg_idx = 1 : i32}
// CHECK:           aiex.npu.maskwrite32
// The queue of channel 0: channel 1 belongs to the flow.
// CHECK-NEXT:      arith.constant 119300 : i32
// CHECK-NEXT:      arith.constant -2147483633 : i32
// CHECK-NEXT:      aiex.npu.write32
// CHECK:           aiex.npu.dma_wait
// At the end USER_EVENT_0 stops the traces by broadcast 14.
// CHECK:           arith.constant 213064 : i32
// CHECK-NEXT:      arith.constant 126 : i32
// CHECK:           arith.constant 213000 : i32
// CHECK:         aie.packet_flow(4) {
// CHECK-NEXT:      aie.packet_source<%tile_0_3, Trace : 0>
// CHECK-NEXT:      aie.packet_dest<%shim_noc_tile_0_0, DMA : 0>
// CHECK-NEXT:    } {keep_pkt_header = true}
// CHECK:         aie.packet_flow(3) {
// CHECK-NEXT:      aie.packet_source<%tile_0_2, Trace : 1>
// CHECK:         aie.packet_flow(2) {
// CHECK-NEXT:      aie.packet_source<%mem_tile_0_1, Trace : 0>
aie.device(npu2) @ids {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.packet_flow(1) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%shim, DMA : 1>
  }
  aie.shim_dma_allocation @out(%shim, S2MM, 1)
  aie.trace @core(%b) {
    aie.trace.event<"INSTR_EVENT_0">
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.trace @memory(%a) {
    aie.trace.packet type=mem
    aie.trace.event<"DMA_MM2S_0_START_TASK">
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.trace @above(%mem) {
    aie.trace.event<"PORT_RUNNING_0">
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.runtime_sequence(%out: memref<64xi32>) {
    aie.trace.host_config {buffer_size = 8192 : i32}
    aie.trace.start_config @core
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {metadata = @out, id = 0 : i64, issue_token = true} : memref<64xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}

// -----

// Two channels in turn, each with its half of the argument; beside the column of the core.

// TWO-LABEL: aie.device(npu1_2col) @channels
// TWO:         aie.trace.packet id = 7 type = core
// TWO:         aie.trace.packet id = 8 type = core
// TWO:         aie.runtime_sequence(%arg0: memref<16xi32>, %arg1: memref<512xi8>) {
// TWO:           aiex.npu.writebd {bd_id = 15 : i32, buffer_length = 64 : i32
// TWO:           arith.constant 0 : i32
// TWO-NEXT:      aiex.npu.address_patch
// TWO:           aiex.npu.writebd {bd_id = 14 : i32, buffer_length = 64 : i32
// TWO:           arith.constant 256 : i32
// TWO-NEXT:      aiex.npu.address_patch
// TWO:         aie.packet_dest<%shim_noc_tile_0_0, DMA : 1>
// TWO:         aie.packet_dest<%shim_noc_tile_0_0, DMA : 0>

// BESIDE-LABEL: aie.device(npu1_2col) @channels
// BESIDE:         %shim_noc_tile_1_0 = aie.tile(1, 0)
// BESIDE-COUNT-2: aie.packet_dest<%shim_noc_tile_1_0, DMA : 1>
aie.device(npu1_2col) @channels {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %core = aie.core(%a) {
    aie.end
  }
  aie.trace @a(%a) {
    aie.trace.event<"ACTIVE">
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.trace @b(%b) {
    aie.trace.event<"ACTIVE">
    aie.trace.start event=<"TRUE">
    aie.trace.stop event=<"NONE">
  }
  aie.runtime_sequence(%x: memref<16xi32>) {
    aie.trace.host_config {buffer_size = 256 : i32}
    aie.trace.start_config @a
    aie.trace.start_config @b
  }
}

// -----

// The shim tile that sends the broadcast is traced by its user events, and the end of the output
// takes the traces.

// CHECK-LABEL: aie.device(npu2) @shim
// CHECK:         aie.trace.start event = <"USER_EVENT_1">
// CHECK:         aie.trace.stop event = <"USER_EVENT_0">
// CHECK:         aie.runtime_sequence(%arg0: memref<64xi32>) {
// CHECK:           arith.constant 256 : i32
// CHECK-NEXT:      aiex.npu.address_patch(%{{.*}} : i32) {addr = 119268 : ui32, arg_idx = 0 : i32}
aie.device(npu2) @shim {
  %shim = aie.tile(0, 0)
  aie.trace @shim(%shim) {
    aie.trace.event<"DMA_S2MM_0_START_TASK">
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.runtime_sequence(%out: memref<64xi32>) {
    aie.trace.host_config {buffer_size = 256 : i32, reuse_output_buffer = true}
    aie.trace.start_config @shim
  }
}
