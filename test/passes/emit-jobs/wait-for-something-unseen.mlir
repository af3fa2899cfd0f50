// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// Column 0 waits until its data have been sent; then column 1 sends on what has arrived. Nothing
// but program order says so: it is kept.

// CHECK: .attach_to_group 0
// CHECK: WAIT_TCTS
// CHECK-NEXT: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK: .attach_to_group 1
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %s1 = aie.tile(1, 0)
    %w = aie.tile(1, 3)
    %x = aie.buffer(%w) {sym_name = "x"} : memref<64xi32>
    aie.flow(%s0, DMA : 0, %w, DMA : 0)
    aie.flow(%w, DMA : 0, %s1, DMA : 0)
    %dma = aie.mem(%w) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^end)
    ^in:
      aie.dma_bd(%x : memref<64xi32>, 0, 64)
      aie.next_bd ^in
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      %in = aiex.dma_configure_task(%s0, MM2S, 0) {
        aie.dma_bd(%a : memref<64xi32>, 0, 64)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%in)
      aiex.dma_await_task(%in)
      %send = aiex.dma_configure_task(%w, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32>, 0, 64)
        aie.end
      }
      aiex.dma_start_task(%send)
      %out = aiex.dma_configure_task(%s1, S2MM, 0) {
        aie.dma_bd(%b : memref<64xi32>, 0, 64)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%out)
      aiex.dma_await_task(%out)
    }
  }
}
