// RUN: aiec sim %s --as=npu-elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=256 --scratchpad %{root}/test/sim/Inputs/scratchpad_length.bin --dump arg:1 --strict 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: aiec sim %s --as=npu-elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=256 --dump arg:1 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: aiec %s --emit=scratchpad-parameters -o - | FileCheck %s --check-prefix=LIST
// RUN: aiec %s --emit=npu-elf -o %t.elf
// RUN: aiec dis --annotate %t.elf | FileCheck %s --check-prefix=LISTED
// RUN: not aiec %s -o %t.cert --diagnostics=text 2>&1 | FileCheck %s --check-prefix=REFUSED

// One parameter is the offset and the length: with 3 the transfer begins at element 3 and moves 4 + 3 · 4 elements, without a table
// it begins at 0 and moves 4.
// THREE:      0x00000000  {{.*}}| -340 -316 -290 -262
// THREE-NEXT: 0x00000010  {{.*}}| -232 -200 -166 -130
// THREE:      0x00000030  {{.*}}| 80 128 178 230
// THREE-NEXT: 0x00000040  {{.*}}| 0 0 0 0
// NONE:       0x00000000  {{.*}}| -400 -382 -362 -340
// NONE-NEXT:  0x00000010  {{.*}}| 0 0 0 0
// LIST:       n 0 i32 addr
// LISTED:     XAIE_IO_UPDATE_REG #0, #MUL, 0x4, {{.*}}DMA BD 0 word 1: adds word 0 of the scratchpad × 4
// LISTED:     XAIE_IO_UPDATE_REG #0, #MUL, 0x4, {{.*}}DMA BD 0 word 0: adds word 0 of the scratchpad × 4
// REFUSED:    `length_parameter = @n` is from the scratchpad, which only NPU firmware has
aiex.scratchpad_parameter @n : i32
aie.device(npu2) @main {
  %from = aie.tile(0, 0)
  %to = aie.tile(1, 0)
  aie.flow(%from, DMA : 0, %to, DMA : 0)
  aie.shim_dma_allocation @in(%from, MM2S, 0)
  aie.shim_dma_allocation @out(%to, S2MM, 0)
  aie.runtime_sequence @run(%a: memref<256xi32>, %b: memref<64xi32>) {
    %in = aiex.dma_configure_task_for @in {
      aie.dma_bd(%a : memref<256xi32> offset = 0 len = 4) {offset_parameter = @n, length_parameter = @n, length_unit = 4 : i32}
      aie.end
    }
    %out = aiex.dma_configure_task_for @out {
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 4) {length_parameter = @n, length_unit = 4 : i32}
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%in)
    aiex.dma_start_task(%out)
    aiex.dma_await_task(%out)
  }
}
