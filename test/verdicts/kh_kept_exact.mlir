// A packet with its header into memory for its data: the last word stays outside.
// VERDICT: PASS
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/kh_on_exact.mlir
// DATA: out 0..1 = 2147549191
// DATA: out 1..64 = in 0
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %a = aie.buffer(%t01) {sym_name = "a"} : memref<64xi32>
  %a_free = aie.lock(%t01, 0) {init = 1 : i32}
  %a_full = aie.lock(%t01, 1) {init = 0 : i32}
  %dma01 = aie.memtile_dma(%t01) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%a_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%a_full, Release, %one)
    aie.next_bd ^end
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd1, ^end)
  ^bd1:
    aie.use_lock(%a_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 7>}
    aie.use_lock(%a_free, Release, %one)
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %mux00 = aie.shim_mux(%t00) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<North : 2, DMA : 0>
  }
  %switch00 = aie.switchbox(%t00) {
    aie.connect<South : 3, North : 0>
    %s0_0 = aie.amsel<0> (0)
    %m0 = aie.masterset(South : 2, %s0_0) {keep_pkt_header = true}
    aie.packet_rules(North : 0) {
      aie.rule(31, 7, %s0_0)
    }
  }
  %switch01 = aie.switchbox(%t01) {
    aie.connect<South : 0, DMA : 0>
    %s0_0 = aie.amsel<0> (0)
    %m0 = aie.masterset(South : 0, %s0_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 7, %s0_0)
    }
  }
  aie.shim_dma_allocation @in(%t00, MM2S, 0)
  aie.shim_dma_allocation @out(%t00, S2MM, 0)
  aie.runtime_sequence(%in: memref<64xi32>, %out: memref<64xi32>) {
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @out} : memref<64xi32>
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @in} : memref<64xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
