// RUN: aiec %s --jobs=single --reconfigure=diff --emit=ctrl-asm -o - | FileCheck %s

// Four objects through fifos of two: the channels are where they stood at the start, and all words
// were taken. The second device differs in its program only, so that only the core starts anew: it is
// put into reset, gets the words of its program that differ, and is let out again.

// CHECK: chain_2:
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x00332000,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0032{{.*}}
// CHECK-NOT: 0x00360010
// CHECK-NOT: 0x0031de
// CHECK: UC_DMA_BD {{.*}} 0x00332000,
// CHECK: chain_3:

module {
  // The sequence of this device is what the host starts. It loads the others and runs their sequences.
  aie.device(npu2) @main {
    aie.runtime_sequence @both(%a: memref<256xi32>, %scaled: memref<256xi32>, %b: memref<256xi32>) {
      aiex.configure @scale {
        aiex.run @multiply(%a, %scaled) : (memref<256xi32>, memref<256xi32>)
      }
      aiex.configure @mirror {
        aiex.run @subtract(%scaled, %b) : (memref<256xi32>, memref<256xi32>)
      }
    }
  }

  aie.device(npu2) @scale {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 3)

    aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>

    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %forever = arith.constant 9223372036854775807 : index
      %factor = arith.constant 3 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %in = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
        %x = aie.objectfifo.subview.access %in[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        %out = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
        %y = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        scf.for %i = %c0 to %c64 step %c1 {
          %value = memref.load %x[%i] : memref<64xi32>
          %result = arith.muli %value, %factor : i32
          memref.store %result, %y[%i] : memref<64xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }

    aie.runtime_sequence @multiply(%a: memref<256xi32>, %b: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }

  aie.device(npu2) @mirror {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 3)

    aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>

    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %forever = arith.constant 9223372036854775807 : index
      %top = arith.constant 1000 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %in = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
        %x = aie.objectfifo.subview.access %in[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        %out = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
        %y = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        scf.for %i = %c0 to %c64 step %c1 {
          %value = memref.load %x[%i] : memref<64xi32>
          %result = arith.subi %top, %value : i32
          memref.store %result, %y[%i] : memref<64xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }

    aie.runtime_sequence @subtract(%a: memref<256xi32>, %b: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
