// RUN: aiec opt --verify-diagnostics %s
// Traces: slots, ports, packets, what starts and stops them.

aie.device(npu1) {
  %t = aie.tile(0, 2)
  // expected-error@+1 {{trace unit supports maximum 8 events}}
  aie.trace @events(%t) {
    aie.trace.event<"A">
    aie.trace.event<"B">
    aie.trace.event<"C">
    aie.trace.event<"D">
    aie.trace.event<"E">
    aie.trace.event<"F">
    aie.trace.event<"G">
    aie.trace.event<"H">
    aie.trace.event<"I">
  }
  aie.trace @rest(%t) {
    // expected-error@+1 {{attribute 'id' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 31}}
    aie.trace.packet id = 32 type = core
    // expected-error@+1 {{event 'CoreEventAIE2P::X' is not valid for core tile (AIE2) at (0, 2)}}
    aie.trace.event<CoreEventAIE2P::X>
    // expected-error@+1 {{attribute 'slot' failed to satisfy constraint}}
    aie.trace.port<8> port = North channel = 1 direction = S2MM
    // expected-error@+1 {{invalid stream switch port configuration for tile (0, 2)}}
    aie.trace.port<0> port = DMA channel = 7 direction = MM2S
    // expected-error@+1 {{duplicate port slot 1 in trace rest}}
    aie.trace.port<1> port = North channel = 1 direction = S2MM
    aie.trace.port<1> port = DMA channel = 0 direction = MM2S
    // expected-error@+1 {{combo event slot must be 0, 1, or 2, got 5}}
    aie.trace.combo_event<5> <"A"> AND <"B">
    // expected-error@+1 {{combo slot 2 first event must be COMBO_EVENT_0 (hierarchical), got A}}
    aie.trace.combo_event<2> <"A"> AND <"B">
    aie.trace.edge_event<0> event = <"A"> trigger = RISING
    // expected-error@+1 {{edge detection slot 0 already in use in this trace}}
    aie.trace.edge_event<0> event = <"B"> trigger = FALLING
    // expected-error@+1 {{edge detection source should be a regular event}}
    aie.trace.edge_event<1> event = <"EDGE_DETECTION_EVENT_0"> trigger = BOTH
    // expected-error@+1 {{must specify either broadcast or event}}
    aie.trace.start
    // expected-error@+1 {{cannot specify both broadcast and event}}
    aie.trace.stop broadcast = 15 event = <"TRUE">
  }
}
