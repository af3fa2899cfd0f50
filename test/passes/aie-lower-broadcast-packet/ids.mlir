// RUN: not aiec opt --aie-lower-broadcast-packet --split-input-file %s 2>&1 | FileCheck %s --check-prefix=FLOWS
// RUN: aiec opt --aie-lower-broadcast-packet --split-input-file --verify-diagnostics %s

// FLOWS: flows::same-id

module {
  aie.device(npu2) {
    %a = aie.tile(6, 2)
    %b = aie.tile(6, 3)
    %c = aie.tile(6, 4)
    aiex.broadcast_packet(%a, "DMA" : 0) {
      aiex.bp_id(0x1) {
        aiex.bp_dest<%b, "DMA" : 0>
        aiex.bp_dest<%c, "DMA" : 0>
      }
    }
  }
}

// -----

// An id that leaves the same port already would mix with this one.
module {
  aie.device(npu2) {
    %a = aie.tile(6, 2)
    %b = aie.tile(6, 3)
    %c = aie.tile(6, 4)
    aie.packet_flow(3) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
    aiex.broadcast_packet(%a, "DMA" : 0) {
      // expected-error@below {{packets of id 3 are sent from this port already}}
      aiex.bp_id(0x3) {
        aiex.bp_dest<%c, "DMA" : 0>
      }
    }
  }
}
