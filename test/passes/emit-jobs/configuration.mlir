// RUN: aiec %s --jobs=single --emit=ctrl-asm -o - | FileCheck %s

// The configuration of a device. Cores are put into reset first; tiles are set up, those of a row one
// behind the other; then channels start, cores run, and shim channels come last, with the sequence.

// CHECK: chain_0:
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x00232000, @[[HELD:data_[0-9]+]], 1,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x00332000, @[[HELD]], 1,

// The shim's multiplexer is one whole word, though a connection is some of its bits: the rest is known.

// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0001f000, @[[MUX:data_[0-9]+]], 1,
// CHECK-NOT: MASK_WRITE_32

// Two inputs of the switch, and the four between them that nothing uses, are one descriptor.

// CHECK: UC_DMA_BD {{.*}} 0x0003f100, @{{data_[0-9]+}}, 6,

// Equal buffers and equal programs of two cores are there once.

// CHECK: UC_DMA_BD {{.*}} 0x00200400, @[[BUFFER:data_[0-9]+]], 8,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0021d000, @{{data_[0-9]+}}, 6,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0021f000, @{{data_[0-9]+}}, 1,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x00220000, @[[PROGRAM:data_[0-9]+]],
// CHECK: UC_DMA_BD {{.*}} 0x00300400, @[[BUFFER]], 8,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x00320000, @[[PROGRAM]],

// The channel is named the receiver of its tokens and started by one descriptor where both are written;
// here there is nothing to name.

// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0021de04, @{{data_[0-9]+}}, 1,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x00232000, @[[RUNS:data_[0-9]+]], 1,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x00332000, @[[RUNS]], 1, 0, 0
// CHECK: chain_1:
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0001d000,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0001d210, @{{data_[0-9]+}}, 2,
// CHECK: [[HELD]]:
// CHECK-NEXT: .long 0x00000002
// CHECK: [[MUX]]:
// CHECK-NEXT: .long 0x00000400

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %ab = aie.buffer(%a) {address = 1024 : i32} : memref<8xi32> = dense<5>
    %bb = aie.buffer(%b) {address = 1024 : i32} : memref<8xi32> = dense<5>
    %al = aie.lock(%a, 0) {init = 1 : i32}
    aie.flow(%shim, DMA : 0, %a, DMA : 0)
    %dma = aie.mem(%a) {
      %0 = aie.dma_start(S2MM, 0, ^first, ^end)
    ^first:
      aie.use_lock(%al, AcquireGreaterEqual, 1)
      aie.dma_bd(%ab : memref<8xi32> offset = 0 len = 8)
      aie.next_bd ^first
    ^end:
      aie.end
    }
    %ca = aie.core(%a) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : i32
      memref.store %1, %ab[%0] : memref<8xi32>
      aie.end
    }
    %cb = aie.core(%b) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : i32
      memref.store %1, %bb[%0] : memref<8xi32>
      aie.end
    }
    aie.runtime_sequence(%x: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @in, issue_token = true} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @in}
    }
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
  }
}
