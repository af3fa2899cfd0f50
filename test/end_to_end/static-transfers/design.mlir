// Nothing for the host to do but to configure the array: its shim tile reads and writes host buffers by itself,
// and the run is over when nothing moves any more.
// Devices: npu1, npu2, xcve2302, xcve3858

module {
  aie.device(xcve3858) {
    %shim = aie.tile(2, 0)
    %worker = aie.tile(2, 3)
    %from = aie.external_buffer {sym_name = "from"} : memref<1024xi32>
    %to = aie.external_buffer {sym_name = "to"} : memref<1024xi32>
    %x = aie.buffer(%worker) {sym_name = "x"} : memref<16xi32>
    %y = aie.buffer(%worker) {sym_name = "y"} : memref<16xi32>
    %x_free = aie.lock(%worker, 0) {init = 1 : i32, sym_name = "x_free"}
    %x_full = aie.lock(%worker, 1) {init = 0 : i32, sym_name = "x_full"}
    %y_free = aie.lock(%worker, 2) {init = 1 : i32, sym_name = "y_free"}
    %y_full = aie.lock(%worker, 3) {init = 0 : i32, sym_name = "y_full"}
    aie.flow(%shim, DMA : 0, %worker, DMA : 0)
    aie.flow(%worker, DMA : 0, %shim, DMA : 0)
    aie.shim_dma(%shim) {
      aie.dma_start(MM2S, 0, ^read, ^second)
    ^read:
      aie.dma_bd(%from : memref<1024xi32> offset = 0 len = 1024)
      aie.next_bd ^end
    ^second:
      aie.dma_start(S2MM, 0, ^write, ^end)
    ^write:
      aie.dma_bd(%to : memref<1024xi32> offset = 0 len = 1024)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.mem(%worker) {
      aie.dma_start(S2MM, 0, ^take, ^second)
    ^take:
      aie.use_lock(%x_free, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%x_full, Release, 1)
      aie.next_bd ^take
    ^second:
      aie.dma_start(MM2S, 0, ^give, ^end)
    ^give:
      aie.use_lock(%y_full, AcquireGreaterEqual, 1)
      aie.dma_bd(%y : memref<16xi32> offset = 0 len = 16)
      aie.use_lock(%y_free, Release, 1)
      aie.next_bd ^give
    ^end:
      aie.end
    }
    aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %many = arith.constant 4294967295 : index
      %three = arith.constant dense<3> : vector<16xi32>
      scf.for %i = %c0 to %many step %c1 {
        aie.use_lock(%x_full, AcquireGreaterEqual, 1)
        aie.use_lock(%y_free, AcquireGreaterEqual, 1)
        %v = vector.load %x[%c0] : memref<16xi32>, vector<16xi32>
        %w = arith.muli %v, %three : vector<16xi32>
        vector.store %w, %y[%c0] : memref<16xi32>, vector<16xi32>
        aie.use_lock(%x_free, Release, 1)
        aie.use_lock(%y_full, Release, 1)
      }
      aie.end
    }
    aie.runtime_sequence() {
    }
  }
}
