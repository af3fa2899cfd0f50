// A transfer whose descriptor never got the address of a host buffer: the cycle, the channel and why.

// RUN: not aiec sim %s 2>&1 | FileCheck %s
// CHECK: sequence::host-address
// CHECK: sim::fault
// CHECK: the simulation stopped at cycle {{[0-9]+}}: tile (0, 0): DMA MM2S 0 stopped at BD 1: read of
// CHECK: no buffer's address was put into what leads there

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %core = aie.tile(0, 3)
    aie.flow(%shim, DMA : 0, %core, DMA : 0)
    aie.runtime_sequence(%a: memref<64xi32>) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      aiex.npu.writebd {bd_id = 1 : i32, buffer_length = 64 : i32, buffer_offset = 1024 : i32, column = 0 : i32, row = 0 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d2_size = 0 : i32, d2_stride = 0 : i32, enable_packet = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_id = 0 : i32, lock_acq_val = 0 : i32, lock_rel_id = 0 : i32, lock_rel_val = 0 : i32, next_bd = 0 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, use_next_bd = 0 : i32, valid_bd = 1 : i32}
      aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %one repeat %zero {issue_token = true} : i32, i32
      aiex.npu.sync {channel = 0 : i32, column = 0 : i32, column_num = 1 : i32, direction = 1 : i32, row = 0 : i32, row_num = 1 : i32}
    }
  }
}
