// RUN: not aiec opt --split-input-file --aie-dma-tasks-to-npu --aie-dma-to-npu --diagnostics=text %s 2>&1 | FileCheck %s

// What is known must fit, whatever else is known at run time only.
// CHECK: a size of 2000 in dimension 0 exceeds 1023
// CHECK: use smaller sizes, or more dimensions
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%x: memref<1048576xi32>, %n: i64) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][2, 4, %n, 2000][100000, 25000, 64, 1]) {id = 0 : i64, metadata = @in} : memref<1048576xi32>
  }
}

// -----

// CHECK: stride 0 of 2 elements of 1 bytes isn't a whole number of words
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%x: memref<64xi8>, %n: i64) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 4, %n][0, 0, 4, 2]) {id = 0 : i64, metadata = @in} : memref<64xi8>
  }
}

// -----

// CHECK: a buffer descriptor whose numbers are known at run time only must be of a shim tile
aie.device(npu2) {
  %tile = aie.tile(1, 1)
  %buf = aie.buffer(%tile) {address = 0 : i32, sym_name = "b"} : memref<4096xi32>
  aie.runtime_sequence(%len: i32) {
    %t = aiex.dma_configure_task(%tile, MM2S, 0) {
      aie.dma_bd(%buf : memref<4096xi32> offset = 0 len = %len) {bd_id = 0 : i32}
      aie.end
    }
  }
}

// -----

// CHECK: it isn't known which task this starts
// CHECK: start a task where it is configured
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<1024xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<1024xi32> offset = 0 len = 256) {bd_id = 1 : i32}
      aie.end
    }
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (index) {
      aiex.dma_start_task(%before)
      scf.yield %before : index
    }
  }
}

// -----

// CHECK: the asserted value is 3
aie.device(npu1) {
  aie.runtime_sequence() {
    %c = arith.constant 3 : i32
    aiex.npu.assert_bd_divisible(%c) {divisor = 4 : i32} : i32
  }
}
