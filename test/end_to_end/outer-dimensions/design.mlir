// BDs of DMA programs with one dimension more than the DMA has: a chain that ends (the BD's iteration and a
// repeat count), a ring over the same data (nothing but the length), a ring with locks (one BD for each run) and
// a ring of a mem tile (iteration).
// Devices: npu1, npu2

module {
  aie.device(npu1) {
    %shim0 = aie.tile(0, 0)
    %shim1 = aie.tile(1, 0)
    %mem = aie.tile(1, 1)
    %core2 = aie.tile(0, 2)
    %core3 = aie.tile(1, 3)
    %words2 = aie.buffer(%core2) : memref<96xi32> = dense<[100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195]>
    %words3 = aie.buffer(%core3) : memref<96xi32> = dense<[100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195]>
    %words1 = aie.buffer(%mem) : memref<96xi32> = dense<[100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195]>
    %full = aie.lock(%core3) {init = 2 : i32}
    %empty = aie.lock(%core3) {init = 0 : i32}
    aie.flow(%core2, DMA : 0, %shim0, DMA : 0)
    aie.flow(%core2, DMA : 1, %shim0, DMA : 1)
    aie.flow(%core3, DMA : 0, %shim1, DMA : 0)
    aie.flow(%mem, DMA : 0, %shim1, DMA : 1)
    aie.shim_dma_allocation @finite(%shim0, S2MM, 0)
    aie.shim_dma_allocation @same(%shim0, S2MM, 1)
    aie.shim_dma_allocation @locked(%shim1, S2MM, 0)
    aie.shim_dma_allocation @ring(%shim1, S2MM, 1)
    aie.mem(%core2) {
      aie.dma_start(MM2S, 0, ^twice, ^second, repeat_count = 1)
    ^twice:
      aie.dma_bd(%words2 : memref<96xi32> offset = 0 len = 48 sizes = [3, 2, 2, 4] strides = [32, 12, 8, 1])
      aie.next_bd ^end
    ^second:
      aie.dma_start(MM2S, 1, ^again, ^end)
    ^again:
      aie.dma_bd(%words2 : memref<96xi32> offset = 4 len = 60 sizes = [5, 3, 2, 2] strides = [0, 24, 8, 2])
      aie.next_bd ^again
    ^end:
      aie.end
    }
    aie.mem(%core3) {
      aie.dma_start(MM2S, 0, ^locked, ^end)
    ^locked:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%words3 : memref<96xi32> offset = 2 len = 48 sizes = [4, 3, 2, 2] strides = [20, 10, 4, 1])
      aie.use_lock(%empty, Release, 1)
      aie.next_bd ^locked
    ^end:
      aie.end
    }
    aie.memtile_dma(%mem) {
      aie.dma_start(MM2S, 0, ^ring, ^end)
    ^ring:
      aie.dma_bd(%words1 : memref<96xi32> offset = 0 len = 48 sizes = [3, 2, 2, 2, 2] strides = [30, 12, 6, 4, 1])
      aie.next_bd ^ring
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<96xi32>, %b: memref<72xi32>, %c: memref<96xi32>, %d: memref<96xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 96][0, 0, 0, 1]) {id = 0 : i64, metadata = @finite, issue_token = true} : memref<96xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 72][0, 0, 0, 1]) {id = 1 : i64, metadata = @same, issue_token = true} : memref<72xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 96][0, 0, 0, 1]) {id = 0 : i64, metadata = @locked, issue_token = true} : memref<96xi32>
      aiex.npu.dma_memcpy_nd(%d[0, 0, 0, 0][1, 1, 1, 96][0, 0, 0, 1]) {id = 1 : i64, metadata = @ring, issue_token = true} : memref<96xi32>
      aiex.npu.dma_wait {symbol = @finite}
      aiex.npu.dma_wait {symbol = @same}
      aiex.npu.dma_wait {symbol = @locked}
      aiex.npu.dma_wait {symbol = @ring}
    }
  }
}
