// As relay_one_arbiter, but they share an arbiter one switch before the join.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/relay_arb_a2b_02.mlir
// WARNING: route::memory-wait
// DATA: out 0..256 = in 0 + in 256
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t02 = aie.tile(0, 2)
  %t03 = aie.tile(0, 3)
  %ma = aie.buffer(%t01) {sym_name = "ma"} : memref<256xi32>
  %ma_free = aie.lock(%t01, 0) {init = 4 : i32}
  %ma_full = aie.lock(%t01, 1) {init = 0 : i32}
  %mb = aie.buffer(%t01) {sym_name = "mb"} : memref<256xi32>
  %mb_free = aie.lock(%t01, 2) {init = 4 : i32}
  %mb_full = aie.lock(%t01, 3) {init = 0 : i32}
  %ta = aie.buffer(%t02) {sym_name = "ta"} : memref<64xi32>
  %ta_free = aie.lock(%t02, 0) {init = 1 : i32}
  %ta_full = aie.lock(%t02, 1) {init = 0 : i32}
  %ua = aie.buffer(%t03) {sym_name = "ua"} : memref<64xi32>
  %ua_free = aie.lock(%t03, 0) {init = 1 : i32}
  %ua_full = aie.lock(%t03, 1) {init = 0 : i32}
  %ub = aie.buffer(%t03) {sym_name = "ub"} : memref<64xi32>
  %ub_free = aie.lock(%t03, 2) {init = 1 : i32}
  %ub_full = aie.lock(%t03, 3) {init = 0 : i32}
  %uo = aie.buffer(%t03) {sym_name = "uo"} : memref<64xi32>
  %uo_free = aie.lock(%t03, 4) {init = 1 : i32}
  %uo_full = aie.lock(%t03, 5) {init = 0 : i32}
  %core03 = aie.core(%t03) {
    %one = arith.constant 1 : i32
    %k = arith.constant 0 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 4 : index
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%ua_full, AcquireGreaterEqual, %one)
      aie.use_lock(%ub_full, AcquireGreaterEqual, %one)
      aie.use_lock(%uo_free, AcquireGreaterEqual, %one)
      scf.for %i = %zero to %words step %step {
        %x0 = memref.load %ua[%i] : memref<64xi32>
        %v0 = arith.addi %k, %x0 : i32
        %x1 = memref.load %ub[%i] : memref<64xi32>
        %v1 = arith.addi %v0, %x1 : i32
        memref.store %v1, %uo[%i] : memref<64xi32>
      }
      aie.use_lock(%ua_free, Release, %one)
      aie.use_lock(%ub_free, Release, %one)
      aie.use_lock(%uo_full, Release, %one)
    }
    aie.end
  }
  %dma01 = aie.memtile_dma(%t01) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%ma_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 0 len = 64)
    aie.use_lock(%ma_full, Release, %one)
    aie.next_bd ^bd1
  ^bd1:
    aie.use_lock(%ma_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 64 len = 64)
    aie.use_lock(%ma_full, Release, %one)
    aie.next_bd ^bd2
  ^bd2:
    aie.use_lock(%ma_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 128 len = 64)
    aie.use_lock(%ma_full, Release, %one)
    aie.next_bd ^bd3
  ^bd3:
    aie.use_lock(%ma_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 192 len = 64)
    aie.use_lock(%ma_full, Release, %one)
    aie.next_bd ^end
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd4, ^chan2)
  ^bd4:
    aie.use_lock(%ma_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 10>}
    aie.use_lock(%ma_free, Release, %one)
    aie.next_bd ^bd5
  ^bd5:
    aie.use_lock(%ma_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 64 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 10>}
    aie.use_lock(%ma_free, Release, %one)
    aie.next_bd ^bd6
  ^bd6:
    aie.use_lock(%ma_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 128 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 10>}
    aie.use_lock(%ma_free, Release, %one)
    aie.next_bd ^bd7
  ^bd7:
    aie.use_lock(%ma_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 192 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 10>}
    aie.use_lock(%ma_free, Release, %one)
    aie.next_bd ^end
  ^chan2:
    %c2 = aie.dma_start(S2MM, 1, ^bd8, ^chan3)
  ^bd8:
    aie.use_lock(%mb_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 0 len = 64)
    aie.use_lock(%mb_full, Release, %one)
    aie.next_bd ^bd9
  ^bd9:
    aie.use_lock(%mb_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 64 len = 64)
    aie.use_lock(%mb_full, Release, %one)
    aie.next_bd ^bd10
  ^bd10:
    aie.use_lock(%mb_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 128 len = 64)
    aie.use_lock(%mb_full, Release, %one)
    aie.next_bd ^bd11
  ^bd11:
    aie.use_lock(%mb_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 192 len = 64)
    aie.use_lock(%mb_full, Release, %one)
    aie.next_bd ^end
  ^chan3:
    %c3 = aie.dma_start(MM2S, 1, ^bd12, ^end)
  ^bd12:
    aie.use_lock(%mb_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 11>}
    aie.use_lock(%mb_free, Release, %one)
    aie.next_bd ^bd13
  ^bd13:
    aie.use_lock(%mb_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 64 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 11>}
    aie.use_lock(%mb_free, Release, %one)
    aie.next_bd ^bd14
  ^bd14:
    aie.use_lock(%mb_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 128 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 11>}
    aie.use_lock(%mb_free, Release, %one)
    aie.next_bd ^bd15
  ^bd15:
    aie.use_lock(%mb_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 192 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 11>}
    aie.use_lock(%mb_free, Release, %one)
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %dma02 = aie.mem(%t02) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%ta_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%ta : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%ta_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd1, ^end)
  ^bd1:
    aie.use_lock(%ta_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ta : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 12>}
    aie.use_lock(%ta_free, Release, %one)
    aie.next_bd ^bd1
  ^end:
    aie.end
  }
  %dma03 = aie.mem(%t03) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%ua_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%ua : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%ua_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(S2MM, 1, ^bd1, ^chan2)
  ^bd1:
    aie.use_lock(%ub_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%ub : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%ub_full, Release, %one)
    aie.next_bd ^bd1
  ^chan2:
    %c2 = aie.dma_start(MM2S, 0, ^bd2, ^end)
  ^bd2:
    aie.use_lock(%uo_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%uo : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%uo_free, Release, %one)
    aie.next_bd ^bd2
  ^end:
    aie.end
  }
  %mux00 = aie.shim_mux(%t00) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<DMA : 1, North : 7>
    aie.connect<North : 2, DMA : 0>
  }
  %switch00 = aie.switchbox(%t00) {
    aie.connect<South : 3, North : 0>
    aie.connect<South : 7, North : 1>
    aie.connect<North : 1, South : 2>
  }
  %switch01 = aie.switchbox(%t01) {
    aie.connect<South : 0, DMA : 0>
    aie.connect<South : 1, DMA : 1>
    aie.connect<North : 1, South : 1>
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %m0 = aie.masterset(North : 2, %s0_0)
    %m1 = aie.masterset(North : 3, %s1_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 10, %s0_0)
    }
    aie.packet_rules(DMA : 1) {
      aie.rule(31, 11, %s1_0)
    }
  }
  %switch02 = aie.switchbox(%t02) {
    aie.connect<North : 1, South : 1>
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %s1_1 = aie.amsel<1> (1)
    %m0 = aie.masterset(DMA : 0, %s0_0)
    %m1 = aie.masterset(North : 0, %s1_0)
    %m2 = aie.masterset(North : 3, %s1_1)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 12, %s1_0)
    }
    aie.packet_rules(South : 2) {
      aie.rule(31, 10, %s0_0)
    }
    aie.packet_rules(South : 3) {
      aie.rule(31, 11, %s1_1)
    }
  }
  %switch03 = aie.switchbox(%t03) {
    aie.connect<DMA : 0, South : 1>
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %m0 = aie.masterset(DMA : 0, %s0_0)
    %m1 = aie.masterset(DMA : 1, %s1_0)
    aie.packet_rules(South : 0) {
      aie.rule(31, 12, %s0_0)
    }
    aie.packet_rules(South : 3) {
      aie.rule(31, 11, %s1_0)
    }
  }
  aie.shim_dma_allocation @in0(%t00, MM2S, 0)
  aie.shim_dma_allocation @in1(%t00, MM2S, 1)
  aie.shim_dma_allocation @out(%t00, S2MM, 0)
  aie.runtime_sequence(%in: memref<512xi32>, %out: memref<256xi32>) {
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @in0} : memref<512xi32>
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @out} : memref<256xi32>
    aiex.npu.dma_wait {symbol = @in0}
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 256][1, 1, 1, 256][0, 0, 0, 1]) {id = 2 : i64, issue_token = true, metadata = @in1} : memref<512xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
