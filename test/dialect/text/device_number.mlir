// Numbers of devices from 8 on changed: which reading is taken is said.
// RUN: aiec opt %s 2>&1 | FileCheck %s

// CHECK: device 8 is read as npu2; before mid-2025 it was npu1_4col
// CHECK: device 9 is read as npu2_1col; before mid-2025 it was npu2
// CHECK-NOT: read as npu1
// CHECK: aie.device(npu1) @c
"builtin.module"() ({
  "aie.device"() <{device = 8 : i32, sym_name = "a"}> ({
    "aie.end"() : () -> ()
  }) : () -> ()
  "aie.device"() <{device = 9 : i32, sym_name = "b"}> ({
    "aie.end"() : () -> ()
  }) : () -> ()
  "aie.device"() <{device = 4 : i32, sym_name = "c"}> ({
    "aie.end"() : () -> ()
  }) : () -> ()
}) : () -> ()
