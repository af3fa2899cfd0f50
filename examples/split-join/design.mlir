// A mem tile splits each object of 128 numbers over four cores and joins their results; core k
// adds 100 * (k + 1).
// Devices: npu1, npu2, xcve2302, xcve2802, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(2, 0)
    %mem = aie.tile(2, 1)
    %w0 = aie.tile(0, 3)
    %w1 = aie.tile(1, 3)
    %w2 = aie.tile(2, 3)
    %w3 = aie.tile(3, 3)

    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @in0(%mem, {%w0}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in1(%mem, {%w1}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in2(%mem, {%w2}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in3(%mem, {%w3}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in] -> [@in0, @in1, @in2, @in3] ([] [0, 32, 64, 96])

    aie.objectfifo @out0(%w0, {%mem}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out1(%w1, {%mem}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out2(%w2, {%mem}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out3(%w3, {%mem}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo.link [@out0, @out1, @out2, @out3] -> [@out] ([0, 32, 64, 96] [])

    %core0 = aie.core(%w0) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 100 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in0(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out0(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.addi %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in0(Consume, 1)
        aie.objectfifo.release @out0(Produce, 1)
      }
      aie.end
    }

    %core1 = aie.core(%w1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 200 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in1(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out1(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.addi %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in1(Consume, 1)
        aie.objectfifo.release @out1(Produce, 1)
      }
      aie.end
    }

    %core2 = aie.core(%w2) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 300 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in2(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out2(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.addi %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in2(Consume, 1)
        aie.objectfifo.release @out2(Produce, 1)
      }
      aie.end
    }

    %core3 = aie.core(%w3) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 400 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in3(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out3(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %result = arith.addi %value, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in3(Consume, 1)
        aie.objectfifo.release @out3(Produce, 1)
      }
      aie.end
    }

    aie.runtime_sequence(%a: memref<512xi32>, %b: memref<512xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<512xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
