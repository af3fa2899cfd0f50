// Two packets go opposite ways over the same arbiters: each keeps what the other one waits for.
// VERDICT: deadlock arbiter
// MISTAKE: packet-path-shared
// OPTIONS: --jobs=parallel

module {
  aie.device(npu1) {
    %west = aie.tile(0, 2)
    %mid = aie.tile(1, 2)
    %east = aie.tile(2, 2)
    %w_out = aie.buffer(%west) {sym_name = "w_out"} : memref<256xi32>
    %w_in = aie.buffer(%west) {sym_name = "w_in"} : memref<256xi32>
    %e_out = aie.buffer(%east) {sym_name = "e_out"} : memref<256xi32>
    %e_in = aie.buffer(%east) {sym_name = "e_in"} : memref<256xi32>
    %west_switch = aie.switchbox(%west) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<0> (1)
      %2 = aie.masterset(East : 0, %0)
      %3 = aie.masterset(DMA : 0, %1)
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 1, %0)
      }
      aie.packet_rules(East : 0) {
        aie.rule(31, 2, %1)
      }
    }
    %mid_switch = aie.switchbox(%mid) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<0> (1)
      %2 = aie.masterset(East : 0, %0)
      %3 = aie.masterset(West : 0, %1)
      aie.packet_rules(West : 0) {
        aie.rule(31, 1, %0)
      }
      aie.packet_rules(East : 0) {
        aie.rule(31, 2, %1)
      }
    }
    %east_switch = aie.switchbox(%east) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<0> (1)
      %2 = aie.masterset(DMA : 0, %0)
      %3 = aie.masterset(West : 0, %1)
      aie.packet_rules(West : 0) {
        aie.rule(31, 1, %0)
      }
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 2, %1)
      }
    }
    %shim = aie.tile(0, 0)
    aie.flow(%west, DMA : 1, %shim, DMA : 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    %full = aie.lock(%west, 1) {init = 0 : i32, sym_name = "full"}
    %west_dma = aie.mem(%west) {
      %0 = aie.dma_start(MM2S, 0, ^send, ^receive)
    ^send:
      aie.dma_bd(%w_out : memref<256xi32>, 0, 256) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
      aie.next_bd ^end
    ^receive:
      %1 = aie.dma_start(S2MM, 0, ^in, ^on)
    ^in:
      aie.dma_bd(%w_in : memref<256xi32>, 0, 256)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^end
    ^on:
      %2 = aie.dma_start(MM2S, 1, ^host, ^end)
    ^host:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%w_in : memref<256xi32>, 0, 256)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %east_dma = aie.mem(%east) {
      %0 = aie.dma_start(MM2S, 0, ^send, ^receive)
    ^send:
      aie.dma_bd(%e_out : memref<256xi32>, 0, 256) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
      aie.next_bd ^end
    ^receive:
      %1 = aie.dma_start(S2MM, 0, ^in, ^end)
    ^in:
      aie.dma_bd(%e_in : memref<256xi32>, 0, 256)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.runtime_sequence(%b: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
