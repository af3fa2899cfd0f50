// RUN: aiec opt --aie-trace-pack-reg-writes --aie-inline-trace-config %s | FileCheck %s
// RUN: not aiec opt --aie-inline-trace-config %s 2>&1 | FileCheck --check-prefix=EARLY %s
// RUN: not aiec opt --aie-trace-pack-reg-writes --aie-inline-trace-config=x %s 2>&1 | FileCheck --check-prefix=OPTION %s

// EARLY: aie.trace.reg still has field attribute - run -aie-trace-pack-reg-writes pass first
// OPTION: pass 'aie-inline-trace-config': there is no option 'x'
aie.device(npu2) {
  %t = aie.tile(1, 4)
  aie.trace.config @one(%t) packet_type = mem {
    aie.trace.reg register = "Trace_Control0" field = "Trace_Start_Event" value = "TRUE"
    aie.trace.reg register = "Trace_Event1" value = 7
  }
  // CHECK:      aie.runtime_sequence
  // CHECK-NEXT:   %[[A:.*]] = arith.constant 82128 : i32
  // CHECK-NEXT:   %[[V:.*]] = arith.constant 65536 : i32
  // CHECK-NEXT:   aiex.npu.write32(%[[A]], %[[V]]) {column = 1 : i32, row = 4 : i32} : i32, i32
  // CHECK-NEXT:   arith.constant 82148 : i32
  // CHECK-NEXT:   arith.constant 7 : i32
  // CHECK-NEXT:   aiex.npu.write32({{.*}}) {column = 1 : i32, row = 4 : i32} : i32, i32
  // CHECK-NEXT: }
  aie.runtime_sequence(%x: memref<16xi32>) {
    aie.trace.start_config @one
  }
}
