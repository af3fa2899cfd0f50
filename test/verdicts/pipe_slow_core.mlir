// As pipe_by_timing, but the second core spins before it gives anything back.
// VERDICT: PASS
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/pipe_arb_05_slow.mlir
// WARNING: route::memory-wait
// DATA: out 0..512 = in 0 + 9
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t02 = aie.tile(0, 2)
  %t03 = aie.tile(0, 3)
  %ti = aie.buffer(%t02) {sym_name = "ti"} : memref<64xi32>
  %ti_free = aie.lock(%t02, 0) {init = 1 : i32}
  %ti_full = aie.lock(%t02, 1) {init = 0 : i32}
  %to = aie.buffer(%t02) {sym_name = "to"} : memref<64xi32>
  %to_free = aie.lock(%t02, 2) {init = 1 : i32}
  %to_full = aie.lock(%t02, 3) {init = 0 : i32}
  %ui = aie.buffer(%t03) {sym_name = "ui"} : memref<64xi32>
  %ui_free = aie.lock(%t03, 0) {init = 1 : i32}
  %ui_full = aie.lock(%t03, 1) {init = 0 : i32}
  %uo = aie.buffer(%t03) {sym_name = "uo"} : memref<64xi32>
  %uo_free = aie.lock(%t03, 2) {init = 1 : i32}
  %uo_full = aie.lock(%t03, 3) {init = 0 : i32}
  %busy = aie.lock(%t03, 4) {init = 1 : i32}
  %core02 = aie.core(%t02) {
    %one = arith.constant 1 : i32
    %k = arith.constant 4 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 8 : index
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%ti_full, AcquireGreaterEqual, %one)
      aie.use_lock(%to_free, AcquireGreaterEqual, %one)
      scf.for %i = %zero to %words step %step {
        %x0 = memref.load %ti[%i] : memref<64xi32>
        %v0 = arith.addi %k, %x0 : i32
        memref.store %v0, %to[%i] : memref<64xi32>
      }
      aie.use_lock(%ti_free, Release, %one)
      aie.use_lock(%to_full, Release, %one)
    }
    aie.end
  }
  %core03 = aie.core(%t03) {
    %one = arith.constant 1 : i32
    %k = arith.constant 5 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 8 : index
    %spins = arith.constant 2000 : index
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%ui_full, AcquireGreaterEqual, %one)
      aie.use_lock(%uo_free, AcquireGreaterEqual, %one)
      scf.for %i = %zero to %words step %step {
        %x0 = memref.load %ui[%i] : memref<64xi32>
        %v0 = arith.addi %k, %x0 : i32
        memref.store %v0, %uo[%i] : memref<64xi32>
      }
      scf.for %s = %zero to %spins step %step {
        aie.use_lock(%busy, AcquireGreaterEqual, %one)
        aie.use_lock(%busy, Release, %one)
      }
      aie.use_lock(%ui_free, Release, %one)
      aie.use_lock(%uo_full, Release, %one)
    }
    aie.end
  }
  %dma02 = aie.mem(%t02) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%ti_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%ti : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%ti_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd1, ^end)
  ^bd1:
    aie.use_lock(%to_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%to : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
    aie.use_lock(%to_free, Release, %one)
    aie.next_bd ^bd1
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
    aie.dma_bd(%uo : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
    aie.use_lock(%uo_free, Release, %one)
    aie.next_bd ^bd1
  ^end:
    aie.end
  }
  %mux00 = aie.shim_mux(%t00) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<North : 2, DMA : 0>
  }
  %switch00 = aie.switchbox(%t00) {
    %s0_0 = aie.amsel<0> (0)
    %s2_0 = aie.amsel<2> (0)
    %m0 = aie.masterset(North : 0, %s0_0)
    %m1 = aie.masterset(South : 2, %s2_0)
    aie.packet_rules(North : 0) {
      aie.rule(31, 2, %s2_0)
    }
    aie.packet_rules(South : 3) {
      aie.rule(31, 0, %s0_0)
    }
  }
  %switch01 = aie.switchbox(%t01) {
    %s0_0 = aie.amsel<0> (0)
    %s2_0 = aie.amsel<2> (0)
    %m0 = aie.masterset(North : 0, %s0_0)
    %m1 = aie.masterset(South : 0, %s2_0)
    aie.packet_rules(North : 0) {
      aie.rule(31, 2, %s2_0)
    }
    aie.packet_rules(South : 0) {
      aie.rule(31, 0, %s0_0)
    }
  }
  %switch02 = aie.switchbox(%t02) {
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %s2_0 = aie.amsel<2> (0)
    %m0 = aie.masterset(DMA : 0, %s0_0)
    %m1 = aie.masterset(North : 1, %s1_0)
    %m2 = aie.masterset(South : 0, %s2_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 1, %s1_0)
    }
    aie.packet_rules(North : 0) {
      aie.rule(31, 2, %s2_0)
    }
    aie.packet_rules(South : 0) {
      aie.rule(31, 0, %s0_0)
    }
  }
  %switch03 = aie.switchbox(%t03) {
    %s1_0 = aie.amsel<1> (0)
    %s1_1 = aie.amsel<1> (1)
    %m0 = aie.masterset(DMA : 0, %s1_0)
    %m1 = aie.masterset(South : 0, %s1_1)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 2, %s1_1)
    }
    aie.packet_rules(South : 1) {
      aie.rule(31, 1, %s1_0)
    }
  }
  aie.shim_dma_allocation @in(%t00, MM2S, 0)
  aie.shim_dma_allocation @out(%t00, S2MM, 0)
  aie.runtime_sequence(%in: memref<512xi32>, %out: memref<512xi32>) {
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1], packet = <pkt_id = 0, pkt_type = 0>) {id = 0 : i64, issue_token = true, metadata = @in} : memref<512xi32>
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @out} : memref<512xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
