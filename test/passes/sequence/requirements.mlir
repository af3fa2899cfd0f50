// RUN: aiec %s --scalar 1=64 --emit=insts -o %t.bin
// RUN: not aiec %s --scalar 1=4 --emit=insts -o %t.bin --diagnostics=text 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: not aiec %s --emit=insts -o %t.bin --diagnostics=text 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: aiec %s --emit=sequence-python -o - | FileCheck %s --check-prefix=PYTHON

// Conditions on the host's numbers hold for what a compilation knows, and are asked by functions.
// BROKEN: this must hold: at least 64 elements
// BROKEN: this must hold: whole units of 16
// UNKNOWN: the condition that must hold isn't known when the design is compiled
// PYTHON: raise ValueError("at least 64 elements")
// PYTHON: raise ValueError("whole units of 16")
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
  aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
  aie.objectfifo.link [@in] -> [@out] ([] [])
  aie.runtime_sequence @copy(%a: memref<4096xi32>, %n: i32) {
    %min = arith.constant 64 : i32
    %unit = arith.constant 16 : i32
    %zero = arith.constant 0 : i32
    %enough = arith.cmpi sge, %n, %min : i32
    aiex.npu.require(%enough) {message = "at least 64 elements"} : i1
    %rest = arith.remui %n, %unit : i32
    %whole = arith.cmpi eq, %rest, %zero : i32
    cf.assert %whole, "whole units of 16"
    %t = aiex.dma_configure_task_for @in {
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = %n)
      aie.end
    }
    aiex.dma_start_task(%t)
  }
}
