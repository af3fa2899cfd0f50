// The packet has another id than the flow.
// VERDICT: deadlock unrouted-packet
// MISTAKE: packet-id

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %low = aie.tile(0, 2)
    %buf = aie.buffer(%low) {sym_name = "buf"} : memref<16xi32>
    %free = aie.lock(%low, 0) {init = 1 : i32, sym_name = "free"}
    %full = aie.lock(%low, 1) {init = 0 : i32, sym_name = "full"}
    aie.packet_flow(3) {
      aie.packet_source<%shim, DMA : 0>
      aie.packet_dest<%low, DMA : 0>
    }
    aie.flow(%low, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    %low_dma = aie.mem(%low) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^send)
    ^in:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%buf : memref<16xi32>, 0, 16)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^in
    ^send:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%buf : memref<16xi32>, 0, 16)
      aie.use_lock(%free, Release, 1)
      aie.next_bd ^out
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1], packet = <pkt_id = 7, pkt_type = 0>) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
