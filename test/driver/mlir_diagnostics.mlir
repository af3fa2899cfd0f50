// RUN: not aiec opt --diagnostics=mlir --aie-assign-lock-ids %s 2>&1 | FileCheck %s
// Findings as MLIR's tools write them: place, severity, operation, message; labels and help are notes.

// CHECK: mlir_diagnostics.mlir:[[#]]:10: error: 'aie.lock' op lock `b` is assigned to the same lock (3) as another op, `a`
// CHECK: mlir_diagnostics.mlir:[[#]]:10: note: tile has lock ops assigned to same lock
// CHECK: mlir_diagnostics.mlir:[[#]]:10: note: the first one
// CHECK: note: leave the number of one of them out
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.lock(%t, 3) {sym_name = "a"}
    %b = aie.lock(%t, 3) {sym_name = "b"}
  }
}
