// Random flows in two columns, whose packets can wait for each other in a circle. Channels start before switches are
// set up, one switch after the other, so that packets of the first column are under way when the second gets its rules;
// with all switches set up first it passes.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/stress_s155_old.mlir
// WARNING: route::circular-wait
// FORMS: npu
module {
  aie.device(npu2) {
    %t_2_0 = aie.tile(2, 0)
    %t_2_1 = aie.tile(2, 1)
    %t_2_2 = aie.tile(2, 2)
    %t_2_3 = aie.tile(2, 3)
    %t_2_4 = aie.tile(2, 4)
    %t_2_5 = aie.tile(2, 5)
    %t_3_0 = aie.tile(3, 0)
    %t_3_1 = aie.tile(3, 1)
    %t_3_2 = aie.tile(3, 2)
    %t_3_3 = aie.tile(3, 3)
    %t_3_4 = aie.tile(3, 4)
    %l_2_1_0 = aie.lock(%t_2_1, 0) {init = 3 : i32, sym_name = "l_2_1_0"}
    %l_2_1_1 = aie.lock(%t_2_1, 1) {init = 0 : i32, sym_name = "l_2_1_1"}
    %l_2_3_0 = aie.lock(%t_2_3, 0) {init = 3 : i32, sym_name = "l_2_3_0"}
    %l_2_3_1 = aie.lock(%t_2_3, 1) {init = 0 : i32, sym_name = "l_2_3_1"}
    %l_2_4_0 = aie.lock(%t_2_4, 0) {init = 2 : i32, sym_name = "l_2_4_0"}
    %l_2_4_1 = aie.lock(%t_2_4, 1) {init = 0 : i32, sym_name = "l_2_4_1"}
    %l_2_5_0 = aie.lock(%t_2_5, 0) {init = 1 : i32, sym_name = "l_2_5_0"}
    %l_2_5_1 = aie.lock(%t_2_5, 1) {init = 0 : i32, sym_name = "l_2_5_1"}
    %l_3_1_0 = aie.lock(%t_3_1, 0) {init = 4 : i32, sym_name = "l_3_1_0"}
    %l_3_1_1 = aie.lock(%t_3_1, 1) {init = 0 : i32, sym_name = "l_3_1_1"}
    %l_3_4_0 = aie.lock(%t_3_4, 0) {init = 3 : i32, sym_name = "l_3_4_0"}
    %l_3_4_1 = aie.lock(%t_3_4, 1) {init = 0 : i32, sym_name = "l_3_4_1"}
    %b_2_1_0 = aie.buffer(%t_2_1) {sym_name = "b_2_1_0"} : memref<512xi32> = dense<1>
    %b_2_1_1 = aie.buffer(%t_2_1) {sym_name = "b_2_1_1"} : memref<512xi32> = dense<2>
    %b_2_1_2 = aie.buffer(%t_2_1) {sym_name = "b_2_1_2"} : memref<512xi32> = dense<3>
    %b_2_1_3 = aie.buffer(%t_2_1) {sym_name = "b_2_1_3"} : memref<128xi32>
    %b_2_1_4 = aie.buffer(%t_2_1) {sym_name = "b_2_1_4"} : memref<512xi32>
    %b_2_1_5 = aie.buffer(%t_2_1) {sym_name = "b_2_1_5"} : memref<64xi32>
    %dma_2_1 = aie.memtile_dma(%t_2_1) {
      %c1 = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 2, ^p0b0, ^p1)
    ^p0b0:
      aie.use_lock(%l_2_1_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_2_1_0 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 4>}
      aie.use_lock(%l_2_1_1, Release, %c1)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%l_2_1_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_2_1_1 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 21>}
      aie.use_lock(%l_2_1_1, Release, %c1)
      aie.next_bd ^p0b2
    ^p0b2:
      aie.use_lock(%l_2_1_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_2_1_2 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 31>}
      aie.use_lock(%l_2_1_1, Release, %c1)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(S2MM, 0, ^p1b0, ^p2)
    ^p1b0:
      aie.dma_bd(%b_2_1_3 : memref<128xi32> offset = 0 len = 128)
      aie.next_bd ^p1b0
    ^p2:
      %d2 = aie.dma_start(S2MM, 3, ^p2b0, ^p3)
    ^p2b0:
      aie.dma_bd(%b_2_1_4 : memref<512xi32> offset = 0 len = 512)
      aie.next_bd ^p2b0
    ^p3:
      %d3 = aie.dma_start(S2MM, 5, ^p3b0, ^end)
    ^p3b0:
      aie.dma_bd(%b_2_1_5 : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^p3b0
    ^end:
      aie.end
    }
    %b_2_3_6 = aie.buffer(%t_2_3) {sym_name = "b_2_3_6"} : memref<512xi32> = dense<4>
    %b_2_3_7 = aie.buffer(%t_2_3) {sym_name = "b_2_3_7"} : memref<512xi32> = dense<5>
    %b_2_3_8 = aie.buffer(%t_2_3) {sym_name = "b_2_3_8"} : memref<512xi32> = dense<6>
    %dma_2_3 = aie.mem(%t_2_3) {
      %c1 = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end)
    ^p0b0:
      aie.use_lock(%l_2_3_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_2_3_6 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
      aie.use_lock(%l_2_3_1, Release, %c1)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%l_2_3_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_2_3_7 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%l_2_3_1, Release, %c1)
      aie.next_bd ^p0b2
    ^p0b2:
      aie.use_lock(%l_2_3_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_2_3_8 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 16>}
      aie.use_lock(%l_2_3_1, Release, %c1)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %b_2_4_9 = aie.buffer(%t_2_4) {sym_name = "b_2_4_9"} : memref<512xi32> = dense<7>
    %b_2_4_10 = aie.buffer(%t_2_4) {sym_name = "b_2_4_10"} : memref<512xi32> = dense<8>
    %b_2_4_11 = aie.buffer(%t_2_4) {sym_name = "b_2_4_11"} : memref<512xi32>
    %b_2_4_12 = aie.buffer(%t_2_4) {sym_name = "b_2_4_12"} : memref<128xi32>
    %dma_2_4 = aie.mem(%t_2_4) {
      %c1 = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^p1)
    ^p0b0:
      aie.use_lock(%l_2_4_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_2_4_9 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 18>}
      aie.use_lock(%l_2_4_1, Release, %c1)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%l_2_4_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_2_4_10 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 27>}
      aie.use_lock(%l_2_4_1, Release, %c1)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(S2MM, 0, ^p1b0, ^p2)
    ^p1b0:
      aie.dma_bd(%b_2_4_11 : memref<512xi32> offset = 0 len = 512)
      aie.next_bd ^p1b0
    ^p2:
      %d2 = aie.dma_start(S2MM, 1, ^p2b0, ^end)
    ^p2b0:
      aie.dma_bd(%b_2_4_12 : memref<128xi32> offset = 0 len = 128)
      aie.next_bd ^p2b0
    ^end:
      aie.end
    }
    %b_2_5_13 = aie.buffer(%t_2_5) {sym_name = "b_2_5_13"} : memref<512xi32> = dense<9>
    %b_2_5_14 = aie.buffer(%t_2_5) {sym_name = "b_2_5_14"} : memref<64xi32>
    %dma_2_5 = aie.mem(%t_2_5) {
      %c1 = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 0, ^p0b0, ^p1)
    ^p0b0:
      aie.use_lock(%l_2_5_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_2_5_13 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 30>}
      aie.use_lock(%l_2_5_1, Release, %c1)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(S2MM, 1, ^p1b0, ^end)
    ^p1b0:
      aie.dma_bd(%b_2_5_14 : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^p1b0
    ^end:
      aie.end
    }
    %b_3_1_15 = aie.buffer(%t_3_1) {sym_name = "b_3_1_15"} : memref<512xi32> = dense<10>
    %b_3_1_16 = aie.buffer(%t_3_1) {sym_name = "b_3_1_16"} : memref<512xi32> = dense<11>
    %b_3_1_17 = aie.buffer(%t_3_1) {sym_name = "b_3_1_17"} : memref<256xi32>
    %b_3_1_18 = aie.buffer(%t_3_1) {sym_name = "b_3_1_18"} : memref<128xi32>
    %b_3_1_19 = aie.buffer(%t_3_1) {sym_name = "b_3_1_19"} : memref<128xi32>
    %b_3_1_20 = aie.buffer(%t_3_1) {sym_name = "b_3_1_20"} : memref<32xi32>
    %dma_3_1 = aie.memtile_dma(%t_3_1) {
      %c1 = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 0, ^p0b0, ^p1, repeat_count = 1)
    ^p0b0:
      aie.use_lock(%l_3_1_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_3_1_15 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 16>}
      aie.use_lock(%l_3_1_1, Release, %c1)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%l_3_1_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_3_1_16 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 16>}
      aie.use_lock(%l_3_1_1, Release, %c1)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(S2MM, 0, ^p1b0, ^p2)
    ^p1b0:
      aie.dma_bd(%b_3_1_17 : memref<256xi32> offset = 0 len = 256)
      aie.next_bd ^p1b0
    ^p2:
      %d2 = aie.dma_start(S2MM, 3, ^p2b0, ^p3)
    ^p2b0:
      aie.dma_bd(%b_3_1_18 : memref<128xi32> offset = 0 len = 128)
      aie.next_bd ^p2b0
    ^p3:
      %d3 = aie.dma_start(S2MM, 4, ^p3b0, ^p4)
    ^p3b0:
      aie.dma_bd(%b_3_1_19 : memref<128xi32> offset = 0 len = 128)
      aie.next_bd ^p3b0
    ^p4:
      %d4 = aie.dma_start(S2MM, 5, ^p4b0, ^end)
    ^p4b0:
      aie.dma_bd(%b_3_1_20 : memref<32xi32> offset = 0 len = 32)
      aie.next_bd ^p4b0
    ^end:
      aie.end
    }
    %b_3_4_21 = aie.buffer(%t_3_4) {sym_name = "b_3_4_21"} : memref<512xi32> = dense<12>
    %b_3_4_22 = aie.buffer(%t_3_4) {sym_name = "b_3_4_22"} : memref<8xi32>
    %dma_3_4 = aie.mem(%t_3_4) {
      %c1 = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^p1, repeat_count = 2)
    ^p0b0:
      aie.use_lock(%l_3_4_0, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b_3_4_21 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 27>}
      aie.use_lock(%l_3_4_1, Release, %c1)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(S2MM, 1, ^p1b0, ^end)
    ^p1b0:
      aie.dma_bd(%b_3_4_22 : memref<8xi32> offset = 0 len = 8)
      aie.next_bd ^p1b0
    ^end:
      aie.end
    }
    %b_2_2_23 = aie.buffer(%t_2_2) {sym_name = "b_2_2_23"} : memref<8xi32>
    %dma_2_2 = aie.mem(%t_2_2) {
      %d0 = aie.dma_start(S2MM, 1, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%b_2_2_23 : memref<8xi32> offset = 0 len = 8)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %b_3_2_24 = aie.buffer(%t_3_2) {sym_name = "b_3_2_24"} : memref<64xi32>
    %b_3_2_25 = aie.buffer(%t_3_2) {sym_name = "b_3_2_25"} : memref<256xi32>
    %dma_3_2 = aie.mem(%t_3_2) {
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^p1)
    ^p0b0:
      aie.dma_bd(%b_3_2_24 : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^p0b0
    ^p1:
      %d1 = aie.dma_start(S2MM, 1, ^p1b0, ^end)
    ^p1b0:
      aie.dma_bd(%b_3_2_25 : memref<256xi32> offset = 0 len = 256)
      aie.next_bd ^p1b0
    ^end:
      aie.end
    }
    %b_3_3_26 = aie.buffer(%t_3_3) {sym_name = "b_3_3_26"} : memref<64xi32>
    %dma_3_3 = aie.mem(%t_3_3) {
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%b_3_3_26 : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    aie.shim_dma_allocation @out2_0(%t_2_0, S2MM, 0)
    aie.shim_dma_allocation @out3_1(%t_3_0, S2MM, 1)
    aie.runtime_sequence @seq0(%in: memref<16xi32>, %out: memref<4096xi32>) {
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 1536][0, 0, 0, 1]) { metadata = @out2_0, id = 0 : i64, issue_token = true } : memref<4096xi32>
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 1536][1, 1, 1, 2560][0, 0, 0, 1]) { metadata = @out3_1, id = 0 : i64, issue_token = true } : memref<4096xi32>
      aiex.npu.dma_wait {symbol = @out2_0}
      aiex.npu.dma_wait {symbol = @out3_1}
    }
    %shim_mux_2_0 = aie.shim_mux(%t_2_0) {
      aie.connect<North : 2, DMA : 0>
    }
    %switchbox_2_0 = aie.switchbox(%t_2_0) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.amsel<2> (0)
      %3 = aie.amsel<5> (3)
      %4 = aie.masterset(South : 2, %0)
      %5 = aie.masterset(South : 0, %3) {keep_pkt_header = true}
      %6 = aie.masterset(North : 0, %2)
      %7 = aie.masterset(East : 0, %1)
      aie.packet_rules(TileControl : 0) {
        aie.rule(31, 15, %3)
      }
      aie.packet_rules(North : 1) {
        aie.rule(0, 0, %0)
      }
      aie.packet_rules(North : 3) {
        aie.rule(31, 16, %1)
      }
      aie.packet_rules(East : 1) {
        aie.rule(31, 16, %2)
      }
    }
    %switchbox_2_1 = aie.switchbox(%t_2_1) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.amsel<2> (0)
      %3 = aie.amsel<3> (0)
      %4 = aie.amsel<0> (1)
      %5 = aie.amsel<1> (1)
      %6 = aie.amsel<0> (2)
      %7 = aie.masterset(DMA : 0, %2)
      %8 = aie.masterset(DMA : 3, %3)
      %9 = aie.masterset(DMA : 5, %1, %5)
      %10 = aie.masterset(South : 1, %4, %6)
      %11 = aie.masterset(South : 3, %5)
      %12 = aie.masterset(North : 4, %0, %4)
      aie.packet_rules(DMA : 2) {
        aie.rule(14, 4, %0)
        aie.rule(31, 31, %4)
      }
      aie.packet_rules(North : 0) {
        aie.rule(31, 30, %2)
      }
      aie.packet_rules(North : 2) {
        aie.rule(31, 27, %3)
      }
      aie.packet_rules(North : 3) {
        aie.rule(31, 27, %1)
        aie.rule(31, 16, %5)
      }
      aie.packet_rules(South : 0) {
        aie.rule(31, 16, %1)
      }
      aie.packet_rules(North : 1) {
        aie.rule(20, 0, %6)
      }
    }
    %switchbox_2_2 = aie.switchbox(%t_2_2) {
      aie.connect<North : 3, South : 1>
      aie.connect<North : 2, South : 0>
      aie.connect<North : 2, East : 0>
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.amsel<2> (0)
      %3 = aie.amsel<3> (0)
      %4 = aie.masterset(DMA : 1, %2)
      %5 = aie.masterset(South : 2, %2)
      %6 = aie.masterset(South : 3, %3)
      %7 = aie.masterset(East : 1, %1)
      %8 = aie.masterset(East : 2, %0)
      aie.packet_rules(South : 4) {
        aie.rule(4, 4, %0)
      }
      aie.packet_rules(East : 1) {
        aie.rule(31, 27, %3)
      }
      aie.packet_rules(North : 0) {
        aie.rule(31, 27, %2)
        aie.rule(31, 18, %1)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 16, %3)
      }
    }
    %switchbox_2_3 = aie.switchbox(%t_2_3) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.amsel<2> (0)
      %3 = aie.amsel<3> (0)
      %4 = aie.masterset(South : 0, %2)
      %5 = aie.masterset(South : 1, %1)
      %6 = aie.masterset(South : 2, %3)
      %7 = aie.masterset(South : 3, %0)
      %8 = aie.masterset(North : 2, %1)
      aie.packet_rules(North : 2) {
        aie.rule(31, 30, %3)
      }
      aie.packet_rules(North : 1) {
        aie.rule(22, 18, %2)
      }
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 16, %1)
        aie.rule(20, 0, %0)
      }
    }
    %switchbox_2_4 = aie.switchbox(%t_2_4) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.amsel<2> (0)
      %3 = aie.amsel<3> (0)
      %4 = aie.amsel<0> (1)
      %5 = aie.masterset(DMA : 0, %3)
      %6 = aie.masterset(DMA : 1, %1) {keep_pkt_header = false}
      %7 = aie.masterset(South : 1, %0, %4)
      %8 = aie.masterset(South : 2, %2)
      %9 = aie.masterset(North : 2, %4)
      aie.packet_rules(North : 1) {
        aie.rule(31, 30, %2)
      }
      aie.packet_rules(East : 0) {
        aie.rule(31, 27, %3)
      }
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 27, %4)
        aie.rule(31, 18, %0)
      }
      aie.packet_rules(East : 2) {
        aie.rule(31, 16, %1)
      }
      aie.packet_rules(South : 2) {
        aie.rule(31, 16, %1)
      }
    }
    %switchbox_2_5 = aie.switchbox(%t_2_5) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.masterset(DMA : 1, %1)
      %3 = aie.masterset(South : 1, %0)
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 30, %0)
      }
      aie.packet_rules(South : 2) {
        aie.rule(31, 27, %1)
      }
    }
    %shim_mux_3_0 = aie.shim_mux(%t_3_0) {
      aie.connect<North : 3, DMA : 1>
    }
    %switchbox_3_0 = aie.switchbox(%t_3_0) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<0> (1)
      %2 = aie.amsel<5> (3)
      %3 = aie.masterset(South : 3, %0, %1) {keep_pkt_header = false}
      %4 = aie.masterset(South : 0, %2) {keep_pkt_header = true}
      %5 = aie.masterset(West : 1, %1)
      aie.packet_rules(TileControl : 0) {
        aie.rule(31, 15, %2)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 16, %1)
      }
      aie.packet_rules(West : 0) {
        aie.rule(31, 16, %0)
      }
    }
    %switchbox_3_1 = aie.switchbox(%t_3_1) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.amsel<2> (0)
      %3 = aie.amsel<3> (0)
      %4 = aie.amsel<4> (0)
      %5 = aie.masterset(DMA : 0, %1)
      %6 = aie.masterset(DMA : 3, %3)
      %7 = aie.masterset(DMA : 4, %2)
      %8 = aie.masterset(DMA : 5, %4)
      %9 = aie.masterset(South : 1, %0)
      %10 = aie.masterset(North : 3, %0)
      aie.packet_rules(North : 2) {
        aie.rule(31, 30, %4)
      }
      aie.packet_rules(North : 0) {
        aie.rule(31, 21, %1)
        aie.rule(31, 31, %3)
        aie.rule(31, 27, %2)
      }
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 16, %0)
      }
    }
    %switchbox_3_2 = aie.switchbox(%t_3_2) {
      aie.connect<South : 3, North : 5>
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.amsel<2> (0)
      %3 = aie.amsel<3> (0)
      %4 = aie.amsel<0> (1)
      %5 = aie.amsel<0> (2)
      %6 = aie.masterset(DMA : 0, %2)
      %7 = aie.masterset(DMA : 1, %3)
      %8 = aie.masterset(South : 0, %0, %4, %5)
      %9 = aie.masterset(South : 2, %1)
      %10 = aie.masterset(West : 1, %5)
      %11 = aie.masterset(North : 4, %0)
      aie.packet_rules(West : 2) {
        aie.rule(31, 21, %0)
        aie.rule(31, 4, %3)
        aie.rule(31, 31, %4)
      }
      aie.packet_rules(West : 0) {
        aie.rule(31, 30, %1)
      }
      aie.packet_rules(North : 3) {
        aie.rule(31, 27, %5)
      }
      aie.packet_rules(West : 1) {
        aie.rule(31, 18, %2)
      }
    }
    %switchbox_3_3 = aie.switchbox(%t_3_3) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.amsel<0> (1)
      %3 = aie.masterset(DMA : 0, %0)
      %4 = aie.masterset(South : 3, %1)
      %5 = aie.masterset(North : 1, %0, %2)
      aie.packet_rules(South : 4) {
        aie.rule(31, 21, %0)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 27, %1)
      }
      aie.packet_rules(South : 5) {
        aie.rule(31, 16, %2)
      }
    }
    %switchbox_3_4 = aie.switchbox(%t_3_4) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<1> (0)
      %2 = aie.amsel<2> (0)
      %3 = aie.masterset(DMA : 1, %2)
      %4 = aie.masterset(South : 1, %0)
      %5 = aie.masterset(West : 0, %0)
      %6 = aie.masterset(West : 2, %1)
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 27, %0)
      }
      aie.packet_rules(South : 1) {
        aie.rule(31, 21, %2)
        aie.rule(31, 16, %1)
      }
    }
  }
}
