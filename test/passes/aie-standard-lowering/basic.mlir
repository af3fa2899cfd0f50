// RUN: aiec opt --aie-localize-locks --aie-standard-lowering %s | FileCheck %s
// RUN: aiec opt --aie-localize-locks --aie-standard-lowering="tilecol=0 tilerow=3" %s | FileCheck %s --check-prefix=ONE
// RUN: aiec opt --aie-standard-lowering --split-input-file %S/refused.mlir --verify-diagnostics
// RUN: aiec opt --aiex-standard-lowering %s | FileCheck %s --check-prefix=AIEX

// A core becomes a function, a buffer a global with data where its core is, hardware operations calls.

// CHECK: module attributes {llvm.target_triple = "aie2p"}
// CHECK: memref.global "public" @b : memref<4xi32> = dense<[1, 2, 3, 4]>
// CHECK: func.func private @llvm.aie2p.acquire(i32, i32)
// CHECK: func.func @work(%[[LOCK:.*]]: index) {
// CHECK-NEXT: arith.constant 1 : i32
// CHECK-NEXT: %[[ID:.*]] = arith.index_cast %[[LOCK]] : index to i32
// CHECK-NEXT: call @llvm.aie2p.release(%[[ID]], %{{.*}}) : (i32, i32) -> ()
// CHECK: func.func @core_0_3()
// CHECK: %[[W:.*]]:2 = call @llvm.aie2p.get.ss() : () -> (i32, i32)
// CHECK: %[[G:.*]] = memref.get_global @b : memref<4xi32>
// CHECK: memref.assume_alignment %[[G]], 32
// CHECK: memref.store %[[W]]#0, %[[G]]
// CHECK: return
// CHECK: func.func @core_0_2()
// CHECK: %[[NUMBER:.*]] = arith.constant 48 : index
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[LESS:.*]] = arith.subi %[[ZERO]], %{{.*}} : i32
// CHECK: call @llvm.aie2p.acquire(%{{.*}}, %[[LESS]]) : (i32, i32) -> ()
// CHECK: call @work(%[[NUMBER]]) : (index) -> ()
// CHECK-NOT: aie.

// ONE: memref.global "public" @b : memref<4xi32>
// ONE-NOT: dense
// ONE: @core_0_3
// ONE-NOT: @core_0_2

// AIEX: aie.runtime_sequence
// AIEX-NOT: aiex.npu

aie.device(npu2) {
  %t = aie.tile(0, 2)
  %u = aie.tile(0, 3)
  %l = aie.lock(%t, 0) {init = 1 : i32}
  %b = aie.buffer(%t) {sym_name = "b"} : memref<4xi32> = dense<[1, 2, 3, 4]>
  func.func @work(%lock: index) {
    aie.use_lock(%lock, Release, 1)
    return
  }
  aie.core(%t) {
    %c0 = arith.constant 0 : index
    aie.use_lock(%l, AcquireGreaterEqual, 1)
    %x = memref.load %b[%c0] : memref<4xi32>
    func.call @work(%l) : (index) -> ()
    aie.end
  }
  aie.core(%u) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %w = aie.get_stream(%zero : i32) : i32
    memref.store %w, %b[%c0] : memref<4xi32>
    aie.end
  }
  aie.runtime_sequence(%a: memref<4xi32>) {
    aiex.npu.write32 {address = 4 : ui32, value = 5 : ui32}
  }
}
