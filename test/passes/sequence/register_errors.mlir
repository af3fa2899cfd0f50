// RUN: not aiec opt --split-input-file --emit-jobs --diagnostics=text %s 2>&1 | FileCheck %s

// Addresses, directions and counts that a sequence spells out and that nothing has.
// CHECK: a DMA has no such direction
// CHECK: this can't wait for -1 columns
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence() {
    aiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 7 : i32, channel = 0 : i32, column_num = 1 : i32, row_num = 1 : i32}
    aiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 0 : i32, channel = 0 : i32, column_num = -1 : i32, row_num = 1 : i32}
  }
}

// -----

// CHECK: no register or word of memory begins at 0x1d215
// CHECK: write a multiple of 4
// CHECK: address 0x201d214 isn't one of tile (0, 0)
// CHECK: words 3 to 5 of a buffer of 4
// CHECK: words -1 to 0 of a buffer of 4
// CHECK: words 4 to 5 of a buffer of 4
// CHECK: no buffer descriptor was written at 0x0001d065 before
aie.device(npu1) {
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  memref.global "private" constant @two : memref<2xi32> = dense<[1, 2]>
  memref.global "private" constant @bd : memref<8xi32> = dense<[32, 0, 0, 0, 0x80000000, 0x02000000, 0, 0x02000000]>
  aie.runtime_sequence(%a: memref<64xi32>) {
    aiex.npu.write32 {address = 119317 : ui32, value = 3 : ui32, column = 0 : i32, row = 0 : i32}
    aiex.npu.write32 {address = 33673748 : ui32, value = 3 : ui32, column = 0 : i32, row = 0 : i32}
    %words = memref.get_global @two : memref<2xi32>
    aiex.npu.blockwrite(%words) {address = 3 : ui32, buffer = @x} : memref<2xi32>
    aiex.npu.write32 {address = -1 : i32, value = 3 : ui32, buffer = @x}
    aiex.npu.write32 {address = 4 : ui32, value = 3 : ui32, buffer = @x}
    // What is right: an offset, an address that names the tile already, and the last word of the buffer.
    aiex.npu.write32 {address = 119316 : ui32, value = 3 : ui32, column = 1 : i32, row = 0 : i32}
    aiex.npu.write32 {address = 33673748 : ui32, value = 3 : ui32, column = 1 : i32, row = 0 : i32}
    aiex.npu.blockwrite(%words) {address = 2 : ui32, buffer = @x} : memref<2xi32>
    %image = memref.get_global @bd : memref<8xi32>
    aiex.npu.blockwrite(%image) {address = 118880 : ui32} : memref<8xi32>
    aiex.npu.address_patch {addr = 118885 : ui32, arg_idx = 0 : i32, arg_plus = 64 : i32}
  }
}

// -----

// CHECK: `valid_bd` of 2 is out of range
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%a: memref<64xi32>) {
    aiex.npu.writebd {bd_id = 7 : i32, buffer_length = 4 : i32, buffer_offset = 0 : i32, burst_length = 0 : i32, column = 0 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d0_zero_after = 0 : i32, d0_zero_before = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d1_zero_after = 0 : i32, d1_zero_before = 0 : i32, d2_size = 0 : i32, d2_stride = 0 : i32, d2_zero_after = 0 : i32, d2_zero_before = 0 : i32, enable_packet = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_id = 0 : i32, lock_acq_val = 0 : i32, lock_rel_id = 0 : i32, lock_rel_val = 0 : i32, next_bd = 0 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, row = 0 : i32, use_next_bd = 0 : i32, valid_bd = 2 : i32}
  }
}
// CHECK-NOT: ×

