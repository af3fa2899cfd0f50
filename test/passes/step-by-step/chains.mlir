// RUN: aiec opt --aie-materialize-bd-chains %s | FileCheck %s
// RUN: aiec opt --aie-substitute-shim-dma-allocations %s | FileCheck %s --check-prefix=SUBST
// RUN: aiec opt --aie-materialize-bd-chains --aie-assign-runtime-sequence-bd-ids %s | FileCheck %s --check-prefix=IDS

// CHECK-NOT:   aie.bd_chain
// CHECK:       %[[T1:.*]] = aiex.dma_configure_task(%[[TILE:.*]], MM2S, 1, <pkt_type = 0, pkt_id = 3>) {
// CHECK-NEXT:    aie.dma_bd(%arg0 : memref<64xi32> offset = 0 len = 64)
// CHECK-NEXT:    aie.next_bd ^bb1
// CHECK-NEXT:  ^bb1:
// CHECK-NEXT:    aie.dma_bd(%arg1 : memref<64xi32> offset = 0 len = 32)
// CHECK-NEXT:    aie.end
// CHECK-NEXT:  } {issue_token = true}
// CHECK-NEXT:  aiex.dma_start_task(%[[T1]])
// CHECK:       %[[T2:.*]] = aiex.dma_configure_task(%[[TILE]], S2MM, 0) {
// CHECK-NEXT:    aie.dma_bd(%arg1 : memref<64xi32> offset = 0 len = 64)
// CHECK:         aie.dma_bd(%arg1 : memref<64xi32> offset = 0 len = 32)
// CHECK:       } {repeat_count = 3 : i32}
// CHECK:       aiex.dma_await_task(%[[T1]])

// SUBST:       aie.bd_chain @pair
// SUBST:       %[[T1:.*]] = aiex.dma_start_bd_chain @pair(%arg0, %arg1)
// SUBST-SAME:    on (%{{.*}}, MM2S, 1)
// SUBST:       aiex.dma_await_task(%[[T1]])

// IDS-COUNT-4: bd_id = {{[0-3]}} : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @in (%shim, MM2S, 1, <pkt_type = 0, pkt_id = 3>)
  aie.bd_chain @pair(%a: memref<64xi32>, %b: memref<64xi32>) {
      aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^next
    ^next:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 32)
      aie.end
  }
  aie.runtime_sequence(%x: memref<64xi32>, %y: memref<64xi32>) {
    %t = aiex.dma_start_bd_chain_for @pair(%x, %y) : (memref<64xi32>, memref<64xi32>) for @in {issue_token = true}
    %u = aiex.dma_start_bd_chain @pair(%y, %y) : (memref<64xi32>, memref<64xi32>) on (%shim, S2MM, 0) {repeat_count = 3 : i32}
    aiex.dma_await_task(%t)
  }
}
