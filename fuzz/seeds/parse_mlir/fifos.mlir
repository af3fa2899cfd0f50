// Object fifos and a sequence of transfers and tasks.
module {
  aie.device(npu1) {
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %c = aie.tile(0, 2)
    %d = aie.tile(0, 3)
    aie.objectfifo @in(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @a(%m dimensionsToStream [<size = 4, stride = 8>, <size = 8, stride = 1>], {%c dimensionsFromStream [<size = 2, stride = 1>]}, [2, 2]) {via_DMA = true} : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @b(%m, {%d}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@in] -> [@a, @b] ([] [0, 32])
    aie.objectfifo @out(%c, {%s}, 2 : i32) : !aie.objectfifo<memref<32xi32>> = [dense<0> : memref<32xi32>, dense<1> : memref<32xi32>]
    func.func private @kernel(memref<32xi32>, i32) attributes {link_with = "k.o"}
    %k = aie.core(%c) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %n = arith.constant 32 : i32
      scf.for %i = %c0 to %c32 step %c1 {
        %v = aie.objectfifo.acquire @a (Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %e = aie.objectfifo.subview.access %v[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        func.call @kernel(%e, %n) : (memref<32xi32>, i32) -> ()
        aie.objectfifo.release @a (Consume, 1)
      }
      aie.end
    } {stack_size = 2048 : i32}
    aie.runtime_sequence @run(%x: memref<1024xi32>, %y: memref<1024xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 16][1, 2, 2, 4][0, 8, 4, 1], packet = <pkt_id = 2, pkt_type = 1>) {metadata = @in, id = 1 : i64, issue_token = true} : memref<1024xi32>
      %t = aiex.dma_configure_task_for @out {
        aie.dma_bd(%y : memref<1024xi32> offset = 0 len = 64 sizes = [4, 16] strides = [32, 1]) {bd_id = 3 : i32}
        aie.end
      } {issue_token = true, repeat_count = 1 : i32}
      aiex.dma_start_task(%t)
      aiex.dma_await_task(%t)
      aiex.npu.dma_wait {symbol = @in}
      aiex.npu.write32 {address = 0x1D204 : ui32, value = 3 : ui32, column = 0 : i32, row = 0 : i32}
      aiex.npu.preempt {level = 1 : ui8}
    }
  }
}
