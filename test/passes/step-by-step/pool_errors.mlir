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

// A chain takes a number for each of its BDs at once.
// CHECK: a chain of 17 buffer descriptors, and the pool has 16
// CHECK: split the chain into several tasks
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<1088xi32>, %n: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %c1 to %n step %c1 {
      // expected-error@+1 {{chains 17 buffer descriptors, but channel 0 of tile (0,0) draws from a pool of only 16 ids}}
      %t = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<1088xi32> offset = 0 len = 64)
        aie.next_bd ^bd1
      ^bd1:
        aie.dma_bd(%x : memref<1088xi32> offset = 64 len = 64)
        aie.next_bd ^bd2
      ^bd2:
        aie.dma_bd(%x : memref<1088xi32> offset = 128 len = 64)
        aie.next_bd ^bd3
      ^bd3:
        aie.dma_bd(%x : memref<1088xi32> offset = 192 len = 64)
        aie.next_bd ^bd4
      ^bd4:
        aie.dma_bd(%x : memref<1088xi32> offset = 256 len = 64)
        aie.next_bd ^bd5
      ^bd5:
        aie.dma_bd(%x : memref<1088xi32> offset = 320 len = 64)
        aie.next_bd ^bd6
      ^bd6:
        aie.dma_bd(%x : memref<1088xi32> offset = 384 len = 64)
        aie.next_bd ^bd7
      ^bd7:
        aie.dma_bd(%x : memref<1088xi32> offset = 448 len = 64)
        aie.next_bd ^bd8
      ^bd8:
        aie.dma_bd(%x : memref<1088xi32> offset = 512 len = 64)
        aie.next_bd ^bd9
      ^bd9:
        aie.dma_bd(%x : memref<1088xi32> offset = 576 len = 64)
        aie.next_bd ^bd10
      ^bd10:
        aie.dma_bd(%x : memref<1088xi32> offset = 640 len = 64)
        aie.next_bd ^bd11
      ^bd11:
        aie.dma_bd(%x : memref<1088xi32> offset = 704 len = 64)
        aie.next_bd ^bd12
      ^bd12:
        aie.dma_bd(%x : memref<1088xi32> offset = 768 len = 64)
        aie.next_bd ^bd13
      ^bd13:
        aie.dma_bd(%x : memref<1088xi32> offset = 832 len = 64)
        aie.next_bd ^bd14
      ^bd14:
        aie.dma_bd(%x : memref<1088xi32> offset = 896 len = 64)
        aie.next_bd ^bd15
      ^bd15:
        aie.dma_bd(%x : memref<1088xi32> offset = 960 len = 64)
        aie.next_bd ^bd16
      ^bd16:
        aie.dma_bd(%x : memref<1088xi32> offset = 1024 len = 64)
        aie.end
      }
    }
  }
}
