// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// A write that may concern anything (here: the switch of column 1's shim) comes behind everything
// and before everything. All else is column 0's, so that its controller does this too and needs
// nobody: no barrier. In words-of-two-columns.mlir both have work of their own.

// CHECK: .attach_to_group 0
// CHECK-NOT: REMOTE_BARRIER
// CHECK: WAIT_TCTS
// CHECK-NOT: REMOTE_BARRIER
// CHECK: WAIT_TCTS
// CHECK-NOT: REMOTE_BARRIER
// CHECK: UC_DMA_BD {{.*}}0x0203f000, @data_{{[0-9]+}}, 1
// CHECK-NOT: REMOTE_BARRIER

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %m0 = aie.tile(0, 1)
    %s1 = aie.tile(1, 0)
    aie.objectfifo @in(%s0, {%m0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%m0, {%s0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [0])
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.npu.write32 {address = 258048 : ui32, value = 0 : ui32, column = 1 : i32, row = 0 : i32}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
