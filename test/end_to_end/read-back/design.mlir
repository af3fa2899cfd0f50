// The sequence reads what came from the host, adds to it, and writes the sums into the memories of two tiles,
// from which they go back.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %shim1 = aie.tile(1, 0)
    %core = aie.tile(1, 3)
    %x = aie.buffer(%mem) {sym_name = "x"} : memref<2x8xi32>
    %y = aie.buffer(%mem) {sym_name = "y"} : memref<4xi32> = dense<0>
    %z = aie.buffer(%core) {sym_name = "z"} : memref<4xi32> = dense<0>
    aie.flow(%shim, DMA : 0, %mem, DMA : 0)
    aie.flow(%mem, DMA : 0, %shim, DMA : 0)
    aie.flow(%core, DMA : 0, %shim1, DMA : 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    aie.shim_dma_allocation @out1(%shim1, S2MM, 0)
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<8xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c7 = arith.constant 7 : index
      %seven = arith.constant 7 : i32
      %hundred = arith.constant 100 : i32
      %t = aiex.dma_configure_task(%mem, S2MM, 0) {
        aie.dma_bd(%x : memref<2x8xi32> offset = 0 len = 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.dma_await_task(%t)
      // Word 3 as it is, and 7 more, to the mem tile; word 15 less 100 to the core tile; a word of
      // the results, changed twice.
      %v = memref.load %x[%c0, %c3] : memref<2x8xi32>
      %v7 = arith.addi %seven, %v : i32
      aiex.npu.rtp_write(@y, 0, %v) : i32
      aiex.npu.rtp_write(@y, 1, %v7) : i32
      %w = memref.load %x[%c1, %c7] : memref<2x8xi32>
      %less = arith.subi %w, %hundred : i32
      %address = arith.constant 2 : i32
      aiex.npu.write32(%address, %less) {buffer = @z} : i32, i32
      %u = memref.load %y[%c1] : memref<4xi32>
      %u7 = arith.addi %u, %seven : i32
      %u14 = arith.addi %u7, %seven : i32
      aiex.npu.rtp_write(@y, 2, %u14) : i32
      scf.for %i = %c0 to %c2 step %c1 {
        %r = memref.load %x[%c1, %i] : memref<2x8xi32>
        aiex.npu.rtp_write(@z, 3, %r) : i32
      }
      %p = aiex.dma_configure_task(%mem, MM2S, 0) {
        aie.dma_bd(%y : memref<4xi32> offset = 0 len = 4)
        aie.end
      }
      aiex.dma_start_task(%p)
      %q = aiex.dma_configure_task(%core, MM2S, 0) {
        aie.dma_bd(%z : memref<4xi32> offset = 0 len = 4)
        aie.end
      }
      aiex.dma_start_task(%q)
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<8xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 4][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @out1} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.npu.dma_wait {symbol = @out1}
    }
  }
}
