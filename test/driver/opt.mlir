// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
// RUN: aiec opt -aie-assign-lock-ids %s | FileCheck %s --check-prefix=LOCKS
// RUN: aiec opt --pass-pipeline='builtin.module(aie.device(aie-assign-lock-ids,aie-assign-buffer-addresses{alloc-scheme=basic-sequential}))' \
// RUN:   %s | FileCheck %s --check-prefixes=LOCKS,SEQUENTIAL
// RUN: aiec opt --aie-assign-buffer-addresses="alloc-scheme=bank-aware" %s | FileCheck %s --check-prefix=BANKS
// RUN: aiec opt --device npu2 %s | FileCheck %s --check-prefix=DEVICE
// RUN: cat %s | aiec opt - -o %t && FileCheck %s --input-file=%t
// RUN: aiec opt --aie-assign-lock-ids --print-ir-after=aie-assign-lock-ids --timing %s -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AFTER
// RUN: aiec opt --aie-assign-lock-ids --verify-each %s | FileCheck %s --check-prefix=LOCKS

// CHECK: module {
// CHECK: aie.device(npu1) {
// CHECK: %[[TILE:.*]] = aie.tile(0, 2)
// CHECK: aie.lock(%[[TILE]]) {init = 1 : i32, sym_name = "l"}

// GENERIC: "builtin.module"() ({
// GENERIC: "aie.lock"(%{{.*}}) <{init = 1 : i32, sym_name = "l"}> : (index) -> index

// LOCKS: aie.lock(%{{.*}}, 0) {init = 1 : i32, sym_name = "l"}
// SEQUENTIAL: aie.buffer(%{{.*}}) {address = {{[0-9]+}} : i32, sym_name = "a"}
// BANKS: aie.buffer(%{{.*}}) {address = {{[0-9]+}} : i32, mem_bank = [[#]] : i32, sym_name = "a"}
// BANKS-NEXT: aie.buffer(%{{.*}}) {address = {{[0-9]+}} : i32, mem_bank = [[#]] : i32, sym_name = "b"}
// DEVICE: aie.device(npu2) {

// AFTER: // after aie-assign-lock-ids
// AFTER-NEXT: module {
// AFTER: {{[0-9.]+}} ms aie-assign-lock-ids
// AFTER-NEXT: {{[0-9.]+}} ms all passes

module {
  aie.device(npu1) {
    %t = aie.tile(0, 2)
    %l = aie.lock(%t) {init = 1 : i32, sym_name = "l"}
    %a = aie.buffer(%t) {sym_name = "a"} : memref<16xi32>
    %b = aie.buffer(%t) {sym_name = "b"} : memref<16xi32>
  }
}
