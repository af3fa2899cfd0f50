// RUN: aiec %s -o %t.elf
// RUN: not aiec sim %t.elf --arg-size 0=256 --diagnostics=text 2>&1 | FileCheck %s

// A design that leads the tokens of its mem tile elsewhere: the compiler leaves the port alone, and
// the wait for them never ends.
// CHECK: the sequence waits for 1 token(s) of DMA S2MM 0 of tile (0, 1)
// CHECK: once more: its transfers sent 1 in all, of which 0 are left
// CHECK: lead its TileControl port to the controller
aie.device(xcve3858) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %core = aie.tile(0, 3)
  %buffer = aie.buffer(%mem) : memref<64xi32>
  aie.flow(%shim, DMA : 0, %mem, DMA : 0)
  aie.packet_flow(1) {
    aie.packet_source<%mem, TileControl : 0>
    aie.packet_dest<%core, DMA : 1>
  }
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%mem, S2MM, 0) {
      aie.dma_bd(%buffer : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t)
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
    aiex.dma_await_task(%t)
  }
}
