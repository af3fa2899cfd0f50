// Eight columns of four cores. Column c works on its eighth of one buffer; a mem tile splits it over
// the cores of the column and joins their results. Core k of column c makes 2 * x + 4 * c + k.
// Devices: npu2

module {
  aie.device(npu2) {
    %shim0 = aie.tile(0, 0)
    %mem0 = aie.tile(0, 1)
    %w00 = aie.tile(0, 2)
    %w01 = aie.tile(0, 3)
    %w02 = aie.tile(0, 4)
    %w03 = aie.tile(0, 5)
    %shim1 = aie.tile(1, 0)
    %mem1 = aie.tile(1, 1)
    %w10 = aie.tile(1, 2)
    %w11 = aie.tile(1, 3)
    %w12 = aie.tile(1, 4)
    %w13 = aie.tile(1, 5)
    %shim2 = aie.tile(2, 0)
    %mem2 = aie.tile(2, 1)
    %w20 = aie.tile(2, 2)
    %w21 = aie.tile(2, 3)
    %w22 = aie.tile(2, 4)
    %w23 = aie.tile(2, 5)
    %shim3 = aie.tile(3, 0)
    %mem3 = aie.tile(3, 1)
    %w30 = aie.tile(3, 2)
    %w31 = aie.tile(3, 3)
    %w32 = aie.tile(3, 4)
    %w33 = aie.tile(3, 5)
    %shim4 = aie.tile(4, 0)
    %mem4 = aie.tile(4, 1)
    %w40 = aie.tile(4, 2)
    %w41 = aie.tile(4, 3)
    %w42 = aie.tile(4, 4)
    %w43 = aie.tile(4, 5)
    %shim5 = aie.tile(5, 0)
    %mem5 = aie.tile(5, 1)
    %w50 = aie.tile(5, 2)
    %w51 = aie.tile(5, 3)
    %w52 = aie.tile(5, 4)
    %w53 = aie.tile(5, 5)
    %shim6 = aie.tile(6, 0)
    %mem6 = aie.tile(6, 1)
    %w60 = aie.tile(6, 2)
    %w61 = aie.tile(6, 3)
    %w62 = aie.tile(6, 4)
    %w63 = aie.tile(6, 5)
    %shim7 = aie.tile(7, 0)
    %mem7 = aie.tile(7, 1)
    %w70 = aie.tile(7, 2)
    %w71 = aie.tile(7, 3)
    %w72 = aie.tile(7, 4)
    %w73 = aie.tile(7, 5)

    aie.objectfifo @in0(%shim0, {%mem0}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @in00(%mem0, {%w00}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in01(%mem0, {%w01}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in02(%mem0, {%w02}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in03(%mem0, {%w03}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in0] -> [@in00, @in01, @in02, @in03] ([] [0, 32, 64, 96])
    aie.objectfifo @out00(%w00, {%mem0}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out01(%w01, {%mem0}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out02(%w02, {%mem0}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out03(%w03, {%mem0}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out0(%mem0, {%shim0}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo.link [@out00, @out01, @out02, @out03] -> [@out0] ([0, 32, 64, 96] [])

    aie.objectfifo @in1(%shim1, {%mem1}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @in10(%mem1, {%w10}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in11(%mem1, {%w11}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in12(%mem1, {%w12}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in13(%mem1, {%w13}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in1] -> [@in10, @in11, @in12, @in13] ([] [0, 32, 64, 96])
    aie.objectfifo @out10(%w10, {%mem1}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out11(%w11, {%mem1}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out12(%w12, {%mem1}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out13(%w13, {%mem1}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out1(%mem1, {%shim1}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo.link [@out10, @out11, @out12, @out13] -> [@out1] ([0, 32, 64, 96] [])

    aie.objectfifo @in2(%shim2, {%mem2}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @in20(%mem2, {%w20}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in21(%mem2, {%w21}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in22(%mem2, {%w22}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in23(%mem2, {%w23}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in2] -> [@in20, @in21, @in22, @in23] ([] [0, 32, 64, 96])
    aie.objectfifo @out20(%w20, {%mem2}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out21(%w21, {%mem2}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out22(%w22, {%mem2}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out23(%w23, {%mem2}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out2(%mem2, {%shim2}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo.link [@out20, @out21, @out22, @out23] -> [@out2] ([0, 32, 64, 96] [])

    aie.objectfifo @in3(%shim3, {%mem3}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @in30(%mem3, {%w30}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in31(%mem3, {%w31}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in32(%mem3, {%w32}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in33(%mem3, {%w33}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in3] -> [@in30, @in31, @in32, @in33] ([] [0, 32, 64, 96])
    aie.objectfifo @out30(%w30, {%mem3}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out31(%w31, {%mem3}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out32(%w32, {%mem3}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out33(%w33, {%mem3}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out3(%mem3, {%shim3}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo.link [@out30, @out31, @out32, @out33] -> [@out3] ([0, 32, 64, 96] [])

    aie.objectfifo @in4(%shim4, {%mem4}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @in40(%mem4, {%w40}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in41(%mem4, {%w41}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in42(%mem4, {%w42}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in43(%mem4, {%w43}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in4] -> [@in40, @in41, @in42, @in43] ([] [0, 32, 64, 96])
    aie.objectfifo @out40(%w40, {%mem4}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out41(%w41, {%mem4}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out42(%w42, {%mem4}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out43(%w43, {%mem4}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out4(%mem4, {%shim4}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo.link [@out40, @out41, @out42, @out43] -> [@out4] ([0, 32, 64, 96] [])

    aie.objectfifo @in5(%shim5, {%mem5}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @in50(%mem5, {%w50}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in51(%mem5, {%w51}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in52(%mem5, {%w52}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in53(%mem5, {%w53}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in5] -> [@in50, @in51, @in52, @in53] ([] [0, 32, 64, 96])
    aie.objectfifo @out50(%w50, {%mem5}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out51(%w51, {%mem5}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out52(%w52, {%mem5}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out53(%w53, {%mem5}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out5(%mem5, {%shim5}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo.link [@out50, @out51, @out52, @out53] -> [@out5] ([0, 32, 64, 96] [])

    aie.objectfifo @in6(%shim6, {%mem6}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @in60(%mem6, {%w60}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in61(%mem6, {%w61}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in62(%mem6, {%w62}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in63(%mem6, {%w63}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in6] -> [@in60, @in61, @in62, @in63] ([] [0, 32, 64, 96])
    aie.objectfifo @out60(%w60, {%mem6}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out61(%w61, {%mem6}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out62(%w62, {%mem6}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out63(%w63, {%mem6}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out6(%mem6, {%shim6}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo.link [@out60, @out61, @out62, @out63] -> [@out6] ([0, 32, 64, 96] [])

    aie.objectfifo @in7(%shim7, {%mem7}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo @in70(%mem7, {%w70}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in71(%mem7, {%w71}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in72(%mem7, {%w72}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in73(%mem7, {%w73}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in7] -> [@in70, @in71, @in72, @in73] ([] [0, 32, 64, 96])
    aie.objectfifo @out70(%w70, {%mem7}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out71(%w71, {%mem7}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out72(%w72, {%mem7}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out73(%w73, {%mem7}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @out7(%mem7, {%shim7}, 2 : i32) : !aie.objectfifo<memref<128xi32>>
    aie.objectfifo.link [@out70, @out71, @out72, @out73] -> [@out7] ([0, 32, 64, 96] [])

    %core00 = aie.core(%w00) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 0 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in00(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out00(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in00(Consume, 1)
        aie.objectfifo.release @out00(Produce, 1)
      }
      aie.end
    }

    %core01 = aie.core(%w01) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 1 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in01(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out01(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in01(Consume, 1)
        aie.objectfifo.release @out01(Produce, 1)
      }
      aie.end
    }

    %core02 = aie.core(%w02) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 2 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in02(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out02(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in02(Consume, 1)
        aie.objectfifo.release @out02(Produce, 1)
      }
      aie.end
    }

    %core03 = aie.core(%w03) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 3 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in03(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out03(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in03(Consume, 1)
        aie.objectfifo.release @out03(Produce, 1)
      }
      aie.end
    }

    %core10 = aie.core(%w10) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 4 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in10(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out10(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in10(Consume, 1)
        aie.objectfifo.release @out10(Produce, 1)
      }
      aie.end
    }

    %core11 = aie.core(%w11) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 5 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in11(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out11(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in11(Consume, 1)
        aie.objectfifo.release @out11(Produce, 1)
      }
      aie.end
    }

    %core12 = aie.core(%w12) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 6 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in12(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out12(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in12(Consume, 1)
        aie.objectfifo.release @out12(Produce, 1)
      }
      aie.end
    }

    %core13 = aie.core(%w13) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 7 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in13(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out13(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in13(Consume, 1)
        aie.objectfifo.release @out13(Produce, 1)
      }
      aie.end
    }

    %core20 = aie.core(%w20) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 8 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in20(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out20(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in20(Consume, 1)
        aie.objectfifo.release @out20(Produce, 1)
      }
      aie.end
    }

    %core21 = aie.core(%w21) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 9 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in21(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out21(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in21(Consume, 1)
        aie.objectfifo.release @out21(Produce, 1)
      }
      aie.end
    }

    %core22 = aie.core(%w22) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 10 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in22(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out22(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in22(Consume, 1)
        aie.objectfifo.release @out22(Produce, 1)
      }
      aie.end
    }

    %core23 = aie.core(%w23) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 11 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in23(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out23(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in23(Consume, 1)
        aie.objectfifo.release @out23(Produce, 1)
      }
      aie.end
    }

    %core30 = aie.core(%w30) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 12 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in30(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out30(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in30(Consume, 1)
        aie.objectfifo.release @out30(Produce, 1)
      }
      aie.end
    }

    %core31 = aie.core(%w31) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 13 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in31(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out31(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in31(Consume, 1)
        aie.objectfifo.release @out31(Produce, 1)
      }
      aie.end
    }

    %core32 = aie.core(%w32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 14 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in32(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out32(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in32(Consume, 1)
        aie.objectfifo.release @out32(Produce, 1)
      }
      aie.end
    }

    %core33 = aie.core(%w33) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 15 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in33(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out33(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in33(Consume, 1)
        aie.objectfifo.release @out33(Produce, 1)
      }
      aie.end
    }

    %core40 = aie.core(%w40) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 16 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in40(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out40(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in40(Consume, 1)
        aie.objectfifo.release @out40(Produce, 1)
      }
      aie.end
    }

    %core41 = aie.core(%w41) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 17 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in41(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out41(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in41(Consume, 1)
        aie.objectfifo.release @out41(Produce, 1)
      }
      aie.end
    }

    %core42 = aie.core(%w42) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 18 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in42(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out42(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in42(Consume, 1)
        aie.objectfifo.release @out42(Produce, 1)
      }
      aie.end
    }

    %core43 = aie.core(%w43) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 19 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in43(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out43(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in43(Consume, 1)
        aie.objectfifo.release @out43(Produce, 1)
      }
      aie.end
    }

    %core50 = aie.core(%w50) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 20 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in50(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out50(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in50(Consume, 1)
        aie.objectfifo.release @out50(Produce, 1)
      }
      aie.end
    }

    %core51 = aie.core(%w51) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 21 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in51(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out51(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in51(Consume, 1)
        aie.objectfifo.release @out51(Produce, 1)
      }
      aie.end
    }

    %core52 = aie.core(%w52) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 22 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in52(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out52(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in52(Consume, 1)
        aie.objectfifo.release @out52(Produce, 1)
      }
      aie.end
    }

    %core53 = aie.core(%w53) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 23 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in53(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out53(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in53(Consume, 1)
        aie.objectfifo.release @out53(Produce, 1)
      }
      aie.end
    }

    %core60 = aie.core(%w60) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 24 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in60(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out60(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in60(Consume, 1)
        aie.objectfifo.release @out60(Produce, 1)
      }
      aie.end
    }

    %core61 = aie.core(%w61) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 25 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in61(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out61(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in61(Consume, 1)
        aie.objectfifo.release @out61(Produce, 1)
      }
      aie.end
    }

    %core62 = aie.core(%w62) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 26 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in62(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out62(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in62(Consume, 1)
        aie.objectfifo.release @out62(Produce, 1)
      }
      aie.end
    }

    %core63 = aie.core(%w63) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 27 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in63(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out63(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in63(Consume, 1)
        aie.objectfifo.release @out63(Produce, 1)
      }
      aie.end
    }

    %core70 = aie.core(%w70) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 28 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in70(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out70(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in70(Consume, 1)
        aie.objectfifo.release @out70(Produce, 1)
      }
      aie.end
    }

    %core71 = aie.core(%w71) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 29 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in71(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out71(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in71(Consume, 1)
        aie.objectfifo.release @out71(Produce, 1)
      }
      aie.end
    }

    %core72 = aie.core(%w72) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 30 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in72(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out72(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in72(Consume, 1)
        aie.objectfifo.release @out72(Produce, 1)
      }
      aie.end
    }

    %core73 = aie.core(%w73) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant 31 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %x_s = aie.objectfifo.acquire @in73(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %x = aie.objectfifo.subview.access %x_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        %y_s = aie.objectfifo.acquire @out73(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %y = aie.objectfifo.subview.access %y_s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        scf.for %i = %c0 to %c32 step %c1 {
          %value = memref.load %x[%i] : memref<32xi32>
          %doubled = arith.addi %value, %value : i32
          %result = arith.addi %doubled, %k : i32
          memref.store %result, %y[%i] : memref<32xi32>
        }
        aie.objectfifo.release @in73(Consume, 1)
        aie.objectfifo.release @out73(Produce, 1)
      }
      aie.end
    }

    aie.runtime_sequence(%a: memref<2048xi32>, %b: memref<2048xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in0} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 256][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in1} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 512][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in2} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 768][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in3} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 1024][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in4} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 1280][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in5} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 1536][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in6} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 1792][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in7} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out0, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 256][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out1, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 512][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out2, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 768][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out3, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 1024][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out4, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 1280][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out5, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 1536][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out6, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 1792][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out7, issue_token = true} : memref<2048xi32>
      aiex.npu.dma_wait {symbol = @out0}
      aiex.npu.dma_wait {symbol = @out1}
      aiex.npu.dma_wait {symbol = @out2}
      aiex.npu.dma_wait {symbol = @out3}
      aiex.npu.dma_wait {symbol = @out4}
      aiex.npu.dma_wait {symbol = @out5}
      aiex.npu.dma_wait {symbol = @out6}
      aiex.npu.dma_wait {symbol = @out7}
    }
  }
}
