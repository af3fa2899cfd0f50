// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// Words are read in one column and written in the other: each such step comes behind everything
// and before everything. Both columns have work of their own between them, so that it stays on
// their own controllers (see serial-across-columns.mlir).

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}, 0x00000003
// CHECK-NEXT: REMOTE_BARRIER {{.*}}, 0x00000003
// CHECK: REMOTE_BARRIER {{.*}}, 0x00000003
// CHECK-NEXT: READ_32
// CHECK-NOT: REMOTE_BARRIER
// CHECK: WAIT_TCTS
// CHECK: .attach_to_group 1
// CHECK: REMOTE_BARRIER {{.*}}, 0x00000003
// CHECK-COUNT-3: READ_32
// CHECK: REMOTE_BARRIER {{.*}}, 0x00000003
// CHECK: REMOTE_BARRIER {{.*}}, 0x00000003
// CHECK-NOT: READ_32

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %m0 = aie.tile(0, 1)
    %m1 = aie.tile(1, 1)
    %big0 = aie.buffer(%m0) {sym_name = "big0"} : memref<2048xi32> = dense<1>
    %x = aie.buffer(%m0) {sym_name = "x"} : memref<4xi32> = dense<1>
    %z = aie.buffer(%m0) {sym_name = "z"} : memref<4xi32> = dense<3>
    %big1 = aie.buffer(%m1) {sym_name = "big1"} : memref<2048xi32> = dense<1>
    %y = aie.buffer(%m1) {sym_name = "y"} : memref<4xi32> = dense<2>
    aie.flow(%m0, DMA : 0, %s0, DMA : 0)
    aie.shim_dma_allocation @out(%s0, S2MM, 0)
    aie.runtime_sequence(%a: memref<4xi32>, %b: memref<4xi32>) {
      %first = arith.constant 0 : index
      %last = arith.constant 2048 : index
      %long = arith.constant 2048 : index
      %half = arith.constant 1024 : index
      %step = arith.constant 2 : index
      %one = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      // Takes long.
      scf.for %i = %first to %long step %step {
        %at = arith.index_cast %i : index to i32
        aiex.npu.write32(%at, %zero) {buffer = @big0} : i32, i32
      }
      aiex.npu.rtp_write(@x, 0, 7)
      // Controller 1 reads word 0 last.
      %v1 = memref.load %x[%one] : memref<4xi32>
      aiex.npu.rtp_write(@y, 2, %v1) : i32
      %v2 = memref.load %x[%step] : memref<4xi32>
      aiex.npu.rtp_write(@y, 3, %v2) : i32
      %v = memref.load %x[%first] : memref<4xi32>
      aiex.npu.rtp_write(@y, 1, %v) : i32
      // Column 0 changes that word then, and does this meanwhile.
      aiex.npu.rtp_write(@x, 0, 3)
      scf.for %i = %first to %half step %step {
        %at = arith.index_cast %i : index to i32
        aiex.npu.write32(%at, %zero) {buffer = @big0} : i32, i32
      }
      // Takes long.
      scf.for %i = %first to %last step %step {
        %at = arith.index_cast %i : index to i32
        aiex.npu.write32(%at, %zero) {buffer = @big1} : i32, i32
      }
      aiex.npu.rtp_write(@y, 0, 5)
      %u = memref.load %y[%first] : memref<4xi32>
      aiex.npu.rtp_write(@z, 0, %u) : i32
      %w = memref.load %y[%one] : memref<4xi32>
      aiex.npu.rtp_write(@z, 1, %w) : i32
      %p = aiex.dma_configure_task(%m0, MM2S, 0) {
        aie.dma_bd(%z : memref<4xi32> offset = 0 len = 4)
        aie.end
      }
      aiex.dma_start_task(%p)
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<4xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
