// Two multicasts with two receivers in common: at one of them a copy comes late, as a packet from a port with a lower
// number goes before it on its way, so that each multicast is first at one receiver.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/stress_s291.mlir
// WARNING: route::circular-wait
module {
  aie.device(npu2) {
    %t_5_0 = aie.tile(5, 0)
    %t_5_1 = aie.tile(5, 1)
    %t_5_2 = aie.tile(5, 2)
    %t_5_3 = aie.tile(5, 3)
    %t_5_4 = aie.tile(5, 4)
    %t_5_5 = aie.tile(5, 5)
    %t_6_0 = aie.tile(6, 0)
    %t_6_1 = aie.tile(6, 1)
    %t_6_2 = aie.tile(6, 2)
    %t_6_3 = aie.tile(6, 3)
    %t_6_4 = aie.tile(6, 4)
    %t_7_1 = aie.tile(7, 1)
    %t_7_2 = aie.tile(7, 2)
    %t_7_3 = aie.tile(7, 3)
    %t_7_4 = aie.tile(7, 4)
    %t_7_5 = aie.tile(7, 5)
    %t_6_5 = aie.tile(6, 5)
    %t_7_0 = aie.tile(7, 0)
    %lock_5_5_0 = aie.lock(%t_5_5, 0) {init = 2 : i32, sym_name = "lock_5_5_0"}
    %lock_5_5_1 = aie.lock(%t_5_5, 1) {init = 0 : i32, sym_name = "lock_5_5_1"}
    %lock_6_1_0 = aie.lock(%t_6_1, 0) {init = 9 : i32, sym_name = "lock_6_1_0"}
    %lock_6_1_1 = aie.lock(%t_6_1, 1) {init = 0 : i32, sym_name = "lock_6_1_1"}
    %lock_6_1_2 = aie.lock(%t_6_1, 2) {init = 3 : i32, sym_name = "lock_6_1_2"}
    %lock_6_1_3 = aie.lock(%t_6_1, 3) {init = 0 : i32, sym_name = "lock_6_1_3"}
    %lock_6_3_0 = aie.lock(%t_6_3, 0) {init = 2 : i32, sym_name = "lock_6_3_0"}
    %lock_6_3_1 = aie.lock(%t_6_3, 1) {init = 0 : i32, sym_name = "lock_6_3_1"}
    %lock_6_4_0 = aie.lock(%t_6_4, 0) {init = 3 : i32, sym_name = "lock_6_4_0"}
    %lock_6_4_1 = aie.lock(%t_6_4, 1) {init = 0 : i32, sym_name = "lock_6_4_1"}
    %lock_7_1_0 = aie.lock(%t_7_1, 0) {init = 6 : i32, sym_name = "lock_7_1_0"}
    %lock_7_1_1 = aie.lock(%t_7_1, 1) {init = 0 : i32, sym_name = "lock_7_1_1"}
    %lock_7_1_2 = aie.lock(%t_7_1, 2) {init = 5 : i32, sym_name = "lock_7_1_2"}
    %lock_7_1_3 = aie.lock(%t_7_1, 3) {init = 0 : i32, sym_name = "lock_7_1_3"}
    %lock_7_2_0 = aie.lock(%t_7_2, 0) {init = 3 : i32, sym_name = "lock_7_2_0"}
    %lock_7_2_1 = aie.lock(%t_7_2, 1) {init = 0 : i32, sym_name = "lock_7_2_1"}
    %lock_7_5_0 = aie.lock(%t_7_5, 0) {init = 5 : i32, sym_name = "lock_7_5_0"}
    %lock_7_5_1 = aie.lock(%t_7_5, 1) {init = 0 : i32, sym_name = "lock_7_5_1"}
    %lock_7_3_0 = aie.lock(%t_7_3, 0) {init = 1 : i32, sym_name = "lock_7_3_0"}
    %lock_7_3_1 = aie.lock(%t_7_3, 1) {init = 0 : i32, sym_name = "lock_7_3_1"}
    %lock_7_3_2 = aie.lock(%t_7_3, 2) {init = 0 : i32, sym_name = "lock_7_3_2"}
    %lock_7_3_3 = aie.lock(%t_7_3, 3) {init = 1 : i32, sym_name = "lock_7_3_3"}
    %lock_7_3_4 = aie.lock(%t_7_3, 4) {init = 0 : i32, sym_name = "lock_7_3_4"}
    %lock_7_3_5 = aie.lock(%t_7_3, 5) {init = 0 : i32, sym_name = "lock_7_3_5"}
    %words_5_5_0 = aie.buffer(%t_5_5) {sym_name = "words_5_5_0"} : memref<512xi32> = dense<1>
    %words_5_5_1 = aie.buffer(%t_5_5) {sym_name = "words_5_5_1"} : memref<512xi32> = dense<2>
    %dma_5_5 = aie.mem(%t_5_5) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end)
    ^p0b0:
      aie.use_lock(%lock_5_5_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_5_5_0 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 21>}
      aie.use_lock(%lock_5_5_1, Release, %one)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%lock_5_5_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_5_5_1 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 21>}
      aie.use_lock(%lock_5_5_1, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_6_1_2 = aie.buffer(%t_6_1) {sym_name = "words_6_1_2"} : memref<512xi32> = dense<3>
    %words_6_1_3 = aie.buffer(%t_6_1) {sym_name = "words_6_1_3"} : memref<512xi32> = dense<4>
    %words_6_1_4 = aie.buffer(%t_6_1) {sym_name = "words_6_1_4"} : memref<512xi32> = dense<5>
    %words_6_1_5 = aie.buffer(%t_6_1) {sym_name = "words_6_1_5"} : memref<512xi32> = dense<6>
    %words_6_1_6 = aie.buffer(%t_6_1) {sym_name = "words_6_1_6"} : memref<512xi32> = dense<7>
    %words_6_1_7 = aie.buffer(%t_6_1) {sym_name = "words_6_1_7"} : memref<512xi32> = dense<8>
    %dma_6_1 = aie.memtile_dma(%t_6_1) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 0, ^p0b0, ^p1, repeat_count = 2)
    ^p0b0:
      aie.use_lock(%lock_6_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_1_2 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 19>}
      aie.use_lock(%lock_6_1_1, Release, %one)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%lock_6_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_1_3 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 20>}
      aie.use_lock(%lock_6_1_1, Release, %one)
      aie.next_bd ^p0b2
    ^p0b2:
      aie.use_lock(%lock_6_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_1_4 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 23>}
      aie.use_lock(%lock_6_1_1, Release, %one)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(MM2S, 4, ^p1b0, ^end)
    ^p1b0:
      aie.use_lock(%lock_6_1_2, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_1_5 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%lock_6_1_3, Release, %one)
      aie.next_bd ^p1b1
    ^p1b1:
      aie.use_lock(%lock_6_1_2, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_1_6 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 22>}
      aie.use_lock(%lock_6_1_3, Release, %one)
      aie.next_bd ^p1b2
    ^p1b2:
      aie.use_lock(%lock_6_1_2, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_1_7 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%lock_6_1_3, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_6_3_8 = aie.buffer(%t_6_3) {sym_name = "words_6_3_8"} : memref<512xi32> = dense<9>
    %dma_6_3 = aie.mem(%t_6_3) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end, repeat_count = 1)
    ^p0b0:
      aie.use_lock(%lock_6_3_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_3_8 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 20>}
      aie.use_lock(%lock_6_3_1, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_6_4_9 = aie.buffer(%t_6_4) {sym_name = "words_6_4_9"} : memref<512xi32> = dense<10>
    %words_6_4_10 = aie.buffer(%t_6_4) {sym_name = "words_6_4_10"} : memref<512xi32> = dense<11>
    %words_6_4_11 = aie.buffer(%t_6_4) {sym_name = "words_6_4_11"} : memref<512xi32> = dense<12>
    %dma_6_4 = aie.mem(%t_6_4) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end)
    ^p0b0:
      aie.use_lock(%lock_6_4_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_4_9 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 21>}
      aie.use_lock(%lock_6_4_1, Release, %one)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%lock_6_4_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_4_10 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 21>}
      aie.use_lock(%lock_6_4_1, Release, %one)
      aie.next_bd ^p0b2
    ^p0b2:
      aie.use_lock(%lock_6_4_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_6_4_11 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 21>}
      aie.use_lock(%lock_6_4_1, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_7_1_12 = aie.buffer(%t_7_1) {sym_name = "words_7_1_12"} : memref<512xi32> = dense<13>
    %words_7_1_13 = aie.buffer(%t_7_1) {sym_name = "words_7_1_13"} : memref<512xi32> = dense<14>
    %words_7_1_14 = aie.buffer(%t_7_1) {sym_name = "words_7_1_14"} : memref<512xi32> = dense<15>
    %words_7_1_15 = aie.buffer(%t_7_1) {sym_name = "words_7_1_15"} : memref<512xi32> = dense<16>
    %dma_7_1 = aie.memtile_dma(%t_7_1) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 0, ^p0b0, ^p1, repeat_count = 1)
    ^p0b0:
      aie.use_lock(%lock_7_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_1_12 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_7_1_1, Release, %one)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%lock_7_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_1_13 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_7_1_1, Release, %one)
      aie.next_bd ^p0b2
    ^p0b2:
      aie.use_lock(%lock_7_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_1_14 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_7_1_1, Release, %one)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(MM2S, 3, ^p1b0, ^end, repeat_count = 4)
    ^p1b0:
      aie.use_lock(%lock_7_1_2, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_1_15 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_7_1_3, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_7_2_16 = aie.buffer(%t_7_2) {sym_name = "words_7_2_16"} : memref<512xi32> = dense<17>
    %words_7_2_17 = aie.buffer(%t_7_2) {sym_name = "words_7_2_17"} : memref<512xi32> = dense<18>
    %words_7_2_18 = aie.buffer(%t_7_2) {sym_name = "words_7_2_18"} : memref<512xi32> = dense<19>
    %dma_7_2 = aie.mem(%t_7_2) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end)
    ^p0b0:
      aie.use_lock(%lock_7_2_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_2_16 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%lock_7_2_1, Release, %one)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%lock_7_2_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_2_17 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%lock_7_2_1, Release, %one)
      aie.next_bd ^p0b2
    ^p0b2:
      aie.use_lock(%lock_7_2_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_2_18 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%lock_7_2_1, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_7_5_19 = aie.buffer(%t_7_5) {sym_name = "words_7_5_19"} : memref<512xi32> = dense<20>
    %words_7_5_20 = aie.buffer(%t_7_5) {sym_name = "words_7_5_20"} : memref<256xi32>
    %dma_7_5 = aie.mem(%t_7_5) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 0, ^p0b0, ^p1, repeat_count = 4)
    ^p0b0:
      aie.use_lock(%lock_7_5_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_5_19 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 24>}
      aie.use_lock(%lock_7_5_1, Release, %one)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(S2MM, 1, ^p1b0, ^end)
    ^p1b0:
      aie.dma_bd(%words_7_5_20 : memref<256xi32> offset = 0 len = 256)
      aie.next_bd ^p1b0
    ^end:
      aie.end
    }
    %words_7_3_21 = aie.buffer(%t_7_3) {sym_name = "words_7_3_21"} : memref<512xi32>
    %words_7_3_22 = aie.buffer(%t_7_3) {sym_name = "words_7_3_22"} : memref<512xi32> = dense<23>
    %words_7_3_23 = aie.buffer(%t_7_3) {sym_name = "words_7_3_23"} : memref<512xi32>
    %words_7_3_24 = aie.buffer(%t_7_3) {sym_name = "words_7_3_24"} : memref<512xi32> = dense<25>
    %dma_7_3 = aie.mem(%t_7_3) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^p1)
    ^p0b0:
      aie.use_lock(%lock_7_3_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_3_21 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_7_3_1, Release, %one)
      aie.next_bd ^p0b0
    ^p1:
      %d1 = aie.dma_start(MM2S, 0, ^p1b0, ^p2, repeat_count = 4)
    ^p1b0:
      aie.use_lock(%lock_7_3_2, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_3_22 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 25>}
      aie.use_lock(%lock_7_3_0, Release, %one)
      aie.next_bd ^end
    ^p2:
      %d2 = aie.dma_start(S2MM, 1, ^p2b0, ^p3)
    ^p2b0:
      aie.use_lock(%lock_7_3_3, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_3_23 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_7_3_4, Release, %one)
      aie.next_bd ^p2b0
    ^p3:
      %d3 = aie.dma_start(MM2S, 1, ^p3b0, ^end, repeat_count = 4)
    ^p3b0:
      aie.use_lock(%lock_7_3_5, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_7_3_24 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 30>}
      aie.use_lock(%lock_7_3_3, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_5_1_25 = aie.buffer(%t_5_1) {sym_name = "words_5_1_25"} : memref<32xi32>
    %dma_5_1 = aie.memtile_dma(%t_5_1) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 3, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words_5_1_25 : memref<32xi32> offset = 0 len = 32)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %words_5_2_26 = aie.buffer(%t_5_2) {sym_name = "words_5_2_26"} : memref<32xi32>
    %dma_5_2 = aie.mem(%t_5_2) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words_5_2_26 : memref<32xi32> offset = 0 len = 32)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %words_5_3_27 = aie.buffer(%t_5_3) {sym_name = "words_5_3_27"} : memref<64xi32>
    %dma_5_3 = aie.mem(%t_5_3) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words_5_3_27 : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %words_5_4_28 = aie.buffer(%t_5_4) {sym_name = "words_5_4_28"} : memref<256xi32>
    %dma_5_4 = aie.mem(%t_5_4) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words_5_4_28 : memref<256xi32> offset = 0 len = 256)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %words_6_2_29 = aie.buffer(%t_6_2) {sym_name = "words_6_2_29"} : memref<512xi32>
    %dma_6_2 = aie.mem(%t_6_2) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words_6_2_29 : memref<512xi32> offset = 0 len = 512)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %words_7_4_30 = aie.buffer(%t_7_4) {sym_name = "words_7_4_30"} : memref<512xi32>
    %dma_7_4 = aie.mem(%t_7_4) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 1, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words_7_4_30 : memref<512xi32> offset = 0 len = 512)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %core_7_3 = aie.core(%t_7_3) {
      %one = arith.constant 1 : i32
      aie.use_lock(%lock_7_3_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_2, Release, %one)
      aie.use_lock(%lock_7_3_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_5, Release, %one)
      aie.use_lock(%lock_7_3_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_2, Release, %one)
      aie.use_lock(%lock_7_3_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_5, Release, %one)
      aie.use_lock(%lock_7_3_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_2, Release, %one)
      aie.use_lock(%lock_7_3_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_5, Release, %one)
      aie.use_lock(%lock_7_3_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_2, Release, %one)
      aie.use_lock(%lock_7_3_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_5, Release, %one)
      aie.use_lock(%lock_7_3_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_2, Release, %one)
      aie.use_lock(%lock_7_3_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_7_3_5, Release, %one)
      aie.end
    }
    aie.shim_dma_allocation @out_a(%t_5_0, S2MM, 1)
    aie.shim_dma_allocation @out_b(%t_6_0, S2MM, 1)
    aie.runtime_sequence(%in: memref<16xi32>, %out: memref<11776xi32>) {
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 10240][1, 1, 1, 1536][0, 0, 0, 1]) { metadata = @out_b, id = 0 : i64, issue_token = true } : memref<11776xi32>
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 10240][0, 0, 0, 1]) { metadata = @out_a, id = 0 : i64, issue_token = true } : memref<11776xi32>
      aiex.npu.dma_wait {symbol = @out_a}
      aiex.npu.dma_wait {symbol = @out_b}
    }
    %mux_5_0 = aie.shim_mux(%t_5_0) {
      aie.connect<North : 3, DMA : 1>
    }
    %sw_5_0 = aie.switchbox(%t_5_0) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(South : 3, %a0)
      aie.packet_rules(North : 2) {
        aie.rule(31, 21, %a0)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 3, %a0)
      }
      aie.packet_rules(East : 1) {
        aie.rule(30, 30, %a0)
        aie.rule(31, 25, %a0)
      }
    }
    %sw_5_1 = aie.switchbox(%t_5_1) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %m0 = aie.masterset(DMA : 3, %a0)
      %m1 = aie.masterset(South : 1, %a0)
      %m2 = aie.masterset(South : 2, %a1)
      aie.packet_rules(North : 2) {
        aie.rule(31, 21, %a1)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 3, %a0)
      }
    }
    %sw_5_2 = aie.switchbox(%t_5_2) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<4> (3)
      %a3 = aie.amsel<5> (3)
      %m0 = aie.masterset(DMA : 0, %a2)
      %m1 = aie.masterset(South : 1, %a1)
      %m2 = aie.masterset(South : 2, %a0)
      %m3 = aie.masterset(North : 1, %a3)
      aie.packet_rules(North : 1) {
        aie.rule(31, 21, %a0)
      }
      aie.packet_rules(East : 2) {
        aie.rule(31, 23, %a3)
      }
      aie.packet_rules(East : 3) {
        aie.rule(31, 23, %a2)
      }
      aie.packet_rules(East : 0) {
        aie.rule(31, 20, %a2)
        aie.rule(31, 3, %a1)
      }
      aie.packet_rules(East : 1) {
        aie.rule(31, 22, %a2)
      }
    }
    %sw_5_3 = aie.switchbox(%t_5_3) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<5> (3)
      %m0 = aie.masterset(DMA : 0, %a1)
      %m1 = aie.masterset(South : 1, %a0)
      aie.packet_rules(North : 2) {
        aie.rule(31, 21, %a0)
      }
      aie.packet_rules(South : 1) {
        aie.rule(31, 23, %a1)
      }
    }
    %sw_5_5 = aie.switchbox(%t_5_5) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(South : 2, %a0)
      %m1 = aie.masterset(East : 3, %a0)
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 21, %a0)
      }
      aie.packet_rules(South : 2) {
        aie.rule(31, 21, %a0)
      }
    }
    %mux_6_0 = aie.shim_mux(%t_6_0) {
      aie.connect<North : 3, DMA : 1>
    }
    %sw_6_0 = aie.switchbox(%t_6_0) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<5> (3)
      %m0 = aie.masterset(South : 3, %a1)
      %m1 = aie.masterset(West : 1, %a0)
      aie.packet_rules(North : 2) {
        aie.rule(31, 23, %a1)
      }
      aie.packet_rules(East : 1) {
        aie.rule(30, 30, %a0)
        aie.rule(31, 25, %a0)
      }
    }
    %sw_6_1 = aie.switchbox(%t_6_1) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<5> (3)
      %m0 = aie.masterset(South : 2, %a1)
      %m1 = aie.masterset(North : 1, %a0)
      %m2 = aie.masterset(North : 5, %a1)
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 23, %a1)
        aie.rule(31, 19, %a0)
        aie.rule(31, 20, %a0)
      }
      aie.packet_rules(DMA : 4) {
        aie.rule(10, 2, %a0)
      }
    }
    %sw_6_2 = aie.switchbox(%t_6_2) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<3> (0)
      %a4 = aie.amsel<5> (3)
      %m0 = aie.masterset(DMA : 0, %a3)
      %m1 = aie.masterset(West : 0, %a2)
      %m2 = aie.masterset(West : 1, %a3)
      %m3 = aie.masterset(West : 2, %a4)
      %m4 = aie.masterset(West : 3, %a4)
      %m5 = aie.masterset(East : 0, %a0)
      %m6 = aie.masterset(East : 3, %a1)
      aie.packet_rules(South : 5) {
        aie.rule(31, 23, %a4)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 20, %a2)
      }
      aie.packet_rules(East : 3) {
        aie.rule(31, 3, %a2)
      }
      aie.packet_rules(South : 1) {
        aie.rule(31, 20, %a2)
        aie.rule(31, 19, %a1)
        aie.rule(31, 3, %a0)
        aie.rule(31, 22, %a3)
      }
    }
    %sw_7_4 = aie.switchbox(%t_7_4) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %m0 = aie.masterset(DMA : 1, %a2)
      %m1 = aie.masterset(South : 3, %a0)
      %m2 = aie.masterset(North : 5, %a1)
      aie.packet_rules(South : 0) {
        aie.rule(31, 19, %a2)
        aie.rule(31, 3, %a1)
      }
      aie.packet_rules(North : 0) {
        aie.rule(29, 24, %a0)
      }
    }
    %sw_7_5 = aie.switchbox(%t_7_5) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %m0 = aie.masterset(DMA : 1, %a1)
      %m1 = aie.masterset(South : 0, %a0)
      aie.packet_rules(West : 3) {
        aie.rule(31, 21, %a1)
      }
      aie.packet_rules(South : 5) {
        aie.rule(31, 3, %a1)
      }
      aie.packet_rules(DMA : 0) {
        aie.rule(29, 24, %a0)
      }
    }
    %sw_7_1 = aie.switchbox(%t_7_1) {
      aie.connect<DMA : 3, North : 5>
      aie.connect<DMA : 0, North : 1>
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(South : 0, %a0)
      aie.packet_rules(North : 0) {
        aie.rule(30, 30, %a0)
        aie.rule(31, 25, %a0)
      }
    }
    %sw_7_2 = aie.switchbox(%t_7_2) {
      aie.connect<South : 5, North : 0>
      aie.connect<South : 1, North : 2>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<3> (0)
      %m0 = aie.masterset(South : 0, %a2)
      %m1 = aie.masterset(West : 3, %a3)
      %m2 = aie.masterset(North : 1, %a1)
      %m3 = aie.masterset(North : 3, %a0)
      aie.packet_rules(West : 3) {
        aie.rule(31, 19, %a1)
      }
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 3, %a0)
      }
      aie.packet_rules(North : 3) {
        aie.rule(31, 3, %a3)
      }
      aie.packet_rules(West : 0) {
        aie.rule(31, 3, %a0)
      }
      aie.packet_rules(North : 1) {
        aie.rule(30, 30, %a2)
        aie.rule(31, 25, %a2)
      }
    }
    %sw_7_3 = aie.switchbox(%t_7_3) {
      aie.connect<South : 0, DMA : 0>
      aie.connect<South : 2, West : 2>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<1> (1)
      %m0 = aie.masterset(DMA : 1, %a0)
      %m1 = aie.masterset(South : 1, %a2)
      %m2 = aie.masterset(South : 3, %a3)
      %m3 = aie.masterset(North : 0, %a1, %a3)
      aie.packet_rules(South : 1) {
        aie.rule(31, 19, %a1)
      }
      aie.packet_rules(South : 3) {
        aie.rule(31, 3, %a3)
      }
      aie.packet_rules(DMA : 1) {
        aie.rule(30, 30, %a2)
      }
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 25, %a2)
      }
      aie.packet_rules(North : 3) {
        aie.rule(29, 24, %a0)
      }
    }
    %sw_5_4 = aie.switchbox(%t_5_4) {
      aie.connect<East : 2, DMA : 0>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %m0 = aie.masterset(South : 2, %a0)
      %m1 = aie.masterset(North : 2, %a1)
      aie.packet_rules(North : 2) {
        aie.rule(31, 21, %a0)
      }
      aie.packet_rules(East : 3) {
        aie.rule(31, 21, %a1)
      }
    }
    %sw_6_3 = aie.switchbox(%t_6_3) {
      aie.connect<East : 2, North : 3>
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(South : 1, %a0)
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 20, %a0)
      }
    }
    %sw_6_4 = aie.switchbox(%t_6_4) {
      aie.connect<South : 3, West : 2>
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(West : 3, %a0)
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 21, %a0)
      }
    }
    %sw_6_5 = aie.switchbox(%t_6_5) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(East : 3, %a0)
      aie.packet_rules(West : 3) {
        aie.rule(31, 21, %a0)
      }
    }
    %sw_7_0 = aie.switchbox(%t_7_0) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(West : 1, %a0)
      aie.packet_rules(North : 0) {
        aie.rule(30, 30, %a0)
        aie.rule(31, 25, %a0)
      }
    }
  }
}
