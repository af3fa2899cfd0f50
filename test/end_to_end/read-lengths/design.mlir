// What came from the host says how much goes back, from where, with which stride, and by which BD.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %x = aie.buffer(%mem) {sym_name = "x"} : memref<16xi32>
    aie.flow(%shim, DMA : 0, %mem, DMA : 0)
    aie.flow(%mem, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %one = arith.constant 1 : i32
      %none = arith.constant 0 : i32
      %t = aiex.dma_configure_task(%mem, S2MM, 0) {
        aie.dma_bd(%x : memref<16xi32> offset = 0 len = 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.dma_await_task(%t)
      // Word 0 is one less than the length, word 1 the start.
      %less = memref.load %x[%c0] : memref<16xi32>
      %n = arith.addi %less, %one : i32
      %from = memref.load %x[%c1] : memref<16xi32>
      %part = aiex.dma_configure_task(%mem, MM2S, 0) {
        aie.dma_bd(%x : memref<16xi32> offset = %from len = %n)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%part)
      %m = memref.load %x[%c0] : memref<16xi32>
      %m1 = arith.addi %m, %one : i32
      %m64 = arith.extsi %m1 : i32 to i64
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, %m64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.dma_await_task(%part)
      // Four words, word 2 of them apart.
      %step = memref.load %x[%c2] : memref<16xi32>
      %step64 = arith.extsi %step : i32 to i64
      %apart = aiex.dma_configure_task(%mem, MM2S, 0) {
        aie.dma_bd(%x : memref<16xi32> offset = 0 len = 4 sizes = [4] strides = [%step64])
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%apart)
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 8][1, 1, 1, 4][0, 0, 0, 1]) {id = 2 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.dma_await_task(%apart)
      // The BD whose number is word 3.
      %last = aiex.dma_configure_task(%mem, MM2S, 0) {
        aie.dma_bd(%x : memref<16xi32> offset = 12 len = 2) {bd_id = 2 : i32}
        aie.end
      }
      %bd = memref.load %x[%c3] : memref<16xi32>
      aiex.npu.push_queue(0, 1, MM2S : 0) bd_id %bd repeat %none {issue_token = false} : i32, i32
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 14][1, 1, 1, 2][0, 0, 0, 1]) {id = 3 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.dma_free_task(%last)
    }
  }
}
