// RUN: aiec opt --aie-dma-tasks-to-npu %s | FileCheck %s
// RUN: aiec opt --aie-dma-to-npu %s | FileCheck %s --check-prefix=RTP

// The descriptor of a buffer gets its address by a write of its own: 0x400 + 32 bytes in words.
// CHECK:      aiex.npu.writebd {bd_id = 5 : i32, buffer_length = 16 : i32, buffer_offset = 32 : i32,
// CHECK-SAME: lock_acq_enable = 1 : i32, lock_acq_id = 2 : i32, lock_acq_val = -1 : i32, lock_rel_id = 3 : i32, lock_rel_val = 1 : i32,
// CHECK:      %[[AT:.*]] = arith.constant 2216096 : i32
// CHECK-NEXT: %[[VALUE:.*]] = arith.constant 4325376 : i32
// CHECK-NEXT: %[[MASK:.*]] = arith.constant 268419072 : i32
// CHECK-NEXT: aiex.npu.maskwrite32(%[[AT]], %[[VALUE]], %[[MASK]])
// CHECK-NOT:  aiex.dma_

// RTP:        aiex.npu.write32(%{{.*}}, %{{.*}}) {column = 0 : i32, row = 2 : i32} : i32, i32
// RTP:        aiex.npu.write32(%{{.*}}, %{{.*}}) : i32, i32
aie.device(npu2) {
  %core = aie.tile(0, 2)
  %buffer = aie.buffer(%core) {address = 1024 : i32, sym_name = "b"} : memref<64xi32>
  %free = aie.lock(%core, 2) {init = 1 : i32}
  %full = aie.lock(%core, 3) {init = 0 : i32}
  aie.runtime_sequence() {
    %one = arith.constant 1 : i32
    aiex.npu.rtp_write(@b, 2, %one) : i32
    aiex.npu.write32(%one, %one) {buffer = @b} : i32, i32
    %t = aiex.dma_configure_task(%core, MM2S, 0) {
      aie.use_lock(%free, AcquireGreaterEqual, %one)
      aie.dma_bd(%buffer : memref<64xi32> offset = 8 len = 16) {bd_id = 5 : i32}
      aie.use_lock(%full, Release, %one)
      aie.end
    }
    aiex.dma_start_task(%t)
    aiex.dma_free_task(%t)
  }
}
