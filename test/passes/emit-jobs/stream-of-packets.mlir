// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// Packets of column 0 pass the switches of column 1, which choose their way by rules: the rules
// are written first. What goes back is a circuit.

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK-NOT: REMOTE_BARRIER
// CHECK: .attach_to_group 1
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK-NOT: REMOTE_BARRIER

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %w = aie.tile(1, 3)
    // Keeps the controller of this column busy for long.
    %big = aie.buffer(%w) {sym_name = "big"} : memref<8192xi32> = dense<1>
    aie.shim_dma_allocation @in(%s0, MM2S, 0)
    aie.shim_dma_allocation @out(%s0, S2MM, 0)
    aie.packet_flow(0x1) {
      aie.packet_source<%s0, DMA : 0>
      aie.packet_dest<%w, DMA : 0>
    }
    aie.flow(%w, DMA : 0, %s0, DMA : 0)
    %x = aie.buffer(%w) {sym_name = "x"} : memref<64xi32>
    %free = aie.lock(%w, 0) {init = 1 : i32, sym_name = "free"}
    %full = aie.lock(%w, 1) {init = 0 : i32, sym_name = "full"}
    %dma = aie.mem(%w) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^send)
    ^in:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<64xi32>, 0, 64)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^in
    ^send:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<64xi32>, 0, 64)
      aie.use_lock(%free, Release, 1)
      aie.next_bd ^out
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1], packet = <pkt_type = 0, pkt_id = 1>) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
