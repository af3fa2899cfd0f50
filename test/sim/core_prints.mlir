// `aie.debug` shows values with tile, cycle and line, and takes no time; cycles go to lines; runs stop
// at lines of cores.
// RUN: aiec sim %s --profile - 2>&1 | FileCheck %s
// RUN: aiec sim %s --report - 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: aiec sim %s --report %t.txt
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t.txt
// RUN: aiec sim %s --break line:33#2 2>&1 | FileCheck %s --check-prefix=BREAK

// CHECK-DAG: core (0, 2), cycle {{[0-9]+}}, {{.*}}core_prints.mlir:35:9: 0
// CHECK-DAG: core (0, 2), cycle {{[0-9]+}}, {{.*}}core_prints.mlir:35:9: -3
// CHECK-DAG: core (0, 2), cycle {{[0-9]+}}, {{.*}}core_prints.mlir:38:7: 1.5
// CHECK-DAG: core (0, 2), cycle {{[0-9]+}}, {{.*}}core_prints.mlir:40:7: [2, 2, 2, 2]
// CHECK-DAG: core (0, 2);core;loop at {{.*}}core_prints.mlir:32;{{.*}}core_prints.mlir:34;scale;{{.*}}core_prints.mlir:21 [[#]]
// CHECK-DAG: core (0, 2);core;{{.*}}core_prints.mlir:41 acquire @out(Produce, 1) {{[0-9]+}}
// REPORT: "source": "{{.*}}core_prints.mlir:21"
// TABLE: core line busy stalled
// TABLE: (0, 2) {{.*}}core_prints.mlir:21 {{[0-9]+}}
// BREAK: stopped in cycle {{[0-9]+}} at line:33#2: core (0, 2) executes `arith.index_cast` ({{.*}}core_prints.mlir:33:
module { aie.device(npu1) {
    func.func @scale(%a: i32, %b: i32) -> i32 {
      %q = arith.divsi %a, %b : i32
      return %q : i32
    }
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 2)
    aie.objectfifo @out(%tile, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %two = arith.constant -2 : i32
      scf.for %i = %c0 to %c8 step %c1 {
        %n = arith.index_cast %i : index to i32
        %q = func.call @scale(%n, %two) : (i32, i32) -> i32
        aie.debug(%q : i32)
      }
      %f = arith.constant 1.5 : f32
      aie.debug(%f : f32)
      %v = arith.constant dense<2> : vector<4xi32>
      aie.debug(%v : vector<4xi32>)
      %o = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
