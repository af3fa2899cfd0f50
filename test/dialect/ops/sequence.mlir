// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Runtime sequences, today's spelling.

module {
  aie.device(npu2) @other {
    aie.runtime_sequence @go(%x: memref<4xi32>) {
    }
  }
  aie.device(npu2) {
    memref.global "private" constant @words : memref<8xi32> = dense<[0, 1, 2, 3, 4, 5, 6, 7]>
    %t00 = aie.tile(0, 0)
    %t02 = aie.tile(0, 2)
    %lk = aie.lock(%t02, 0)
    %rtp = aie.buffer(%t02) {sym_name = "rtp"} : memref<4xi32>
    aie.shim_dma_allocation @in(%t00, MM2S, 0)
    aie.shim_dma_allocation @out(%t00, S2MM, 0)
    aiex.scratchpad_parameter @count : i32
    %core = aie.core(%t02) {
      %v = aiex.read_scratchpad_parameter @count : i32
      aie.end
    }
    aie.objectfifo_rearm_binding @again channels(%t02 : index) locks(%lk : index) {channel_dirs = array<i32: 0>, channel_indices = array<i32: 0>, lock_inits = array<i32: 2>}
    aie.bd_chain @chain(%a: memref<64xi32>) {
      aie.dma_bd(%a : memref<64xi32> offset = 0 len = 8)
      aie.end
    }
    aie.runtime_sequence @seq(%a: memref<64xi32>, %n: i32) attributes {emit_parameter_sync_preamble = false} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 16][1, 2, 2, 4][0, 8, 4, 1], packet = <pkt_id = 2, pkt_type = 1>) {metadata = @in, id = 1 : i64, issue_token = true, burst_length = 64 : i64} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @in}
      aiex.npu.sync(%c0, %c0, %c1, %c0, %c1, %c1) : i32, i32, i32, i32, i32, i32
      aiex.npu.write32(%c0, %c1) {column = 0 : i32, row = 2 : i32} : i32, i32
      aiex.npu.maskwrite32(%c0, %c1, %c1) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
      aiex.npu.maskpoll(%c0, %c1, %c1) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
      aiex.npu.read_reg(%t02, 0x400)
      %w = memref.get_global @words : memref<8xi32>
      aiex.npu.blockwrite(%w) {address = 119300 : ui32} : memref<8xi32>
      aiex.npu.address_patch(%c0 : i32) {addr = 119268 : ui32, arg_idx = 0 : i32}
      aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %c0 repeat %c1 {issue_token = false} : i32, i32
      aiex.npu.rtp_write(@rtp, 0, %c1) : i32
      aiex.npu.preempt {level = 1 : ui8}
      aiex.npu.load_pdi {device_ref = @other, id = 1 : i32}
      aiex.npu.create_scratchpad {size = 32 : ui32}
      aiex.npu.update_from_scratchpad {address = 0 : ui32, state_table_idx = 0 : ui8}
      aiex.npu.assert_bd_field(%n) {max = 63 : i32} : i32
      aiex.npu.assert_bd_divisible(%n) {divisor = 4 : i32} : i32
      aiex.control_packet {address = 126976 : ui32, data = array<i32: 1024>, opcode = 0 : i32, stream_id = 0 : i32}
      %task = aiex.dma_configure_task(%t00, MM2S, 0, <pkt_type = 0, pkt_id = 3>) {
        aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64) {bd_id = 7 : i32}
        aie.end
      } {issue_token = true, repeat_count = 3 : i32}
      aiex.dma_start_task(%task)
      aiex.dma_await_task(%task)
      %for = aiex.dma_configure_task_for @out repeat %c1 : i32 {
        aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%for)
      aiex.dma_free_task(%for)
      %b = aiex.dma_start_bd_chain @chain(%a) : (memref<64xi32>) on (%t00, MM2S, 0) {issue_token = true}
      %d = aiex.dma_start_bd_chain_for @chain(%a) : (memref<64xi32>) for @out
      aiex.set_lock(%lk, 1)
      aiex.dma_channel_reset(%t02, S2MM, 0)
      aiex.dma_channel_reset_for(@again)
      aiex.core_reset(%t02)
      %id = aiex.dma_bd_pool_pop(0, 0) : i32
      aiex.dma_bd_pool_push(0, 0) bd_id %id : i32
      %other = aiex.dma_bd_pool_pop(0, 0) partition [0, 16) : i32
      aiex.dma_bd_pool_push(0, 0) partition [0, 16) bd_id %other : i32
      %holds = arith.constant true
      aiex.npu.require(%holds) {message = "it holds"} : i1
      aiex.buffer_clear(%t02, 32, 8)
      aiex.npu.writebd {bd_id = 1 : i32, buffer_length = 8 : i32, buffer_offset = 0 : i32, burst_length = 0 : i32, column = 0 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d0_zero_after = 0 : i32, d0_zero_before = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d1_zero_after = 0 : i32, d1_zero_before = 0 : i32, d2_size = 0 : i32, d2_stride = 0 : i32, d2_zero_after = 0 : i32, d2_zero_before = 0 : i32, enable_packet = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_id = 0 : i32, lock_acq_val = 0 : i32, lock_rel_id = 0 : i32, lock_rel_val = 0 : i32, next_bd = 0 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, row = 0 : i32, use_next_bd = 0 : i32, valid_bd = 1 : i32}
      aiex.sync_scratchpad_parameters_from_host
      aiex.configure @other {
        aiex.run @go(%a) : (memref<64xi32>)
      }
    }
  }
}

