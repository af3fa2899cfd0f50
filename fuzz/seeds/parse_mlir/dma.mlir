// Locks, BD chains, switches, packet flows, control code.
#pkt = #aie.packet_info<pkt_type = 0, pkt_id = 3>
module {
  aie.device(npu2) @main {
    %tile = aie.tile(1, 2) {controller_id = #pkt}
    %mem = aie.tile(1, 1)
    %shim = aie.tile(1, 0)
    %buf = aie.buffer(%tile) {sym_name = "buf", address = 1024 : i32} : memref<64xi32> = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64]>
    %big = aie.buffer(%mem) : memref<128xi16>
    %p = aie.lock(%tile, 0) {init = 1 : i32}
    %q = aie.lock(%tile, 0x1) {init = 0 : i32}
    aie.flow(%shim, DMA : 0, %tile, "DMA" : 1)
    aie.packet_flow(0x3) {
      aie.packet_source<%tile, DMA : 0>
      aie.packet_dest<%shim, DMA : 1>
    } {keep_pkt_header = true}
    aie.cascade_flow(%tile, %tile)
    %sw = aie.switchbox(%tile) {
      aie.connect<South : 0, DMA : 0>
      %a = aie.amsel<1> (2)
      %o = aie.masterset(North : 0, %a)
      aie.packet_rules(South : 2) {
        aie.rule(31, 1, %a)
      }
    }
    %dma = aie.mem(%tile) {
      %one = arith.constant 1 : i32
      %0 = aie.dma_start(S2MM, 0, ^bd0, ^next, repeat_count = 2)
    ^bd0:
      aie.use_lock(%p, AcquireGreaterEqual, %one)
      aie.dma_bd(%buf : memref<64xi32>, 0, 32, [<size = 4, stride = 8>, <size = 8, stride = 1>]) {bd_id = 0 : i32}
      aie.use_lock(%q, Release, 1)
      aie.next_bd ^bd0
    ^next:
      %1 = aie.dma_start("MM2S", 0, ^bd1, ^end)
    ^bd1:
      aie.dma_bd_packet(0, 3)
      aie.dma_bd(%buf : memref<64xi32> offset = 4 len = 8)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %regions = aie.memtile_dma(%mem) {
      %x = aie.dma(MM2S, 0) {loop = false, sym_name = "x"} [{
        aie.dma_bd(%big : memref<128xi16> offset = 0 len = 64 sizes = [2, 16] strides = [64, 1] pad [<const_pad_before = 0, const_pad_after = 0>, <const_pad_before = 2, const_pad_after = 2>])
      }, {
        aie.dma_bd(%big : memref<128xi16>)
      }]
      aie.end
    }
    aie.trace @t(%tile) {
      aie.trace.mode "Event-Time"
      aie.trace.packet id=1 type=core
      aie.trace.event<"INSTR_VECTOR"> label = "x"
      aie.trace.start broadcast=15
      aie.trace.stop event=<"NONE">
    }
  }
  aiex.cert.section @s {
    aiex.cert.page {
      aiex.cert.job(1) {
        aiex.cert.maskwrite32(0x10, 3, 5)
        aiex.cert.apply_offset_57(@d, 2, 0xffff)
        aiex.cert.wait_tcts(32, 6, 2)
        aiex.cert.nop
      }
      aiex.cert.uc_dma_chain @c {
        aiex.cert.uc_dma_bd @d, 0x2001d000, 8, false
      }
    }
  }
}
