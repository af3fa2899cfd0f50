// RUN: aiec opt --split-input-file --aie-trace-to-config %s | FileCheck %s
// RUN: aiec opt --split-input-file --aie-trace-to-config --aie-trace-pack-reg-writes %s | FileCheck --check-prefix=PACKED %s
// Register fields by the names of the manual, and packed: one value with its mask a register.

// CHECK-LABEL: aie.device(xcve3858)
// CHECK:         aie.trace.config @all_config(%tile_0_3) packet_type = core {
// CHECK-NEXT:      aie.trace.reg register = "Combo_event_inputs" field = "eventA" value = "LOCK_STALL" comment = "combo0 eventA"
// CHECK-NEXT:      aie.trace.reg register = "Combo_event_inputs" field = "eventB" value = "STREAM_STALL"
// CHECK-NEXT:      aie.trace.reg register = "Combo_event_control" field = "combo0" value = 2
// CHECK-NEXT:      aie.trace.reg register = "Combo_event_inputs" field = "eventC" value = "ACTIVE"
// CHECK-NEXT:      aie.trace.reg register = "Combo_event_inputs" field = "eventD" value = "INSTR_VECTOR"
// CHECK-NEXT:      aie.trace.reg register = "Combo_event_control" field = "combo1" value = 1
// CHECK-NEXT:      aie.trace.reg register = "Combo_event_control" field = "combo2" value = 0
// CHECK-NEXT:      aie.trace.reg register = "Edge_Detection_event_control" field = "Edge_Detection_Event_1" value = "LOCK_STALL"
// CHECK-NEXT:      aie.trace.reg register = "Edge_Detection_event_control" field = "Edge_Detection_1_Trigger_Rising" value = 0
// CHECK-NEXT:      aie.trace.reg register = "Edge_Detection_event_control" field = "Edge_Detection_1_Trigger_Falling" value = 1
// CHECK-NEXT:      aie.trace.reg register = "Trace_Control0" field = "Mode" value = 0
// CHECK-NEXT:      aie.trace.reg register = "Trace_Control1" field = "ID" value = 3
// CHECK-NEXT:      aie.trace.reg register = "Trace_Control1" field = "Packet_Type" value = 0
// CHECK-NEXT:      aie.trace.reg register = "Trace_Control0" field = "Trace_Start_Event" value = 122
// CHECK-NEXT:      aie.trace.reg register = "Trace_Control0" field = "Trace_Stop_Event" value = 28
// CHECK-NEXT:      aie.trace.reg register = "Stream_Switch_Event_Port_Selection_1" field = "Port_5_ID" value = "South:2"
// CHECK-NEXT:      aie.trace.reg register = "Stream_Switch_Event_Port_Selection_1" field = "Port_5_Master_Slave" value = 1
// CHECK-NEXT:      aie.trace.reg register = "Trace_Event0" field = "Trace_Event0" value = "COMBO_EVENT_0"
// CHECK:           aie.trace.reg register = "Trace_Event1" field = "Trace_Event4" value = "PORT_RUNNING_5"
// CHECK:         aie.trace.start_config @all_config

// PACKED-LABEL: aie.device(xcve3858)
// PACKED:         aie.trace.config @all_config(%tile_0_3) packet_type = core {
// STREAM_STALL 24, LOCK_STALL 26, INSTR_VECTOR 37, ACTIVE 28.
// PACKED-NEXT:      aie.trace.reg register = "Combo_event_inputs" value = 622598170 mask = 2139062143
// PACKED-NEXT:      aie.trace.reg register = "Combo_event_control" value = 258 mask = 197379
// PACKED-NEXT:      aie.trace.reg register = "Edge_Detection_event_control" value = 68812800 mask = 108986368
// PACKED-NEXT:      aie.trace.reg register = "Trace_Control0" value = 477757440 mask = 2139029507 comment = "trace mode + start event + stop event"
// PACKED-NEXT:      aie.trace.reg register = "Trace_Control1" value = 3 mask = 28703
// PACKED-NEXT:      aie.trace.reg register = "Stream_Switch_Event_Port_Selection_1"
// PACKED-NEXT:      aie.trace.reg register = "Trace_Event0"
// PACKED-NEXT:      aie.trace.reg register = "Trace_Event1" value = 95 mask = 127
// PACKED-NEXT:    }
aie.device(xcve3858) {
  %t = aie.tile(0, 3)
  aie.trace @all(%t) {
    aie.trace.mode "Event-Time"
    aie.trace.packet id=3 type=core
    aie.trace.combo_event<0> <"LOCK_STALL"> OR <"STREAM_STALL">
    aie.trace.combo_event<1> <"ACTIVE"> AND_NOT <"INSTR_VECTOR">
    aie.trace.combo_event<2> <"COMBO_EVENT_0"> AND <"COMBO_EVENT_1">
    aie.trace.edge_event<1> event=<"LOCK_STALL"> trigger=FALLING
    aie.trace.port<5> port=South channel=2 direction=S2MM
    aie.trace.event<"COMBO_EVENT_0">
    aie.trace.event<"COMBO_EVENT_2">
    aie.trace.event<"EDGE_DETECTION_EVENT_1">
    aie.trace.event<33>
    aie.trace.event<"PORT_RUNNING_5">
    aie.trace.start broadcast=15
    aie.trace.stop event=<"ACTIVE">
  }
  aie.runtime_sequence(%x: memref<16xi32>) {
    aie.trace.start_config @all
  }
}

// -----

// Shim tiles of AIE2ps have other numbers, and take the names of the other generations too.

// PACKED-LABEL: aie.device(xcve3858) @shim
// NOC0_DMA_S2MM_0_START_TASK is 14, STREAM_SWITCH_PORT_RUNNING_0 134.
// PACKED:         aie.trace.reg register = "Trace_Control0" value = 11993088
// PACKED:         aie.trace.reg register = "Trace_Event0" value = 34318 mask = 65535
aie.device(xcve3858) @shim {
  %t = aie.tile(0, 0)
  aie.trace @shim(%t) {
    aie.trace.packet id=3 type=shimtile
    aie.trace.event<"DMA_S2MM_0_START_TASK">
    aie.trace.event<"PORT_RUNNING_0">
    aie.trace.start event=<"USER_EVENT_1">
    aie.trace.stop event=<"NONE">
  }
}
