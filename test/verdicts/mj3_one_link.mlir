// Three channels joined in order by a memory tile, the first two on one link from the shim.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/mj3_link_shim.mlir
// WARNING: route::memory-wait
// DATA: out 0..64 = in 0
// DATA: out 64..128 = in 192
// DATA: out 128..192 = in 384
// DATA: out 192..256 = in 64
// DATA: out 256..320 = in 256
// DATA: out 320..384 = in 448
// DATA: out 384..448 = in 128
// DATA: out 448..512 = in 320
// DATA: out 512..576 = in 512
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t10 = aie.tile(1, 0)
  %t11 = aie.tile(1, 1)
  %s0 = aie.buffer(%t01) {sym_name = "s0"} : memref<192xi32>
  %s0_free = aie.lock(%t01, 0) {init = 3 : i32}
  %s0_full = aie.lock(%t01, 1) {init = 0 : i32}
  %r0 = aie.buffer(%t11) {sym_name = "r0"} : memref<64xi32>
  %r0_free = aie.lock(%t11, 0) {init = 1 : i32}
  %r0_full = aie.lock(%t11, 1) {init = 0 : i32}
  %s1 = aie.buffer(%t01) {sym_name = "s1"} : memref<192xi32>
  %s1_free = aie.lock(%t01, 2) {init = 3 : i32}
  %s1_full = aie.lock(%t01, 3) {init = 0 : i32}
  %r1 = aie.buffer(%t11) {sym_name = "r1"} : memref<64xi32>
  %r1_free = aie.lock(%t11, 2) {init = 1 : i32}
  %r1_full = aie.lock(%t11, 3) {init = 0 : i32}
  %s2 = aie.buffer(%t01) {sym_name = "s2"} : memref<192xi32>
  %s2_free = aie.lock(%t01, 4) {init = 3 : i32}
  %s2_full = aie.lock(%t01, 5) {init = 0 : i32}
  %r2 = aie.buffer(%t11) {sym_name = "r2"} : memref<64xi32>
  %r2_free = aie.lock(%t11, 4) {init = 1 : i32}
  %r2_full = aie.lock(%t11, 5) {init = 0 : i32}
  %dma01 = aie.memtile_dma(%t01) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%s0_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%s0 : memref<192xi32> offset = 0 len = 64)
    aie.use_lock(%s0_full, Release, %one)
    aie.next_bd ^bd1
  ^bd1:
    aie.use_lock(%s0_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%s0 : memref<192xi32> offset = 64 len = 64)
    aie.use_lock(%s0_full, Release, %one)
    aie.next_bd ^bd2
  ^bd2:
    aie.use_lock(%s0_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%s0 : memref<192xi32> offset = 128 len = 64)
    aie.use_lock(%s0_full, Release, %one)
    aie.next_bd ^end
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd3, ^chan2)
  ^bd3:
    aie.use_lock(%s0_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%s0 : memref<192xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 0>}
    aie.use_lock(%s0_free, Release, %one)
    aie.next_bd ^bd4
  ^bd4:
    aie.use_lock(%s0_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%s0 : memref<192xi32> offset = 64 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 0>}
    aie.use_lock(%s0_free, Release, %one)
    aie.next_bd ^bd5
  ^bd5:
    aie.use_lock(%s0_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%s0 : memref<192xi32> offset = 128 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 0>}
    aie.use_lock(%s0_free, Release, %one)
    aie.next_bd ^end
  ^chan2:
    %c2 = aie.dma_start(S2MM, 1, ^bd6, ^chan3)
  ^bd6:
    aie.use_lock(%s1_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%s1 : memref<192xi32> offset = 0 len = 64)
    aie.use_lock(%s1_full, Release, %one)
    aie.next_bd ^bd7
  ^bd7:
    aie.use_lock(%s1_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%s1 : memref<192xi32> offset = 64 len = 64)
    aie.use_lock(%s1_full, Release, %one)
    aie.next_bd ^bd8
  ^bd8:
    aie.use_lock(%s1_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%s1 : memref<192xi32> offset = 128 len = 64)
    aie.use_lock(%s1_full, Release, %one)
    aie.next_bd ^end
  ^chan3:
    %c3 = aie.dma_start(MM2S, 1, ^bd9, ^chan4)
  ^bd9:
    aie.use_lock(%s1_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%s1 : memref<192xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
    aie.use_lock(%s1_free, Release, %one)
    aie.next_bd ^bd10
  ^bd10:
    aie.use_lock(%s1_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%s1 : memref<192xi32> offset = 64 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
    aie.use_lock(%s1_free, Release, %one)
    aie.next_bd ^bd11
  ^bd11:
    aie.use_lock(%s1_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%s1 : memref<192xi32> offset = 128 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
    aie.use_lock(%s1_free, Release, %one)
    aie.next_bd ^end
  ^chan4:
    %c4 = aie.dma_start(S2MM, 2, ^bd12, ^chan5)
  ^bd12:
    aie.use_lock(%s2_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%s2 : memref<192xi32> offset = 0 len = 64)
    aie.use_lock(%s2_full, Release, %one)
    aie.next_bd ^bd13
  ^bd13:
    aie.use_lock(%s2_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%s2 : memref<192xi32> offset = 64 len = 64)
    aie.use_lock(%s2_full, Release, %one)
    aie.next_bd ^bd14
  ^bd14:
    aie.use_lock(%s2_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%s2 : memref<192xi32> offset = 128 len = 64)
    aie.use_lock(%s2_full, Release, %one)
    aie.next_bd ^end
  ^chan5:
    %c5 = aie.dma_start(MM2S, 2, ^bd15, ^end)
  ^bd15:
    aie.use_lock(%s2_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%s2 : memref<192xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
    aie.use_lock(%s2_free, Release, %one)
    aie.next_bd ^bd16
  ^bd16:
    aie.use_lock(%s2_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%s2 : memref<192xi32> offset = 64 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
    aie.use_lock(%s2_free, Release, %one)
    aie.next_bd ^bd17
  ^bd17:
    aie.use_lock(%s2_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%s2 : memref<192xi32> offset = 128 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
    aie.use_lock(%s2_free, Release, %one)
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %dma11 = aie.memtile_dma(%t11) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%r0_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%r0 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r0_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(S2MM, 1, ^bd1, ^chan2)
  ^bd1:
    aie.use_lock(%r1_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%r1 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r1_full, Release, %one)
    aie.next_bd ^bd1
  ^chan2:
    %c2 = aie.dma_start(S2MM, 2, ^bd2, ^chan3)
  ^bd2:
    aie.use_lock(%r2_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%r2 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r2_full, Release, %one)
    aie.next_bd ^bd2
  ^chan3:
    %c3 = aie.dma_start(MM2S, 0, ^bd3, ^end)
  ^bd3:
    aie.use_lock(%r0_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%r0 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r0_free, Release, %one)
    aie.next_bd ^bd4
  ^bd4:
    aie.use_lock(%r1_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%r1 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r1_free, Release, %one)
    aie.next_bd ^bd5
  ^bd5:
    aie.use_lock(%r2_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%r2 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r2_free, Release, %one)
    aie.next_bd ^bd3
  ^end:
    aie.end
  }
  %mux00 = aie.shim_mux(%t00) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<DMA : 1, North : 7>
  }
  %switch00 = aie.switchbox(%t00) {
    aie.connect<South : 3, North : 3>
    aie.connect<South : 7, North : 4>
    aie.connect<East : 0, North : 5>
    %s0_0 = aie.amsel<0> (0)
    %s2_0 = aie.amsel<2> (0)
    %m0 = aie.masterset(East : 0, %s0_0)
    %m1 = aie.masterset(East : 2, %s2_0)
    aie.packet_rules(North : 0) {
      aie.rule(31, 0, %s0_0)
    }
    aie.packet_rules(North : 1) {
      aie.rule(31, 1, %s0_0)
    }
    aie.packet_rules(North : 2) {
      aie.rule(31, 2, %s2_0)
    }
  }
  %switch01 = aie.switchbox(%t01) {
    aie.connect<South : 3, DMA : 0>
    aie.connect<South : 4, DMA : 1>
    aie.connect<South : 5, DMA : 2>
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %s2_0 = aie.amsel<2> (0)
    %m0 = aie.masterset(South : 0, %s0_0)
    %m1 = aie.masterset(South : 1, %s1_0)
    %m2 = aie.masterset(South : 2, %s2_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 0, %s0_0)
    }
    aie.packet_rules(DMA : 1) {
      aie.rule(31, 1, %s1_0)
    }
    aie.packet_rules(DMA : 2) {
      aie.rule(31, 2, %s2_0)
    }
  }
  %mux10 = aie.shim_mux(%t10) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<North : 2, DMA : 0>
  }
  %switch10 = aie.switchbox(%t10) {
    aie.connect<South : 3, West : 0>
    aie.connect<North : 3, South : 2>
    %s0_0 = aie.amsel<0> (0)
    %s2_0 = aie.amsel<2> (0)
    %m0 = aie.masterset(North : 0, %s0_0)
    %m1 = aie.masterset(North : 2, %s2_0)
    aie.packet_rules(West : 0) {
      aie.rule(31, 0, %s0_0)
      aie.rule(31, 1, %s0_0)
    }
    aie.packet_rules(West : 2) {
      aie.rule(31, 2, %s2_0)
    }
  }
  %switch11 = aie.switchbox(%t11) {
    aie.connect<DMA : 0, South : 3>
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %s2_0 = aie.amsel<2> (0)
    %m0 = aie.masterset(DMA : 0, %s0_0)
    %m1 = aie.masterset(DMA : 1, %s1_0)
    %m2 = aie.masterset(DMA : 2, %s2_0)
    aie.packet_rules(South : 0) {
      aie.rule(31, 0, %s0_0)
      aie.rule(31, 1, %s1_0)
    }
    aie.packet_rules(South : 2) {
      aie.rule(31, 2, %s2_0)
    }
  }
  aie.shim_dma_allocation @in0(%t00, MM2S, 0)
  aie.shim_dma_allocation @in1(%t00, MM2S, 1)
  aie.shim_dma_allocation @in2(%t10, MM2S, 0)
  aie.shim_dma_allocation @out(%t10, S2MM, 0)
  aie.runtime_sequence(%in: memref<576xi32>, %out: memref<576xi32>) {
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 192][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @in0} : memref<576xi32>
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 576][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @out} : memref<576xi32>
    aiex.npu.dma_wait {symbol = @in0}
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 192][1, 1, 1, 192][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @in1} : memref<576xi32>
    aiex.npu.dma_wait {symbol = @in1}
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 384][1, 1, 1, 192][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @in2} : memref<576xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
