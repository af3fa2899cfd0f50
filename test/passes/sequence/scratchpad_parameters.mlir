// RUN: aiec opt --split-input-file --aie-lower-scratchpad-parameters %s | FileCheck %s
// RUN: aiec opt --split-input-file --aie-lower-scratchpad-parameters --aie-lower-scratchpad-parameters %s | FileCheck %s

// Words are numbered in the order of declarations, used or not; an unused one counts as of a core.
// CHECK-LABEL: module
// CHECK:      aiex.scratchpad_parameter @start : i32 {kind = 1 : i32, state_table_idx = 0 : ui8}
// CHECK-NEXT: aiex.scratchpad_parameter @unused : i8 {kind = 0 : i32, state_table_idx = 1 : ui8}
// CHECK-NEXT: aiex.scratchpad_parameter @gain : i32 {kind = 0 : i32, state_table_idx = 2 : ui8}
// CHECK-NEXT: aiex.scratchpad_parameter @bias : bf16 {kind = 0 : i32, state_table_idx = 3 : ui8}
// CHECK-NEXT: aiex.scratchpad_parameter @flag : i1 {kind = 0 : i32, state_table_idx = 4 : ui8}
aiex.scratchpad_parameter @start : i32
aiex.scratchpad_parameter @unused : i8
aiex.scratchpad_parameter @gain : i32
aiex.scratchpad_parameter @bias : bf16
aiex.scratchpad_parameter @flag : i1
// CHECK:     %[[LOCK2:.*]] = aie.lock(%{{.*}}) {init = 0 : i32}
// CHECK-DAG: %[[GAIN2:.*]] = aie.buffer({{.*}}) {sym_name = "__param_gain_0_2_0"} : memref<2xi32>
// CHECK-DAG: %[[BIAS:.*]] = aie.buffer({{.*}}) {sym_name = "__param_bias_0_2_1"} : memref<2xi32>
// CHECK:     %[[LOCK3:.*]] = aie.lock(%{{.*}}) {init = 0 : i32}
// CHECK-DAG: %[[GAIN3:.*]] = aie.buffer({{.*}}) {sym_name = "__param_gain_0_3_2"} : memref<2xi32>
// CHECK-DAG: %[[FLAG:.*]] = aie.buffer({{.*}}) {sym_name = "__param_flag_0_3_3"} : memref<2xi32>
aie.device(npu2) @main {
  %shim = aie.tile(0, 0)
  %two = aie.tile(0, 2)
  %three = aie.tile(0, 3)
  %four = aie.tile(0, 4)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  // A core waits before all else; the second read of a parameter is from the same buffer.
  // CHECK:      aie.core
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK-NEXT: aie.use_lock(%[[LOCK2]], Acquire, %[[ONE]])
  // CHECK:      memref.load %[[GAIN2]][
  // CHECK:      arith.shrui %{{.*}} : i32
  // CHECK-NOT:  trunci
  // CHECK:      memref.load %[[GAIN2]][
  // CHECK:      memref.load %[[BIAS]][
  // CHECK:      arith.trunci %{{.*}} : i32 to i16
  // CHECK-NEXT: arith.bitcast %{{.*}} : i16 to bf16
  // CHECK:      } {emit_parameter_sync_preamble = false}
  aie.core(%two) {
    %a = aiex.read_scratchpad_parameter @gain : i32
    %b = aiex.read_scratchpad_parameter @gain : i32
    %c = aiex.read_scratchpad_parameter @bias : bf16
    aie.end
  }
  // CHECK:     aie.core
  // CHECK:     aie.use_lock(%[[LOCK3]], Acquire
  // CHECK:     memref.load %[[GAIN3]][
  // CHECK:     memref.load %[[FLAG]][
  // CHECK:     arith.trunci %{{.*}} : i32 to i1
  aie.core(%three) {
    %a = aiex.read_scratchpad_parameter @gain : i32
    %b = aiex.read_scratchpad_parameter @flag : i1
    aie.end
  }
  // CHECK:     aie.core
  // CHECK-NOT: use_lock
  aie.core(%four) {
    aie.end
  }
  // The firmware adds: destinations are zero before. Cores go on when all are written.
  // CHECK:      aie.runtime_sequence @run
  // CHECK-SAME: {emit_parameter_sync_preamble = false}
  // CHECK-NEXT: aiex.npu.create_scratchpad {size = 20 : ui32}
  // CHECK:      aiex.npu.write32({{.*}}) {buffer = @__param_gain_0_2_0}
  // CHECK-NEXT: aiex.npu.update_from_scratchpad {address = 0 : ui32, buffer = @__param_gain_0_2_0, state_table_idx = 2 : ui8}
  // CHECK:      aiex.npu.update_from_scratchpad {{.*}}buffer = @__param_bias_0_2_1, state_table_idx = 3 : ui8}
  // CHECK:      aiex.npu.update_from_scratchpad {{.*}}buffer = @__param_gain_0_3_2, state_table_idx = 2 : ui8}
  // CHECK:      aiex.npu.update_from_scratchpad {{.*}}buffer = @__param_flag_0_3_3, state_table_idx = 4 : ui8}
  // CHECK-NEXT: aiex.set_lock(%[[LOCK2]], 1)
  // CHECK-NEXT: aiex.set_lock(%[[LOCK3]], 1)
  // CHECK-NOT:  offset_parameter
  // CHECK:      aiex.npu.dma_memcpy_nd{{.*}}offset_state_table_idx = 0 : ui8
  // CHECK:      aie.dma_bd{{.*}}{offset_state_table_idx = 0 : ui8}
  aie.runtime_sequence @run(%a: memref<64xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {metadata = @in, id = 0 : i64, offset_parameter = @start} : memref<64xi32>
    %t = aiex.dma_configure_task_for @in {
      aie.dma_bd(%a : memref<64xi32> offset = 0 len = 16) {offset_parameter = @start}
      aie.end
    }
    aiex.dma_start_task(%t)
  }
}

// -----

// A marker says where, after a load for instance; one table serves all devices. A core that says no doesn't wait.
// CHECK-LABEL: module
aiex.scratchpad_parameter @a : i32
aiex.scratchpad_parameter @b : i32
// CHECK-LABEL: aie.device(npu2) @first
aie.device(npu2) @first {
  %tile = aie.tile(0, 2)
  aie.core(%tile) {
    %v = aiex.read_scratchpad_parameter @b : i32
    aie.end
  }
  // CHECK:      aie.runtime_sequence @run() {
  // CHECK-NEXT: aiex.npu.load_pdi
  // CHECK-NEXT: aiex.npu.create_scratchpad {size = 8 : ui32}
  // CHECK:      aiex.npu.update_from_scratchpad {{.*}}state_table_idx = 1 : ui8}
  // CHECK-NEXT: aiex.set_lock
  // CHECK-NOT:  sync_scratchpad
  aie.runtime_sequence @run() {
    aiex.npu.load_pdi {device_ref = @first}
    aiex.sync_scratchpad_parameters_from_host
  }
}
// CHECK-LABEL: aie.device(npu2) @second
aie.device(npu2) @second {
  %tile = aie.tile(0, 2)
  // CHECK-NOT: use_lock
  aie.core(%tile) {
    %v = aiex.read_scratchpad_parameter @a : i32
    aie.end
  } {emit_parameter_sync_preamble = false}
  // CHECK:      aiex.npu.create_scratchpad {size = 8 : ui32}
  // CHECK:      aiex.npu.update_from_scratchpad {{.*}}state_table_idx = 0 : ui8}
  // CHECK-NOT:  set_lock
  aie.runtime_sequence @run() {
  }
}
