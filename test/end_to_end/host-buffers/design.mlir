// Host buffers of the netlist without an address: arguments behind those of the sequence, here the
// only ones. Words 0 to 11 of the first go to word 4 and on of the second.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %t20 = aie.tile(0, 0)
    %t23 = aie.tile(0, 3)
    %ext = aie.external_buffer {sym_name = "ext"} : memref<16xi32>
    %out = aie.external_buffer {sym_name = "out"} : memref<16xi32>
    %b = aie.buffer(%t23) {sym_name = "b"} : memref<16xi32>
    %l = aie.lock(%t23, 0) {init = 1 : i32}
    %l2 = aie.lock(%t23, 1) {init = 0 : i32}
    aie.flow(%t20, DMA : 0, %t23, DMA : 0)
    aie.flow(%t23, DMA : 0, %t20, DMA : 0)
    %m = aie.shim_dma(%t20) {
      aie.dma_start(MM2S, 0, ^bd, ^next)
    ^bd:
      aie.dma_bd(%ext : memref<16xi32>, 0, 16)
      aie.next_bd ^end
    ^next:
      aie.dma_start(S2MM, 0, ^bd2, ^end)
    ^bd2:
      aie.dma_bd(%out : memref<16xi32>, 4, 12)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %mm = aie.mem(%t23) {
      aie.dma_start(S2MM, 0, ^bd, ^next)
    ^bd:
      aie.use_lock(%l, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<16xi32>, 0, 16)
      aie.use_lock(%l2, Release, 1)
      aie.next_bd ^end
    ^next:
      aie.dma_start(MM2S, 0, ^bd2, ^end)
    ^bd2:
      aie.use_lock(%l2, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<16xi32>, 0, 12)
      aie.use_lock(%l, Release, 1)
      aie.next_bd ^end
    ^end:
      aie.end
    }
  }
}
