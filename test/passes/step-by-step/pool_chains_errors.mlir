// RUN: not aiec opt --split-input-file --aie-lower-dynamic-bd-pool --diagnostics=text %s 2>&1 | FileCheck %s

// Different lengths of chains can't go the same way.
// CHECK: this gives a task of 1 buffer descriptors or one of 2
// CHECK: give the tasks chains of one length
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence @lengths(%x: memref<64xi32>, %yes: i1) {
    %t = scf.if %yes -> (index) {
      %a = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32)
        aie.end
      }
      scf.yield %a : index
    } else {
      %b = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<64xi32> offset = 32 len = 32)
        aie.next_bd ^second
      ^second:
        aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32)
        aie.end
      }
      scf.yield %b : index
    }
    aiex.dma_free_task(%t)
  }
}

// -----

// CHECK: [8, 24) isn't a part of the 16 BDs of tile (0, 2)
// CHECK: within [0, 16)
aie.device(npu2) {
  %core = aie.tile(0, 2)
  aie.runtime_sequence() {
    %bd = aiex.dma_bd_pool_pop(0, 2) partition [8, 24) : i32
  }
}

// -----

// CHECK: this BD has two numbers
// CHECK: leave out `bd_id` or `bd_id_val`
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %bd = aiex.dma_bd_pool_pop(0, 0) : i32
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) bd_id_val %bd : i32 {bd_id = 1 : i32}
      aie.end
    }
  }
}

// -----

// CHECK: an iteration has a size and a stride
// CHECK: this BD has two iterations
// CHECK: 4 dimensions beside an iteration
// CHECK: this tile's BDs have 3 dimensions
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>, %n: i32) {
    %a = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) iteration_size_val %n : i32
      aie.end
    }
    %b = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) iteration_size_val %n : i32 iteration_stride_val %n : i32 {iteration = #aie.bd_iteration<size = 2, stride = 8, current = 0>}
      aie.end
    }
    %c = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 8 sizes = [2, 2, 2, 2] strides = [32, 16, 8, 1]) {iteration = #aie.bd_iteration<size = 2, stride = 8, current = 0>}
      aie.end
    }
  }
}
