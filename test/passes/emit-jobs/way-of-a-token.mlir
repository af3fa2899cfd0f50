// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// The design leads the tokens of column 0's mem tile to the controller of column 1: a task that
// asks for one is pushed when the rules on its way are written.

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK-NOT: REMOTE_BARRIER
// CHECK: WAIT_TCTS {{.*}}TILE_0_1, MEM_S2MM_0, 1
// CHECK: .attach_to_group 1
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK-NOT: REMOTE_BARRIER

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %m0 = aie.tile(0, 1)
    %s1 = aie.tile(1, 0)
    %w = aie.tile(1, 3)
    // Keeps the controller of this column busy for long.
    %big = aie.buffer(%w) {sym_name = "big"} : memref<8192xi32> = dense<1>
    aie.flow(%s0, DMA : 0, %m0, DMA : 0)
    aie.flow(%m0, DMA : 0, %s0, DMA : 0)
    aie.shim_dma_allocation @in(%s0, MM2S, 0)
    aie.shim_dma_allocation @out(%s0, S2MM, 0)
    aie.packet_flow(0x1) {
      aie.packet_source<%m0, TileControl : 0>
      aie.packet_dest<%s1, Controller32 : 0>
    } {keep_pkt_header = true}
    %x = aie.buffer(%m0) {sym_name = "x"} : memref<64xi32>
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      %t = aiex.dma_configure_task(%m0, S2MM, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.dma_await_task(%t)
      %u = aiex.dma_configure_task(%m0, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64)
        aie.end
      }
      aiex.dma_start_task(%u)
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
