// RUN: aiec opt --aie-materialize-runtime-sequences %s | FileCheck %s
// RUN: aiec opt --aie-materialize-runtime-sequences --aie-expand-load-pdi %s | FileCheck %s --check-prefix=EXPAND
// RUN: aiec opt --aie-materialize-runtime-sequences %s | aiec opt

// What a sequence runs of other devices is in its place, behind a load of the device. What it
// uses of it is copied: the tile is shared, the buffer's name is taken and gets a number.
// CHECK-LABEL: aie.device(npu2) {
// CHECK:       %[[TILE:.*]] = aie.tile(0, 2)
// CHECK-NEXT:  %[[LOCK:.*]] = aie.lock(%[[TILE]], 3)
// CHECK-NEXT:  aie.buffer(%[[TILE]]) {address = 2048 : i32, sym_name = "p_0"}
// CHECK-NEXT:  aie.buffer(%[[TILE]]) {address = 1024 : i32, sym_name = "p"}
// CHECK:       aie.runtime_sequence @main
// CHECK:       %[[V:.*]] = arith.constant 7 : i32
// CHECK-NEXT:  aiex.npu.load_pdi {device_ref = @other}
// CHECK-NEXT:  aiex.npu.rtp_write(@p_0, 1, %[[V]]) : i32
// CHECK-NEXT:  aiex.set_lock(%[[LOCK]], 1)
// CHECK-NEXT:  aiex.npu.rtp_write(@p, 0, %[[V]]) : i32
// CHECK-NOT:   aiex.configure
// CHECK-NOT:   aiex.run

// A load is a reset by an empty device and the writes of the configuration.
// EXPAND-LABEL: aie.device(npu2) @empty_0 {
// EXPAND:       aie.runtime_sequence @main
// EXPAND:       aiex.npu.load_pdi {device_ref = @empty_0, expand_mode = 0 : i32}
// EXPAND:       %[[VALUE:.*]] = arith.constant 5 : i32
// EXPAND:       %[[LOCK:.*]] = arith.constant 2224176 : i32
// EXPAND:       aiex.npu.write32(%[[LOCK]], %[[VALUE]]) : i32, i32
// EXPAND:       aiex.npu.rtp_write
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %p = aie.buffer(%tile) {address = 1024 : i32, sym_name = "p"} : memref<4xi32>
  aie.runtime_sequence @main(%x: memref<4xi32>) {
    aiex.configure @other {
      aiex.run @seq(%x) : (memref<4xi32>)
    }
    %v = arith.constant 7 : i32
    aiex.npu.rtp_write(@p, 0, %v) : i32
  }
}
aie.device(npu2) @other {
  %tile = aie.tile(0, 2)
  %lock = aie.lock(%tile, 3) {init = 5 : i32}
  %p = aie.buffer(%tile) {address = 2048 : i32, sym_name = "p"} : memref<4xi32>
  aie.runtime_sequence @seq(%x: memref<4xi32>) {
    %v = arith.constant 7 : i32
    aiex.npu.rtp_write(@p, 1, %v) : i32
    aiex.set_lock(%lock, 1)
  }
}
