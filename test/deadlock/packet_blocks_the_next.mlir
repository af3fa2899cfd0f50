// Nobody takes the packets of the second flow; the first one waits behind them.
// VERDICT: deadlock missing-transfer
// MISTAKE: transfer-missing

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %low = aie.tile(0, 2)
    %high = aie.tile(0, 3)
    %x_buf = aie.buffer(%low) {sym_name = "x_buf"} : memref<64xi32>
    %x_full = aie.lock(%low, 1) {init = 0 : i32, sym_name = "x_full"}
    %y_buf = aie.buffer(%high) {sym_name = "y_buf"} : memref<64xi32>
    %y_full = aie.lock(%high, 1) {init = 0 : i32, sym_name = "y_full"}
    aie.packet_flow(1) {
      aie.packet_source<%shim, DMA : 0>
      aie.packet_dest<%low, DMA : 0>
    }
    aie.packet_flow(2) {
      aie.packet_source<%shim, DMA : 0>
      aie.packet_dest<%high, DMA : 0>
    }
    aie.flow(%low, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    %low_dma = aie.mem(%low) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^send)
    ^in:
      aie.dma_bd(%x_buf : memref<64xi32>, 0, 64)
      aie.use_lock(%x_full, Release, 1)
      aie.next_bd ^end
    ^send:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%x_full, AcquireGreaterEqual, 1)
      aie.dma_bd(%x_buf : memref<64xi32>, 0, 64)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1], packet = <pkt_id = 2, pkt_type = 0>) {id = 2 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1], packet = <pkt_id = 1, pkt_type = 0>) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
