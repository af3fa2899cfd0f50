// RUN: aiec %s --jobs=single --prologue=reset --emit=ctrl-asm -o - | FileCheck %s
// RUN: aiec %s --jobs=single --emit=ctrl-asm -o - | FileCheck %s --check-prefix=NONE
// RUN: aiec %s --jobs=per-column --prologue=reset --emit=ctrl-asm -o - | FileCheck %s --check-prefix=COLUMNS
// RUN: not aiec opt %s --emit-jobs=prologue=some 2>&1 | FileCheck %s --check-prefix=WRONG

// Code for an array that others left. What is used is put into reset: the shim's switch and its DMA, all
// channels of the mem tile that a stream only passes, of the core tile, and of the core tiles around,
// whose cores reach its memory.

// CHECK: chain_0:
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x000fff10, @{{data_[0-9]+}}, 2,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x001a0600, @[[RESET:data_[0-9]+]], 1,
// CHECK: UC_DMA_BD {{.*}} 0x001fff10, @[[SWITCH:data_[0-9]+]], 1,
// CHECK: UC_DMA_BD {{.*}} 0x0021de00, @[[RESET]], 1,
// CHECK: UC_DMA_BD {{.*}} 0x00232000, @[[RESET]], 1,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x00260010, @[[SWITCH]], 1,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0031de00, @[[RESET]], 1,
// CHECK: UC_DMA_BD {{.*}} 0x00332000, @[[RESET]], 1,
// CHECK-NOT: 0x00360010

// Then it is let out, and registers are cleared: multiplexers, and all outputs, inputs and rules of
// switches at once.

// CHECK: UC_DMA_BD {{.*}} 0x0001f000, @{{data_[0-9]+}}, 2,
// CHECK: UC_DMA_BD {{.*}} 0x0003f000, @{{data_[0-9]+}}, 22,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0003f100, @{{data_[0-9]+}}, 23,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0003f200, @{{data_[0-9]+}}, 92,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x000fff10,
// CHECK: UC_DMA_BD {{.*}} 0x00260010,
// CHECK: chain_1:
// CHECK: UC_DMA_BD {{.*}} 0x00220000,

// NONE-NOT: 0x000fff10
// NONE-NOT: 0x0023f200

// All controllers meet behind each step; here there is one column.

// COLUMNS-NOT: REMOTE_BARRIER

// WRONG: for the --prologue option: Cannot find option named 'some'! There are none, reset
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 2)
    %buffer = aie.buffer(%worker) {address = 1024 : i32} : memref<8xi32>
    %lock = aie.lock(%worker, 0) {init = 1 : i32}
    aie.flow(%shim, DMA : 0, %worker, DMA : 0)
    %dma = aie.mem(%worker) {
      %0 = aie.dma_start(S2MM, 0, ^first, ^end)
    ^first:
      aie.use_lock(%lock, AcquireGreaterEqual, 1)
      aie.dma_bd(%buffer : memref<8xi32> offset = 0 len = 8)
      aie.next_bd ^first
    ^end:
      aie.end
    }
    %core = aie.core(%worker) {
      aie.end
    }
    aie.runtime_sequence(%x: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @in, issue_token = true} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @in}
    }
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
  }
}
