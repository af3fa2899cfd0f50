// RUN: aiec opt --aie-dma-tasks-to-npu %s 2>/dev/null | FileCheck %s
// RUN: aiec opt --aie-dma-tasks-to-npu --diagnostics=text %s -o %t 2>&1 | FileCheck %s --check-prefix=WARN

// A descriptor that names itself as the next one repeats until the channel is stopped.
// CHECK-LABEL: aie.runtime_sequence @next
// CHECK:       aiex.npu.writebd {bd_id = 3 : i32,
// CHECK-SAME:  next_bd = 3 : i32,
// CHECK-SAME:  use_next_bd = 1 : i32

// Memory without a rank: the length says how much.
// CHECK-LABEL: aie.runtime_sequence @unranked
// CHECK:       aiex.npu.writebd {bd_id = 0 : i32, buffer_length = 8 : i32,
// CHECK:       %[[PLUS:.*]] = arith.constant 64 : i32
// CHECK:       aiex.npu.address_patch(%[[PLUS]] : i32) {addr = 118788 : ui32, arg_idx = 1 : i32}

// A cast to offset 0 stays where its source is; other offsets count from the start of the memory.
// CHECK-LABEL: aie.runtime_sequence @views
// CHECK:       %[[START:.*]] = arith.constant 512 : i32
// CHECK:       aiex.npu.address_patch(%[[START]] : i32)
// CHECK:       %[[OTHER:.*]] = arith.constant 256 : i32
// CHECK:       aiex.npu.address_patch(%[[OTHER]] : i32)
// WARN:        this cast begins at byte 256 of the memory, its source at byte 512 of the same
// WARN:        transfer the source itself
// WARN-NOT:    this cast begins
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  %buffer = aie.buffer(%core) {address = 1024 : i32} : memref<64xi32>
  aie.runtime_sequence @next() {
    %t = aiex.dma_configure_task(%core, MM2S, 0) {
      aie.dma_bd(%buffer : memref<64xi32> offset = 0 len = 64) {bd_id = 3 : i32, next_bd_id = 3 : i32}
      aie.end
    }
  }
  aie.runtime_sequence @unranked(%n: i32, %x: memref<*xbf16>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<*xbf16> offset = 32 len = 16) {bd_id = 0 : i32}
      aie.end
    }
  }
  aie.runtime_sequence @views(%x: memref<1024xi32>) {
    %part = memref.subview %x[128] [256] [1] : memref<1024xi32> to memref<256xi32, strided<[1], offset: 128>>
    %start = memref.reinterpret_cast %part to offset: [0], sizes: [256], strides: [1] : memref<256xi32, strided<[1], offset: 128>> to memref<256xi32>
    %same = memref.reinterpret_cast %part to offset: [128], sizes: [256], strides: [1] : memref<256xi32, strided<[1], offset: 128>> to memref<256xi32, strided<[1], offset: 128>>
    %other = memref.reinterpret_cast %part to offset: [64], sizes: [256], strides: [1] : memref<256xi32, strided<[1], offset: 128>> to memref<256xi32, strided<[1], offset: 64>>
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%start : memref<256xi32> offset = 0 len = 64) {bd_id = 0 : i32}
      aie.end
    }
    %u = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%other : memref<256xi32, strided<[1], offset: 64>> offset = 0 len = 64) {bd_id = 1 : i32}
      aie.end
    }
  }
}
