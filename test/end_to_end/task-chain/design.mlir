// Tasks by allocation: a chain of two BDs, a repeated task, BD ids left to the compiler, free after
// await, and the same id used again.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<128xi32>) {
      %out = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<128xi32>, 0, 64)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%out)
      // the upper half, then the lower half
      %in = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<64xi32>, 32, 32)
        aie.next_bd ^lower
      ^lower:
        aie.dma_bd(%a : memref<64xi32>, 0, 32)
        aie.end
      }
      aiex.dma_start_task(%in)
      aiex.dma_await_task(%out)
      aiex.dma_free_task(%in)
      // every fourth number, four times over
      %out2 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<128xi32>, 64, 64)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%out2)
      %in2 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<64xi32>, 0, 16, [<size = 16, stride = 4>])
        aie.end
      } {repeat_count = 3 : i32}
      aiex.dma_start_task(%in2)
      aiex.dma_await_task(%out2)
    }
  }
}
