// Two senders, each to the same two receivers, which take everything: copies of either come first at one of them.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/stress_s117_old.mlir
// WARNING: route::circular-wait
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t02 = aie.tile(0, 2)
  %t10 = aie.tile(1, 0)
  %t11 = aie.tile(1, 1)
  %t12 = aie.tile(1, 2)
  %t20 = aie.tile(2, 0)
  %t21 = aie.tile(2, 1)
  %t22 = aie.tile(2, 2)
  %go0 = aie.buffer(%t02) {sym_name = "go0"} : memref<4xi32>
  %go0_free = aie.lock(%t02, 0) {init = 1 : i32}
  %go0_full = aie.lock(%t02, 1) {init = 0 : i32}
  %g0 = aie.buffer(%t02) {sym_name = "g0"} : memref<64xi32>
  %g0_free = aie.lock(%t02, 2) {init = 1 : i32}
  %g0_full = aie.lock(%t02, 3) {init = 0 : i32}
  %go1 = aie.buffer(%t22) {sym_name = "go1"} : memref<4xi32>
  %go1_free = aie.lock(%t22, 0) {init = 1 : i32}
  %go1_full = aie.lock(%t22, 1) {init = 0 : i32}
  %g1 = aie.buffer(%t22) {sym_name = "g1"} : memref<64xi32>
  %g1_free = aie.lock(%t22, 2) {init = 1 : i32}
  %g1_full = aie.lock(%t22, 3) {init = 0 : i32}
  %r0 = aie.buffer(%t01) {sym_name = "r0"} : memref<64xi32>
  %r0_free = aie.lock(%t01, 0) {init = 1 : i32}
  %r0_full = aie.lock(%t01, 1) {init = 0 : i32}
  %r1 = aie.buffer(%t21) {sym_name = "r1"} : memref<64xi32>
  %r1_free = aie.lock(%t21, 0) {init = 1 : i32}
  %r1_full = aie.lock(%t21, 1) {init = 0 : i32}
  %core02 = aie.core(%t02) {
    %one = arith.constant 1 : i32
    %k = arith.constant 0 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 4 : index
    %stride = arith.constant 64 : i32
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%go0_full, AcquireGreaterEqual, %one)
      aie.use_lock(%g0_free, AcquireGreaterEqual, %one)
      %r = arith.index_cast %round : index to i32
      %of_round = arith.muli %r, %stride : i32
      %first = arith.addi %of_round, %k : i32
      scf.for %i = %zero to %words step %step {
        %n = arith.index_cast %i : index to i32
        %v0 = arith.addi %n, %first : i32
        memref.store %v0, %g0[%i] : memref<64xi32>
      }
      aie.use_lock(%go0_free, Release, %one)
      aie.use_lock(%g0_full, Release, %one)
    }
    aie.end
  }
  %core22 = aie.core(%t22) {
    %one = arith.constant 1 : i32
    %k = arith.constant 500 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 4 : index
    %stride = arith.constant 64 : i32
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%go1_full, AcquireGreaterEqual, %one)
      aie.use_lock(%g1_free, AcquireGreaterEqual, %one)
      %r = arith.index_cast %round : index to i32
      %of_round = arith.muli %r, %stride : i32
      %first = arith.addi %of_round, %k : i32
      scf.for %i = %zero to %words step %step {
        %n = arith.index_cast %i : index to i32
        %v0 = arith.addi %n, %first : i32
        memref.store %v0, %g1[%i] : memref<64xi32>
      }
      aie.use_lock(%go1_free, Release, %one)
      aie.use_lock(%g1_full, Release, %one)
    }
    aie.end
  }
  %dma02 = aie.mem(%t02) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%go0_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%go0 : memref<4xi32> offset = 0 len = 4)
    aie.use_lock(%go0_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd1, ^end)
  ^bd1:
    aie.use_lock(%g0_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%g0 : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 7>}
    aie.use_lock(%g0_free, Release, %one)
    aie.next_bd ^bd1
  ^end:
    aie.end
  }
  %dma22 = aie.mem(%t22) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%go1_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%go1 : memref<4xi32> offset = 0 len = 4)
    aie.use_lock(%go1_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd1, ^end)
  ^bd1:
    aie.use_lock(%g1_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%g1 : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 8>}
    aie.use_lock(%g1_free, Release, %one)
    aie.next_bd ^bd1
  ^end:
    aie.end
  }
  %dma01 = aie.memtile_dma(%t01) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%r0_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%r0 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r0_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd1, ^end)
  ^bd1:
    aie.use_lock(%r0_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%r0 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r0_free, Release, %one)
    aie.next_bd ^bd1
  ^end:
    aie.end
  }
  %dma21 = aie.memtile_dma(%t21) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%r1_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%r1 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r1_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd1, ^end)
  ^bd1:
    aie.use_lock(%r1_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%r1 : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%r1_free, Release, %one)
    aie.next_bd ^bd1
  ^end:
    aie.end
  }
  %mux00 = aie.shim_mux(%t00) {
    aie.connect<North : 2, DMA : 0>
  }
  %switch00 = aie.switchbox(%t00) {
    aie.connect<North : 0, South : 2>
  }
  %switch01 = aie.switchbox(%t01) {
    aie.connect<DMA : 0, South : 0>
    %s0_0 = aie.amsel<0> (0)
    %m0 = aie.masterset(DMA : 0, %s0_0)
    aie.packet_rules(North : 1) {
      aie.rule(31, 7, %s0_0)
      aie.rule(31, 8, %s0_0)
    }
  }
  %switch02 = aie.switchbox(%t02) {
    aie.connect<East : 0, DMA : 0>
    %s0_0 = aie.amsel<0> (0)
    %s0_1 = aie.amsel<0> (1)
    %m0 = aie.masterset(East : 1, %s0_0)
    %m1 = aie.masterset(South : 1, %s0_0, %s0_1)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 7, %s0_0)
    }
    aie.packet_rules(East : 1) {
      aie.rule(31, 8, %s0_1)
    }
  }
  %mux10 = aie.shim_mux(%t10) {
    aie.connect<DMA : 0, North : 3>
  }
  %switch10 = aie.switchbox(%t10) {
    aie.connect<South : 3, North : 0>
  }
  %switch11 = aie.switchbox(%t11) {
    aie.connect<South : 0, North : 0>
  }
  %switch12 = aie.switchbox(%t12) {
    aie.connect<South : 0, West : 0>
    aie.connect<South : 0, East : 0>
    %s1_0 = aie.amsel<1> (0)
    %s2_0 = aie.amsel<2> (0)
    %m0 = aie.masterset(East : 1, %s1_0)
    %m1 = aie.masterset(West : 1, %s2_0)
    aie.packet_rules(East : 1) {
      aie.rule(31, 8, %s2_0)
    }
    aie.packet_rules(West : 1) {
      aie.rule(31, 7, %s1_0)
    }
  }
  %mux20 = aie.shim_mux(%t20) {
    aie.connect<North : 2, DMA : 0>
  }
  %switch20 = aie.switchbox(%t20) {
    aie.connect<North : 0, South : 2>
  }
  %switch21 = aie.switchbox(%t21) {
    aie.connect<DMA : 0, South : 0>
    %s0_0 = aie.amsel<0> (0)
    %m0 = aie.masterset(DMA : 0, %s0_0)
    aie.packet_rules(North : 1) {
      aie.rule(31, 7, %s0_0)
      aie.rule(31, 8, %s0_0)
    }
  }
  %switch22 = aie.switchbox(%t22) {
    aie.connect<West : 0, DMA : 0>
    %s0_0 = aie.amsel<0> (0)
    %s0_1 = aie.amsel<0> (1)
    %m0 = aie.masterset(South : 1, %s0_0, %s0_1)
    %m1 = aie.masterset(West : 1, %s0_1)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 8, %s0_1)
    }
    aie.packet_rules(West : 1) {
      aie.rule(31, 7, %s0_0)
    }
  }
  aie.shim_dma_allocation @go(%t10, MM2S, 0)
  aie.shim_dma_allocation @out0(%t00, S2MM, 0)
  aie.shim_dma_allocation @out1(%t20, S2MM, 0)
  aie.runtime_sequence(%in: memref<16xi32>, %out: memref<1024xi32>) {
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @out0} : memref<1024xi32>
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 512][1, 1, 1, 512][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @out1} : memref<1024xi32>
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @go} : memref<16xi32>
    aiex.npu.dma_wait {symbol = @out0}
    aiex.npu.dma_wait {symbol = @out1}
  }
}
