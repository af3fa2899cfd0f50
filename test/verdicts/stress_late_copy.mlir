// Two multicasts with two receivers in common. A packet of id 12 from South goes before the copy of id 4 from East at
// tile (2, 2), as an arbiter serves the lowest port first, so that this copy comes late to tile (1, 0), where id 9 is
// again by then, while it holds tile (3, 5), where id 9 waits. With arbiters that serve in turn or by age it passes.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/stress_s291.mlir
// WARNING: route::circular-wait
module {
  aie.device(npu2) {
    %t10 = aie.tile(1, 0)
    %t11 = aie.tile(1, 1)
    %t12 = aie.tile(1, 2)
    %t13 = aie.tile(1, 3)
    %t14 = aie.tile(1, 4)
    %t15 = aie.tile(1, 5)
    %t21 = aie.tile(2, 1)
    %t22 = aie.tile(2, 2)
    %t23 = aie.tile(2, 3)
    %t24 = aie.tile(2, 4)
    %t25 = aie.tile(2, 5)
    %t32 = aie.tile(3, 2)
    %t33 = aie.tile(3, 3)
    %t34 = aie.tile(3, 4)
    %t35 = aie.tile(3, 5)
    %lock15_0 = aie.lock(%t15, 0) {init = 2 : i32, sym_name = "lock15_0"}
    %lock15_1 = aie.lock(%t15, 1) {init = 0 : i32, sym_name = "lock15_1"}
    %lock21_0 = aie.lock(%t21, 0) {init = 2 : i32, sym_name = "lock21_0"}
    %lock21_1 = aie.lock(%t21, 1) {init = 0 : i32, sym_name = "lock21_1"}
    %lock21_2 = aie.lock(%t21, 2) {init = 1 : i32, sym_name = "lock21_2"}
    %lock21_3 = aie.lock(%t21, 3) {init = 0 : i32, sym_name = "lock21_3"}
    %lock23_0 = aie.lock(%t23, 0) {init = 2 : i32, sym_name = "lock23_0"}
    %lock23_1 = aie.lock(%t23, 1) {init = 0 : i32, sym_name = "lock23_1"}
    %lock24_0 = aie.lock(%t24, 0) {init = 3 : i32, sym_name = "lock24_0"}
    %lock24_1 = aie.lock(%t24, 1) {init = 0 : i32, sym_name = "lock24_1"}
    %lock32_0 = aie.lock(%t32, 0) {init = 3 : i32, sym_name = "lock32_0"}
    %lock32_1 = aie.lock(%t32, 1) {init = 0 : i32, sym_name = "lock32_1"}
    %words15_0 = aie.buffer(%t15) {sym_name = "words15_0"} : memref<128xi32> = dense<1>
    %dma15 = aie.mem(%t15) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end, repeat_count = 1)
    ^p0b0:
      aie.use_lock(%lock15_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words15_0 : memref<128xi32> offset = 0 len = 128) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%lock15_1, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words21_1 = aie.buffer(%t21) {sym_name = "words21_1"} : memref<128xi32> = dense<2>
    %words21_2 = aie.buffer(%t21) {sym_name = "words21_2"} : memref<128xi32> = dense<3>
    %words21_3 = aie.buffer(%t21) {sym_name = "words21_3"} : memref<128xi32> = dense<4>
    %dma21 = aie.memtile_dma(%t21) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 0, ^p0b0, ^p1)
    ^p0b0:
      aie.use_lock(%lock21_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words21_1 : memref<128xi32> offset = 0 len = 128) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 13>}
      aie.use_lock(%lock21_1, Release, %one)
      aie.next_bd ^p0b1
    ^p0b1:
      aie.use_lock(%lock21_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words21_2 : memref<128xi32> offset = 0 len = 128) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 12>}
      aie.use_lock(%lock21_1, Release, %one)
      aie.next_bd ^end
    ^p1:
      %d1 = aie.dma_start(MM2S, 4, ^p1b0, ^end)
    ^p1b0:
      aie.use_lock(%lock21_2, AcquireGreaterEqual, %one)
      aie.dma_bd(%words21_3 : memref<128xi32> offset = 0 len = 128) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 4>}
      aie.use_lock(%lock21_3, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words23_4 = aie.buffer(%t23) {sym_name = "words23_4"} : memref<128xi32> = dense<5>
    %dma23 = aie.mem(%t23) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end, repeat_count = 1)
    ^p0b0:
      aie.use_lock(%lock23_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words23_4 : memref<128xi32> offset = 0 len = 128) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 12>}
      aie.use_lock(%lock23_1, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words24_5 = aie.buffer(%t24) {sym_name = "words24_5"} : memref<128xi32> = dense<6>
    %dma24 = aie.mem(%t24) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end, repeat_count = 2)
    ^p0b0:
      aie.use_lock(%lock24_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words24_5 : memref<128xi32> offset = 0 len = 128) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%lock24_1, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words32_6 = aie.buffer(%t32) {sym_name = "words32_6"} : memref<128xi32> = dense<7>
    %dma32 = aie.mem(%t32) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(MM2S, 1, ^p0b0, ^end, repeat_count = 2)
    ^p0b0:
      aie.use_lock(%lock32_0, AcquireGreaterEqual, %one)
      aie.dma_bd(%words32_6 : memref<128xi32> offset = 0 len = 128) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 4>}
      aie.use_lock(%lock32_1, Release, %one)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %words11_7 = aie.buffer(%t11) {sym_name = "words11_7"} : memref<32xi32>
    %dma11 = aie.memtile_dma(%t11) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 3, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words11_7 : memref<32xi32> offset = 0 len = 32)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %words12_8 = aie.buffer(%t12) {sym_name = "words12_8"} : memref<32xi32>
    %dma12 = aie.mem(%t12) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 0, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words12_8 : memref<32xi32> offset = 0 len = 32)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %words34_9 = aie.buffer(%t34) {sym_name = "words34_9"} : memref<128xi32>
    %dma34 = aie.mem(%t34) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 1, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words34_9 : memref<128xi32> offset = 0 len = 128)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    %words35_10 = aie.buffer(%t35) {sym_name = "words35_10"} : memref<128xi32>
    %dma35 = aie.mem(%t35) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 1, ^p0b0, ^end)
    ^p0b0:
      aie.dma_bd(%words35_10 : memref<128xi32> offset = 0 len = 128)
      aie.next_bd ^p0b0
    ^end:
      aie.end
    }
    aie.shim_dma_allocation @result(%t10, S2MM, 1)
    aie.runtime_sequence(%in: memref<16xi32>, %out: memref<1152xi32>) {
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 1152][0, 0, 0, 1]) {metadata = @result, id = 0 : i64, issue_token = true} : memref<1152xi32>
      aiex.npu.dma_wait {symbol = @result}
    }
    %mux10 = aie.shim_mux(%t10) {
      aie.connect<North : 3, DMA : 1>
    }
    %sw10 = aie.switchbox(%t10) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(South : 3, %a0)
      aie.packet_rules(North : 2) {
        aie.rule(31, 9, %a0)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 4, %a0)
      }
    }
    %sw11 = aie.switchbox(%t11) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %m0 = aie.masterset(DMA : 3, %a0)
      %m1 = aie.masterset(South : 1, %a0)
      %m2 = aie.masterset(South : 2, %a1)
      aie.packet_rules(North : 2) {
        aie.rule(31, 9, %a1)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 4, %a0)
      }
    }
    %sw12 = aie.switchbox(%t12) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %m0 = aie.masterset(DMA : 0, %a2)
      %m1 = aie.masterset(South : 1, %a1)
      %m2 = aie.masterset(South : 2, %a0)
      aie.packet_rules(North : 1) {
        aie.rule(31, 9, %a0)
      }
      aie.packet_rules(East : 0) {
        aie.rule(31, 12, %a2)
        aie.rule(31, 4, %a1)
      }
    }
    %sw13 = aie.switchbox(%t13) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(South : 1, %a0)
      aie.packet_rules(North : 2) {
        aie.rule(31, 9, %a0)
      }
    }
    %sw15 = aie.switchbox(%t15) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(South : 2, %a0)
      %m1 = aie.masterset(East : 3, %a0)
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 9, %a0)
      }
      aie.packet_rules(South : 2) {
        aie.rule(31, 9, %a0)
      }
    }
    %sw21 = aie.switchbox(%t21) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(North : 1, %a0)
      aie.packet_rules(DMA : 0) {
        aie.rule(30, 12, %a0)
      }
      aie.packet_rules(DMA : 4) {
        aie.rule(31, 4, %a0)
      }
    }
    %sw22 = aie.switchbox(%t22) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<2> (0)
      %m0 = aie.masterset(West : 0, %a2)
      %m1 = aie.masterset(East : 0, %a0)
      %m2 = aie.masterset(East : 3, %a1)
      aie.packet_rules(North : 1) {
        aie.rule(31, 12, %a2)
      }
      aie.packet_rules(East : 3) {
        aie.rule(31, 4, %a2)
      }
      aie.packet_rules(South : 1) {
        aie.rule(31, 12, %a2)
        aie.rule(31, 13, %a1)
        aie.rule(31, 4, %a0)
      }
    }
    %sw34 = aie.switchbox(%t34) {
      %a0 = aie.amsel<1> (0)
      %a1 = aie.amsel<2> (0)
      %m0 = aie.masterset(DMA : 1, %a1)
      %m1 = aie.masterset(North : 5, %a0)
      aie.packet_rules(South : 0) {
        aie.rule(31, 13, %a1)
        aie.rule(31, 4, %a0)
      }
    }
    %sw35 = aie.switchbox(%t35) {
      %a0 = aie.amsel<1> (0)
      %m0 = aie.masterset(DMA : 1, %a0)
      aie.packet_rules(West : 3) {
        aie.rule(31, 9, %a0)
      }
      aie.packet_rules(South : 5) {
        aie.rule(31, 4, %a0)
      }
    }
    %sw32 = aie.switchbox(%t32) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %a2 = aie.amsel<3> (0)
      %m0 = aie.masterset(West : 3, %a2)
      %m1 = aie.masterset(North : 1, %a1)
      %m2 = aie.masterset(North : 3, %a0)
      aie.packet_rules(West : 3) {
        aie.rule(31, 13, %a1)
      }
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 4, %a0)
      }
      aie.packet_rules(North : 3) {
        aie.rule(31, 4, %a2)
      }
      aie.packet_rules(West : 0) {
        aie.rule(31, 4, %a0)
      }
    }
    %sw33 = aie.switchbox(%t33) {
      %a0 = aie.amsel<1> (0)
      %a1 = aie.amsel<1> (1)
      %m0 = aie.masterset(South : 3, %a1)
      %m1 = aie.masterset(North : 0, %a0, %a1)
      aie.packet_rules(South : 1) {
        aie.rule(31, 13, %a0)
      }
      aie.packet_rules(South : 3) {
        aie.rule(31, 4, %a1)
      }
    }
    %sw14 = aie.switchbox(%t14) {
      %a0 = aie.amsel<0> (0)
      %a1 = aie.amsel<1> (0)
      %m0 = aie.masterset(South : 2, %a0)
      %m1 = aie.masterset(North : 2, %a1)
      aie.packet_rules(North : 2) {
        aie.rule(31, 9, %a0)
      }
      aie.packet_rules(East : 3) {
        aie.rule(31, 9, %a1)
      }
    }
    %sw23 = aie.switchbox(%t23) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(South : 1, %a0)
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 12, %a0)
      }
    }
    %sw24 = aie.switchbox(%t24) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(West : 3, %a0)
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 9, %a0)
      }
    }
    %sw25 = aie.switchbox(%t25) {
      %a0 = aie.amsel<0> (0)
      %m0 = aie.masterset(East : 3, %a0)
      aie.packet_rules(West : 3) {
        aie.rule(31, 9, %a0)
      }
    }
  }
}
