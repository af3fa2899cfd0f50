// RUN: aiec opt --split-input-file --aie-lower-dynamic-bd-pool --verify-diagnostics %s
// RUN: not aiec opt --split-input-file --aie-lower-dynamic-bd-pool --diagnostics=text %s 2>&1 | FileCheck %s

// CHECK: this number may be drawn from the pool at the same time
// CHECK: leave `bd_id` out in sequences with loops or branches
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>, %yes: i1) {
    scf.if %yes {
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        // expected-error@+1 {{pins a buffer descriptor ID inside a runtime-bound sequence}}
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) {bd_id = 0 : i32}
        aie.end
      }
    }
  }
}

// -----

// CHECK: only one way through this branch gives a task
// CHECK: free the task inside, or yield a task both ways
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>, %yes: i1, %other: index) {
    // expected-error@+1 {{yields a pool-allocated task on only one branch of an scf.if}}
    %r = scf.if %yes -> (index) {
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32)
        aie.end
      }
      scf.yield %t : index
    } else {
      scf.yield %other : index
    }
    aiex.dma_free_task(%r)
  }
}

// -----

// CHECK: the two ways through this branch give tasks of different channels
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>, %yes: i1) {
    // expected-error@+1 {{yields tasks on different physical channels}}
    %r = scf.if %yes -> (index) {
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32)
        aie.end
      }
      scf.yield %t : index
    } else {
      %t = aiex.dma_configure_task(%shim, MM2S, 1) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32)
        aie.end
      }
      scf.yield %t : index
    }
    aiex.dma_free_task(%r)
  }
}

// -----

// CHECK: a task with a number of a pool has one buffer descriptor
// CHECK: this one has 2
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>, %n: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %c1 to %n step %c1 {
      // expected-error@+1 {{supports single-BD tasks only}}
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32)
        aie.next_bd ^next
      ^next:
        aie.dma_bd(%x : memref<64xi32> offset = 32 len = 32)
        aie.end
      }
    }
  }
}
