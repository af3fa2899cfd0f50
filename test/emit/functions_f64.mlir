// Functions of f64 have no routine: the operation is named with its type and a way out.
// RUN: not aiec %s --emit=core-elf -o %t 2>&1 | FileCheck %s

// CHECK: core::no-machine-code
// CHECK: `math.sin` has no machine code for aie2: there is no routine for f64, only for f32, bf16 and
// CHECK: help: compute it in f32, between `arith.truncf` and `arith.extf`
// CHECK: `math.powf` has no machine code for aie2: there is no routine for f64, only for f32, bf16 and
// CHECK-NOT: no-machine-code
aie.device(npu1) {
  %tile = aie.tile(0, 2)
  %x = aie.buffer(%tile) : memref<2xf64>
  aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.load %x[%c0] : memref<2xf64>
    %b = math.sin %a : f64
    %c = math.powf %a, %b : f64
    %d = math.sqrt %c : f64
    memref.store %d, %x[%c1] : memref<2xf64>
    aie.end
  }
}
