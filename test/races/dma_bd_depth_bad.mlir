// A DMA fills, a core computes, a DMA drains: the lock counts two inputs, there is one
// RACES: marked
module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %c = aie.tile(0, 2)
    aie.flow(%shim, DMA : 0, %c, DMA : 0)
    aie.flow(%c, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @in(MM2S, 0, 0)
    aie.shim_dma_allocation @out(S2MM, 0, 0)
    %x = aie.buffer(%c) {sym_name = "x"} : memref<16xi32>
    %y = aie.buffer(%c) {sym_name = "y"} : memref<16xi32>
    %x_free = aie.lock(%c, 0) {init = 2 : i32, sym_name = "x_free"}
    %x_full = aie.lock(%c, 1) {init = 0 : i32, sym_name = "x_full"}
    %y_free = aie.lock(%c, 2) {init = 1 : i32, sym_name = "y_free"}
    %y_full = aie.lock(%c, 3) {init = 0 : i32, sym_name = "y_full"}
    %mem = aie.mem(%c) {
      %0 = aie.dma_start(S2MM, 0, ^fill, ^next) // race
    ^fill:
      aie.use_lock(%x_free, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32>, 0, 16)
      aie.use_lock(%x_full, Release, 1)
      aie.next_bd ^fill
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^drain, ^end)
    ^drain:
      aie.use_lock(%y_full, AcquireGreaterEqual, 1)
      aie.dma_bd(%y : memref<16xi32>, 0, 16)
      aie.use_lock(%y_free, Release, 1)
      aie.next_bd ^drain
    ^end:
      aie.end
    }
    %c_core = aie.core(%c) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %n = arith.constant 16 : index
      %k = arith.constant 5 : i32
      scf.for %round = %c0 to %c4 step %c1 {
        aie.use_lock(%x_full, AcquireGreaterEqual, 1)
        aie.use_lock(%y_free, AcquireGreaterEqual, 1)
        scf.for %i = %c0 to %n step %c1 {
          %v = memref.load %x[%i] : memref<16xi32> // race
          %w = arith.addi %v, %k : i32
          memref.store %w, %y[%i] : memref<16xi32>
        }
        aie.use_lock(%x_free, Release, 1)
        aie.use_lock(%y_full, Release, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
