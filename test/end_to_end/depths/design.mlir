// A broadcast with a depth for each end, and data layouts on both sides of the stream: blocks of
// 4 x 4 in the order of a core's matrix unit and back.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %left = aie.tile(0, 3)
    %right = aie.tile(1, 3)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<8x8xi32>>
    aie.objectfifo @blocks(%mem dimensionsToStream [<size = 2, stride = 32>, <size = 2, stride = 4>, <size = 4, stride = 8>, <size = 4, stride = 1>], {%left, %right dimensionsFromStream [<size = 16, stride = 4>, <size = 4, stride = 1>]}, [2, 1, 3]) : !aie.objectfifo<memref<8x8xi32>>
    aie.objectfifo.link [@in] -> [@blocks] ([] [])
    aie.objectfifo @out_left(%left, {%shim}, 2 : i32) : !aie.objectfifo<memref<8x8xi32>>
    aie.objectfifo @out_right(%right, {%shim}, 2 : i32) : !aie.objectfifo<memref<8x8xi32>>
    %core_left = aie.core(%left) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      scf.for %round = %c0 to %c3 step %c1 {
        %si = aie.objectfifo.acquire @blocks(Consume, 1) : !aie.objectfifosubview<memref<8x8xi32>>
        %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<8x8xi32>> -> memref<8x8xi32>
        %so = aie.objectfifo.acquire @out_left(Produce, 1) : !aie.objectfifosubview<memref<8x8xi32>>
        %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<8x8xi32>> -> memref<8x8xi32>
        memref.copy %x, %y : memref<8x8xi32> to memref<8x8xi32>
        aie.objectfifo.release @blocks(Consume, 1)
        aie.objectfifo.release @out_left(Produce, 1)
      }
      aie.end
    }
    %core_right = aie.core(%right) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      scf.for %round = %c0 to %c3 step %c1 {
        %si = aie.objectfifo.acquire @blocks(Consume, 1) : !aie.objectfifosubview<memref<8x8xi32>>
        %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<8x8xi32>> -> memref<8x8xi32>
        %so = aie.objectfifo.acquire @out_right(Produce, 1) : !aie.objectfifosubview<memref<8x8xi32>>
        %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<8x8xi32>> -> memref<8x8xi32>
        scf.for %i = %c0 to %c8 step %c1 {
          scf.for %j = %c0 to %c8 step %c1 {
            %v = memref.load %x[%i, %j] : memref<8x8xi32>
            %w = arith.addi %v, %v : i32
            memref.store %w, %y[%i, %j] : memref<8x8xi32>
          }
        }
        aie.objectfifo.release @blocks(Consume, 1)
        aie.objectfifo.release @out_right(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<192xi32>, %b: memref<192xi32>, %c: memref<192xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 192][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 192][0, 0, 0, 1]) {id = 1 : i64, metadata = @out_left, issue_token = true} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 192][0, 0, 0, 1]) {id = 2 : i64, metadata = @out_right, issue_token = true} : memref<192xi32>
      aiex.npu.dma_wait {symbol = @out_left}
      aiex.npu.dma_wait {symbol = @out_right}
    }
  }
}
