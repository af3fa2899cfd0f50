// Tasks on the DMAs of a mem tile and a core tile, each awaited, with no core program: their tokens have
// to find the column's controller.
// Devices: npu1, npu2, xcve3858

aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %core = aie.tile(0, 3)
  %mbuf = aie.buffer(%mem) {sym_name = "m"} : memref<64xi32>
  %cbuf = aie.buffer(%core) {sym_name = "c"} : memref<64xi32>
  aie.flow(%shim, DMA : 0, %mem, DMA : 0)
  aie.flow(%mem, DMA : 0, %core, DMA : 0)
  aie.flow(%core, DMA : 0, %mem, DMA : 1)
  aie.flow(%mem, DMA : 1, %shim, DMA : 0)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.shim_dma_allocation @out(%shim, S2MM, 0)
  %mbuf2 = aie.buffer(%mem) {sym_name = "m2"} : memref<64xi32>
  aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
    %t0 = aiex.dma_configure_task(%mem, S2MM, 0) {
      aie.dma_bd(%mbuf : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t0)
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
    aiex.dma_await_task(%t0)
    %t1 = aiex.dma_configure_task(%core, S2MM, 0) {
      aie.dma_bd(%cbuf : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t1)
    %t2 = aiex.dma_configure_task(%mem, MM2S, 0) {
      aie.dma_bd(%mbuf : memref<64xi32> offset = 0 len = 64)
      aie.end
    }
    aiex.dma_start_task(%t2)
    aiex.dma_await_task(%t1)
    %t3 = aiex.dma_configure_task(%mem, S2MM, 1) {
      aie.dma_bd(%mbuf2 : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t3)
    %t4 = aiex.dma_configure_task(%core, MM2S, 0) {
      aie.dma_bd(%cbuf : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t4)
    aiex.dma_await_task(%t3)
    aiex.dma_await_task(%t4)
    %t5 = aiex.dma_configure_task(%mem, MM2S, 1) {
      aie.dma_bd(%mbuf2 : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t5)
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
    aiex.npu.dma_wait {symbol = @out}
    aiex.dma_await_task(%t5)
  }
}
