// RUN: aiec opt %s --aie-create-pathfinder-flows 2>&1 | FileCheck %s

// One stream through a mem tile and four tiles in turns: ten packet flows at six arbiters, and each
// waits for all behind it. Those that leave the mem tile are control flows, so none can be a circuit; some
// must share, which is reported with the flows and the arbiters.

// CHECK:      warning:
// CHECK-SAME: packet flows can stop forever: they share arbiter 0 of tile (0, 1)
// CHECK:      aie.packet_flow(0) {
// CHECK:      note: shares arbiter 0 of tile (0, 1)
// CHECK:      note: make some of these flows circuits
// CHECK:      aie.switchbox(%mem_tile_0_1)
// CHECK:      aie.masterset(DMA : 0, %0)

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %t0 = aie.tile(0, 2)
    %t1 = aie.tile(0, 3)
    %t2 = aie.tile(0, 4)
    %t3 = aie.tile(0, 5)
    aie.packet_flow(0) {
      aie.packet_source<%shim, DMA : 0>
      aie.packet_dest<%mem, DMA : 0>
    }
    aie.packet_flow(1) {
      aie.packet_source<%mem, DMA : 0>
      aie.packet_dest<%t0, DMA : 0>
    } {priority_route = true}
    aie.packet_flow(2) {
      aie.packet_source<%t0, DMA : 0>
      aie.packet_dest<%mem, DMA : 1>
    }
    aie.packet_flow(3) {
      aie.packet_source<%mem, DMA : 1>
      aie.packet_dest<%t1, DMA : 0>
    } {priority_route = true}
    aie.packet_flow(4) {
      aie.packet_source<%t1, DMA : 0>
      aie.packet_dest<%mem, DMA : 2>
    }
    aie.packet_flow(5) {
      aie.packet_source<%mem, DMA : 2>
      aie.packet_dest<%t2, DMA : 0>
    } {priority_route = true}
    aie.packet_flow(6) {
      aie.packet_source<%t2, DMA : 0>
      aie.packet_dest<%mem, DMA : 3>
    }
    aie.packet_flow(7) {
      aie.packet_source<%mem, DMA : 3>
      aie.packet_dest<%t3, DMA : 0>
    } {priority_route = true}
    aie.packet_flow(8) {
      aie.packet_source<%t3, DMA : 0>
      aie.packet_dest<%mem, DMA : 4>
    }
    aie.packet_flow(9) {
      aie.packet_source<%mem, DMA : 4>
      aie.packet_dest<%shim, DMA : 0>
    } {priority_route = true}
    %m0 = aie.buffer(%mem) {sym_name = "m0"} : memref<16xi32>
    %m_free0 = aie.lock(%mem, 0) {init = 1 : i32}
    %m_full0 = aie.lock(%mem, 1) {init = 0 : i32}
    %m1 = aie.buffer(%mem) {sym_name = "m1"} : memref<16xi32>
    %m_free1 = aie.lock(%mem, 2) {init = 1 : i32}
    %m_full1 = aie.lock(%mem, 3) {init = 0 : i32}
    %m2 = aie.buffer(%mem) {sym_name = "m2"} : memref<16xi32>
    %m_free2 = aie.lock(%mem, 4) {init = 1 : i32}
    %m_full2 = aie.lock(%mem, 5) {init = 0 : i32}
    %m3 = aie.buffer(%mem) {sym_name = "m3"} : memref<16xi32>
    %m_free3 = aie.lock(%mem, 6) {init = 1 : i32}
    %m_full3 = aie.lock(%mem, 7) {init = 0 : i32}
    %m4 = aie.buffer(%mem) {sym_name = "m4"} : memref<16xi32>
    %m_free4 = aie.lock(%mem, 8) {init = 1 : i32}
    %m_full4 = aie.lock(%mem, 9) {init = 0 : i32}
    %mem_dma = aie.memtile_dma(%mem) {
      %one = arith.constant 1 : i32
      %c0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%m_free0, AcquireGreaterEqual, %one)
      aie.dma_bd(%m0 : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%m_full0, Release, %one)
      aie.next_bd ^bb1
    ^bb2:
      %c1 = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%m_full0, AcquireGreaterEqual, %one)
      aie.dma_bd(%m0 : memref<16xi32> offset = 0 len = 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
      aie.use_lock(%m_free0, Release, %one)
      aie.next_bd ^bb3
    ^bb4:
      %c2 = aie.dma_start(S2MM, 1, ^bb5, ^bb6)
    ^bb5:
      aie.use_lock(%m_free1, AcquireGreaterEqual, %one)
      aie.dma_bd(%m1 : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%m_full1, Release, %one)
      aie.next_bd ^bb5
    ^bb6:
      %c3 = aie.dma_start(MM2S, 1, ^bb7, ^bb8)
    ^bb7:
      aie.use_lock(%m_full1, AcquireGreaterEqual, %one)
      aie.dma_bd(%m1 : memref<16xi32> offset = 0 len = 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%m_free1, Release, %one)
      aie.next_bd ^bb7
    ^bb8:
      %c4 = aie.dma_start(S2MM, 2, ^bb9, ^bb10)
    ^bb9:
      aie.use_lock(%m_free2, AcquireGreaterEqual, %one)
      aie.dma_bd(%m2 : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%m_full2, Release, %one)
      aie.next_bd ^bb9
    ^bb10:
      %c5 = aie.dma_start(MM2S, 2, ^bb11, ^bb12)
    ^bb11:
      aie.use_lock(%m_full2, AcquireGreaterEqual, %one)
      aie.dma_bd(%m2 : memref<16xi32> offset = 0 len = 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 5>}
      aie.use_lock(%m_free2, Release, %one)
      aie.next_bd ^bb11
    ^bb12:
      %c6 = aie.dma_start(S2MM, 3, ^bb13, ^bb14)
    ^bb13:
      aie.use_lock(%m_free3, AcquireGreaterEqual, %one)
      aie.dma_bd(%m3 : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%m_full3, Release, %one)
      aie.next_bd ^bb13
    ^bb14:
      %c7 = aie.dma_start(MM2S, 3, ^bb15, ^bb16)
    ^bb15:
      aie.use_lock(%m_full3, AcquireGreaterEqual, %one)
      aie.dma_bd(%m3 : memref<16xi32> offset = 0 len = 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 7>}
      aie.use_lock(%m_free3, Release, %one)
      aie.next_bd ^bb15
    ^bb16:
      %c8 = aie.dma_start(S2MM, 4, ^bb17, ^bb18)
    ^bb17:
      aie.use_lock(%m_free4, AcquireGreaterEqual, %one)
      aie.dma_bd(%m4 : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%m_full4, Release, %one)
      aie.next_bd ^bb17
    ^bb18:
      %c9 = aie.dma_start(MM2S, 4, ^bb19, ^bb20)
    ^bb19:
      aie.use_lock(%m_full4, AcquireGreaterEqual, %one)
      aie.dma_bd(%m4 : memref<16xi32> offset = 0 len = 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%m_free4, Release, %one)
      aie.next_bd ^bb19
    ^bb20:
      aie.end
    }
    %b0 = aie.buffer(%t0) {sym_name = "b0"} : memref<16xi32>
    %free0 = aie.lock(%t0, 0) {init = 1 : i32}
    %full0 = aie.lock(%t0, 1) {init = 0 : i32}
    %dma0 = aie.mem(%t0) {
      %one = arith.constant 1 : i32
      %c0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%free0, AcquireGreaterEqual, %one)
      aie.dma_bd(%b0 : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%full0, Release, %one)
      aie.next_bd ^bb1
    ^bb2:
      %c1 = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%full0, AcquireGreaterEqual, %one)
      aie.dma_bd(%b0 : memref<16xi32> offset = 0 len = 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
      aie.use_lock(%free0, Release, %one)
      aie.next_bd ^bb3
    ^bb4:
      aie.end
    }
    %b1 = aie.buffer(%t1) {sym_name = "b1"} : memref<16xi32>
    %free1 = aie.lock(%t1, 0) {init = 1 : i32}
    %full1 = aie.lock(%t1, 1) {init = 0 : i32}
    %dma1 = aie.mem(%t1) {
      %one = arith.constant 1 : i32
      %c0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%free1, AcquireGreaterEqual, %one)
      aie.dma_bd(%b1 : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%full1, Release, %one)
      aie.next_bd ^bb1
    ^bb2:
      %c1 = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%full1, AcquireGreaterEqual, %one)
      aie.dma_bd(%b1 : memref<16xi32> offset = 0 len = 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 4>}
      aie.use_lock(%free1, Release, %one)
      aie.next_bd ^bb3
    ^bb4:
      aie.end
    }
    %b2 = aie.buffer(%t2) {sym_name = "b2"} : memref<16xi32>
    %free2 = aie.lock(%t2, 0) {init = 1 : i32}
    %full2 = aie.lock(%t2, 1) {init = 0 : i32}
    %dma2 = aie.mem(%t2) {
      %one = arith.constant 1 : i32
      %c0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%free2, AcquireGreaterEqual, %one)
      aie.dma_bd(%b2 : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%full2, Release, %one)
      aie.next_bd ^bb1
    ^bb2:
      %c1 = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%full2, AcquireGreaterEqual, %one)
      aie.dma_bd(%b2 : memref<16xi32> offset = 0 len = 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 6>}
      aie.use_lock(%free2, Release, %one)
      aie.next_bd ^bb3
    ^bb4:
      aie.end
    }
    %b3 = aie.buffer(%t3) {sym_name = "b3"} : memref<16xi32>
    %free3 = aie.lock(%t3, 0) {init = 1 : i32}
    %full3 = aie.lock(%t3, 1) {init = 0 : i32}
    %dma3 = aie.mem(%t3) {
      %one = arith.constant 1 : i32
      %c0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%free3, AcquireGreaterEqual, %one)
      aie.dma_bd(%b3 : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%full3, Release, %one)
      aie.next_bd ^bb1
    ^bb2:
      %c1 = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%full3, AcquireGreaterEqual, %one)
      aie.dma_bd(%b3 : memref<16xi32> offset = 0 len = 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 8>}
      aie.use_lock(%free3, Release, %one)
      aie.next_bd ^bb3
    ^bb4:
      aie.end
    }
    aie.shim_dma_allocation @to(%shim, MM2S, 0)
    aie.shim_dma_allocation @from(%shim, S2MM, 0)
    aie.runtime_sequence(%a: memref<512xi32>, %b: memref<512xi32>) {
      %in = aiex.dma_configure_task_for @to {
        aie.dma_bd(%a : memref<512xi32> offset = 0 len = 512) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 0>}
        aie.end
      }
      %out = aiex.dma_configure_task_for @from {
        aie.dma_bd(%b : memref<512xi32> offset = 0 len = 512)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%in)
      aiex.dma_start_task(%out)
      aiex.dma_await_task(%out)
    }
  }
}
