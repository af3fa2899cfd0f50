// The loops of a core's machine code with their bounds, functions with their bytes; and the code with the lines of the design.
// RUN: aiec %s --emit=core-report -o - | FileCheck %s
// RUN: aiec %s --emit=core-report-json -o - | FileCheck %s --check-prefix=JSON
// RUN: aiec %s --emit=core-asm -o %t && FileCheck %s --check-prefix=ASM --input-file=%t/main_core_0_2.s
// RUN: aiec %s --core-report -o %t/design.elf 2>&1 | FileCheck %s

// CHECK: main_core_0_2: {{[0-9]+}} bytes
// CHECK: {{[0-9]+}} bytes core_0_2
// CHECK: {{[0-9]+}} bytes aiec_rt_divide_i32
// CHECK: loop {{.*}}core_report.mlir:[[@LINE+17]]: {{[0-9]+}} bundles an iteration (slots and ports take {{[0-9]+}}, values {{[0-9]+}}), {{[0-9]+}} iterations overlap:
// CHECK: loop {{.*}}core_report.mlir:[[@LINE+21]]: no hardware loop: it calls functions
// CHECK: loop in aiec_rt_divide_i32: {{[0-9]+}} bundles an iteration

// JSON: "form": "hardware"
// JSON: "source": "{{.*}}core_report.mlir:[[@LINE+12]]"
// JSON: "form": "branch"

// ASM: // {{.*}}core_report.mlir:[[@LINE+10]]: %x = memref.load %a[%i] : memref<64xi32>
aie.device(npu1) {
  %t = aie.tile(0, 2)
  %a = aie.buffer(%t) : memref<64xi32>
  %b = aie.buffer(%t) : memref<64xi32>
  %c = aie.core(%t) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %c64 step %c1 {
      %x = memref.load %a[%i] : memref<64xi32>
      %y = arith.addi %x, %x : i32
      memref.store %y, %b[%i] : memref<64xi32>
    }
    scf.for %j = %c0 to %c64 step %c1 {
      %x = memref.load %a[%j] : memref<64xi32>
      %y = memref.load %b[%j] : memref<64xi32>
      %q = arith.divsi %x, %y : i32
      memref.store %q, %b[%j] : memref<64xi32>
    }
    aie.end
  }
}
