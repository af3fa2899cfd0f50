// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s
// RUN: aiec %s --jobs=per-column --emit=ctrl-asm -o - | FileCheck %s
// RUN: aiec %s --emit=job-graph -o - | FileCheck %s --check-prefix=GRAPH

// As words-of-two-columns.mlir, but the columns have no work of their own: each step waits for the
// other column, so that the controller that waits for tokens does all steps. The other one sets up
// its column.

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}, 0x00000003
// CHECK-COUNT-3: READ_32
// CHECK: WAIT_TCTS
// CHECK-NOT: READ_32
// CHECK: .attach_to_group 1
// CHECK-NOT: READ_32
// CHECK: REMOTE_BARRIER {{.*}}, 0x00000003
// CHECK-NOT: REMOTE_BARRIER

// GRAPH: label="controller 1";
// GRAPH-NEXT: [[SETUP:n0_[0-9]+]] [label="set up (1, 1)", style=solid];
// GRAPH: [[SETUP]] -> n0_{{[0-9]+}} [label="{{stream|column}}"

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %m0 = aie.tile(0, 1)
    %m1 = aie.tile(1, 1)
    %x = aie.buffer(%m0) {sym_name = "x"} : memref<4xi32> = dense<1>
    %z = aie.buffer(%m0) {sym_name = "z"} : memref<4xi32> = dense<3>
    %y = aie.buffer(%m1) {sym_name = "y"} : memref<4xi32> = dense<2>
    aie.flow(%m0, DMA : 0, %s0, DMA : 0)
    aie.shim_dma_allocation @out(%s0, S2MM, 0)
    aie.runtime_sequence(%a: memref<4xi32>, %b: memref<4xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      aiex.npu.rtp_write(@x, 0, 7)
      %v = memref.load %x[%c0] : memref<4xi32>
      aiex.npu.rtp_write(@y, 1, %v) : i32
      aiex.npu.rtp_write(@y, 0, 5)
      %u = memref.load %y[%c0] : memref<4xi32>
      aiex.npu.rtp_write(@z, 0, %u) : i32
      %w = memref.load %y[%c1] : memref<4xi32>
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
