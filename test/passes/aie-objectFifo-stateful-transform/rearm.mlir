// RUN: aiec opt --aie-objectFifo-stateful-transform --aie-assign-lock-ids --aie-assign-bd-ids %s | FileCheck %s
// A runtime reset names what it needs: channels, locks with their first values, first BDs.

// CHECK: aiex.dma_channel_reset_for(@q_rearm)
// CHECK: aie.objectfifo_rearm_binding @q_rearm channels(%tile_0_2, %tile_2_4 : index, index)
// CHECK-SAME: locks(%q_prod_lock_0, %q_cons_lock_0, %q_cons_prod_lock_0, %q_cons_cons_lock_0
// CHECK-SAME: channel_dirs = array<i32: 1, 0>
// CHECK-SAME: head_bd_ids = array<i32: 0, 0>
// CHECK-SAME: lock_inits = array<i32: 2, 0, 2, 0>
module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(2, 4)
    aie.objectfifo @q(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.runtime_sequence(%x : memref<256xi32>) {
      aiex.dma_channel_reset_for(@q)
    }
  }
}
