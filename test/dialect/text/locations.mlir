// RUN: aiec opt --mlir-print-debuginfo %s -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: aiec opt --mlir-print-debuginfo %t.mlir -o %t.again.mlir
// RUN: cmp %t.mlir %t.again.mlir
// RUN: aiec opt %s | FileCheck --check-prefix=WITHOUT %s

// Locations that the text gives are kept; other operations are where they are.

// WITHOUT-NOT: loc(

module {
  aie.device(npu1) {
    // CHECK: aie.tile(0, 2) loc(#[[WRITTEN:loc[0-9]*]])
    %0 = aie.tile(0, 2) loc("kernel.py":7:3)
    // CHECK: aie.tile(0, 3) loc(#[[WRITTEN]])
    %1 = aie.tile(0, 3) loc(#later)
    // CHECK: aie.tile(0, 4) loc(#[[HERE:loc[0-9]*]])
    %2 = aie.tile(0, 4)
    // CHECK: aie.tile(0, 5) loc(#[[NAMED:loc[0-9]*]])
    %3 = aie.tile(0, 5) loc("name"(#later))
  }
}
#later = loc("kernel.py":7:3)

// CHECK-DAG: #[[WRITTEN]] = loc("kernel.py":7:3)
// CHECK-DAG: #[[HERE]] = loc("{{.*}}locations.mlir":18:10)
// CHECK-DAG: #[[NAMED]] = loc("name"("kernel.py":7:3))
