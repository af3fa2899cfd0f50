// Multicasts of four senders whose ways share arbiters: which packets meet depends on which port an arbiter serves
// first.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/stress_s30_old.mlir
// WARNING: route::circular-wait
module {
  aie.device(npu2) {
    %t_4_0 = aie.tile(4, 0)
    %t_4_1 = aie.tile(4, 1)
    %t_4_2 = aie.tile(4, 2)
    %t_4_4 = aie.tile(4, 4)
    %t_4_5 = aie.tile(4, 5)
    %t_5_0 = aie.tile(5, 0)
    %t_5_1 = aie.tile(5, 1)
    %t_5_2 = aie.tile(5, 2)
    %t_5_4 = aie.tile(5, 4)
    %t_5_5 = aie.tile(5, 5)
    %t_4_3 = aie.tile(4, 3)
    %t_5_3 = aie.tile(5, 3)
    %lock_4_1_0 = aie.lock(%t_4_1, 0) {init = 3 : i32, sym_name = "lock_4_1_0"}
    %lock_4_1_1 = aie.lock(%t_4_1, 1) {init = 0 : i32, sym_name = "lock_4_1_1"}
    %lock_4_2_0 = aie.lock(%t_4_2, 0) {init = 3 : i32, sym_name = "lock_4_2_0"}
    %lock_4_2_1 = aie.lock(%t_4_2, 1) {init = 0 : i32, sym_name = "lock_4_2_1"}
    %lock_5_1_0 = aie.lock(%t_5_1, 0) {init = 5 : i32, sym_name = "lock_5_1_0"}
    %lock_5_1_1 = aie.lock(%t_5_1, 1) {init = 0 : i32, sym_name = "lock_5_1_1"}
    %lock_5_1_2 = aie.lock(%t_5_1, 2) {init = 5 : i32, sym_name = "lock_5_1_2"}
    %lock_5_1_3 = aie.lock(%t_5_1, 3) {init = 0 : i32, sym_name = "lock_5_1_3"}
    %lock_5_2_0 = aie.lock(%t_5_2, 0) {init = 5 : i32, sym_name = "lock_5_2_0"}
    %lock_5_2_1 = aie.lock(%t_5_2, 1) {init = 0 : i32, sym_name = "lock_5_2_1"}
    %lock_4_5_0 = aie.lock(%t_4_5, 0) {init = 1 : i32, sym_name = "lock_4_5_0"}
    %lock_4_5_1 = aie.lock(%t_4_5, 1) {init = 0 : i32, sym_name = "lock_4_5_1"}
    %lock_4_5_2 = aie.lock(%t_4_5, 2) {init = 0 : i32, sym_name = "lock_4_5_2"}
    %lock_4_5_3 = aie.lock(%t_4_5, 3) {init = 1 : i32, sym_name = "lock_4_5_3"}
    %lock_4_5_4 = aie.lock(%t_4_5, 4) {init = 0 : i32, sym_name = "lock_4_5_4"}
    %lock_4_5_5 = aie.lock(%t_4_5, 5) {init = 0 : i32, sym_name = "lock_4_5_5"}
    %lock_5_4_0 = aie.lock(%t_5_4, 0) {init = 1 : i32, sym_name = "lock_5_4_0"}
    %lock_5_4_1 = aie.lock(%t_5_4, 1) {init = 0 : i32, sym_name = "lock_5_4_1"}
    %lock_5_4_2 = aie.lock(%t_5_4, 2) {init = 0 : i32, sym_name = "lock_5_4_2"}
    %lock_5_4_3 = aie.lock(%t_5_4, 3) {init = 1 : i32, sym_name = "lock_5_4_3"}
    %lock_5_4_4 = aie.lock(%t_5_4, 4) {init = 0 : i32, sym_name = "lock_5_4_4"}
    %lock_5_4_5 = aie.lock(%t_5_4, 5) {init = 0 : i32, sym_name = "lock_5_4_5"}
    %words_4_1_0 = aie.buffer(%t_4_1) {sym_name = "words_4_1_0"} : memref<512xi32> = dense<1>
    %words_4_1_1 = aie.buffer(%t_4_1) {sym_name = "words_4_1_1"} : memref<512xi32> = dense<2>
    %words_4_1_2 = aie.buffer(%t_4_1) {sym_name = "words_4_1_2"} : memref<512xi32> = dense<3>
    %words_4_1_3 = aie.buffer(%t_4_1) {sym_name = "words_4_1_3"} : memref<128xi32>
    %words_4_1_4 = aie.buffer(%t_4_1) {sym_name = "words_4_1_4"} : memref<8xi32>
    %words_4_1_5 = aie.buffer(%t_4_1) {sym_name = "words_4_1_5"} : memref<64xi32>
    %dma_4_1 = aie.memtile_dma(%t_4_1) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 5, ^p0b0, ^p1)
    ^p0b0:
      aie.use_lock(%lock_4_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_1_0 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 18>}
      aie.use_lock(%lock_4_1_1, Release, %one)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%lock_4_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_1_1 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 23>}
      aie.use_lock(%lock_4_1_1, Release, %one)
      aie.next_bd ^p0b2
    ^p0b2:
      aie.use_lock(%lock_4_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_1_2 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 29>}
      aie.use_lock(%lock_4_1_1, Release, %one)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(S2MM, 0, ^p1b0, ^p2)
    ^p1b0:
      aie.dma_bd(%words_4_1_3 : memref<128xi32> offset = 0 len = 128)
      aie.next_bd ^p1b0
    ^p2:
      %d2 = aie.dma_start(S2MM, 2, ^p2b0, ^p3)
    ^p2b0:
      aie.dma_bd(%words_4_1_4 : memref<8xi32> offset = 0 len = 8)
      aie.next_bd ^p2b0
    ^p3:
      %d3 = aie.dma_start(S2MM, 5, ^p3b0, ^end)
    ^p3b0:
      aie.dma_bd(%words_4_1_5 : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^p3b0
    ^end:
      aie.end
    }
    %words_4_2_6 = aie.buffer(%t_4_2) {sym_name = "words_4_2_6"} : memref<512xi32> = dense<7>
    %words_4_2_7 = aie.buffer(%t_4_2) {sym_name = "words_4_2_7"} : memref<512xi32> = dense<8>
    %words_4_2_8 = aie.buffer(%t_4_2) {sym_name = "words_4_2_8"} : memref<512xi32> = dense<9>
    %words_4_2_9 = aie.buffer(%t_4_2) {sym_name = "words_4_2_9"} : memref<8xi32>
    %dma_4_2 = aie.mem(%t_4_2) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 0, ^p0b0, ^p1)
    ^p0b0:
      aie.use_lock(%lock_4_2_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_2_6 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%lock_4_2_1, Release, %one)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%lock_4_2_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_2_7 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 5>}
      aie.use_lock(%lock_4_2_1, Release, %one)
      aie.next_bd ^p0b2
    ^p0b2:
      aie.use_lock(%lock_4_2_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_2_8 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 7>}
      aie.use_lock(%lock_4_2_1, Release, %one)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(S2MM, 1, ^p1b0, ^end)
    ^p1b0:
      aie.dma_bd(%words_4_2_9 : memref<8xi32> offset = 0 len = 8)
      aie.next_bd ^p1b0
    ^end:
      aie.end
    }
    %words_5_1_10 = aie.buffer(%t_5_1) {sym_name = "words_5_1_10"} : memref<512xi32> = dense<11>
    %words_5_1_11 = aie.buffer(%t_5_1) {sym_name = "words_5_1_11"} : memref<512xi32> = dense<12>
    %words_5_1_12 = aie.buffer(%t_5_1) {sym_name = "words_5_1_12"} : memref<8xi32>
    %words_5_1_13 = aie.buffer(%t_5_1) {sym_name = "words_5_1_13"} : memref<128xi32>
    %words_5_1_14 = aie.buffer(%t_5_1) {sym_name = "words_5_1_14"} : memref<256xi32>
    %words_5_1_15 = aie.buffer(%t_5_1) {sym_name = "words_5_1_15"} : memref<64xi32>
    %dma_5_1 = aie.memtile_dma(%t_5_1) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 4, ^p0b0, ^p1, repeat_count = 4)
    ^p0b0:
      aie.use_lock(%lock_5_1_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_5_1_10 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 28>}
      aie.use_lock(%lock_5_1_1, Release, %one)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(MM2S, 5, ^p1b0, ^p2, repeat_count = 4)
    ^p1b0:
      aie.use_lock(%lock_5_1_2, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_5_1_11 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 21>}
      aie.use_lock(%lock_5_1_3, Release, %one)
      aie.next_bd ^end
    ^p2:
      %d2 = aie.dma_start(S2MM, 1, ^p2b0, ^p3)
    ^p2b0:
      aie.dma_bd(%words_5_1_12 : memref<8xi32> offset = 0 len = 8)
      aie.next_bd ^p2b0
    ^p3:
      %d3 = aie.dma_start(S2MM, 3, ^p3b0, ^p4)
    ^p3b0:
      aie.dma_bd(%words_5_1_13 : memref<128xi32> offset = 0 len = 128)
      aie.next_bd ^p3b0
    ^p4:
      %d4 = aie.dma_start(S2MM, 4, ^p4b0, ^p5)
    ^p4b0:
      aie.dma_bd(%words_5_1_14 : memref<256xi32> offset = 0 len = 256)
      aie.next_bd ^p4b0
    ^p5:
      %d5 = aie.dma_start(S2MM, 5, ^p5b0, ^end)
    ^p5b0:
      aie.dma_bd(%words_5_1_15 : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^p5b0
    ^end:
      aie.end
    }
    %words_5_2_16 = aie.buffer(%t_5_2) {sym_name = "words_5_2_16"} : memref<512xi32> = dense<17>
    %dma_5_2 = aie.mem(%t_5_2) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end, repeat_count = 4)
    ^p0b0:
      aie.use_lock(%lock_5_2_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_5_2_16 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 30>}
      aie.use_lock(%lock_5_2_1, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_4_5_17 = aie.buffer(%t_4_5) {sym_name = "words_4_5_17"} : memref<513xi32>
    %words_4_5_18 = aie.buffer(%t_4_5) {sym_name = "words_4_5_18"} : memref<512xi32> = dense<19>
    %words_4_5_19 = aie.buffer(%t_4_5) {sym_name = "words_4_5_19"} : memref<512xi32>
    %words_4_5_20 = aie.buffer(%t_4_5) {sym_name = "words_4_5_20"} : memref<512xi32> = dense<21>
    %dma_4_5 = aie.mem(%t_4_5) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^p1)
    ^p0b0:
      aie.use_lock(%lock_4_5_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_5_17 : memref<513xi32> offset = 0 len = 513)
      aie.use_lock(%lock_4_5_1, Release, %one)
      aie.next_bd ^p0b0
    ^p1:
      %d1 = aie.dma_start(MM2S, 0, ^p1b0, ^p2, repeat_count = 4)
    ^p1b0:
      aie.use_lock(%lock_4_5_2, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_5_18 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 6>}
      aie.use_lock(%lock_4_5_0, Release, %one)
      aie.next_bd ^end
    ^p2:
      %d2 = aie.dma_start(S2MM, 1, ^p2b0, ^p3)
    ^p2b0:
      aie.use_lock(%lock_4_5_3, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_5_19 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_4_5_4, Release, %one)
      aie.next_bd ^p2b0
    ^p3:
      %d3 = aie.dma_start(MM2S, 1, ^p3b0, ^end, repeat_count = 4)
    ^p3b0:
      aie.use_lock(%lock_4_5_5, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_4_5_20 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_4_5_3, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_5_4_21 = aie.buffer(%t_5_4) {sym_name = "words_5_4_21"} : memref<512xi32>
    %words_5_4_22 = aie.buffer(%t_5_4) {sym_name = "words_5_4_22"} : memref<512xi32> = dense<23>
    %words_5_4_23 = aie.buffer(%t_5_4) {sym_name = "words_5_4_23"} : memref<512xi32>
    %words_5_4_24 = aie.buffer(%t_5_4) {sym_name = "words_5_4_24"} : memref<512xi32> = dense<25>
    %dma_5_4 = aie.mem(%t_5_4) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^p1)
    ^p0b0:
      aie.use_lock(%lock_5_4_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_5_4_21 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_5_4_1, Release, %one)
      aie.next_bd ^p0b0
    ^p1:
      %d1 = aie.dma_start(MM2S, 0, ^p1b0, ^p2, repeat_count = 4)
    ^p1b0:
      aie.use_lock(%lock_5_4_2, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_5_4_22 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 24>}
      aie.use_lock(%lock_5_4_0, Release, %one)
      aie.next_bd ^end
    ^p2:
      %d2 = aie.dma_start(S2MM, 1, ^p2b0, ^p3)
    ^p2b0:
      aie.use_lock(%lock_5_4_3, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_5_4_23 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%lock_5_4_4, Release, %one)
      aie.next_bd ^p2b0
    ^p3:
      %d3 = aie.dma_start(MM2S, 1, ^p3b0, ^end, repeat_count = 4)
    ^p3b0:
      aie.use_lock(%lock_5_4_5, AcquireGreaterEqual, %one)
      aie.dma_bd(%words_5_4_24 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 6>}
      aie.use_lock(%lock_5_4_3, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words_4_4_25 = aie.buffer(%t_4_4) {sym_name = "words_4_4_25"} : memref<16xi32>
    %dma_4_4 = aie.mem(%t_4_4) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 1, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words_4_4_25 : memref<16xi32> offset = 0 len = 16)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %words_5_5_26 = aie.buffer(%t_5_5) {sym_name = "words_5_5_26"} : memref<128xi32>
    %words_5_5_27 = aie.buffer(%t_5_5) {sym_name = "words_5_5_27"} : memref<512xi32>
    %dma_5_5 = aie.mem(%t_5_5) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^p1)
    ^p0b0:
      aie.dma_bd(%words_5_5_26 : memref<128xi32> offset = 0 len = 128)
      aie.next_bd ^p0b0
    ^p1:
      %d1 = aie.dma_start(S2MM, 1, ^p1b0, ^end)
    ^p1b0:
      aie.dma_bd(%words_5_5_27 : memref<512xi32> offset = 0 len = 512)
      aie.next_bd ^p1b0
    ^end:
      aie.end
    }
    %core_4_5 = aie.core(%t_4_5) {
      %one = arith.constant 1 : i32
      aie.use_lock(%lock_4_5_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_2, Release, %one)
      aie.use_lock(%lock_4_5_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_5, Release, %one)
      aie.use_lock(%lock_4_5_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_2, Release, %one)
      aie.use_lock(%lock_4_5_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_5, Release, %one)
      aie.use_lock(%lock_4_5_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_2, Release, %one)
      aie.use_lock(%lock_4_5_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_5, Release, %one)
      aie.use_lock(%lock_4_5_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_2, Release, %one)
      aie.use_lock(%lock_4_5_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_5, Release, %one)
      aie.use_lock(%lock_4_5_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_2, Release, %one)
      aie.use_lock(%lock_4_5_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_4_5_5, Release, %one)
      aie.end
    }
    %core_5_4 = aie.core(%t_5_4) {
      %one = arith.constant 1 : i32
      aie.use_lock(%lock_5_4_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_2, Release, %one)
      aie.use_lock(%lock_5_4_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_5, Release, %one)
      aie.use_lock(%lock_5_4_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_2, Release, %one)
      aie.use_lock(%lock_5_4_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_5, Release, %one)
      aie.use_lock(%lock_5_4_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_2, Release, %one)
      aie.use_lock(%lock_5_4_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_5, Release, %one)
      aie.use_lock(%lock_5_4_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_2, Release, %one)
      aie.use_lock(%lock_5_4_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_5, Release, %one)
      aie.use_lock(%lock_5_4_1, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_2, Release, %one)
      aie.use_lock(%lock_5_4_4, AcquireGreaterEqual, %one)
      aie.use_lock(%lock_5_4_5, Release, %one)
      aie.end
    }
    aie.shim_dma_allocation @in_a(%t_4_0, MM2S, 0)
    aie.shim_dma_allocation @out_a(%t_4_0, S2MM, 0)
    aie.shim_dma_allocation @out_b(%t_4_0, S2MM, 1)
    aie.shim_dma_allocation @out_c(%t_5_0, S2MM, 0)
    aie.shim_dma_allocation @out_d(%t_5_0, S2MM, 1)
    aie.runtime_sequence(%in: memref<5632xi32>, %out: memref<15872xi32>) {
      %task0 = aiex.dma_configure_task(%t_5_0, MM2S, 0) {
        aie.dma_bd(%in : memref<5632xi32> offset = 2560 len = 512) {bd_id = 0 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 11>}
        aie.next_bd ^bb1
      ^bb1:
        aie.dma_bd(%in : memref<5632xi32> offset = 3072 len = 512) {bd_id = 1 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 15>}
        aie.next_bd ^bb2
      ^bb2:
        aie.dma_bd(%in : memref<5632xi32> offset = 3584 len = 512) {bd_id = 2 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 24>}
        aie.end
      } {issue_token = true}
      %task1 = aiex.dma_configure_task(%t_5_0, MM2S, 1) {
        aie.dma_bd(%in : memref<5632xi32> offset = 4096 len = 512) {bd_id = 3 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 15>}
        aie.next_bd ^bb1
      ^bb1:
        aie.dma_bd(%in : memref<5632xi32> offset = 4608 len = 512) {bd_id = 4 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 15>}
        aie.next_bd ^bb2
      ^bb2:
        aie.dma_bd(%in : memref<5632xi32> offset = 5120 len = 512) {bd_id = 5 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 15>}
        aie.end
      } {issue_token = true, repeat_count = 2 : i32}
      aiex.dma_start_task(%task1)
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 2560][0, 0, 0, 1]) { metadata = @out_a, id = 1 : i64, issue_token = true } : memref<15872xi32>
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 10752][1, 1, 1, 2560][0, 0, 0, 1]) { metadata = @out_c, id = 6 : i64, issue_token = true } : memref<15872xi32>
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 13312][1, 1, 1, 2560][0, 0, 0, 1]) { metadata = @out_d, id = 7 : i64, issue_token = true } : memref<15872xi32>
      aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][5, 1, 1, 512][512, 0, 0, 1]) { metadata = @in_a, id = 0 : i64, issue_token = true } : memref<5632xi32>
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 2560][1, 1, 1, 8192][0, 0, 0, 1]) { metadata = @out_b, id = 2 : i64, issue_token = true } : memref<15872xi32>
      aiex.dma_start_task(%task0)
      aiex.npu.dma_wait {symbol = @out_c}
      aiex.npu.dma_wait {symbol = @out_a}
      aiex.dma_await_task(%task0)
      aiex.npu.dma_wait {symbol = @out_d}
      aiex.npu.dma_wait {symbol = @in_a}
      aiex.dma_await_task(%task1)
      aiex.npu.dma_wait {symbol = @out_b}
    }
    %mux_5_0 = aie.shim_mux(%t_5_0) {
      aie.connect<DMA : 0, North : 3>
      aie.connect<DMA : 1, North : 7>
      aie.connect<North : 3, DMA : 1>
      aie.connect<North : 2, DMA : 0>
    }
    %sw_5_0 = aie.switchbox(%t_5_0) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<3> (0)
      %a4 = aie.amsel<4> (0)
      %a5 = aie.amsel<0> (1)
      %m0 = aie.masterset(South : 2, %a4)
      %m1 = aie.masterset(South : 3, %a3)
      %m2 = aie.masterset(West : 0, %a0, %a5)
      %m3 = aie.masterset(West : 1, %a1)
      %m4 = aie.masterset(North : 2, %a5)
      %m5 = aie.masterset(North : 3, %a1)
      %m6 = aie.masterset(North : 5, %a2)
      aie.packet_rules(West : 3) {
        aie.rule(21, 21, %a2)
      }
      aie.packet_rules(South : 7) {
        aie.rule(31, 15, %a1)
      }
      aie.packet_rules(South : 3) {
        aie.rule(31, 15, %a5)
        aie.rule(31, 24, %a5)
        aie.rule(31, 11, %a0)
      }
      aie.packet_rules(North : 3) {
        aie.rule(15, 6, %a4)
      }
      aie.packet_rules(North : 0) {
        aie.rule(31, 24, %a3)
      }
    }
    %sw_5_1 = aie.switchbox(%t_5_1) {
      aie.connect<DMA : 4, North : 0>
      aie.connect<DMA : 5, North : 1>
      aie.connect<North : 0, South : 0>
      aie.connect<North : 3, South : 3>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<0> (1)
      %a4 = aie.amsel<1> (1)
      %a5 = aie.amsel<0> (2)
      %a6 = aie.amsel<5> (3)
      %m0 = aie.masterset(DMA : 1, %a1)
      %m1 = aie.masterset(DMA : 3, %a3, %a5)
      %m2 = aie.masterset(DMA : 4, %a6)
      %m3 = aie.masterset(DMA : 5, %a1, %a4)
      %m4 = aie.masterset(North : 2, %a0, %a3)
      %m5 = aie.masterset(North : 3, %a2)
      aie.packet_rules(North : 1) {
        aie.rule(31, 3, %a4)
      }
      aie.packet_rules(North : 2) {
        aie.rule(31, 18, %a6)
      }
      aie.packet_rules(South : 5) {
        aie.rule(31, 23, %a5)
        aie.rule(31, 29, %a1)
      }
      aie.packet_rules(South : 3) {
        aie.rule(31, 15, %a2)
      }
      aie.packet_rules(South : 2) {
        aie.rule(31, 24, %a3)
        aie.rule(31, 15, %a0)
      }
    }
    %sw_5_2 = aie.switchbox(%t_5_2) {
      aie.connect<South : 0, West : 3>
      aie.connect<South : 1, North : 2>
      aie.connect<DMA : 1, North : 0>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<3> (0)
      %a4 = aie.amsel<4> (0)
      %a5 = aie.amsel<5> (3)
      %m0 = aie.masterset(South : 0, %a3)
      %m1 = aie.masterset(South : 1, %a2)
      %m2 = aie.masterset(South : 2, %a5)
      %m3 = aie.masterset(South : 3, %a4)
      %m4 = aie.masterset(North : 3, %a0)
      %m5 = aie.masterset(North : 5, %a1)
      aie.packet_rules(West : 0) {
        aie.rule(31, 3, %a2)
      }
      aie.packet_rules(West : 1) {
        aie.rule(31, 18, %a5)
      }
      aie.packet_rules(South : 2) {
        aie.rule(8, 8, %a0)
      }
      aie.packet_rules(South : 3) {
        aie.rule(31, 15, %a1)
      }
      aie.packet_rules(North : 3) {
        aie.rule(15, 6, %a4)
      }
      aie.packet_rules(North : 2) {
        aie.rule(31, 24, %a3)
      }
    }
    %sw_5_4 = aie.switchbox(%t_5_4) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<3> (0)
      %a4 = aie.amsel<4> (0)
      %a5 = aie.amsel<5> (0)
      %m0 = aie.masterset(DMA : 0, %a0)
      %m1 = aie.masterset(DMA : 1, %a1)
      %m2 = aie.masterset(South : 0, %a3)
      %m3 = aie.masterset(South : 3, %a2)
      %m4 = aie.masterset(North : 3, %a4)
      %m5 = aie.masterset(North : 4, %a5)
      aie.packet_rules(South : 4) {
        aie.rule(8, 8, %a5)
      }
      aie.packet_rules(South : 1) {
        aie.rule(31, 15, %a4)
      }
      aie.packet_rules(DMA : 1) {
        aie.rule(15, 6, %a3)
      }
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 24, %a2)
      }
      aie.packet_rules(South : 5) {
        aie.rule(31, 30, %a1)
      }
      aie.packet_rules(South : 2) {
        aie.rule(31, 21, %a0)
      }
    }
    %sw_5_5 = aie.switchbox(%t_5_5) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %m0 = aie.masterset(DMA : 0, %a0)
      %m1 = aie.masterset(DMA : 1, %a1)
      aie.packet_rules(West : 3) {
        aie.rule(31, 3, %a1)
      }
      aie.packet_rules(South : 3) {
        aie.rule(31, 15, %a0)
      }
      aie.packet_rules(South : 4) {
        aie.rule(31, 24, %a1)
        aie.rule(31, 15, %a0)
      }
    }
    %sw_4_0 = aie.switchbox(%t_4_0) {
      aie.connect<South : 3, North : 2>
      aie.connect<North : 2, South : 2>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<0> (1)
      %a3 = aie.amsel<0> (2)
      %a4 = aie.amsel<0> (3)
      %m0 = aie.masterset(South : 3, %a0, %a2, %a4)
      %m1 = aie.masterset(North : 1, %a4)
      %m2 = aie.masterset(North : 3, %a2, %a3)
      %m3 = aie.masterset(East : 3, %a1)
      aie.packet_rules(East : 1) {
        aie.rule(31, 15, %a4)
      }
      aie.packet_rules(East : 0) {
        aie.rule(31, 24, %a3)
        aie.rule(27, 11, %a2)
      }
      aie.packet_rules(North : 1) {
        aie.rule(21, 21, %a1)
        aie.rule(31, 6, %a0)
      }
    }
    %mux_4_0 = aie.shim_mux(%t_4_0) {
      aie.connect<North : 3, DMA : 1>
      aie.connect<DMA : 0, North : 3>
      aie.connect<North : 2, DMA : 0>
    }
    %sw_4_1 = aie.switchbox(%t_4_1) {
      aie.connect<South : 2, North : 2>
      aie.connect<North : 2, South : 2>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<3> (0)
      %a4 = aie.amsel<4> (0)
      %a5 = aie.amsel<5> (3)
      %m0 = aie.masterset(DMA : 0, %a3) {keep_pkt_header = true}
      %m1 = aie.masterset(DMA : 2, %a1)
      %m2 = aie.masterset(DMA : 5, %a4) {keep_pkt_header = true}
      %m3 = aie.masterset(South : 1, %a0)
      %m4 = aie.masterset(North : 1, %a5)
      %m5 = aie.masterset(North : 3, %a2)
      aie.packet_rules(DMA : 5) {
        aie.rule(31, 18, %a5)
        aie.rule(21, 21, %a0)
      }
      aie.packet_rules(South : 1) {
        aie.rule(31, 15, %a1)
      }
      aie.packet_rules(South : 3) {
        aie.rule(31, 24, %a2)
        aie.rule(27, 11, %a1)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 7, %a4)
        aie.rule(31, 5, %a3)
        aie.rule(31, 6, %a0)
      }
    }
    %sw_4_2 = aie.switchbox(%t_4_2) {
      aie.connect<South : 2, North : 4>
      aie.connect<North : 0, South : 2>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<1> (1)
      %a4 = aie.amsel<1> (2)
      %a5 = aie.amsel<5> (3)
      %m0 = aie.masterset(DMA : 1, %a2)
      %m1 = aie.masterset(South : 1, %a3, %a4)
      %m2 = aie.masterset(North : 0, %a0)
      %m3 = aie.masterset(North : 5, %a1, %a4)
      %m4 = aie.masterset(East : 0, %a1)
      %m5 = aie.masterset(East : 1, %a5)
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 7, %a4)
        aie.rule(31, 3, %a1)
        aie.rule(31, 5, %a3)
      }
      aie.packet_rules(South : 1) {
        aie.rule(31, 18, %a5)
      }
      aie.packet_rules(South : 3) {
        aie.rule(31, 24, %a2)
      }
      aie.packet_rules(North : 2) {
        aie.rule(31, 6, %a3)
      }
      aie.packet_rules(East : 3) {
        aie.rule(31, 28, %a0)
      }
    }
    %sw_4_3 = aie.switchbox(%t_4_3) {
      aie.connect<South : 4, North : 4>
      aie.connect<North : 2, South : 0>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %m0 = aie.masterset(South : 2, %a2)
      %m1 = aie.masterset(North : 1, %a1)
      %m2 = aie.masterset(North : 5, %a0)
      aie.packet_rules(South : 5) {
        aie.rule(27, 3, %a1)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 6, %a2)
      }
      aie.packet_rules(South : 0) {
        aie.rule(31, 28, %a0)
      }
    }
    %sw_4_4 = aie.switchbox(%t_4_4) {
      aie.connect<South : 4, North : 0>
      aie.connect<North : 2, South : 2>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<3> (0)
      %m0 = aie.masterset(DMA : 1, %a2) {keep_pkt_header = true}
      %m1 = aie.masterset(South : 1, %a3)
      %m2 = aie.masterset(North : 2, %a1)
      %m3 = aie.masterset(North : 5, %a0)
      aie.packet_rules(South : 1) {
        aie.rule(31, 7, %a2)
        aie.rule(31, 3, %a1)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 6, %a3)
      }
      aie.packet_rules(South : 5) {
        aie.rule(31, 28, %a0)
      }
    }
    %sw_4_5 = aie.switchbox(%t_4_5) {
      aie.connect<South : 0, DMA : 1>
      aie.connect<DMA : 1, South : 2>
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %m0 = aie.masterset(DMA : 0, %a0) {keep_pkt_header = true}
      %m1 = aie.masterset(South : 1, %a1)
      %m2 = aie.masterset(East : 3, %a2)
      aie.packet_rules(South : 2) {
        aie.rule(31, 3, %a2)
      }
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 6, %a1)
      }
      aie.packet_rules(South : 5) {
        aie.rule(31, 28, %a0)
      }
    }
    %sw_5_3 = aie.switchbox(%t_5_3) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %a3 = aie.amsel<3> (0)
      %a4 = aie.amsel<4> (0)
      %a5 = aie.amsel<5> (0)
      %m0 = aie.masterset(South : 2, %a3)
      %m1 = aie.masterset(South : 3, %a2)
      %m2 = aie.masterset(North : 1, %a5)
      %m3 = aie.masterset(North : 2, %a1)
      %m4 = aie.masterset(North : 4, %a4)
      %m5 = aie.masterset(North : 5, %a0)
      aie.packet_rules(South : 3) {
        aie.rule(8, 8, %a4)
      }
      aie.packet_rules(South : 5) {
        aie.rule(31, 15, %a5)
      }
      aie.packet_rules(North : 0) {
        aie.rule(15, 6, %a2)
      }
      aie.packet_rules(North : 3) {
        aie.rule(31, 24, %a3)
      }
      aie.packet_rules(South : 0) {
        aie.rule(31, 30, %a0)
      }
      aie.packet_rules(South : 2) {
        aie.rule(31, 21, %a1)
      }
    }
  }
}
