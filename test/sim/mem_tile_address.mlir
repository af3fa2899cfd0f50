// A BD of a mem tile counts addresses of the tile to the west first: the message says where its own memory begins.
// RUN: not aiec sim %s 2>&1 | FileCheck %s

// CHECK: byte address 0x0 is out of the channel's reach; the tile's own memory begins at 0x80000
module {
  aie.device(npu1_1col) {
    aie.runtime_sequence() {
      aiex.npu.writebd {bd_id = 0 : i32, buffer_length = 16 : i32, buffer_offset = 0 : i32, column = 0 : i32, row = 1 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d2_size = 0 : i32, d2_stride = 0 : i32, d0_zero_before = 0 : i32, d1_zero_before = 0 : i32, d2_zero_before = 0 : i32, d0_zero_after = 0 : i32, d1_zero_after = 0 : i32, d2_zero_after = 0 : i32, burst_length = 0 : i32, enable_packet = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_id = 0 : i32, lock_acq_val = 0 : i32, lock_rel_id = 0 : i32, lock_rel_val = 0 : i32, next_bd = 0 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, use_next_bd = 0 : i32, valid_bd = 1 : i32}
      aiex.npu.write32 {address = 0x1A0634 : ui32, value = 0 : ui32}
    }
  }
}
