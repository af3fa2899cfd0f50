// A fifo to the host written as a pool, endpoints and a route, beside a whole one.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %t = aie.tile(0, 3)
    aie.objectfifo.pool @f_pool(%t) {depth = 2 : i32} : memref<16xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 16 : i32}
    }
    aie.objectfifo.core_endpoint @f(%t) fills @f_pool
    aie.objectfifo.dma_endpoint @f_dma(%t) drains @f_pool
    aie.route_endpoint @host(%shim) DMA {fifoName = "out"}
    aie.route from @f_dma to [@host]
    aie.objectfifo @in(%shim, {%t}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      scf.for %n = %c0 to %c4 step %c1 {
        %x = aie.objectfifo.acquire @in(Consume, 1) : memref<16xi32>
        %y = aie.objectfifo.acquire @f(1) : memref<16xi32>
        scf.for %i = %c0 to %c16 step %c1 {
          %v = memref.load %x[%i] : memref<16xi32>
          %w = arith.addi %v, %v : i32
          memref.store %w, %y[%i] : memref<16xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @f(1)
      }
      aie.end
    }
    aie.runtime_sequence(%src: memref<64xi32>, %dst: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%src[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%dst[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @host, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @host}
    }
  }
}
