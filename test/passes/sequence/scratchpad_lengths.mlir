// RUN: aiec opt --split-input-file --aie-lower-scratchpad-parameters %s | FileCheck %s --check-prefix=WORDS
// RUN: aiec opt --split-input-file --aie-lower-scratchpad-parameters --aie-assign-lock-ids --aie-assign-buffer-addresses --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu --aie-dma-to-npu %s | FileCheck %s

// A length that only transfers have is in the table as it is: 64 bf16 are 32 words. One that a core reads, too, is there times 4.
// WORDS-LABEL: module
// WORDS:       aiex.scratchpad_parameter @n : i32 {kind = 1 : i32, state_table_idx = 0 : ui8}
// WORDS:       aiex.scratchpad_parameter @m : i32 {kind = 0 : i32, state_table_idx = 1 : ui8}
// WORDS:       aie.dma_bd({{.*}}) {bd_id = 3 : i32, length_state_table_idx = 0 : ui8, length_unit = 64 : i32}
// WORDS:       aie.dma_bd({{.*}}) {bd_id = 4 : i32, length_core_encoded, length_state_table_idx = 1 : ui8, length_unit = 64 : i32}
// CHECK-LABEL: aie.runtime_sequence @kinds
// CHECK:       aiex.npu.create_scratchpad {size = 8 : ui32}
// CHECK:       aiex.npu.blockwrite({{.*}}) {address = 118880 : ui32}
// CHECK:       aiex.npu.address_patch
// CHECK-NEXT:  aiex.npu.update_from_scratchpad<mul> {address = 118880 : ui32, func_arg = 32 : ui32, state_table_idx = 0 : ui8}
// CHECK:       aiex.npu.blockwrite({{.*}}) {address = 118912 : ui32}
// CHECK:       aiex.npu.update_from_scratchpad<mul> {address = 118912 : ui32, func_arg = 8 : ui32, state_table_idx = 1 : ui8}
aiex.scratchpad_parameter @n : i32
aiex.scratchpad_parameter @m : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.core(%core) {
    %v = aiex.read_scratchpad_parameter @m : i32
    aie.end
  }
  aie.runtime_sequence @kinds(%a: memref<4096xbf16>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xbf16> offset = 0 len = 64) {bd_id = 3 : i32, length_parameter = @n, length_unit = 64 : i32}
      aie.end
    }
    aiex.dma_start_task(%t)
    %u = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xbf16> offset = 0 len = 64) {bd_id = 4 : i32, length_parameter = @m, length_unit = 64 : i32}
      aie.end
    }
    aiex.dma_start_task(%u)
  }
}

// -----

// Offset and length of one transfer: word 1 by the bytes of an element, then word 0 by those of a unit. The outermost of three
// dimensions goes on, whose end is the length's.
// CHECK:       dense<[64, 0, 0, 8388608, -1069547505, 33554495, 0, 33554432]>
// CHECK-LABEL: aie.runtime_sequence @strided
// CHECK:       aiex.npu.update_from_scratchpad<mul> {address = 33673380 : ui32, func_arg = 4 : ui32, state_table_idx = 0 : ui8}
// CHECK-NEXT:  aiex.npu.update_from_scratchpad<mul> {address = 33673376 : ui32, func_arg = 32 : ui32, state_table_idx = 1 : ui8}
// CHECK-LABEL: aie.runtime_sequence @memcpy
// CHECK:       aiex.npu.blockwrite({{.*}}) {address = 118816 : ui32}
// CHECK:       aiex.npu.update_from_scratchpad<mul> {address = 118816 : ui32, func_arg = 32 : ui32, state_table_idx = 1 : ui8}
aiex.scratchpad_parameter @off : i32
aiex.scratchpad_parameter @rows : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %other = aie.tile(1, 0)
  aie.shim_dma_allocation @dma(%shim, MM2S, 0)
  aie.runtime_sequence @strided(%a: memref<4096xi32>) {
    %t = aiex.dma_configure_task(%other, S2MM, 1) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 64 sizes = [2, 4, 8] strides = [64, 16, 1]) {bd_id = 5 : i32, offset_parameter = @off, length_parameter = @rows, length_unit = 32 : i32}
      aie.end
    }
    aiex.dma_start_task(%t)
  }
  aie.runtime_sequence @memcpy(%a: memref<4096xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 2, 4, 8][0, 64, 16, 1]) {id = 1 : i64, metadata = @dma, length_parameter = @rows, length_unit = 32 : i64} : memref<4096xi32>
  }
}

// -----

// Two dimensions: rows go to the third one, and the second has a size of 1. The length may begin with 0; the sizes are then the shape
// of a unit. Beside an iteration the whole pattern grows.
// CHECK:       dense<[0, 0, 0, [[ROWS:8388608, -1072693248, 33554447]], 0, 33554432]>
// CHECK:       aie.runtime_sequence @rows
// CHECK:       aiex.npu.update_from_scratchpad<mul> {address = 118880 : ui32, func_arg = 8 : ui32, state_table_idx = 0 : ui8}
// CHECK:       dense<[0, 0, 0, 0, -1073741824, 33554432, 0, 33554432]>
// CHECK:       aie.runtime_sequence @linear
// CHECK:       aiex.npu.update_from_scratchpad<mul> {address = 118912 : ui32, func_arg = 16 : ui32, state_table_idx = 0 : ui8}
// CHECK:       dense<[32, 0, 0, [[ROWS]], 0, 33554432]>
// CHECK:       aie.runtime_sequence @memcpy
// CHECK:       aiex.npu.update_from_scratchpad<mul> {address = 118816 : ui32, func_arg = 8 : ui32, state_table_idx = 0 : ui8}
// CHECK:       dense<[32, 0, 0, [[ROWS]], 1049599, 33554432]>
aiex.scratchpad_parameter @n : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @dma(%shim, MM2S, 0)
  aie.runtime_sequence @rows(%a: memref<4096xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 0 sizes = [2, 8] strides = [16, 1]) {bd_id = 3 : i32, length_parameter = @n, length_unit = 8 : i32}
      aie.end
    }
    aiex.dma_start_task(%t)
  }
  aie.runtime_sequence @linear(%a: memref<4096xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 0) {bd_id = 4 : i32, length_parameter = @n, length_unit = 16 : i32}
      aie.end
    }
    aiex.dma_start_task(%t)
  }
  aie.runtime_sequence @memcpy(%a: memref<4096xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 4, 8][0, 0, 16, 1]) {id = 1 : i64, metadata = @dma, length_parameter = @n, length_unit = 8 : i64} : memref<4096xi32>
  }
  aie.runtime_sequence @iteration(%a: memref<4096xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][2, 1, 4, 8][1024, 0, 16, 1]) {id = 2 : i64, metadata = @dma, length_parameter = @n, length_unit = 8 : i64} : memref<4096xi32>
  }
}
