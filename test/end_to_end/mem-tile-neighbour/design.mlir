// Descriptors that the sequence writes into the mem tile of column 3 name a buffer of that of column 2,
// whose set-up takes long.
// Devices: npu1, npu2, xcve2302, xcve3858

module {
  aie.device(xcve3858) {
    %shim = aie.tile(3, 0)
    %west = aie.tile(2, 1)
    %mem = aie.tile(3, 1)
    // Keeps the controller of this column busy for long.
    %big = aie.buffer(%west) {sym_name = "big"} : memref<8192xi32> = dense<1>
    %x = aie.buffer(%west) {sym_name = "x"} : memref<16xi32> = dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]>
    aie.flow(%mem, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    aie.runtime_sequence(%a: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      %send = aiex.dma_configure_task(%mem, MM2S, 0) {
        aie.dma_bd(%x : memref<16xi32> offset = 0 len = 16) {bd_id = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%send)
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
