// RUN: aiec opt %s --aie-create-pathfinder-flows=arbiters=8 2>&1 | FileCheck %s
// RUN: aiec opt %s --aie-create-pathfinder-flows 2>&1 | FileCheck %s --check-prefix=SIX

// Ten packet flows at a mem tile with eight arbiters. What comes in waits through memory for what
// goes on from there, so it has an arbiter for itself, and so have the parts that come back and what
// goes out. The four parts that go to the tiles don't run ahead of each other far enough to wait:
// they share two. As they and what goes out are control flows, they pass no circuits. Six arbiters don't suffice,
// which is a warning; eight are used with another one.

// SIX:         packet flows can stop forever
// SIX-SAME:    [route::memory-wait]
// SIX:         note: --arbiters=8 allows arbiters 6 and 7 too
// SIX-NOT:     aie.amsel<{{[67]}}>

// CHECK:       the routing uses arbiters beyond 5
// CHECK-SAME:  [route::extra-arbiters]
// CHECK-NOT:   route::memory-wait
// CHECK-LABEL: aie.switchbox(%mem_tile_0_1) {
// CHECK-DAG:     %[[IN:[0-9]+]] = aie.amsel<0> (0)
// CHECK-DAG:     %[[A:[0-9]+]] = aie.amsel<4> (0)
// CHECK-DAG:     %[[B:[0-9]+]] = aie.amsel<7> (0)
// CHECK-DAG:     %[[C:[0-9]+]] = aie.amsel<6> (0)
// CHECK-DAG:     %[[D:[0-9]+]] = aie.amsel<1> (0)
// CHECK-DAG:     %[[OUT:[0-9]+]] = aie.amsel<5> (3)
// CHECK:         aie.masterset(DMA : 0, %[[IN]])
// CHECK:         aie.masterset(DMA : 1, %[[A]])
// CHECK:         aie.masterset(DMA : 2, %[[B]])
// CHECK:         aie.masterset(DMA : 3, %[[C]])
// CHECK:         aie.masterset(DMA : 4, %[[D]])
// CHECK:         aie.masterset(South : 0, %[[OUT]])

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %t0 = aie.tile(0, 2)
    %t1 = aie.tile(0, 3)
    %t2 = aie.tile(0, 4)
    %t3 = aie.tile(0, 5)
    // in by 0, out to the four tiles by 1 to 4, back from them by 5 to 8, and out by 9
    aie.packet_flow(0) {
      aie.packet_source<%shim, DMA : 0>
      aie.packet_dest<%mem, DMA : 0>
    }
    aie.packet_flow(1) {
      aie.packet_source<%mem, DMA : 0>
      aie.packet_dest<%t0, DMA : 0>
    } {priority_route = true}
    aie.packet_flow(2) {
      aie.packet_source<%mem, DMA : 1>
      aie.packet_dest<%t1, DMA : 0>
    } {priority_route = true}
    aie.packet_flow(3) {
      aie.packet_source<%mem, DMA : 2>
      aie.packet_dest<%t2, DMA : 0>
    } {priority_route = true}
    aie.packet_flow(4) {
      aie.packet_source<%mem, DMA : 3>
      aie.packet_dest<%t3, DMA : 0>
    } {priority_route = true}
    aie.packet_flow(5) {
      aie.packet_source<%t0, DMA : 0>
      aie.packet_dest<%mem, DMA : 1>
    }
    aie.packet_flow(6) {
      aie.packet_source<%t1, DMA : 0>
      aie.packet_dest<%mem, DMA : 2>
    }
    aie.packet_flow(7) {
      aie.packet_source<%t2, DMA : 0>
      aie.packet_dest<%mem, DMA : 3>
    }
    aie.packet_flow(8) {
      aie.packet_source<%t3, DMA : 0>
      aie.packet_dest<%mem, DMA : 4>
    }
    aie.packet_flow(9) {
      aie.packet_source<%mem, DMA : 4>
      aie.packet_dest<%shim, DMA : 0>
    } {priority_route = true}
    %in0 = aie.buffer(%mem) {sym_name = "in0"} : memref<16xi32>
    %in1 = aie.buffer(%mem) {sym_name = "in1"} : memref<16xi32>
    %out0 = aie.buffer(%mem) {sym_name = "out0"} : memref<16xi32>
    %out1 = aie.buffer(%mem) {sym_name = "out1"} : memref<16xi32>
    %in_free0 = aie.lock(%mem, 0) {init = 2 : i32}
    %in_full0 = aie.lock(%mem, 1) {init = 0 : i32}
    %out_free0 = aie.lock(%mem, 2) {init = 2 : i32}
    %out_full0 = aie.lock(%mem, 3) {init = 0 : i32}
    %in_free1 = aie.lock(%mem, 4) {init = 2 : i32}
    %in_full1 = aie.lock(%mem, 5) {init = 0 : i32}
    %out_free1 = aie.lock(%mem, 6) {init = 2 : i32}
    %out_full1 = aie.lock(%mem, 7) {init = 0 : i32}
    %in_free2 = aie.lock(%mem, 8) {init = 2 : i32}
    %in_full2 = aie.lock(%mem, 9) {init = 0 : i32}
    %out_free2 = aie.lock(%mem, 10) {init = 2 : i32}
    %out_full2 = aie.lock(%mem, 11) {init = 0 : i32}
    %in_free3 = aie.lock(%mem, 12) {init = 2 : i32}
    %in_full3 = aie.lock(%mem, 13) {init = 0 : i32}
    %out_free3 = aie.lock(%mem, 14) {init = 2 : i32}
    %out_full3 = aie.lock(%mem, 15) {init = 0 : i32}
    %dma = aie.memtile_dma(%mem) {
      %one = arith.constant 1 : i32
      %c0 = aie.dma_start(S2MM, 0, ^bb1, ^bb9)
    ^bb1:
      aie.use_lock(%in_free0, AcquireGreaterEqual, %one)
      aie.dma_bd(%in0 : memref<16xi32> offset = 0 len = 4)
      aie.use_lock(%in_full0, Release, %one)
      aie.next_bd ^bb2
    ^bb2:
      aie.use_lock(%in_free1, AcquireGreaterEqual, %one)
      aie.dma_bd(%in0 : memref<16xi32> offset = 4 len = 4)
      aie.use_lock(%in_full1, Release, %one)
      aie.next_bd ^bb3
    ^bb3:
      aie.use_lock(%in_free2, AcquireGreaterEqual, %one)
      aie.dma_bd(%in0 : memref<16xi32> offset = 8 len = 4)
      aie.use_lock(%in_full2, Release, %one)
      aie.next_bd ^bb4
    ^bb4:
      aie.use_lock(%in_free3, AcquireGreaterEqual, %one)
      aie.dma_bd(%in0 : memref<16xi32> offset = 12 len = 4)
      aie.use_lock(%in_full3, Release, %one)
      aie.next_bd ^bb5
    ^bb5:
      aie.use_lock(%in_free0, AcquireGreaterEqual, %one)
      aie.dma_bd(%in1 : memref<16xi32> offset = 0 len = 4)
      aie.use_lock(%in_full0, Release, %one)
      aie.next_bd ^bb6
    ^bb6:
      aie.use_lock(%in_free1, AcquireGreaterEqual, %one)
      aie.dma_bd(%in1 : memref<16xi32> offset = 4 len = 4)
      aie.use_lock(%in_full1, Release, %one)
      aie.next_bd ^bb7
    ^bb7:
      aie.use_lock(%in_free2, AcquireGreaterEqual, %one)
      aie.dma_bd(%in1 : memref<16xi32> offset = 8 len = 4)
      aie.use_lock(%in_full2, Release, %one)
      aie.next_bd ^bb8
    ^bb8:
      aie.use_lock(%in_free3, AcquireGreaterEqual, %one)
      aie.dma_bd(%in1 : memref<16xi32> offset = 12 len = 4)
      aie.use_lock(%in_full3, Release, %one)
      aie.next_bd ^bb1
    ^bb9:
      %c1 = aie.dma_start(MM2S, 0, ^bb10, ^bb12)
    ^bb10:
      aie.use_lock(%in_full0, AcquireGreaterEqual, %one)
      aie.dma_bd(%in0 : memref<16xi32> offset = 0 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
      aie.use_lock(%in_free0, Release, %one)
      aie.next_bd ^bb11
    ^bb11:
      aie.use_lock(%in_full0, AcquireGreaterEqual, %one)
      aie.dma_bd(%in1 : memref<16xi32> offset = 0 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
      aie.use_lock(%in_free0, Release, %one)
      aie.next_bd ^bb10
    ^bb12:
      %c2 = aie.dma_start(MM2S, 1, ^bb13, ^bb15)
    ^bb13:
      aie.use_lock(%in_full1, AcquireGreaterEqual, %one)
      aie.dma_bd(%in0 : memref<16xi32> offset = 4 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
      aie.use_lock(%in_free1, Release, %one)
      aie.next_bd ^bb14
    ^bb14:
      aie.use_lock(%in_full1, AcquireGreaterEqual, %one)
      aie.dma_bd(%in1 : memref<16xi32> offset = 4 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
      aie.use_lock(%in_free1, Release, %one)
      aie.next_bd ^bb13
    ^bb15:
      %c3 = aie.dma_start(MM2S, 2, ^bb16, ^bb18)
    ^bb16:
      aie.use_lock(%in_full2, AcquireGreaterEqual, %one)
      aie.dma_bd(%in0 : memref<16xi32> offset = 8 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%in_free2, Release, %one)
      aie.next_bd ^bb17
    ^bb17:
      aie.use_lock(%in_full2, AcquireGreaterEqual, %one)
      aie.dma_bd(%in1 : memref<16xi32> offset = 8 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%in_free2, Release, %one)
      aie.next_bd ^bb16
    ^bb18:
      %c4 = aie.dma_start(MM2S, 3, ^bb19, ^bb21)
    ^bb19:
      aie.use_lock(%in_full3, AcquireGreaterEqual, %one)
      aie.dma_bd(%in0 : memref<16xi32> offset = 12 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 4>}
      aie.use_lock(%in_free3, Release, %one)
      aie.next_bd ^bb20
    ^bb20:
      aie.use_lock(%in_full3, AcquireGreaterEqual, %one)
      aie.dma_bd(%in1 : memref<16xi32> offset = 12 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 4>}
      aie.use_lock(%in_free3, Release, %one)
      aie.next_bd ^bb19
    ^bb21:
      %c5 = aie.dma_start(S2MM, 1, ^bb22, ^bb24)
    ^bb22:
      aie.use_lock(%out_free0, AcquireGreaterEqual, %one)
      aie.dma_bd(%out0 : memref<16xi32> offset = 0 len = 4)
      aie.use_lock(%out_full0, Release, %one)
      aie.next_bd ^bb23
    ^bb23:
      aie.use_lock(%out_free0, AcquireGreaterEqual, %one)
      aie.dma_bd(%out1 : memref<16xi32> offset = 0 len = 4)
      aie.use_lock(%out_full0, Release, %one)
      aie.next_bd ^bb22
    ^bb24:
      %c6 = aie.dma_start(S2MM, 2, ^bb25, ^bb27)
    ^bb25:
      aie.use_lock(%out_free1, AcquireGreaterEqual, %one)
      aie.dma_bd(%out0 : memref<16xi32> offset = 4 len = 4)
      aie.use_lock(%out_full1, Release, %one)
      aie.next_bd ^bb26
    ^bb26:
      aie.use_lock(%out_free1, AcquireGreaterEqual, %one)
      aie.dma_bd(%out1 : memref<16xi32> offset = 4 len = 4)
      aie.use_lock(%out_full1, Release, %one)
      aie.next_bd ^bb25
    ^bb27:
      %c7 = aie.dma_start(S2MM, 3, ^bb28, ^bb30)
    ^bb28:
      aie.use_lock(%out_free2, AcquireGreaterEqual, %one)
      aie.dma_bd(%out0 : memref<16xi32> offset = 8 len = 4)
      aie.use_lock(%out_full2, Release, %one)
      aie.next_bd ^bb29
    ^bb29:
      aie.use_lock(%out_free2, AcquireGreaterEqual, %one)
      aie.dma_bd(%out1 : memref<16xi32> offset = 8 len = 4)
      aie.use_lock(%out_full2, Release, %one)
      aie.next_bd ^bb28
    ^bb30:
      %c8 = aie.dma_start(S2MM, 4, ^bb31, ^bb33)
    ^bb31:
      aie.use_lock(%out_free3, AcquireGreaterEqual, %one)
      aie.dma_bd(%out0 : memref<16xi32> offset = 12 len = 4)
      aie.use_lock(%out_full3, Release, %one)
      aie.next_bd ^bb32
    ^bb32:
      aie.use_lock(%out_free3, AcquireGreaterEqual, %one)
      aie.dma_bd(%out1 : memref<16xi32> offset = 12 len = 4)
      aie.use_lock(%out_full3, Release, %one)
      aie.next_bd ^bb31
    ^bb33:
      %c9 = aie.dma_start(MM2S, 4, ^bb34, ^bb42)
    ^bb34:
      aie.use_lock(%out_full0, AcquireGreaterEqual, %one)
      aie.dma_bd(%out0 : memref<16xi32> offset = 0 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%out_free0, Release, %one)
      aie.next_bd ^bb35
    ^bb35:
      aie.use_lock(%out_full1, AcquireGreaterEqual, %one)
      aie.dma_bd(%out0 : memref<16xi32> offset = 4 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%out_free1, Release, %one)
      aie.next_bd ^bb36
    ^bb36:
      aie.use_lock(%out_full2, AcquireGreaterEqual, %one)
      aie.dma_bd(%out0 : memref<16xi32> offset = 8 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%out_free2, Release, %one)
      aie.next_bd ^bb37
    ^bb37:
      aie.use_lock(%out_full3, AcquireGreaterEqual, %one)
      aie.dma_bd(%out0 : memref<16xi32> offset = 12 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%out_free3, Release, %one)
      aie.next_bd ^bb38
    ^bb38:
      aie.use_lock(%out_full0, AcquireGreaterEqual, %one)
      aie.dma_bd(%out1 : memref<16xi32> offset = 0 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%out_free0, Release, %one)
      aie.next_bd ^bb39
    ^bb39:
      aie.use_lock(%out_full1, AcquireGreaterEqual, %one)
      aie.dma_bd(%out1 : memref<16xi32> offset = 4 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%out_free1, Release, %one)
      aie.next_bd ^bb40
    ^bb40:
      aie.use_lock(%out_full2, AcquireGreaterEqual, %one)
      aie.dma_bd(%out1 : memref<16xi32> offset = 8 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%out_free2, Release, %one)
      aie.next_bd ^bb41
    ^bb41:
      aie.use_lock(%out_full3, AcquireGreaterEqual, %one)
      aie.dma_bd(%out1 : memref<16xi32> offset = 12 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 9>}
      aie.use_lock(%out_free3, Release, %one)
      aie.next_bd ^bb34
    ^bb42:
      aie.end
    }
    %b0 = aie.buffer(%t0) {sym_name = "b0"} : memref<4xi32>
    %free0 = aie.lock(%t0, 0) {init = 1 : i32}
    %full0 = aie.lock(%t0, 1) {init = 0 : i32}
    %m0 = aie.mem(%t0) {
      %one = arith.constant 1 : i32
      %in = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%free0, AcquireGreaterEqual, %one)
      aie.dma_bd(%b0 : memref<4xi32> offset = 0 len = 4)
      aie.use_lock(%full0, Release, %one)
      aie.next_bd ^bb1
    ^bb2:
      %out = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%full0, AcquireGreaterEqual, %one)
      aie.dma_bd(%b0 : memref<4xi32> offset = 0 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 5>}
      aie.use_lock(%free0, Release, %one)
      aie.next_bd ^bb3
    ^bb4:
      aie.end
    }
    %b1 = aie.buffer(%t1) {sym_name = "b1"} : memref<4xi32>
    %free1 = aie.lock(%t1, 0) {init = 1 : i32}
    %full1 = aie.lock(%t1, 1) {init = 0 : i32}
    %m1 = aie.mem(%t1) {
      %one = arith.constant 1 : i32
      %in = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%free1, AcquireGreaterEqual, %one)
      aie.dma_bd(%b1 : memref<4xi32> offset = 0 len = 4)
      aie.use_lock(%full1, Release, %one)
      aie.next_bd ^bb1
    ^bb2:
      %out = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%full1, AcquireGreaterEqual, %one)
      aie.dma_bd(%b1 : memref<4xi32> offset = 0 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 6>}
      aie.use_lock(%free1, Release, %one)
      aie.next_bd ^bb3
    ^bb4:
      aie.end
    }
    %b2 = aie.buffer(%t2) {sym_name = "b2"} : memref<4xi32>
    %free2 = aie.lock(%t2, 0) {init = 1 : i32}
    %full2 = aie.lock(%t2, 1) {init = 0 : i32}
    %m2 = aie.mem(%t2) {
      %one = arith.constant 1 : i32
      %in = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%free2, AcquireGreaterEqual, %one)
      aie.dma_bd(%b2 : memref<4xi32> offset = 0 len = 4)
      aie.use_lock(%full2, Release, %one)
      aie.next_bd ^bb1
    ^bb2:
      %out = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%full2, AcquireGreaterEqual, %one)
      aie.dma_bd(%b2 : memref<4xi32> offset = 0 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 7>}
      aie.use_lock(%free2, Release, %one)
      aie.next_bd ^bb3
    ^bb4:
      aie.end
    }
    %b3 = aie.buffer(%t3) {sym_name = "b3"} : memref<4xi32>
    %free3 = aie.lock(%t3, 0) {init = 1 : i32}
    %full3 = aie.lock(%t3, 1) {init = 0 : i32}
    %m3 = aie.mem(%t3) {
      %one = arith.constant 1 : i32
      %in = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%free3, AcquireGreaterEqual, %one)
      aie.dma_bd(%b3 : memref<4xi32> offset = 0 len = 4)
      aie.use_lock(%full3, Release, %one)
      aie.next_bd ^bb1
    ^bb2:
      %out = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%full3, AcquireGreaterEqual, %one)
      aie.dma_bd(%b3 : memref<4xi32> offset = 0 len = 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 8>}
      aie.use_lock(%free3, Release, %one)
      aie.next_bd ^bb3
    ^bb4:
      aie.end
    }
    aie.shim_dma_allocation @to(%shim, MM2S, 0)
    aie.shim_dma_allocation @from(%shim, S2MM, 0)
    aie.runtime_sequence(%a: memref<192xi32>, %b: memref<192xi32>) {
      %in = aiex.dma_configure_task_for @to {
        aie.dma_bd(%a : memref<192xi32> offset = 0 len = 192) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 0>}
        aie.end
      }
      %out = aiex.dma_configure_task_for @from {
        aie.dma_bd(%b : memref<192xi32> offset = 0 len = 192)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%in)
      aiex.dma_start_task(%out)
      aiex.dma_await_task(%out)
    }
  }
}
