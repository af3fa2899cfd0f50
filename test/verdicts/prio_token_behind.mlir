// As sj_two_arbiters; tokens of the shim are packets on the arbiter of the flow that stalls.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/prio_sj_h_old.mlir
// DATA: out 0..256 = in 0
// WARNING: route::memory-wait
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %a = aie.buffer(%t01) {sym_name = "a"} : memref<128xi32>
  %a_free = aie.lock(%t01, 0) {init = 2 : i32}
  %a_full = aie.lock(%t01, 1) {init = 0 : i32}
  %b = aie.buffer(%t01) {sym_name = "b"} : memref<128xi32>
  %b_free = aie.lock(%t01, 2) {init = 2 : i32}
  %b_full = aie.lock(%t01, 3) {init = 0 : i32}
  %dma01 = aie.memtile_dma(%t01) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%a_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%a : memref<128xi32> offset = 0 len = 64)
    aie.use_lock(%a_full, Release, %one)
    aie.next_bd ^bd1
  ^bd1:
    aie.use_lock(%a_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%a : memref<128xi32> offset = 64 len = 64)
    aie.use_lock(%a_full, Release, %one)
    aie.next_bd ^end
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd2, ^chan2)
  ^bd2:
    aie.use_lock(%a_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%a : memref<128xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
    aie.use_lock(%a_free, Release, %one)
    aie.next_bd ^bd3
  ^bd3:
    aie.use_lock(%a_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%a : memref<128xi32> offset = 64 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
    aie.use_lock(%a_free, Release, %one)
    aie.next_bd ^end
  ^chan2:
    %c2 = aie.dma_start(S2MM, 1, ^bd4, ^chan3)
  ^bd4:
    aie.use_lock(%b_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%b : memref<128xi32> offset = 0 len = 64)
    aie.use_lock(%b_full, Release, %one)
    aie.next_bd ^bd5
  ^bd5:
    aie.use_lock(%b_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%b : memref<128xi32> offset = 64 len = 64)
    aie.use_lock(%b_full, Release, %one)
    aie.next_bd ^end
  ^chan3:
    %c3 = aie.dma_start(MM2S, 1, ^bd6, ^end)
  ^bd6:
    aie.use_lock(%b_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%b : memref<128xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 4>}
    aie.use_lock(%b_free, Release, %one)
    aie.next_bd ^bd7
  ^bd7:
    aie.use_lock(%b_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%b : memref<128xi32> offset = 64 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 4>}
    aie.use_lock(%b_free, Release, %one)
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %mux00 = aie.shim_mux(%t00) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<DMA : 1, North : 7>
    aie.connect<North : 2, DMA : 0>
    aie.connect<North : 3, DMA : 1>
  }
  %switch00 = aie.switchbox(%t00) {
    aie.connect<South : 3, North : 0>
    aie.connect<South : 7, North : 1>
    %s0_0 = aie.amsel<0> (0)
    %s0_1 = aie.amsel<0> (1)
    %s1_0 = aie.amsel<1> (0)
    %m0 = aie.masterset(South : 0, %s0_1) {keep_pkt_header = true}
    %m1 = aie.masterset(South : 2, %s0_0)
    %m2 = aie.masterset(South : 3, %s1_0)
    aie.packet_rules(North : 0) {
      aie.rule(31, 3, %s0_0)
    }
    aie.packet_rules(North : 1) {
      aie.rule(31, 4, %s1_0)
    }
    aie.packet_rules(TileControl : 0) {
      aie.rule(31, 15, %s0_1)
    }
  }
  %switch01 = aie.switchbox(%t01) {
    aie.connect<South : 0, DMA : 0>
    aie.connect<South : 1, DMA : 1>
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %m0 = aie.masterset(South : 0, %s0_0)
    %m1 = aie.masterset(South : 1, %s1_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 3, %s0_0)
    }
    aie.packet_rules(DMA : 1) {
      aie.rule(31, 4, %s1_0)
    }
  }
  aie.shim_dma_allocation @in0(%t00, MM2S, 0)
  aie.shim_dma_allocation @in1(%t00, MM2S, 1)
  aie.shim_dma_allocation @out0(%t00, S2MM, 0)
  aie.shim_dma_allocation @out1(%t00, S2MM, 1)
  aie.runtime_sequence(%in: memref<256xi32>, %out: memref<256xi32>) {
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @in0} : memref<256xi32>
    aiex.npu.dma_wait {symbol = @in0}
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 128][1, 1, 1, 128][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @in1} : memref<256xi32>
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 128][1, 1, 1, 128][0, 0, 0, 1]) {id = 2 : i64, issue_token = true, metadata = @out1} : memref<256xi32>
    aiex.npu.dma_wait {symbol = @out1}
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 3 : i64, issue_token = true, metadata = @out0} : memref<256xi32>
    aiex.npu.dma_wait {symbol = @out0}
  }
}
