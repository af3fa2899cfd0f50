// RUN: aiec %s --emit=ctrl-asm -o - | FileCheck %s
// RUN: aiec opt %s | FileCheck %s --check-prefix=TEXT
// RUN: aiec opt %s | aiec opt | FileCheck %s --check-prefix=TEXT

// A configure may use what is of the device that it loads, by `@device::@name`.
// CHECK:      LOAD_PDI
// CHECK:      APPLY_OFFSET_57 {{.*}}, 1, 0
// CHECK:      WAIT_TCTS {{ *}}TILE_2_0, SHIM_MM2S_1, 1

// TEXT: metadata = @other::@in
// TEXT: aiex.npu.dma_wait {symbol = @other::@in}
// TEXT: aiex.dma_configure_task_for @other::@in
aie.device(xcve3858) @main {
  aie.runtime_sequence @s(%x: memref<4xi32>) {
    aiex.configure @other {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @other::@in} : memref<4xi32>
      aiex.npu.dma_wait {symbol = @other::@in}
      %t = aiex.dma_configure_task_for @other::@in {
        aie.dma_bd(%x : memref<4xi32> offset = 0 len = 2)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      aiex.dma_await_task(%t)
    }
  }
}
aie.device(xcve3858) @other {
  %shim = aie.tile(2, 0)
  aie.shim_dma_allocation @in(%shim, MM2S, 1)
}
