// RUN: aiec opt %s --aie-create-pathfinder-flows --no-verify \
// RUN:   --split-input-file --verify-diagnostics

// The verifier refuses some of these as well; the pass doesn't rely on it.

aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  // expected-error @+1 {{tile (0, 3) of npu2 has no destination port DMA : 9}}
  aie.flow(%a, DMA : 0, %b, DMA : 9)
}

// -----

aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  // expected-error @+1 {{packet id 40 doesn't fit into the header: ids go up to 31}}
  aie.packet_flow(40) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%b, DMA : 0>
  }
}

// -----

aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %c = aie.tile(0, 4)
  aie.flow(%a, DMA : 0, %b, DMA : 0)
  // expected-error @+1 {{two circuit flows from different sources end in DMA : 0 of tile (0, 3)}}
  aie.flow(%c, DMA : 0, %b, DMA : 0)
}

// -----

aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %c = aie.tile(0, 4)
  aie.flow(%a, DMA : 0, %b, DMA : 0)
  aie.packet_flow(1) {
    // expected-error @+1 {{DMA : 0 of tile (0, 2) starts a circuit flow and a packet flow}}
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%c, DMA : 0>
  }
}

// -----

// Seven streams, six wires: the message is the proof.
aie.device(npu1_1col) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %c2 = aie.tile(0, 2)
  %c3 = aie.tile(0, 3)
  %c4 = aie.tile(0, 4)
  %c5 = aie.tile(0, 5)
  // expected-error @+1 {{but only 6 free wires lead}}
  aie.flow(%mem, DMA : 0, %c2, DMA : 0)
  aie.flow(%mem, DMA : 1, %c2, DMA : 1)
  aie.flow(%mem, DMA : 2, %c3, DMA : 0)
  aie.flow(%mem, DMA : 3, %c3, DMA : 1)
  aie.flow(%mem, DMA : 4, %c4, DMA : 0)
  aie.flow(%mem, DMA : 5, %c4, DMA : 1)
  aie.flow(%shim, DMA : 0, %c5, DMA : 0)
}

// -----

aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %switchbox_0_2 = aie.switchbox(%a) {
    aie.connect<DMA : 0, South : 0>
  }
  // expected-error @+1 {{is used by a hand-written setting that doesn't carry it}}
  aie.flow(%a, DMA : 0, %b, DMA : 0)
}

// -----

// The rule written for ids 0 to 3 says already where id 2 goes, and not where the flow wants it.
aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %switchbox_0_2 = aie.switchbox(%a) {
    %0 = aie.amsel<0> (0)
    %1 = aie.masterset(DMA : 1, %0)
    aie.packet_rules(DMA : 0) {
      aie.rule(28, 0, %0)
    }
  }
  // expected-error @+1 {{is used by a hand-written setting that doesn't carry it}}
  aie.packet_flow(2) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%b, DMA : 0>
  }
}

// -----

aie.device(npu2) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %switchbox_0_3 = aie.switchbox(%b) {
    %0 = aie.amsel<0> (0)
    %1 = aie.masterset(DMA : 0, %0)
    aie.packet_rules(South : 0) {
      aie.rule(31, 5, %0)
    }
  }
  // expected-error @+1 {{asks for keep_pkt_header = true at DMA : 0 of tile (0, 3)}}
  aie.packet_flow(2) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%b, DMA : 0>
  } {keep_pkt_header = true}
}
