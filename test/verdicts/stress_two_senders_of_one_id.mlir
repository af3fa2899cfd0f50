// Two senders of one id with three receivers, one of them on the way of the other sender: only with streams of one
// word a cycle do their packets meet before the tokens are gone.
// VERDICT: HANG
// SOURCE: Xilinx/mlir-aie, test/create-packet-flows/nightly/Inputs/hw_verdicts/stress_s208_old.mlir
// WARNING: route::circular-wait
module {
  aie.device(npu2) {
    %t_4_0 = aie.tile(4, 0) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 15>}
    %t_5_0 = aie.tile(5, 0) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 15>}
    %t_5_1 = aie.tile(5, 1)
    %t_5_2 = aie.tile(5, 2)
    %t_5_3 = aie.tile(5, 3)
    %t_5_4 = aie.tile(5, 4)
    %t_4_4 = aie.tile(4, 4)
    %t_4_5 = aie.tile(4, 5)
    %s5_1_0_b0 = aie.buffer(%t_5_1) {sym_name = "s5_1_0_b0"} : memref<512xi32> = dense<1>
    %s5_1_0_b1 = aie.buffer(%t_5_1) {sym_name = "s5_1_0_b1"} : memref<512xi32> = dense<2>
    %s5_1_0_go = aie.lock(%t_5_1, 0) {init = 6 : i32, sym_name = "s5_1_0_go"}
    %s5_1_0_gone = aie.lock(%t_5_1, 1) {init = 0 : i32, sym_name = "s5_1_0_gone"}
    %s5_1_2_b0 = aie.buffer(%t_5_1) {sym_name = "s5_1_2_b0"} : memref<512xi32> = dense<3>
    %s5_1_2_go = aie.lock(%t_5_1, 2) {init = 5 : i32, sym_name = "s5_1_2_go"}
    %s5_1_2_gone = aie.lock(%t_5_1, 3) {init = 0 : i32, sym_name = "s5_1_2_gone"}
    %r5_1_0 = aie.buffer(%t_5_1) {sym_name = "r5_1_0"} : memref<512xi32>
    %dma_5_1 = aie.memtile_dma(%t_5_1) {
      %unit = arith.constant 1 : i32
      %ch0 = aie.dma_start(MM2S, 0, ^bd0_0, ^start1, repeat_count = 2)
    ^bd0_0:
      aie.use_lock(%s5_1_0_go, AcquireGreaterEqual, %unit)
      aie.dma_bd(%s5_1_0_b0 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 17>}
      aie.use_lock(%s5_1_0_gone, Release, %unit)
      aie.next_bd ^bd0_1
    ^bd0_1:
      aie.use_lock(%s5_1_0_go, AcquireGreaterEqual, %unit)
      aie.dma_bd(%s5_1_0_b1 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 17>}
      aie.use_lock(%s5_1_0_gone, Release, %unit)
      aie.next_bd ^done
    ^start1:
      %ch1 = aie.dma_start(MM2S, 2, ^bd1_0, ^start2, repeat_count = 4)
    ^bd1_0:
      aie.use_lock(%s5_1_2_go, AcquireGreaterEqual, %unit)
      aie.dma_bd(%s5_1_2_b0 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 24>}
      aie.use_lock(%s5_1_2_gone, Release, %unit)
      aie.next_bd ^done
    ^start2:
      %ch2 = aie.dma_start(S2MM, 0, ^bd2_0, ^done)
    ^bd2_0:
      aie.dma_bd(%r5_1_0 : memref<512xi32> offset = 0 len = 512)
      aie.next_bd ^bd2_0
    ^done:
      aie.end
    }
    %s5_2_0_b0 = aie.buffer(%t_5_2) {sym_name = "s5_2_0_b0"} : memref<512xi32> = dense<5>
    %s5_2_0_b1 = aie.buffer(%t_5_2) {sym_name = "s5_2_0_b1"} : memref<512xi32> = dense<6>
    %s5_2_0_b2 = aie.buffer(%t_5_2) {sym_name = "s5_2_0_b2"} : memref<512xi32> = dense<7>
    %s5_2_0_go = aie.lock(%t_5_2, 0) {init = 3 : i32, sym_name = "s5_2_0_go"}
    %s5_2_0_gone = aie.lock(%t_5_2, 1) {init = 0 : i32, sym_name = "s5_2_0_gone"}
    %dma_5_2 = aie.mem(%t_5_2) {
      %unit = arith.constant 1 : i32
      %ch0 = aie.dma_start(MM2S, 0, ^bd0_0, ^done)
    ^bd0_0:
      aie.use_lock(%s5_2_0_go, AcquireGreaterEqual, %unit)
      aie.dma_bd(%s5_2_0_b0 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 28>}
      aie.use_lock(%s5_2_0_gone, Release, %unit)
      aie.next_bd ^bd0_1
    ^bd0_1:
      aie.use_lock(%s5_2_0_go, AcquireGreaterEqual, %unit)
      aie.dma_bd(%s5_2_0_b1 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 28>}
      aie.use_lock(%s5_2_0_gone, Release, %unit)
      aie.next_bd ^bd0_2
    ^bd0_2:
      aie.use_lock(%s5_2_0_go, AcquireGreaterEqual, %unit)
      aie.dma_bd(%s5_2_0_b2 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 28>}
      aie.use_lock(%s5_2_0_gone, Release, %unit)
      aie.next_bd ^done
    ^done:
      aie.end
    }
    %s5_3_0_b0 = aie.buffer(%t_5_3) {sym_name = "s5_3_0_b0"} : memref<512xi32> = dense<8>
    %s5_3_0_go = aie.lock(%t_5_3, 0) {init = 5 : i32, sym_name = "s5_3_0_go"}
    %s5_3_0_gone = aie.lock(%t_5_3, 1) {init = 0 : i32, sym_name = "s5_3_0_gone"}
    %dma_5_3 = aie.mem(%t_5_3) {
      %unit = arith.constant 1 : i32
      %ch0 = aie.dma_start(MM2S, 0, ^bd0_0, ^done, repeat_count = 4)
    ^bd0_0:
      aie.use_lock(%s5_3_0_go, AcquireGreaterEqual, %unit)
      aie.dma_bd(%s5_3_0_b0 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 22>}
      aie.use_lock(%s5_3_0_gone, Release, %unit)
      aie.next_bd ^done
    ^done:
      aie.end
    }
    %in0 = aie.buffer(%t_5_4) {sym_name = "in0"} : memref<512xi32>
    %out0 = aie.buffer(%t_5_4) {sym_name = "out0"} : memref<512xi32> = dense<10>
    %free0 = aie.lock(%t_5_4, 0) {init = 1 : i32, sym_name = "free0"}
    %got0 = aie.lock(%t_5_4, 1) {init = 0 : i32, sym_name = "got0"}
    %send0 = aie.lock(%t_5_4, 2) {init = 0 : i32, sym_name = "send0"}
    %in1 = aie.buffer(%t_5_4) {sym_name = "in1"} : memref<512xi32>
    %out1 = aie.buffer(%t_5_4) {sym_name = "out1"} : memref<512xi32> = dense<12>
    %free1 = aie.lock(%t_5_4, 3) {init = 1 : i32, sym_name = "free1"}
    %got1 = aie.lock(%t_5_4, 4) {init = 0 : i32, sym_name = "got1"}
    %send1 = aie.lock(%t_5_4, 5) {init = 0 : i32, sym_name = "send1"}
    %dma_5_4 = aie.mem(%t_5_4) {
      %unit = arith.constant 1 : i32
      %ch0 = aie.dma_start(S2MM, 0, ^bd0_0, ^start1)
    ^bd0_0:
      aie.use_lock(%free0, AcquireGreaterEqual, %unit)
      aie.dma_bd(%in0 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%got0, Release, %unit)
      aie.next_bd ^bd0_0
    ^start1:
      %ch1 = aie.dma_start(MM2S, 0, ^bd1_0, ^start2, repeat_count = 4)
    ^bd1_0:
      aie.use_lock(%send0, AcquireGreaterEqual, %unit)
      aie.dma_bd(%out0 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%free0, Release, %unit)
      aie.next_bd ^done
    ^start2:
      %ch2 = aie.dma_start(S2MM, 1, ^bd2_0, ^start3)
    ^bd2_0:
      aie.use_lock(%free1, AcquireGreaterEqual, %unit)
      aie.dma_bd(%in1 : memref<512xi32> offset = 0 len = 512)
      aie.use_lock(%got1, Release, %unit)
      aie.next_bd ^bd2_0
    ^start3:
      %ch3 = aie.dma_start(MM2S, 1, ^bd3_0, ^done, repeat_count = 4)
    ^bd3_0:
      aie.use_lock(%send1, AcquireGreaterEqual, %unit)
      aie.dma_bd(%out1 : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 11>}
      aie.use_lock(%free1, Release, %unit)
      aie.next_bd ^done
    ^done:
      aie.end
    }
    %core_5_4 = aie.core(%t_5_4) {
      %unit = arith.constant 1 : i32
      %lo = arith.constant 0 : index
      %step = arith.constant 1 : index
      %words = arith.constant 256 : index
      %rounds = arith.constant 5 : index
      scf.for %r = %lo to %rounds step %step {
        aie.use_lock(%got0, AcquireGreaterEqual, %unit)
        aie.use_lock(%send0, Release, %unit)
        aie.use_lock(%got1, AcquireGreaterEqual, %unit)
        aie.use_lock(%send1, Release, %unit)
      }
      aie.end
    }
    %r4_4_1 = aie.buffer(%t_4_4) {sym_name = "r4_4_1"} : memref<16xi32>
    %dma_4_4 = aie.mem(%t_4_4) {
      %unit = arith.constant 1 : i32
      %ch0 = aie.dma_start(S2MM, 1, ^bd0_0, ^done)
    ^bd0_0:
      aie.dma_bd(%r4_4_1 : memref<16xi32> offset = 0 len = 16)
      aie.next_bd ^bd0_0
    ^done:
      aie.end
    }
    %r4_5_0 = aie.buffer(%t_4_5) {sym_name = "r4_5_0"} : memref<64xi32>
    %dma_4_5 = aie.mem(%t_4_5) {
      %unit = arith.constant 1 : i32
      %ch0 = aie.dma_start(S2MM, 0, ^bd0_0, ^done)
    ^bd0_0:
      aie.dma_bd(%r4_5_0 : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^bd0_0
    ^done:
      aie.end
    }
    %mux_4_0 = aie.shim_mux(%t_4_0) {
      aie.connect<North : 3, DMA : 1>
    }
    %mux_5_0 = aie.shim_mux(%t_5_0) {
      aie.connect<DMA : 0, North : 3>
      aie.connect<North : 3, DMA : 1>
    }
    %sw_4_0 = aie.switchbox(%t_4_0) {
      aie.connect<East : 2, South : 3>
      %a5_3 = aie.amsel<5> (3)
      %mS0 = aie.masterset(South : 0, %a5_3) {keep_pkt_header = true}
      aie.packet_rules(TileControl : 0) {
        aie.rule(31, 15, %a5_3)
      }
    }
    %sw_5_0 = aie.switchbox(%t_5_0) {
      aie.connect<North : 3, West : 2>
      %a0_0 = aie.amsel<0> (0)
      %a1_0 = aie.amsel<1> (0)
      %a5_3 = aie.amsel<5> (3)
      %mS3 = aie.masterset(South : 3, %a1_0)
      %mS0 = aie.masterset(South : 0, %a5_3) {keep_pkt_header = true}
      %mN1 = aie.masterset(North : 1, %a0_0)
      aie.packet_rules(TileControl : 0) {
        aie.rule(31, 15, %a5_3)
      }
      aie.packet_rules(South : 3) {
        aie.rule(31, 28, %a0_0)
      }
      aie.packet_rules(North : 2) {
        aie.rule(31, 11, %a1_0)
      }
    }
    %sw_5_1 = aie.switchbox(%t_5_1) {
      aie.connect<North : 3, South : 3>
      %a0_0 = aie.amsel<0> (0)
      %a1_0 = aie.amsel<1> (0)
      %a2_0 = aie.amsel<2> (0)
      %a2_1 = aie.amsel<2> (1)
      %mD0 = aie.masterset(DMA : 0, %a2_0, %a2_1)
      %mS2 = aie.masterset(South : 2, %a1_0)
      %mN1 = aie.masterset(North : 1, %a2_1)
      %mN5 = aie.masterset(North : 5, %a0_0)
      aie.packet_rules(North : 0) {
        aie.rule(31, 28, %a2_0)
      }
      aie.packet_rules(South : 1) {
        aie.rule(31, 28, %a2_1)
      }
      aie.packet_rules(DMA : 0) {
        aie.rule(27, 17, %a2_0)
      }
      aie.packet_rules(North : 2) {
        aie.rule(31, 11, %a1_0)
      }
      aie.packet_rules(DMA : 2) {
        aie.rule(31, 24, %a0_0)
      }
    }
    %sw_5_2 = aie.switchbox(%t_5_2) {
      aie.connect<North : 1, South : 3>
      %a0_0 = aie.amsel<0> (0)
      %a1_0 = aie.amsel<1> (0)
      %a2_0 = aie.amsel<2> (0)
      %a2_1 = aie.amsel<2> (1)
      %mS0 = aie.masterset(South : 0, %a2_0)
      %mS2 = aie.masterset(South : 2, %a1_0)
      %mN0 = aie.masterset(North : 0, %a0_0)
      %mN5 = aie.masterset(North : 5, %a2_0, %a2_1)
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 28, %a2_0)
      }
      aie.packet_rules(South : 1) {
        aie.rule(31, 28, %a2_1)
      }
      aie.packet_rules(North : 0) {
        aie.rule(31, 11, %a1_0)
      }
      aie.packet_rules(South : 5) {
        aie.rule(31, 24, %a0_0)
      }
    }
    %sw_5_3 = aie.switchbox(%t_5_3) {
      aie.connect<North : 3, South : 1>
      %a0_0 = aie.amsel<0> (0)
      %a1_0 = aie.amsel<1> (0)
      %a2_0 = aie.amsel<2> (0)
      %a3_0 = aie.amsel<3> (0)
      %mS0 = aie.masterset(South : 0, %a2_0)
      %mN2 = aie.masterset(North : 2, %a1_0)
      %mN3 = aie.masterset(North : 3, %a0_0)
      %mN4 = aie.masterset(North : 4, %a3_0)
      aie.packet_rules(South : 5) {
        aie.rule(31, 28, %a3_0)
      }
      aie.packet_rules(North : 1) {
        aie.rule(31, 11, %a2_0)
      }
      aie.packet_rules(South : 0) {
        aie.rule(31, 24, %a1_0)
      }
      aie.packet_rules(DMA : 0) {
        aie.rule(22, 22, %a0_0)
      }
    }
    %sw_4_4 = aie.switchbox(%t_4_4) {
      %a0_0 = aie.amsel<0> (0)
      %mD1 = aie.masterset(DMA : 1, %a0_0)
      %mN0 = aie.masterset(North : 0, %a0_0)
      aie.packet_rules(East : 0) {
        aie.rule(31, 28, %a0_0)
      }
    }
    %sw_5_4 = aie.switchbox(%t_5_4) {
      aie.connect<DMA : 0, South : 3>
      %a0_0 = aie.amsel<0> (0)
      %a1_0 = aie.amsel<1> (0)
      %a2_0 = aie.amsel<2> (0)
      %a3_0 = aie.amsel<3> (0)
      %mD0 = aie.masterset(DMA : 0, %a2_0)
      %mD1 = aie.masterset(DMA : 1, %a1_0)
      %mS1 = aie.masterset(South : 1, %a0_0)
      %mW0 = aie.masterset(West : 0, %a3_0)
      aie.packet_rules(South : 4) {
        aie.rule(31, 28, %a3_0)
      }
      aie.packet_rules(DMA : 1) {
        aie.rule(31, 11, %a0_0)
      }
      aie.packet_rules(South : 2) {
        aie.rule(31, 24, %a1_0)
      }
      aie.packet_rules(South : 3) {
        aie.rule(22, 22, %a2_0)
      }
    }
    %sw_4_5 = aie.switchbox(%t_4_5) {
      %a0_0 = aie.amsel<0> (0)
      %mD0 = aie.masterset(DMA : 0, %a0_0)
      aie.packet_rules(South : 0) {
        aie.rule(31, 28, %a0_0)
      }
    }
    aie.shim_dma_allocation @outA(%t_4_0, S2MM, 1)
    aie.shim_dma_allocation @outB(%t_5_0, S2MM, 1)
    aie.runtime_sequence(%in: memref<1024xi32>, %out: memref<5120xi32>) {
      %job = aiex.dma_configure_task(%t_5_0, MM2S, 0) {
        aie.dma_bd(%in : memref<1024xi32> offset = 0 len = 512) {bd_id = 0 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 28>}
        aie.next_bd ^bb1
      ^bb1:
        aie.dma_bd(%in : memref<1024xi32> offset = 512 len = 512) {bd_id = 1 : i32, packet = #aie.packet_info<pkt_type = 0, pkt_id = 28>}
        aie.end
      } {issue_token = true, repeat_count = 2 : i32}
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 2560][1, 1, 1, 2560][0, 0, 0, 1]) {id = 2 : i64, issue_token = true, metadata = @outB} : memref<5120xi32>
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 2560][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @outA} : memref<5120xi32>
      aiex.dma_start_task(%job)
      aiex.npu.dma_wait {symbol = @outB}
      aiex.dma_await_task(%job)
      aiex.npu.dma_wait {symbol = @outA}
    }
  }
}
