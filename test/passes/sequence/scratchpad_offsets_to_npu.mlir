// RUN: aiec opt --split-input-file --aie-lower-scratchpad-parameters --aie-dma-tasks-to-npu --aie-dma-to-npu %s | FileCheck %s
// RUN: aiec opt --split-input-file --aie-lower-scratchpad-parameters --aie-dma-tasks-to-npu --aie-dma-to-npu %s | aiec opt --split-input-file - | FileCheck %s

// An update comes after the patch that puts the buffer's address into the descriptor; the firmware
// multiplies the number of elements by their bytes.
// CHECK:      aiex.npu.address_patch({{.*}}) {addr = 118788 : ui32, arg_idx = 0 : i32}
// CHECK-NEXT: aiex.npu.update_from_scratchpad<mul> {address = 118788 : ui32, func_arg = 2 : ui32, state_table_idx = 1 : ui8}
// CHECK:      aiex.npu.address_patch({{.*}}) {addr = 118820 : ui32, arg_idx = 1 : i32}
// CHECK-NEXT: aiex.npu.update_from_scratchpad<mul> {address = 118820 : ui32, func_arg = 4 : ui32, state_table_idx = 0 : ui8}
aiex.scratchpad_parameter @out : i32
aiex.scratchpad_parameter @in : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @a(%shim, MM2S, 0)
  aie.runtime_sequence(%a: memref<64xi16>, %b: memref<64xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {metadata = @a, id = 0 : i64, offset_parameter = @in} : memref<64xi16>
    %t = aiex.dma_configure_task(%shim, S2MM, 0) {
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 16) {bd_id = 1 : i32, offset_parameter = @out}
      aie.end
    }
    aiex.dma_start_task(%t)
  }
}
