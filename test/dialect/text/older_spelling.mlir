// RUN: aiec opt %s 2>&1 | FileCheck %s
// RUN: aiec sim %s --arg 0=%S/Inputs/older_spelling.bin --out 1=%t.bin && diff %t.bin %S/Inputs/older_spelling.bin

// A design as of late 2023: names in capitals, `ipu`, a sequence as a function, three strides.
// CHECK: this text has spellings of early 2024 or before
// CHECK: aie.device(npu1)
// CHECK: aie.objectfifo @in(
// CHECK: aie.runtime_sequence(%arg0: memref<64xi32>, %arg1: memref<64xi32>) {
// CHECK: aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1])
// CHECK: aiex.npu.sync(
module @aie.herd_0 {
  AIE.device(ipu) {
    %tile_0_0 = AIE.tile(0, 0)
    %tile_0_2 = AIE.tile(0, 2)
    AIE.objectFifo @in(%tile_0_0, {%tile_0_2}, 2 : i32) : !AIE.objectFifo<memref<16xi32>>
    AIE.objectFifo @out(%tile_0_2, {%tile_0_0}, 2 : i32) : !AIE.objectFifo<memref<16xi32>>
    %core = AIE.core(%tile_0_2) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c4 = arith.constant 4 : index
      scf.for %k = %c0 to %c4 step %c1 {
      %si = AIE.objectFifo.acquire @in(Consume, 1) : !AIE.objectFifoSubview<memref<16xi32>>
      %x = AIE.objectFifo.subview.access %si[0] : !AIE.objectFifoSubview<memref<16xi32>> -> memref<16xi32>
      %so = AIE.objectFifo.acquire @out(Produce, 1) : !AIE.objectFifoSubview<memref<16xi32>>
      %y = AIE.objectFifo.subview.access %so[0] : !AIE.objectFifoSubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %c16 step %c1 {
        %v = memref.load %x[%i] : memref<16xi32>
        memref.store %v, %y[%i] : memref<16xi32>
      }
      AIE.objectFifo.release @in(Consume, 1)
      AIE.objectFifo.release @out(Produce, 1)
      }
      AIE.end
    }
    func.func @sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      AIEX.ipu.dma_memcpy_nd(0, 0, %a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0]) {metadata = @in, id = 1 : i64} : memref<64xi32>
      AIEX.ipu.dma_memcpy_nd(0, 0, %b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0]) {metadata = @out, id = 0 : i64} : memref<64xi32>
      AIEX.ipu.sync {channel = 0 : i32, column = 0 : i32, column_num = 1 : i32, direction = 0 : i32, row = 0 : i32, row_num = 1 : i32}
      return
    }
  }
}
