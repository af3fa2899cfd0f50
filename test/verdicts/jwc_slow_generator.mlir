// As jwc_by_timing, but the first generator is slow: the second comes twice before it.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/Inputs/hw_verdicts/jwc_arb_in01_slow.mlir
// WARNING: route::memory-wait
// DATA: out 0..64 = i + 1
// DATA: out 64..128 = i + 1001
// DATA: out 128..192 = i + 2001
// DATA: out 192..256 = i + 101
// DATA: out 256..320 = i + 1101
// DATA: out 320..384 = i + 2101
// DATA: out 384..448 = i + 201
// DATA: out 448..512 = i + 1201
// DATA: out 512..576 = i + 2201
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t02 = aie.tile(0, 2)
  %t03 = aie.tile(0, 3)
  %t12 = aie.tile(1, 2)
  %t22 = aie.tile(2, 2)
  %g0 = aie.buffer(%t02) {sym_name = "g0"} : memref<64xi32>
  %g0_free = aie.lock(%t02, 0) {init = 1 : i32}
  %g0_full = aie.lock(%t02, 1) {init = 0 : i32}
  %busy = aie.lock(%t02, 2) {init = 1 : i32}
  %r0 = aie.buffer(%t01) {sym_name = "r0"} : memref<64xi32>
  %r0_free = aie.lock(%t01, 0) {init = 1 : i32}
  %r0_full = aie.lock(%t01, 1) {init = 0 : i32}
  %g1 = aie.buffer(%t12) {sym_name = "g1"} : memref<64xi32>
  %g1_free = aie.lock(%t12, 0) {init = 1 : i32}
  %g1_full = aie.lock(%t12, 1) {init = 0 : i32}
  %r1 = aie.buffer(%t01) {sym_name = "r1"} : memref<64xi32>
  %r1_free = aie.lock(%t01, 2) {init = 1 : i32}
  %r1_full = aie.lock(%t01, 3) {init = 0 : i32}
  %g2 = aie.buffer(%t22) {sym_name = "g2"} : memref<64xi32>
  %g2_free = aie.lock(%t22, 0) {init = 1 : i32}
  %g2_full = aie.lock(%t22, 1) {init = 0 : i32}
  %r2 = aie.buffer(%t01) {sym_name = "r2"} : memref<64xi32>
  %r2_free = aie.lock(%t01, 4) {init = 1 : i32}
  %r2_full = aie.lock(%t01, 5) {init = 0 : i32}
  %ui = aie.buffer(%t03) {sym_name = "ui"} : memref<64xi32>
  %ui_free = aie.lock(%t03, 0) {init = 1 : i32}
  %ui_full = aie.lock(%t03, 1) {init = 0 : i32}
  %uo = aie.buffer(%t03) {sym_name = "uo"} : memref<64xi32>
  %uo_free = aie.lock(%t03, 2) {init = 1 : i32}
  %uo_full = aie.lock(%t03, 3) {init = 0 : i32}
  %core02 = aie.core(%t02) {
    %one = arith.constant 1 : i32
    %k = arith.constant 0 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 3 : index
    %spins = arith.constant 2000 : index
    %stride = arith.constant 100 : i32
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%g0_free, AcquireGreaterEqual, %one)
      %r = arith.index_cast %round : index to i32
      %of_round = arith.muli %r, %stride : i32
      %first = arith.addi %of_round, %k : i32
      scf.for %i = %zero to %words step %step {
        %n = arith.index_cast %i : index to i32
        %v0 = arith.addi %n, %first : i32
        memref.store %v0, %g0[%i] : memref<64xi32>
      }
      scf.for %s = %zero to %spins step %step {
        aie.use_lock(%busy, AcquireGreaterEqual, %one)
        aie.use_lock(%busy, Release, %one)
      }
      aie.use_lock(%g0_full, Release, %one)
    }
    aie.end
  }
  %core12 = aie.core(%t12) {
    %one = arith.constant 1 : i32
    %k = arith.constant 1000 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 3 : index
    %stride = arith.constant 100 : i32
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%g1_free, AcquireGreaterEqual, %one)
      %r = arith.index_cast %round : index to i32
      %of_round = arith.muli %r, %stride : i32
      %first = arith.addi %of_round, %k : i32
      scf.for %i = %zero to %words step %step {
        %n = arith.index_cast %i : index to i32
        %v0 = arith.addi %n, %first : i32
        memref.store %v0, %g1[%i] : memref<64xi32>
      }
      aie.use_lock(%g1_full, Release, %one)
    }
    aie.end
  }
  %core22 = aie.core(%t22) {
    %one = arith.constant 1 : i32
    %k = arith.constant 2000 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 3 : index
    %stride = arith.constant 100 : i32
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%g2_free, AcquireGreaterEqual, %one)
      %r = arith.index_cast %round : index to i32
      %of_round = arith.muli %r, %stride : i32
      %first = arith.addi %of_round, %k : i32
      scf.for %i = %zero to %words step %step {
        %n = arith.index_cast %i : index to i32
        %v0 = arith.addi %n, %first : i32
        memref.store %v0, %g2[%i] : memref<64xi32>
      }
      aie.use_lock(%g2_full, Release, %one)
    }
    aie.end
  }
  %core03 = aie.core(%t03) {
    %one = arith.constant 1 : i32
    %k = arith.constant 1 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 9 : index
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%ui_full, AcquireGreaterEqual, %one)
      aie.use_lock(%uo_free, AcquireGreaterEqual, %one)
      scf.for %i = %zero to %words step %step {
        %x0 = memref.load %ui[%i] : memref<64xi32>
        %v0 = arith.addi %k, %x0 : i32
        memref.store %v0, %uo[%i] : memref<64xi32>
      }
      aie.use_lock(%ui_free, Release, %one)
      aie.use_lock(%uo_full, Release, %one)
    }
    aie.end
  }
  %dma02 = aie.mem(%t02) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(MM2S, 0, ^bd0, ^end)
  ^bd0:
    aie.use_lock(%g0_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%g0 : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 0>}
    aie.use_lock(%g0_free, Release, %one)
    aie.next_bd ^bd0
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
    aie.dma_bd(%r0 : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 10>}
    aie.use_lock(%r0_free, Release, %one)
    aie.next_bd ^bd4
  ^bd4:
    aie.use_lock(%r1_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%r1 : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 10>}
    aie.use_lock(%r1_free, Release, %one)
    aie.next_bd ^bd5
  ^bd5:
    aie.use_lock(%r2_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%r2 : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 10>}
    aie.use_lock(%r2_free, Release, %one)
    aie.next_bd ^bd3
  ^end:
    aie.end
  }
  %dma12 = aie.mem(%t12) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(MM2S, 0, ^bd0, ^end)
  ^bd0:
    aie.use_lock(%g1_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%g1 : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
    aie.use_lock(%g1_free, Release, %one)
    aie.next_bd ^bd0
  ^end:
    aie.end
  }
  %dma22 = aie.mem(%t22) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(MM2S, 0, ^bd0, ^end)
  ^bd0:
    aie.use_lock(%g2_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%g2 : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
    aie.use_lock(%g2_free, Release, %one)
    aie.next_bd ^bd0
  ^end:
    aie.end
  }
  %dma03 = aie.mem(%t03) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%ui_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%ui : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%ui_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd1, ^end)
  ^bd1:
    aie.use_lock(%uo_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%uo : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%uo_free, Release, %one)
    aie.next_bd ^bd1
  ^end:
    aie.end
  }
  %mux00 = aie.shim_mux(%t00) {
    aie.connect<North : 2, DMA : 0>
  }
  %switch00 = aie.switchbox(%t00) {
    aie.connect<North : 3, South : 2>
  }
  %switch01 = aie.switchbox(%t01) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<North : 3, South : 3>
    %s0_0 = aie.amsel<0> (0)
    %s0_1 = aie.amsel<0> (1)
    %s1_0 = aie.amsel<1> (0)
    %m0 = aie.masterset(DMA : 0, %s0_0)
    %m1 = aie.masterset(DMA : 1, %s0_1)
    %m2 = aie.masterset(DMA : 2, %s1_0)
    aie.packet_rules(North : 0) {
      aie.rule(31, 0, %s0_0)
    }
    aie.packet_rules(North : 1) {
      aie.rule(31, 1, %s0_1)
    }
    aie.packet_rules(North : 2) {
      aie.rule(31, 2, %s1_0)
    }
  }
  %switch02 = aie.switchbox(%t02) {
    aie.connect<North : 3, South : 3>
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %s2_0 = aie.amsel<2> (0)
    %s3_0 = aie.amsel<3> (0)
    %m0 = aie.masterset(North : 3, %s3_0)
    %m1 = aie.masterset(South : 0, %s0_0)
    %m2 = aie.masterset(South : 1, %s1_0)
    %m3 = aie.masterset(South : 2, %s2_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 0, %s0_0)
    }
    aie.packet_rules(East : 0) {
      aie.rule(31, 1, %s1_0)
    }
    aie.packet_rules(East : 1) {
      aie.rule(31, 2, %s2_0)
    }
    aie.packet_rules(South : 3) {
      aie.rule(31, 10, %s3_0)
    }
  }
  %switch03 = aie.switchbox(%t03) {
    aie.connect<DMA : 0, South : 3>
    %s0_0 = aie.amsel<0> (0)
    %m0 = aie.masterset(DMA : 0, %s0_0)
    aie.packet_rules(South : 3) {
      aie.rule(31, 10, %s0_0)
    }
  }
  %switch12 = aie.switchbox(%t12) {
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %m0 = aie.masterset(West : 0, %s0_0)
    %m1 = aie.masterset(West : 1, %s1_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 1, %s0_0)
    }
    aie.packet_rules(East : 1) {
      aie.rule(31, 2, %s1_0)
    }
  }
  %switch22 = aie.switchbox(%t22) {
    %s0_0 = aie.amsel<0> (0)
    %m0 = aie.masterset(West : 1, %s0_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 2, %s0_0)
    }
  }
  aie.shim_dma_allocation @out0(%t00, S2MM, 0)
  aie.runtime_sequence(%in: memref<1xi32>, %out: memref<576xi32>) {
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 576][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @out0} : memref<576xi32>
    aiex.npu.dma_wait {symbol = @out0}
  }
}
