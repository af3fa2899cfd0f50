// A packet of 6 words more than its receiver takes, and another behind it on the arbiter.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/ovr_6_arb.mlir
// DATA: out 0..128 = in 0 + in 134
// WARNING: route::surplus-words
aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t01 = aie.tile(0, 1)
  %t02 = aie.tile(0, 2)
  %ma = aie.buffer(%t01) {sym_name = "ma"} : memref<134xi32>
  %ma_free = aie.lock(%t01, 0) {init = 1 : i32}
  %ma_full = aie.lock(%t01, 1) {init = 0 : i32}
  %mb = aie.buffer(%t01) {sym_name = "mb"} : memref<128xi32>
  %mb_free = aie.lock(%t01, 2) {init = 1 : i32}
  %mb_full = aie.lock(%t01, 3) {init = 0 : i32}
  %a = aie.buffer(%t02) {sym_name = "a"} : memref<128xi32>
  %a_free = aie.lock(%t02, 0) {init = 1 : i32}
  %a_full = aie.lock(%t02, 1) {init = 0 : i32}
  %b = aie.buffer(%t02) {sym_name = "b"} : memref<128xi32>
  %b_free = aie.lock(%t02, 2) {init = 1 : i32}
  %b_full = aie.lock(%t02, 3) {init = 0 : i32}
  %o = aie.buffer(%t02) {sym_name = "o"} : memref<128xi32>
  %o_free = aie.lock(%t02, 4) {init = 1 : i32}
  %o_full = aie.lock(%t02, 5) {init = 0 : i32}
  %core02 = aie.core(%t02) {
    %one = arith.constant 1 : i32
    %k = arith.constant 0 : i32
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %words = arith.constant 128 : index
    %rounds = arith.constant 1 : index
    scf.for %round = %zero to %rounds step %step {
      aie.use_lock(%a_full, AcquireGreaterEqual, %one)
      aie.use_lock(%b_full, AcquireGreaterEqual, %one)
      aie.use_lock(%o_free, AcquireGreaterEqual, %one)
      scf.for %i = %zero to %words step %step {
        %x0 = memref.load %a[%i] : memref<128xi32>
        %v0 = arith.addi %k, %x0 : i32
        %x1 = memref.load %b[%i] : memref<128xi32>
        %v1 = arith.addi %v0, %x1 : i32
        memref.store %v1, %o[%i] : memref<128xi32>
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
    aie.dma_bd(%ma : memref<134xi32> offset = 0 len = 134)
    aie.use_lock(%ma_full, Release, %one)
    aie.next_bd ^end
  ^chan1:
    %c1 = aie.dma_start(MM2S, 0, ^bd1, ^chan2)
  ^bd1:
    aie.use_lock(%ma_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%ma : memref<134xi32> offset = 0 len = 134) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
    aie.use_lock(%ma_free, Release, %one)
    aie.next_bd ^end
  ^chan2:
    %c2 = aie.dma_start(S2MM, 1, ^bd2, ^chan3)
  ^bd2:
    aie.use_lock(%mb_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<128xi32> offset = 0 len = 128)
    aie.use_lock(%mb_full, Release, %one)
    aie.next_bd ^end
  ^chan3:
    %c3 = aie.dma_start(MM2S, 1, ^bd3, ^end)
  ^bd3:
    aie.use_lock(%mb_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%mb : memref<128xi32> offset = 0 len = 128) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
    aie.use_lock(%mb_free, Release, %one)
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %dma02 = aie.mem(%t02) {
    %one = arith.constant 1 : i32
    %c0 = aie.dma_start(S2MM, 0, ^bd0, ^chan1)
  ^bd0:
    aie.use_lock(%a_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%a : memref<128xi32> offset = 0 len = 128)
    aie.use_lock(%a_full, Release, %one)
    aie.next_bd ^end
  ^chan1:
    %c1 = aie.dma_start(S2MM, 1, ^bd1, ^chan2)
  ^bd1:
    aie.use_lock(%b_free, AcquireGreaterEqual, %one)
    aie.dma_bd(%b : memref<128xi32> offset = 0 len = 128)
    aie.use_lock(%b_full, Release, %one)
    aie.next_bd ^end
  ^chan2:
    %c2 = aie.dma_start(MM2S, 0, ^bd2, ^end)
  ^bd2:
    aie.use_lock(%o_full, AcquireGreaterEqual, %one)
    aie.dma_bd(%o : memref<128xi32> offset = 0 len = 128)
    aie.use_lock(%o_free, Release, %one)
    aie.next_bd ^end
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
    aie.connect<North : 0, South : 2>
  }
  %switch01 = aie.switchbox(%t01) {
    aie.connect<South : 0, DMA : 0>
    aie.connect<South : 1, DMA : 1>
    aie.connect<North : 0, South : 0>
    %s0_0 = aie.amsel<0> (0)
    %s1_0 = aie.amsel<1> (0)
    %m0 = aie.masterset(North : 2, %s0_0)
    %m1 = aie.masterset(North : 3, %s1_0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 1, %s0_0)
    }
    aie.packet_rules(DMA : 1) {
      aie.rule(31, 2, %s1_0)
    }
  }
  %switch02 = aie.switchbox(%t02) {
    aie.connect<DMA : 0, South : 0>
    %s0_0 = aie.amsel<0> (0)
    %s0_1 = aie.amsel<0> (1)
    %m0 = aie.masterset(DMA : 0, %s0_0)
    %m1 = aie.masterset(DMA : 1, %s0_1)
    aie.packet_rules(South : 2) {
      aie.rule(31, 1, %s0_0)
    }
    aie.packet_rules(South : 3) {
      aie.rule(31, 2, %s0_1)
    }
  }
  aie.shim_dma_allocation @in0(%t00, MM2S, 0)
  aie.shim_dma_allocation @in1(%t00, MM2S, 1)
  aie.shim_dma_allocation @out(%t00, S2MM, 0)
  aie.runtime_sequence(%in: memref<262xi32>, %out: memref<128xi32>) {
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 134][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @in0} : memref<262xi32>
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @out} : memref<128xi32>
    aiex.npu.dma_wait {symbol = @in0}
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 134][1, 1, 1, 128][0, 0, 0, 1]) {id = 2 : i64, issue_token = true, metadata = @in1} : memref<262xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
