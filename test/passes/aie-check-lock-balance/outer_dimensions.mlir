// RUN: aiec %s -o %t.elf 2>&1 | FileCheck %s
// A pattern with a dimension more than the DMA has, which fits when contiguous ones are merged: each run of the buffer
// descriptor is still a whole object.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %work = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @rows(%mem dimensionsToStream [<size = 2, stride = 32>, <size = 2, stride = 16>, <size = 2, stride = 8>, <size = 2, stride = 4>, <size = 4, stride = 1>], {%work}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@rows]([] [])
    aie.objectfifo @out(%work, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    %core = aie.core(%work) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %i = %c0 to %c4 step %c1 {
        %view = aie.objectfifo.acquire @rows(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
        %out = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
        aie.objectfifo.release @rows(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<256xi32>, %b: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<256xi32>
    }
  }
}

// CHECK-NOT: transfers::
// CHECK: driver::no-cert
// CHECK-NOT: transfers::
