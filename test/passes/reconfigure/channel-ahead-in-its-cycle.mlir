// RUN: aiec %s --jobs=single --reconfigure=diff --emit=ctrl-asm -o - | FileCheck %s
// RUN: aiec %s --jobs=single --reconfigure=diff --timing -o %t.elf 2>&1 | FileCheck %s --check-prefix=WAY

// Three objects through fifos of two: the channels are at their second buffers, and go on from there.
// The core that comes gets a program that begins there too. Nothing is reset but the core.

// CHECK: chain_2:
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x00332000,
// CHECK-NEXT: UC_DMA_BD {{.*}} 0x0032{{.*}}
// CHECK-NOT: 0x0031
// CHECK-NOT: 0x00360010
// CHECK: UC_DMA_BD {{.*}} 0x00332000,
// CHECK-NEXT: chain_3:

// WAY: (loads when quiescent: 1,

module {
  // The sequence of this device is what the host starts. It loads the others and runs their sequences.
  aie.device(npu2) @main {
    aie.runtime_sequence @both(%a: memref<192xi32>, %scaled: memref<192xi32>, %b: memref<192xi32>) {
      aiex.configure @scale {
        aiex.run @multiply(%a, %scaled) : (memref<192xi32>, memref<192xi32>)
      }
      aiex.configure @mirror {
        aiex.run @subtract(%scaled, %b) : (memref<192xi32>, memref<192xi32>)
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

    aie.runtime_sequence @multiply(%a: memref<192xi32>, %b: memref<192xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 192][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 192][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<192xi32>
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

    aie.runtime_sequence @subtract(%a: memref<192xi32>, %b: memref<192xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 192][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<192xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 192][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<192xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
