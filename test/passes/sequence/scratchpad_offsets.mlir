// RUN: not aiec %s -o %t --diagnostics=text 2>&1 | FileCheck %s

// Offsets that only NPU firmware adds are refused, not left out.
// CHECK-COUNT-2: is from the scratchpad, which only NPU firmware has
aiex.scratchpad_parameter @here : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.runtime_sequence(%a: memref<64xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {metadata = @in, id = 0 : i64, offset_parameter = @here} : memref<64xi32>
    %t = aiex.dma_configure_task_for @in {
      aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64) {offset_state_table_idx = 1 : ui8}
      aie.end
    }
    aiex.dma_start_task(%t)
  }
}
