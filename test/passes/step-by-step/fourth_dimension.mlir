// RUN: aiec opt --aie-dma-tasks-to-npu %s | FileCheck %s
// RUN: aiec opt --aie-dma-tasks-to-npu %s -o %t.steps && aiec %t.steps --emit=ctrl-elf -o %t.elf

// `aiex.npu.writebd` has three strides; the fourth, which mem tiles have, is set behind it.

// CHECK: aiex.npu.writebd
// CHECK-SAME: d2_size = 4 : i32, d2_stride = 63 : i32
// CHECK: aiex.npu.maskwrite32
// CHECK: aiex.npu.maskwrite32

module {
  aie.device(npu2) {
    %mem = aie.tile(0, 1)
    %b = aie.buffer(%mem) {address = 4096 : i32, sym_name = "b"} : memref<2048xi32>
    aie.runtime_sequence(%a: memref<16xi32>) {
      %t = aiex.dma_configure_task(%mem, S2MM, 1) {
        aie.dma_bd(%b : memref<2048xi32> offset = 2 len = 256 sizes = [2, 4, 4, 8] strides = [512, 64, 16, 1]) {bd_id = 24 : i32}
        aie.end
      }
      aiex.dma_start_task(%t)
    }
  }
}
