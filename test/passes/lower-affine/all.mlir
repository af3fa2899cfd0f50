// RUN: aiec opt --lower-affine %s | FileCheck %s
// RUN: aiec %s --emit=ctrl-asm -o - | FileCheck %s --check-prefix=WHOLE

// CHECK-NOT: affine.
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK: %[[REST:.*]] = arith.remsi
// CHECK: arith.select
// CHECK: memref.load
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi eq
// CHECK: arith.andi
// CHECK: scf.if
// CHECK: memref.store
// CHECK: } else {
// CHECK: arith.minsi
// CHECK: memref.store
// CHECK-NOT: affine.

// WHOLE: START_JOB
#inside = affine_set<(d0)[s0] : (d0 - 2 >= 0, -d0 + s0 == 0)>
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {sym_name = "a"} : memref<16xi32>
    %c = aie.core(%t) {
      %five = arith.constant 5 : index
      affine.for %i = 0 to 16 {
        %v = affine.load %a[(%i + 3) mod 16] : memref<16xi32>
        affine.if #inside(%i)[%five] {
          affine.store %v, %a[%i] : memref<16xi32>
        } else {
          %m = affine.min affine_map<(d0) -> (d0 + 1, 15)>(%i)
          affine.store %v, %a[%m] : memref<16xi32>
        }
      }
      aie.end
    }
    aie.runtime_sequence() {
    }
  }
}