// CHECK:      module {
// CHECK-NEXT:   aie.device(npu2) @other {
// CHECK-NEXT:     aie.runtime_sequence @go(%arg0: memref<4xi32>) {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   aie.device(npu2) {
// CHECK-NEXT:     memref.global "private" constant @words : memref<8xi32> = dense<[0, 1, 2, 3, 4, 5, 6, 7]>
// CHECK-NEXT:     %shim_noc_tile_0_0 = aie.tile(0, 0)
// CHECK-NEXT:     %tile_0_2 = aie.tile(0, 2)
// CHECK-NEXT:     %lock_0_2 = aie.lock(%tile_0_2, 0)
// CHECK-NEXT:     %rtp = aie.buffer(%tile_0_2) {sym_name = "rtp"} : memref<4xi32>
// CHECK-NEXT:     aie.shim_dma_allocation @in(%shim_noc_tile_0_0, MM2S, 0)
// CHECK-NEXT:     aie.shim_dma_allocation @out(%shim_noc_tile_0_0, S2MM, 0)
// CHECK-NEXT:     aiex.scratchpad_parameter @count : i32
// CHECK-NEXT:     %core_0_2 = aie.core(%tile_0_2) {
// CHECK-NEXT:       %0 = aiex.read_scratchpad_parameter @count : i32
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:     aie.objectfifo_rearm_binding @again channels(%tile_0_2 : index) locks(%lock_0_2 : index) {channel_dirs = array<i32: 0>, channel_indices = array<i32: 0>, lock_inits = array<i32: 2>}
// CHECK-NEXT:     aie.bd_chain @chain(%arg0: memref<64xi32>) {
// CHECK-NEXT:       aie.dma_bd(%arg0 : memref<64xi32> offset = 0 len = 8)
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     }
// CHECK-NEXT:     aie.runtime_sequence @seq(%arg0: memref<64xi32>, %arg1: i32) attributes {emit_parameter_sync_preamble = false} {
// CHECK-NEXT:       %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT:       %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT:       aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, 16][1, 2, 2, 4][0, 8, 4, 1], packet = <pkt_type = 1, pkt_id = 2>) {burst_length = 64 : i64, id = 1 : i64, issue_token = true, metadata = @in} : memref<64xi32>
// CHECK-NEXT:       aiex.npu.dma_wait {symbol = @in}
// CHECK-NEXT:       aiex.npu.sync(%c0_i32, %c0_i32, %c1_i32, %c0_i32, %c1_i32, %c1_i32) : i32, i32, i32, i32, i32, i32
// CHECK-NEXT:       aiex.npu.write32(%c0_i32, %c1_i32) {column = 0 : i32, row = 2 : i32} : i32, i32
// CHECK-NEXT:       aiex.npu.maskwrite32(%c0_i32, %c1_i32, %c1_i32) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
// CHECK-NEXT:       aiex.npu.maskpoll(%c0_i32, %c1_i32, %c1_i32) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
// CHECK-NEXT:       aiex.npu.read_reg(%tile_0_2, 1024)
// CHECK-NEXT:       %0 = memref.get_global @words : memref<8xi32>
// CHECK-NEXT:       aiex.npu.blockwrite(%0) {address = 119300 : ui32} : memref<8xi32>
// CHECK-NEXT:       aiex.npu.address_patch(%c0_i32 : i32) {addr = 119268 : ui32, arg_idx = 0 : i32}
// CHECK-NEXT:       aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %c0_i32 repeat %c1_i32 {issue_token = false} : i32, i32
// CHECK-NEXT:       aiex.npu.rtp_write(@rtp, 0, %c1_i32) : i32
// CHECK-NEXT:       aiex.npu.preempt {level = 1 : ui8}
// CHECK-NEXT:       aiex.npu.load_pdi {device_ref = @other, id = 1 : i32}
// CHECK-NEXT:       aiex.npu.create_scratchpad {size = 32 : ui32}
// CHECK-NEXT:       aiex.npu.update_from_scratchpad {address = 0 : ui32, state_table_idx = 0 : ui8}
// CHECK-NEXT:       aiex.npu.assert_bd_field(%arg1) {max = 63 : i32} : i32
// CHECK-NEXT:       aiex.npu.assert_bd_divisible(%arg1) {divisor = 4 : i32} : i32
// CHECK-NEXT:       aiex.control_packet {address = 126976 : ui32, data = array<i32: 1024>, opcode = 0 : i32, stream_id = 0 : i32}
// CHECK-NEXT:       %1 = aiex.dma_configure_task(%shim_noc_tile_0_0, MM2S, 0, <pkt_type = 0, pkt_id = 3>) {
// CHECK-NEXT:         aie.dma_bd(%arg0 : memref<64xi32> offset = 0 len = 64) {bd_id = 7 : i32}
// CHECK-NEXT:         aie.end
// CHECK-NEXT:       } {issue_token = true, repeat_count = 3 : i32}
// CHECK-NEXT:       aiex.dma_start_task(%1)
// CHECK-NEXT:       aiex.dma_await_task(%1)
// CHECK-NEXT:       %2 = aiex.dma_configure_task_for @out repeat %c1_i32 : i32 {
// CHECK-NEXT:         aie.dma_bd(%arg0 : memref<64xi32> offset = 0 len = 64)
// CHECK-NEXT:         aie.end
// CHECK-NEXT:       } {issue_token = true}
// CHECK-NEXT:       aiex.dma_start_task(%2)
// CHECK-NEXT:       aiex.dma_free_task(%2)
// CHECK-NEXT:       %3 = aiex.dma_start_bd_chain @chain(%arg0) : (memref<64xi32>) on (%shim_noc_tile_0_0, MM2S, 0) {issue_token = true}
// CHECK-NEXT:       %4 = aiex.dma_start_bd_chain_for @chain(%arg0) : (memref<64xi32>) for  @out
// CHECK-NEXT:       aiex.set_lock(%lock_0_2, 1)
// CHECK-NEXT:       aiex.dma_channel_reset(%tile_0_2, S2MM, 0)
// CHECK-NEXT:       aiex.dma_channel_reset_for(@again)
// CHECK-NEXT:       aiex.core_reset(%tile_0_2)
// CHECK-NEXT:       %5 = aiex.dma_bd_pool_pop(0, 0) : i32
// CHECK-NEXT:       aiex.dma_bd_pool_push(0, 0) bd_id %5 : i32
// CHECK-NEXT:       %6 = aiex.dma_bd_pool_pop(0, 0) partition [0, 16) : i32
// CHECK-NEXT:       aiex.dma_bd_pool_push(0, 0) partition [0, 16) bd_id %6 : i32
// CHECK-NEXT:       %true = arith.constant true
// CHECK-NEXT:       aiex.npu.require(%true) {message = "it holds"} : i1
// CHECK-NEXT:       aiex.buffer_clear(%tile_0_2, 32, 8)
// CHECK-NEXT:       aiex.npu.writebd {bd_id = 1 : i32, buffer_length = 8 : i32, buffer_offset = 0 : i32, column = 0 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d0_zero_after = 0 : i32, d0_zero_before = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d1_zero_after = 0 : i32, d1_zero_before = 0 : i32, d2_size = 0 : i32, d2_stride = 0 : i32, d2_zero_after = 0 : i32, d2_zero_before = 0 : i32, enable_packet = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_id = 0 : i32, lock_acq_val = 0 : i32, lock_rel_id = 0 : i32, lock_rel_val = 0 : i32, next_bd = 0 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, row = 0 : i32, use_next_bd = 0 : i32, valid_bd = 1 : i32}
// CHECK-NEXT:       aiex.sync_scratchpad_parameters_from_host
// CHECK-NEXT:       aiex.configure @other {
// CHECK-NEXT:         aiex.run @go(%arg0) : (memref<64xi32>)
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
