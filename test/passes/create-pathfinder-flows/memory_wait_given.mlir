// RUN: aiec opt %s --aie-create-pathfinder-flows --verify-diagnostics

// A routing written by hand: what comes into the buffer and what goes out of it share an arbiter. The second packet that comes
// waits for the first that goes.

aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %buffer = aie.buffer(%mem) : memref<64xi32>
  %free = aie.lock(%mem, 0) {init = 1 : i32}
  %full = aie.lock(%mem, 1) {init = 0 : i32}
  %dma = aie.memtile_dma(%mem) {
    %one = arith.constant 1 : i32
    %in = aie.dma_start(S2MM, 0, ^in, ^next)
  ^in:
    aie.use_lock(%free, AcquireGreaterEqual, %one)
    aie.dma_bd(%buffer : memref<64xi32> offset = 0 len = 64)
    aie.use_lock(%full, Release, %one)
    aie.next_bd ^in
  ^next:
    %out = aie.dma_start(MM2S, 0, ^out, ^end)
  ^out:
    aie.use_lock(%full, AcquireGreaterEqual, %one)
    aie.dma_bd(%buffer : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
    aie.use_lock(%free, Release, %one)
    aie.next_bd ^out
  ^end:
    aie.end
  }
  %mux = aie.shim_mux(%shim) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<North : 2, DMA : 0>
  }
  %below = aie.switchbox(%shim) {
    %in = aie.amsel<0> (0)
    %out = aie.amsel<1> (0)
    %0 = aie.masterset(North : 0, %in)
    %1 = aie.masterset(South : 2, %out)
    aie.packet_rules(South : 3) {
      aie.rule(31, 1, %in)
    }
    aie.packet_rules(North : 0) {
      aie.rule(31, 2, %out)
    }
  }
  %switch = aie.switchbox(%mem) {
    %in = aie.amsel<0> (0)
    %out = aie.amsel<0> (1)
    %0 = aie.masterset(DMA : 0, %in)
    %1 = aie.masterset(South : 0, %out)
    aie.packet_rules(South : 0) {
      // expected-warning@+3 {{only their times keep packets 1 from DMA : 0 of tile (0, 0) and packets 2 from DMA : 0 of tile (0, 1) from stopping forever: they share arbiter 0 of tile (0, 1)}}
      // expected-note@+2 {{the first come here}}
      // expected-note@+1 {{a schedule that stops: one packet of the first and no packet of the second have passed}}
      aie.rule(31, 1, %in)
    }
    aie.packet_rules(DMA : 0) {
      // expected-note@+1 {{the second come here}}
      aie.rule(31, 2, %out)
    }
  }
}
