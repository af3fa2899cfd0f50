// Two flows of two memory tiles joined by a core, on one arbiter of its switch.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/j2_arb.mlir
// WARNING: route::memory-wait
// DATA: out 0..256 = in 0 + in 256 - 3
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t02 = aie.tile(0, 2)
  %t10 = aie.tile(1, 0)
  %t11 = aie.tile(1, 1)
  %t12 = aie.tile(1, 2)
  %ma = aie.buffer(%t01) {sym_name = "ma"} : memref<256xi32>
  %ma_free = aie.lock(%t01, 0) {init = 4 : i32}
  %ma_full = aie.lock(%t01, 1) {init = 0 : i32}
  %a = aie.buffer(%t02) {sym_name = "a"} : memref<64xi32>
  %a_free = aie.lock(%t02, 0) {init = 1 : i32}
  %a_full = aie.lock(%t02, 1) {init = 0 : i32}
  %mb = aie.buffer(%t11) {sym_name = "mb"} : memref<256xi32>
  %mb_free = aie.lock(%t11, 0) {init = 4 : i32}
  %mb_full = aie.lock(%t11, 1) {init = 0 : i32}
  %b = aie.buffer(%t02) {sym_name = "b"} : memref<64xi32>
  %b_free = aie.lock(%t02, 2) {init = 1 : i32}
  %b_full = aie.lock(%t02, 3) {init = 0 : i32}
  %o = aie.buffer(%t02) {sym_name = "o"} : memref<64xi32>
  %o_free = aie.lock(%t02, 4) {init = 1 : i32}
  %o_full = aie.lock(%t02, 5) {init = 0 : i32}
  %core02 = aie.core(%t02) {
    %one = arith.constant 1 : i32
    %k = arith.constant -3 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 64 : index
    %rounds = arith.constant 4 : index
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%a_full, AcquireGreaterEqual, %one)
      aie.use_lock(%b_full, AcquireGreaterEqual, %one)
      aie.use_lock(%o_free, AcquireGreaterEqual, %one)
      scf.for %i = %zero to %words step %step {
        %x0 = memref.load %a[%i] : memref<64xi32>
        %v0 = arith.addi %k, %x0 : i32
        %x1 = memref.load %b[%i] : memref<64xi32>
        %v1 = arith.addi %v0, %x1 : i32
        memref.store %v1, %o[%i] : memref<64xi32>
      }
      aie.use_lock(%a_free, Release, %one)
      aie.use_lock(%b_free, Release, %one)
      aie.use_lock(%o_full, Release, %one)
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
    %c1 = aie.dma_start(MM2S, 0, ^bd4, ^end)
  ^bd4:
    aie.use_lock(%ma_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 8>}
    aie.use_lock(%ma_free, Release, %one)
    aie.next_bd ^bd5
  ^bd5:
    aie.use_lock(%ma_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 64 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 8>}
    aie.use_lock(%ma_free, Release, %one)
    aie.next_bd ^bd6
  ^bd6:
    aie.use_lock(%ma_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 128 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 8>}
    aie.use_lock(%ma_free, Release, %one)
    aie.next_bd ^bd7
  ^bd7:
    aie.use_lock(%ma_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<256xi32> offset = 192 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 8>}
    aie.use_lock(%ma_free, Release, %one)
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %dma02 = aie.mem(%t02) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%a_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%a_full, Release, %one)
    aie.next_bd ^bd0
  ^chan1:
    %c1 = aie.dma_start(S2MM, 1, ^bd1, ^chan2)
  ^bd1:
    aie.use_lock(%b_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%b_full, Release, %one)
    aie.next_bd ^bd1
  ^chan2:
    %c2 = aie.dma_start(MM2S, 0, ^bd2, ^end)
  ^bd2:
    aie.use_lock(%o_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%o : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%o_free, Release, %one)
    aie.next_bd ^bd2
  ^end:
    aie.end
  }
  %dma11 = aie.memtile_dma(%t11) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%mb_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 0 len = 64)
    aie.use_lock(%mb_full, Release, %one)
    aie.next_bd ^bd1
  ^bd1:
    aie.use_lock(%mb_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 64 len = 64)
    aie.use_lock(%mb_full, Release, %one)
    aie.next_bd ^bd2
  ^bd2:
    aie.use_lock(%mb_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 128 len = 64)
    aie.use_lock(%mb_full, Release, %one)
    aie.next_bd ^bd3
  ^bd3:
    aie.use_lock(%mb_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 192 len = 64)
    aie.use_lock(%mb_full, Release, %one)
    aie.next_bd ^end
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd4, ^end)
  ^bd4:
    aie.use_lock(%mb_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
    aie.use_lock(%mb_free, Release, %one)
    aie.next_bd ^bd5
  ^bd5:
    aie.use_lock(%mb_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 64 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
    aie.use_lock(%mb_free, Release, %one)
    aie.next_bd ^bd6
  ^bd6:
    aie.use_lock(%mb_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 128 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
    aie.use_lock(%mb_free, Release, %one)
    aie.next_bd ^bd7
  ^bd7:
    aie.use_lock(%mb_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<256xi32> offset = 192 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
    aie.use_lock(%mb_free, Release, %one)
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %mux00 = aie.shim_mux(%t00) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<North : 3, DMA : 1>
  }
  %switch00 = aie.switchbox(%t00) {
    aie.connect<South : 3, North : 2>
    aie.connect<North : 3, South : 3>
  }
  %switch01 = aie.switchbox(%t01) {
    aie.connect<South : 2, DMA : 0>
    aie.connect<North : 3, South : 3>
    %s0_0 = aie.amsel<0> (0)
    %m0 = aie.masterset(North : 0, %s0_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 8, %s0_0)
    }
  }
  %switch02 = aie.switchbox(%t02) {
    aie.connect<DMA : 0, South : 3>
    %s3_0 = aie.amsel<3> (0)
    %s3_1 = aie.amsel<3> (1)
    %m0 = aie.masterset(DMA : 0, %s3_0)
    %m1 = aie.masterset(DMA : 1, %s3_1)
    aie.packet_rules(East : 1) {
      aie.rule(31, 9, %s3_1)
    }
    aie.packet_rules(South : 0) {
      aie.rule(31, 8, %s3_0)
    }
  }
  %mux10 = aie.shim_mux(%t10) {
    aie.connect<DMA : 0, North : 3>
  }
  %switch10 = aie.switchbox(%t10) {
    aie.connect<South : 3, North : 2>
  }
  %switch11 = aie.switchbox(%t11) {
    aie.connect<South : 2, DMA : 0>
    %s0_0 = aie.amsel<0> (0)
    %m0 = aie.masterset(North : 0, %s0_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 9, %s0_0)
    }
  }
  %switch12 = aie.switchbox(%t12) {
    %s0_0 = aie.amsel<0> (0)
    %m0 = aie.masterset(West : 1, %s0_0)
    aie.packet_rules(South : 0) {
      aie.rule(31, 9, %s0_0)
    }
  }
  aie.shim_dma_allocation @in0(%t00, MM2S, 0)
  aie.shim_dma_allocation @in1(%t10, MM2S, 0)
  aie.shim_dma_allocation @out(%t00, S2MM, 1)
  aie.runtime_sequence(%in: memref<512xi32>, %out: memref<256xi32>) {
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @in0} : memref<512xi32>
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @out} : memref<256xi32>
    aiex.npu.dma_wait {symbol = @in0}
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 256][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @in1} : memref<512xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
