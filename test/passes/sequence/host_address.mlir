// A shim BD that the sequence writes needs the address of a host buffer before it is used.

// RUN: aiec %s -o /dev/null 2>&1 | FileCheck %s
// RUN: aiec %s --jobs=single -o /dev/null 2>&1 | FileCheck %s

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %core = aie.tile(0, 3)
    aie.flow(%core, DMA : 0, %shim, DMA : 0)
    aie.runtime_sequence(%a: memref<64xi32>) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      // CHECK:     sequence::host-address
      // CHECK:     descriptor 1 is used with host address 0x400, which no address patch replaces
      // CHECK:     written here
      // CHECK:     used here
      // CHECK:     help: let `aiex.npu.address_patch` put the address of an argument into it
      aiex.npu.writebd {bd_id = 1 : i32, buffer_length = 64 : i32, buffer_offset = 1024 : i32, ddr_id = 0 : i32, column = 0 : i32, row = 0 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d2_size = 0 : i32, d2_stride = 0 : i32, enable_packet = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_id = 0 : i32, lock_acq_val = 0 : i32, lock_rel_id = 0 : i32, lock_rel_val = 0 : i32, next_bd = 0 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, use_next_bd = 0 : i32, valid_bd = 1 : i32}
      aiex.npu.push_queue(0, 0, S2MM : 0) bd_id %one repeat %zero {issue_token = false} : i32, i32
      // Patched; but the one that comes after it in its chain isn't.
      // CHECK:     sequence::host-address
      // CHECK:     descriptor 3 is used with host address 0x100
      aiex.npu.writebd {bd_id = 2 : i32, buffer_length = 64 : i32, buffer_offset = 0 : i32, column = 0 : i32, row = 0 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d2_size = 0 : i32, d2_stride = 0 : i32, enable_packet = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_id = 0 : i32, lock_acq_val = 0 : i32, lock_rel_id = 0 : i32, lock_rel_val = 0 : i32, next_bd = 3 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, use_next_bd = 1 : i32, valid_bd = 1 : i32}
      aiex.npu.writebd {bd_id = 3 : i32, buffer_length = 64 : i32, buffer_offset = 256 : i32, column = 0 : i32, row = 0 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d2_size = 0 : i32, d2_stride = 0 : i32, enable_packet = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_id = 0 : i32, lock_acq_val = 0 : i32, lock_rel_id = 0 : i32, lock_rel_val = 0 : i32, next_bd = 0 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, use_next_bd = 0 : i32, valid_bd = 1 : i32}
      aiex.npu.address_patch(%zero : i32) {addr = 118852 : ui32, arg_idx = 0 : i32}
      aiex.npu.push_queue(0, 0, S2MM : 0) bd_id %two repeat %zero {issue_token = false} : i32, i32
      // CHECK-NOT: {{^}}sequence::host-address
      // Patched before its use.
      aiex.npu.writebd {bd_id = 4 : i32, buffer_length = 64 : i32, buffer_offset = 0 : i32, column = 0 : i32, row = 0 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d2_size = 0 : i32, d2_stride = 0 : i32, enable_packet = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_id = 0 : i32, lock_acq_val = 0 : i32, lock_rel_id = 0 : i32, lock_rel_val = 0 : i32, next_bd = 0 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, use_next_bd = 0 : i32, valid_bd = 1 : i32}
      aiex.npu.address_patch(%zero : i32) {addr = 118916 : ui32, arg_idx = 0 : i32}
      %four = arith.constant 4 : i32
      aiex.npu.push_queue(0, 0, S2MM : 0) bd_id %four repeat %zero {issue_token = false} : i32, i32
    }
  }
}
