// Two cores send packets to a mem tile
// RACES: none
module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %p = aie.tile(0, 2)
    %q = aie.tile(0, 3)
    aie.packet_flow(1) {
      aie.packet_source<%p, DMA : 0>
      aie.packet_dest<%m, DMA : 0>
    }
    aie.packet_flow(2) {
      aie.packet_source<%q, DMA : 0>
      aie.packet_dest<%m, DMA : 0>
    }
    aie.flow(%m, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @out(S2MM, 0, 0)
    %x = aie.buffer(%m) {sym_name = "x"} : memref<16xi32>
    %free = aie.lock(%m, 0) {init = 1 : i32, sym_name = "free"}
    %full = aie.lock(%m, 1) {init = 0 : i32, sym_name = "full"}
    %px = aie.buffer(%p) {sym_name = "px"} : memref<16xi32>
    %qx = aie.buffer(%q) {sym_name = "qx"} : memref<16xi32>
    %p_free = aie.lock(%p, 0) {init = 1 : i32, sym_name = "p_free"}
    %p_full = aie.lock(%p, 1) {init = 0 : i32, sym_name = "p_full"}
    %q_free = aie.lock(%q, 0) {init = 1 : i32, sym_name = "q_free"}
    %q_full = aie.lock(%q, 1) {init = 0 : i32, sym_name = "q_full"}
    %p_mem = aie.mem(%p) {
      %0 = aie.dma_start(MM2S, 0, ^drain, ^end)
    ^drain:
      aie.use_lock(%p_full, AcquireGreaterEqual, 1)
      aie.dma_bd_packet(0, 1)
      aie.dma_bd(%px : memref<16xi32>, 0, 16)
      aie.use_lock(%p_free, Release, 1)
      aie.next_bd ^drain
    ^end:
      aie.end
    }
    %p_core = aie.core(%p) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %n = arith.constant 16 : index
      %k = arith.constant 5 : i32
      scf.for %round = %c0 to %c4 step %c1 {
        aie.use_lock(%p_free, AcquireGreaterEqual, 1)
        scf.for %i = %c0 to %n step %c1 {
          memref.store %k, %px[%i] : memref<16xi32>
        }
        aie.use_lock(%p_full, Release, 1)
      }
      aie.end
    }
    %q_mem = aie.mem(%q) {
      %0 = aie.dma_start(MM2S, 0, ^drain, ^end)
    ^drain:
      aie.use_lock(%q_full, AcquireGreaterEqual, 1)
      aie.dma_bd_packet(0, 2)
      aie.dma_bd(%qx : memref<16xi32>, 0, 16)
      aie.use_lock(%q_free, Release, 1)
      aie.next_bd ^drain
    ^end:
      aie.end
    }
    %q_core = aie.core(%q) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %n = arith.constant 16 : index
      %k = arith.constant 5 : i32
      scf.for %round = %c0 to %c4 step %c1 {
        aie.use_lock(%q_free, AcquireGreaterEqual, 1)
        scf.for %i = %c0 to %n step %c1 {
          memref.store %k, %qx[%i] : memref<16xi32>
        }
        aie.use_lock(%q_full, Release, 1)
      }
      aie.end
    }
    %mem = aie.memtile_dma(%m) {
      %0 = aie.dma_start(S2MM, 0, ^fill, ^next)
    ^fill:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32>, 0, 16)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^fill
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^drain, ^end)
    ^drain:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32>, 0, 16)
      aie.use_lock(%free, Release, 1)
      aie.next_bd ^drain
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
