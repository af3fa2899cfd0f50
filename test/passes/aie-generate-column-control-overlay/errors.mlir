// RUN: aiec opt --aie-generate-column-control-overlay=route-shim-to-tile-ctrl=true --split-input-file --verify-diagnostics %s

module {
  // expected-error@below {{some shim mm2s dma channels were reserved}}
  aie.device(npu2) {
    %s = aie.tile(1, 0)
    %a = aie.tile(1, 2)
    // expected-note@below {{uses a channel of a shim tile}}
    aie.flow(%s, DMA : 0, %a, DMA : 0)
  }
}

// -----

module {
  // expected-error@below {{xcvc1902 has no control ports to route to}}
  aie.device(xcvc1902) {
    %a = aie.tile(1, 2)
  }
}

// -----

// Packets of the design share the channels.
module {
  aie.device(npu2) {
    %s = aie.tile(1, 0)
    %a = aie.tile(1, 2)
    aie.packet_flow(0x1) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%a, DMA : 0>
    }
    aie.shim_dma_allocation @in (%s, MM2S, 0)
  }
}
