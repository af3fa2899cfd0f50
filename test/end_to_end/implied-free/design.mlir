// More tasks than the tile has descriptors. Only every fourth has a token, and nothing is freed by
// hand: a channel ends its tasks in order, so that a token proves the three before it done too.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %rounds = arith.constant 24 : index
      %one = arith.constant 1 : i32
      scf.for %round = %c0 to %rounds step %c1 {
        %si = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        %so = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        scf.for %i = %c0 to %c16 step %c1 {
          %v = memref.load %x[%i] : memref<16xi32>
          %s = arith.addi %v, %one : i32
          memref.store %s, %y[%i] : memref<16xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aiex.runtime_sequence(%a: memref<384xi32>, %b: memref<384xi32>) {
      %in0 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 0, 16)
        aie.end
      }
      aiex.dma_start_task(%in0)
      %out0 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 0, 16)
        aie.end
      }
      aiex.dma_start_task(%out0)
      %in1 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 16, 16)
        aie.end
      }
      aiex.dma_start_task(%in1)
      %out1 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 16, 16)
        aie.end
      }
      aiex.dma_start_task(%out1)
      %in2 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 32, 16)
        aie.end
      }
      aiex.dma_start_task(%in2)
      %out2 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 32, 16)
        aie.end
      }
      aiex.dma_start_task(%out2)
      %in3 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 48, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%in3)
      %out3 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 48, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%out3)
      aiex.dma_await_task(%in3)
      aiex.dma_await_task(%out3)
      %in4 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 64, 16)
        aie.end
      }
      aiex.dma_start_task(%in4)
      %out4 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 64, 16)
        aie.end
      }
      aiex.dma_start_task(%out4)
      %in5 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 80, 16)
        aie.end
      }
      aiex.dma_start_task(%in5)
      %out5 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 80, 16)
        aie.end
      }
      aiex.dma_start_task(%out5)
      %in6 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 96, 16)
        aie.end
      }
      aiex.dma_start_task(%in6)
      %out6 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 96, 16)
        aie.end
      }
      aiex.dma_start_task(%out6)
      %in7 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 112, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%in7)
      %out7 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 112, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%out7)
      aiex.dma_await_task(%in7)
      aiex.dma_await_task(%out7)
      %in8 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 128, 16)
        aie.end
      }
      aiex.dma_start_task(%in8)
      %out8 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 128, 16)
        aie.end
      }
      aiex.dma_start_task(%out8)
      %in9 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 144, 16)
        aie.end
      }
      aiex.dma_start_task(%in9)
      %out9 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 144, 16)
        aie.end
      }
      aiex.dma_start_task(%out9)
      %in10 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 160, 16)
        aie.end
      }
      aiex.dma_start_task(%in10)
      %out10 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 160, 16)
        aie.end
      }
      aiex.dma_start_task(%out10)
      %in11 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 176, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%in11)
      %out11 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 176, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%out11)
      aiex.dma_await_task(%in11)
      aiex.dma_await_task(%out11)
      %in12 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 192, 16)
        aie.end
      }
      aiex.dma_start_task(%in12)
      %out12 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 192, 16)
        aie.end
      }
      aiex.dma_start_task(%out12)
      %in13 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 208, 16)
        aie.end
      }
      aiex.dma_start_task(%in13)
      %out13 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 208, 16)
        aie.end
      }
      aiex.dma_start_task(%out13)
      %in14 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 224, 16)
        aie.end
      }
      aiex.dma_start_task(%in14)
      %out14 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 224, 16)
        aie.end
      }
      aiex.dma_start_task(%out14)
      %in15 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 240, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%in15)
      %out15 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 240, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%out15)
      aiex.dma_await_task(%in15)
      aiex.dma_await_task(%out15)
      %in16 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 256, 16)
        aie.end
      }
      aiex.dma_start_task(%in16)
      %out16 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 256, 16)
        aie.end
      }
      aiex.dma_start_task(%out16)
      %in17 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 272, 16)
        aie.end
      }
      aiex.dma_start_task(%in17)
      %out17 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 272, 16)
        aie.end
      }
      aiex.dma_start_task(%out17)
      %in18 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 288, 16)
        aie.end
      }
      aiex.dma_start_task(%in18)
      %out18 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 288, 16)
        aie.end
      }
      aiex.dma_start_task(%out18)
      %in19 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 304, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%in19)
      %out19 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 304, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%out19)
      aiex.dma_await_task(%in19)
      aiex.dma_await_task(%out19)
      %in20 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 320, 16)
        aie.end
      }
      aiex.dma_start_task(%in20)
      %out20 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 320, 16)
        aie.end
      }
      aiex.dma_start_task(%out20)
      %in21 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 336, 16)
        aie.end
      }
      aiex.dma_start_task(%in21)
      %out21 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 336, 16)
        aie.end
      }
      aiex.dma_start_task(%out21)
      %in22 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 352, 16)
        aie.end
      }
      aiex.dma_start_task(%in22)
      %out22 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 352, 16)
        aie.end
      }
      aiex.dma_start_task(%out22)
      %in23 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<384xi32>, 368, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%in23)
      %out23 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%b : memref<384xi32>, 368, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%out23)
      aiex.dma_await_task(%in23)
      aiex.dma_await_task(%out23)
    }
  }
}
