// RUN: not aiec opt --split-input-file --emit-jobs --diagnostics=text %s 2>&1 | FileCheck %s

// What NPU firmware does beside its transactions has no form in control code.
// CHECK: `aiex.npu.create_scratchpad` is done by NPU firmware: the controllers (CERT) have no scratchpad
// CHECK: let the host pass parameters in a buffer
// CHECK: `aiex.npu.update_from_scratchpad` is done by NPU firmware
aie.device(npu1) {
  %core = aie.tile(0, 2)
  %p = aie.buffer(%core) {sym_name = "p", address = 1024 : i32} : memref<4xi32>
  aie.runtime_sequence() {
    aiex.npu.create_scratchpad {size = 4 : ui32}
    aiex.npu.update_from_scratchpad {state_table_idx = 0 : ui8, buffer = @p, address = 0 : ui32}
  }
}

// -----

// A task that was refused is refused once.
// CHECK:     isn't known when the design is compiled
// CHECK:     compile for one value with `--scalar 1=VALUE`
// CHECK-NOT: it isn't known which task this is
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<4096xi32>, %n: i32) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<4096xi32> offset = 0 len = %n)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t)
    aiex.dma_await_task(%t)
  }
}
