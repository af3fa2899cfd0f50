// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// The mem tile of column 0 sends a control packet that changes a lock of column 1: that tile, and
// the rules on the way, are set up before it starts.

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK-NEXT: WRITE_32 {{.*}}0x001a0634, 0x00000000
// CHECK-NOT: REMOTE_BARRIER
// CHECK: .attach_to_group 1
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK-NOT: REMOTE_BARRIER

module {
  aie.device(xcve3858) {
    %m0 = aie.tile(0, 1)
    %s1 = aie.tile(1, 0)
    %w = aie.tile(1, 3)
    // Keeps the controller of this column busy for long.
    %big = aie.buffer(%w) {sym_name = "big"} : memref<8192xi32> = dense<1>
    %x = aie.buffer(%w) {sym_name = "x"} : memref<64xi32> = dense<9>
    %go = aie.lock(%w, 0) {init = 0 : i32, sym_name = "go"}
    // A write of one word to the register of lock 0 (offset 0x1f000), and the word: 1.
    %packet = aie.buffer(%m0) {sym_name = "packet"} : memref<2xi32> = dense<[126976, 1]>
    aie.packet_flow(0x3) {
      aie.packet_source<%m0, DMA : 0>
      aie.packet_dest<%w, TileControl : 0>
    }
    aie.flow(%w, DMA : 0, %s1, DMA : 0)
    aie.shim_dma_allocation @out(%s1, S2MM, 0)
    %send = aie.memtile_dma(%m0) {
      %0 = aie.dma_start(MM2S, 0, ^packet, ^end)
    ^packet:
      aie.dma_bd(%packet : memref<2xi32>, 0, 2) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %dma = aie.mem(%w) {
      %0 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%go, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<64xi32>, 0, 64)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
