// RUN: aiec opt --aie-check-packet-headers --split-input-file --verify-diagnostics %s

// The source sends id 5, the flow has 6.
module {
  aie.device(npu2) {
    %s = aie.tile(0, 3)
    %t = aie.tile(0, 2)
    %x = aie.buffer(%s) {sym_name = "x"} : memref<2xi32>
    aie.packet_flow(6) {
      // expected-warning@below {{no packet has the id 6 of this flow: DMA MM2S 0 of tile (0, 3) sends 5}}
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%t, DMA : 0>
    }
    %mem = aie.mem(%s) {
      %d = aie.dma_start(MM2S, 0, ^one, ^end)
    ^one:
      aie.dma_bd(%x : memref<2xi32>, 0, 2) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 5>}
      aie.next_bd ^one
    ^end:
      aie.end
    }
  }
}

// -----

// The same id; a channel that sends without headers, whose data may hold them; a source that isn't a DMA channel.
module {
  aie.device(npu2) {
    %s = aie.tile(0, 3)
    %t = aie.tile(0, 2)
    %x = aie.buffer(%s) {sym_name = "x"} : memref<2xi32>
    aie.packet_flow(5) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%t, DMA : 0>
    }
    aie.packet_flow(6) {
      aie.packet_source<%s, DMA : 1>
      aie.packet_dest<%t, DMA : 0>
    }
    aie.packet_flow(7) {
      aie.packet_source<%s, Core : 0>
      aie.packet_dest<%t, DMA : 0>
    }
    %mem = aie.mem(%s) {
      %d = aie.dma_start(MM2S, 0, ^one, ^second)
    ^one:
      aie.dma_bd(%x : memref<2xi32>, 0, 2) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 5>}
      aie.next_bd ^one
    ^second:
      %e = aie.dma_start(MM2S, 1, ^two, ^end)
    ^two:
      aie.dma_bd(%x : memref<2xi32>, 0, 2)
      aie.next_bd ^two
    ^end:
      aie.end
    }
  }
}

// -----

// The runtime sequence gives the channel another descriptor.
module {
  aie.device(npu2) {
    %s = aie.tile(0, 1)
    %t = aie.tile(0, 2)
    %x = aie.buffer(%s) {sym_name = "x"} : memref<2xi32>
    aie.packet_flow(6) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%t, DMA : 0>
    }
    %mem = aie.memtile_dma(%s) {
      %d = aie.dma_start(MM2S, 0, ^one, ^end)
    ^one:
      aie.dma_bd(%x : memref<2xi32>, 0, 2) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 5>}
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.runtime_sequence() {
      %task = aiex.dma_configure_task(%s, MM2S, 0) {
        aie.dma_bd(%x : memref<2xi32>, 0, 2) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 6>}
        aie.end
      }
      aiex.dma_start_task(%task)
      aiex.dma_await_task(%task)
    }
  }
}
