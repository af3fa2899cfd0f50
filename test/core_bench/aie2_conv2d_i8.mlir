// Kernel: AIE2 conv2d int8 3×3, 8×32×8 to 8 channels
// Published: Peano 227 (of 256)
// Source: llvm-aie: test/CodeGen/AIE/aie2/end-to-end/Conv2D-red-swp.ll
// At most: 227 MAC/cycle
// Data: i8 i32 conv2d 8 32 8 8

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 2)

    aie.objectfifo @x(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<10x34x8xi8>>
    aie.objectfifo @w(%shim, {%worker}, 1 : i32) : !aie.objectfifo<memref<3x3x8x8xi8>>
    aie.objectfifo @y(%worker, {%shim}, 1 : i32) : !aie.objectfifo<memref<8x32x8xi32>>

    %core = aie.core(%worker) {
      %x_object = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<10x34x8xi8>>
      %x = aie.objectfifo.subview.access %x_object[0] : !aie.objectfifosubview<memref<10x34x8xi8>> -> memref<10x34x8xi8>
      %w_object = aie.objectfifo.acquire @w(Consume, 1) : !aie.objectfifosubview<memref<3x3x8x8xi8>>
      %w = aie.objectfifo.subview.access %w_object[0] : !aie.objectfifosubview<memref<3x3x8x8xi8>> -> memref<3x3x8x8xi8>
      %y_object = aie.objectfifo.acquire @y(Produce, 1) : !aie.objectfifosubview<memref<8x32x8xi32>>
      %y = aie.objectfifo.subview.access %y_object[0] : !aie.objectfifosubview<memref<8x32x8xi32>> -> memref<8x32x8xi32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %taps = arith.constant 3 : index
      %rows = arith.constant 8 : index
      %columns = arith.constant 32 : index
      %channels = arith.constant 8 : index
      %zero = arith.constant 0 : i32
      scf.for %row = %c0 to %rows step %c1 {
        scf.for %column = %c0 to %columns step %c1 {
          scf.for %to = %c0 to %channels step %c1 {
            %of_rows = scf.for %v = %c0 to %taps step %c1 iter_args(%sum_rows = %zero) -> (i32) {
              %from_row = arith.addi %row, %v : index
              %of_columns = scf.for %h = %c0 to %taps step %c1 iter_args(%sum_columns = %sum_rows) -> (i32) {
                %from_column = arith.addi %column, %h : index
                %of_channels = scf.for %from = %c0 to %channels step %c1 iter_args(%sum = %sum_columns) -> (i32) {
                  %narrow = memref.load %x[%from_row, %from_column, %from] : memref<10x34x8xi8>
                  %weight = memref.load %w[%v, %h, %from, %to] : memref<3x3x8x8xi8>
                  %value = arith.extsi %narrow : i8 to i32
                  %factor = arith.extsi %weight : i8 to i32
                  %product = arith.muli %value, %factor : i32
                  %next = arith.addi %sum, %product : i32
                  scf.yield %next : i32
                }
                scf.yield %of_channels : i32
              }
              scf.yield %of_columns : i32
            }
            memref.store %of_rows, %y[%row, %column, %to] : memref<8x32x8xi32>
          }
        }
      }
      aie.objectfifo.release @x(Consume, 1)
      aie.objectfifo.release @w(Consume, 1)
      aie.objectfifo.release @y(Produce, 1)
      aie.end
    }

    aie.runtime_sequence(%x: memref<2720xi8>, %w: memref<576xi8>, %y: memref<2048xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 2720][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<2720xi8>
      aiex.npu.dma_memcpy_nd(%w[0, 0, 0, 0][1, 1, 1, 576][0, 0, 0, 1]) {id = 1 : i64, metadata = @w} : memref<576xi8>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 2048][0, 0, 0, 1]) {id = 2 : i64, metadata = @y, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_wait {symbol = @y}
    }
  }
}
