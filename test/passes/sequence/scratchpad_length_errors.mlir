// RUN: not aiec opt --split-input-file --aie-lower-scratchpad-parameters --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu --aie-dma-to-npu --diagnostics=text %s 2>&1 | FileCheck %s

// CHECK: a length parameter without `length_unit`
// CHECK: length_unit = 16 : i32
// CHECK: a unit of 2 elements of 4 bytes isn't a multiple of 16 bytes
// CHECK: 24 bytes that a length parameter adds to aren't a multiple of 16
// CHECK: begin with whole 16 bytes, or with 0
// CHECK: a pattern of 1 dimensions has none that a length parameter continues
// CHECK: a unit of 12 elements isn't whole steps of 8 elements
aiex.scratchpad_parameter @n : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @dma(%shim, MM2S, 0)
  aie.runtime_sequence(%a: memref<4096xi32>) {
    %t0 = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 64) {length_parameter = @n}
      aie.end
    }
    %t1 = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 64) {length_parameter = @n, length_unit = 2 : i32}
      aie.end
    }
    %t2 = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 6) {length_parameter = @n, length_unit = 4 : i32}
      aie.end
    }
    %t3 = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 16 sizes = [16] strides = [2]) {length_parameter = @n, length_unit = 16 : i32}
      aie.end
    }
    %t4 = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 32 sizes = [4, 8] strides = [16, 1]) {length_parameter = @n, length_unit = 12 : i32}
      aie.end
    }
  }
}

// -----

// CHECK: the length of a descriptor of tile (0, 1) can't be changed so
// CHECK: only descriptors of shim tiles have their length in a word of its own
aiex.scratchpad_parameter @n : i32
aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %buffer = aie.buffer(%mem) {address = 0 : i32} : memref<4096xi32>
  aie.runtime_sequence(%a: memref<4096xi32>) {
    %t = aiex.dma_configure_task(%mem, MM2S, 0) {
      aie.dma_bd(%buffer : memref<4096xi32> offset = 0 len = 64) {length_parameter = @n, length_unit = 4 : i32}
      aie.end
    }
  }
}

// -----

// CHECK: `@n` of type i16 is added to a length
// CHECK: lengths count units of the transfer: declare the parameter as i32
// CHECK: there is no scratchpad parameter `@other`
aiex.scratchpad_parameter @n : i16
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%a: memref<4096xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 64) {length_parameter = @n, length_unit = 4 : i32}
      aie.end
    }
    %u = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 64) {length_parameter = @other, length_unit = 4 : i32}
      aie.end
    }
  }
}

// -----

// CHECK: `length_parameter = @n` of a transfer whose numbers are known at run time only
aiex.scratchpad_parameter @n : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%a: memref<4096xi32>) {
    %bd = aiex.dma_bd_pool_pop(0, 0) partition [0, 16) : i32
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 64) bd_id_val %bd : i32 {length_parameter = @n, length_unit = 4 : i32}
      aie.end
    }
    aiex.dma_start_task(%t)
  }
}
