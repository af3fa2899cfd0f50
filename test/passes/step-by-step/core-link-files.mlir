// RUN: aiec opt --aie-assign-core-link-files --split-input-file %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: not aiec opt --aie-assign-core-link-files %S/Inputs/link-modes.mlir 2>&1 | FileCheck %s --check-prefix=MODES
// RUN: not aiec opt --aie-assign-core-link-files %S/Inputs/link-conflict.mlir 2>&1 | FileCheck %s --check-prefix=CONFLICT

// Files of called functions, in the order of the calls, each once; the file of the core first.
// CHECK: aie.core
// CHECK: link_files = ["old.o", "a.bc", "b.o"], link_merge_files = ["merged.o"]}
// CHECK-NOT: link_with = "old.o"
// ERR-DAG: core-files::on-core
// ERR-DAG: core-files::indirect-call
// ERR-DAG: core-files::unused
// ERR-DAG: no core calls @never
aie.device(npu1) {
  %tile = aie.tile(0, 2)
  func.func private @a() attributes {link_with = "a.bc"}
  func.func private @b() attributes {link_with = "b.o"}
  func.func private @merged() attributes {link_with = "merged.o", link_with_mode = "merge"}
  func.func private @never() attributes {link_with = "never.o"}
  %core = aie.core(%tile) {
    func.call @a() : () -> ()
    func.call @merged() : () -> ()
    func.call @b() : () -> ()
    func.call @a() : () -> ()
    %f = func.constant @b : () -> ()
    func.call_indirect %f() : () -> ()
    aie.end
  } {link_with = "old.o"}
}

// MODES: core-files::mode
// MODES: @nothing has link_with_mode, but no file
// MODES: "inline" is not a mode of linking

// CONFLICT: core-files::mode
// CONFLICT: "shared.a" is merged here and linked elsewhere
