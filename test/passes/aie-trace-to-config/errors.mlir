// RUN: aiec opt --split-input-file --verify-diagnostics --aie-trace-to-config --aie-trace-pack-reg-writes %s

aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %t = aie.tile(0, 2)
  aie.trace @names(%t) {
    // expected-error@+1 {{unknown trace event 'INSTR_VEKTOR'}}
    aie.trace.event<"INSTR_VEKTOR">
    // expected-error@+1 {{unknown trace event 'DMA_S2MM_0_START_TASK'}}
    aie.trace.start event=<"DMA_S2MM_0_START_TASK">
    // expected-error@+1 {{unknown trace event 'BROADCAST_16'}}
    aie.trace.stop broadcast=16
  }
  aie.trace @channels(%mem) {
    // expected-error@+1 {{unknown trace event 'DMA_S2MM_0_START_TASK'}}
    aie.trace.event<"DMA_S2MM_0_START_TASK">
    // expected-error@+1 {{trace `@channels` has no packet id}}
    aie.trace.packet type=memtile
  }
}

// -----

aie.device(npu2) {
  %t = aie.tile(0, 2)
  aie.trace.config @fields(%t) packet_type = mem {
    // expected-error@+1 {{Register not found in database: Stream_Switch_Event_Port_Selection_0}}
    aie.trace.reg register = "Stream_Switch_Event_Port_Selection_0" field = "Port_0_ID" value = "North:1"
    // expected-error@+1 {{Field not found in register: Mode in Trace_Control0}}
    aie.trace.reg register = "Trace_Control0" field = "Mode" value = 0
    // expected-error@+1 {{Invalid field bit range for register write: Trace_Control1.ID}}
    aie.trace.reg register = "Trace_Control1" field = "ID" value = 32
    // expected-error@+1 {{Overlapping masks for register Trace_Event0: mask1=127 mask2=127}}
    aie.trace.reg register = "Trace_Event0" field = "Trace_Event0" value = 1
    aie.trace.reg register = "Trace_Event0" field = "Trace_Event0" value = 2
  }
  aie.trace.config @ports(%t) packet_type = core {
    // expected-error@+1 {{Failed to resolve port value: North:9}}
    aie.trace.reg register = "Stream_Switch_Event_Port_Selection_0" field = "Port_0_ID" value = "North:9"
  }
}
