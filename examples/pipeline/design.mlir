// Four cores in a row of work: +7, *5, 1000-x, xor 255. The first two and the last two are
// neighbours and hand over memory; the second and the third are far apart and use DMA.
// Devices: npu1, npu2, xcve2302, xcve2802, xcve3858

module {
  aie.device(npu1) {
    %shim_in = aie.tile(2, 0)
    %shim_out = aie.tile(3, 0)
    %first = aie.tile(2, 3)
    %second = aie.tile(3, 3)
    %third = aie.tile(0, 3)
    %fourth = aie.tile(1, 3)

    aie.objectfifo @in(%shim_in, {%first}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    // neighbours share memory, the others are joined by DMA
    aie.objectfifo @a(%first, {%second}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @b(%second, {%third}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @c(%third, {%fourth}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out(%fourth, {%shim_out}, 2 : i32) : !aie.objectfifo<memref<32xi32>>

    %first_core = aie.core(%first) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 7 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @a(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.addi %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @a(Produce, 1)
      }
      aie.end
    }

    %second_core = aie.core(%second) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 5 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @a(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @b(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.muli %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @a(Consume, 1)
        aie.objectfifo.release @b(Produce, 1)
      }
      aie.end
    }

    %third_core = aie.core(%third) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 1000 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @c(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.subi %k, %value : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @b(Consume, 1)
        aie.objectfifo.release @c(Produce, 1)
      }
      aie.end
    }

    %fourth_core = aie.core(%fourth) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 255 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @c(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.xori %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @c(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }

    aie.runtime_sequence(%a: memref<256xi32>, %b: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
