// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// A descriptor of the mem tile of column 1 names a buffer and a lock of that of column 0.

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK-NOT: REMOTE_BARRIER
// CHECK: .attach_to_group 1
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK: WRITE_32 {{.*}}0x021a0634, 0x00000000

module {
  aie.device(xcve3858) {
    %shim = aie.tile(1, 0)
    %w = aie.tile(0, 1)
    %mem = aie.tile(1, 1)
    // Keeps the controller of this column busy for long.
    %big = aie.buffer(%w) {sym_name = "big"} : memref<8192xi32> = dense<1>
    %x = aie.buffer(%w) {sym_name = "x"} : memref<16xi32> = dense<5>
    %go = aie.lock(%w, 0) {init = 1 : i32, sym_name = "go"}
    aie.flow(%mem, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    %dma = aie.memtile_dma(%mem) {
      %0 = aie.dma_start(MM2S, 0, ^send, ^end)
    ^send:
      aie.use_lock(%go, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32>, 0, 16)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
