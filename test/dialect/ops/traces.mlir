// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Traces.

aie.device(npu2) {
  %t00 = aie.tile(0, 0)
  %t02 = aie.tile(0, 2)
  aie.trace @all(%t02) {
    aie.trace.mode "Event-Time"
    aie.trace.packet id=1 type="core"
    aie.trace.port<0> port=North channel=1 direction=S2MM
    aie.trace.combo_event<0> <"INSTR_EVENT_0"> AND_NOT <"INSTR_VECTOR">
    aie.trace.edge_event<0> event=<"LOCK_STALL"> trigger=BOTH
    aie.trace.event<"INSTR_VECTOR"> label="x"
    aie.trace.event<CoreEventAIE2P::LOCK_STALL>
    aie.trace.event<37>
    aie.trace.start broadcast=15
    aie.trace.stop event=<"NONE">
  }
  aie.trace @auto(%t00) {
    aie.trace.packet type=shimtile
  }
  aie.trace.config @fields(%t02) packet_type = core {
    aie.trace.reg register = "Trace_Control0" field = "Mode" value = 0 comment = "c"
    aie.trace.reg register = "Trace_Control1" value = 3 mask = 31
    aie.trace.reg register = "Trace_Event0" field = "Trace_Event0" value = "LOCK_STALL"
  }
  aie.runtime_sequence(%x: memref<16xi32>) {
    aie.trace.host_config {buffer_size = 8192 : i32, reuse_output_buffer = false}
    aie.trace.start_config @fields
  }
}

// CHECK:      module {
// CHECK-NEXT:   aie.device(npu2) {
// CHECK-NEXT:     %shim_noc_tile_0_0 = aie.tile(0, 0)
// CHECK-NEXT:     %tile_0_2 = aie.tile(0, 2)
// CHECK-NEXT:     aie.trace @all(%tile_0_2) {
// CHECK-NEXT:       aie.trace.mode "Event-Time"
// CHECK-NEXT:       aie.trace.packet id = 1 type = core
// CHECK-NEXT:       aie.trace.port<0> port = North channel = 1 direction = S2MM
// CHECK-NEXT:       aie.trace.combo_event<0> <"INSTR_EVENT_0"> AND_NOT <"INSTR_VECTOR">
// CHECK-NEXT:       aie.trace.edge_event<0> event = <"LOCK_STALL"> trigger = BOTH
// CHECK-NEXT:       aie.trace.event <"INSTR_VECTOR"> label = "x"
// CHECK-NEXT:       aie.trace.event <CoreEventAIE2P::LOCK_STALL>
// CHECK-NEXT:       aie.trace.event <37>
// CHECK-NEXT:       aie.trace.start broadcast = 15
// CHECK-NEXT:       aie.trace.stop event = <"NONE">
// CHECK-NEXT:     }
// CHECK-NEXT:     aie.trace @auto(%shim_noc_tile_0_0) {
// CHECK-NEXT:       aie.trace.packet type = shimtile
// CHECK-NEXT:     }
// CHECK-NEXT:     aie.trace.config @fields(%tile_0_2) packet_type = core {
// CHECK-NEXT:       aie.trace.reg register = "Trace_Control0" field = "Mode" value = 0 comment = "c"
// CHECK-NEXT:       aie.trace.reg register = "Trace_Control1" value = 3 mask = 31
// CHECK-NEXT:       aie.trace.reg register = "Trace_Event0" field = "Trace_Event0" value = "LOCK_STALL"
// CHECK-NEXT:     }
// CHECK-NEXT:     aie.runtime_sequence(%arg0: memref<16xi32>) {
// CHECK-NEXT:       aie.trace.host_config {buffer_size = 8192 : i32}
// CHECK-NEXT:       aie.trace.start_config @fields
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
