// One stream goes to four cores; core k multiplies it by k + 1. The four results come back over
// two shim tiles into one buffer.
// Devices: npu1, npu2, xcve2302, xcve2802, xcve3858

module {
  aie.device(npu2) {
    %shim0 = aie.tile(2, 0)
    %shim1 = aie.tile(3, 0)
    %w0 = aie.tile(0, 3)
    %w1 = aie.tile(1, 3)
    %w2 = aie.tile(2, 3)
    %w3 = aie.tile(3, 3)

    aie.objectfifo @in(%shim0, {%w0, %w1, %w2, %w3}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out0(%w0, {%shim0}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out1(%w1, {%shim0}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out2(%w2, {%shim1}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out3(%w3, {%shim1}, 2 : i32) : !aie.objectfifo<memref<32xi32>>

    %core0 = aie.core(%w0) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 1 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out0(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.muli %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out0(Produce, 1)
      }
      aie.end
    }

    %core1 = aie.core(%w1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 2 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out1(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.muli %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out1(Produce, 1)
      }
      aie.end
    }

    %core2 = aie.core(%w2) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 3 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out2(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.muli %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out2(Produce, 1)
      }
      aie.end
    }

    %core3 = aie.core(%w3) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 4 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out3(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.muli %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out3(Produce, 1)
      }
      aie.end
    }

    aie.runtime_sequence(%a: memref<128xi32>, %b: memref<512xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<128xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 1 : i64, metadata = @out0, issue_token = true} : memref<512xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 128][1, 1, 1, 128][0, 0, 0, 1]) {id = 2 : i64, metadata = @out1, issue_token = true} : memref<512xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 256][1, 1, 1, 128][0, 0, 0, 1]) {id = 3 : i64, metadata = @out2, issue_token = true} : memref<512xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 384][1, 1, 1, 128][0, 0, 0, 1]) {id = 4 : i64, metadata = @out3, issue_token = true} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out0}
      aiex.npu.dma_wait {symbol = @out1}
      aiex.npu.dma_wait {symbol = @out2}
      aiex.npu.dma_wait {symbol = @out3}
    }
  }
}
