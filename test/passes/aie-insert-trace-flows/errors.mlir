// RUN: aiec opt --split-input-file --verify-diagnostics --aie-insert-trace-flows %s
// RUN: not aiec opt --split-input-file --aie-insert-trace-flows="shim-channel=one burst-length=64k" %s 2>&1 | FileCheck %s
// CHECK: option 'shim-channel' takes a number in decimal, not 'one'
// CHECK: option 'burst-length' takes a number in decimal, not '64k'
// All findings of a device are reported together.

aie.device(npu1_1col) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  // expected-error@+1 {{trace is missing 'aie.trace.stop'}}
  aie.trace @first(%a) {
    // expected-note@+1 {{previous use of packet id 5}}
    aie.trace.packet id=5 type=core
    aie.trace.start broadcast=15
  }
  // expected-error@+1 {{tile (0, 2) is traced more than once on the same trace unit}}
  aie.trace @again(%a) {
    // expected-error@+1 {{trace packet id 5 is already used by another trace}}
    aie.trace.packet id=5 type=core
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  // expected-error@+1 {{trace is missing 'aie.trace.start'}}
  aie.trace @other(%b) {
    aie.trace.stop broadcast=14
  }
  aie.runtime_sequence(%x: memref<16xi32>) {
    aie.trace.host_config {buffer_size = 256 : i32}
  }
}

// -----

aie.device(npu2) {
  %a = aie.tile(0, 2)
  aie.trace @a(%a) {
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.runtime_sequence @one(%x: memref<16xi32>) {
    // expected-note@+1 {{first aie.trace.host_config here}}
    aie.trace.host_config {buffer_size = 256 : i32}
  }
  // expected-error@+1 {{reuse_output_buffer requires the runtime_sequence to have at least one argument}}
  aie.runtime_sequence @two() {
    // expected-error@+1 {{routes trace data differently from another runtime_sequence}}
    aie.trace.host_config {buffer_size = 256 : i32, egress_shim_col = 1 : i32, reuse_output_buffer = true}
  }
}

// -----

// expected-error@+1 {{egress_shim_col 9 is not a valid shim NOC tile (device has 8 columns)}}
aie.device(npu2) {
  %a = aie.tile(0, 2)
  aie.trace @a(%a) {
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.runtime_sequence(%x: memref<16xi32>) {
    aie.trace.host_config {buffer_size = 256 : i32, egress_shim_col = 9 : i32}
  }
}
