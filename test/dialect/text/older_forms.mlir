// RUN: aiec opt %s 2>&1 | FileCheck %s
// RUN: not aiec opt --diagnostics=text %S/Inputs/older_rtp.mlir 2>&1 | FileCheck %s --check-prefix=RTP

// Links without offsets, bundles in capitals, run-time parameters by their tile.
// CHECK: aie.objectfifo.link [@in] -> [@a, @b]([] [0, 16])
// CHECK: aie.objectfifo.link [@c] -> [@d]([] [])
// CHECK: aie.connect<North : 0, South : 1>
// CHECK: aiex.npu.rtp_write(@rtp, 4, %{{.*}}) : i32
// A written BD of 2024 has no size of its third dimension.
// CHECK: aiex.npu.writebd {{.*}}d2_size = 0 : i32
// RTP:   `buffer_sym_name` is missing
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t02 = aie.tile(0, 2)
  %t03 = aie.tile(0, 3)
  %rtp = aie.buffer(%t02) {sym_name = "rtp"} : memref<16xi32>
  aie.objectfifo @in(%t00, {%t01}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
  aie.objectfifo @a(%t01, {%t02}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @b(%t01, {%t03}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo.link [@in] -> [@a, @b]()
  aie.objectfifo @c(%t00, {%t01}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
  aie.objectfifo @d(%t01, {%t02}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
  aie.objectfifo.link [@c] -> [@d]()
  aie.switchbox(%t02) {
    aie.connect<NORTH : 0, "SOUTH" : 1>
  }
  aie.runtime_sequence() {
    aiex.npu.rtp_write(0, 2, 4, 50) {buffer_sym_name = "rtp"}
    aiex.npu.writebd {column = 0 : i32, row = 0 : i32, bd_id = 0 : i32, buffer_length = 4 : i32, buffer_offset = 0 : i32, enable_packet = 0 : i32, out_of_order_id = 0 : i32, packet_id = 0 : i32, packet_type = 0 : i32, d0_size = 0 : i32, d0_stride = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d2_stride = 0 : i32, iteration_current = 0 : i32, iteration_size = 0 : i32, iteration_stride = 0 : i32, next_bd = 0 : i32, use_next_bd = 0 : i32, valid_bd = 1 : i32, lock_rel_val = 0 : i32, lock_rel_id = 0 : i32, lock_acq_enable = 0 : i32, lock_acq_val = 0 : i32, lock_acq_id = 0 : i32}
  }
}
