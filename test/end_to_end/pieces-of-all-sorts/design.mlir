// Fifos in pieces: packets of one shim channel (sharesChannel) go into a pool whose objects lie in one
// buffer (iterateBds); what leaves it passes a written DMA program, whose channels are those of
// endpoints, and comes back from a pool that pads it with nines.
// Devices: npu2, xcve3858

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %t = aie.tile(0, 3)
    %other = aie.tile(1, 1)

    aie.route_endpoint @left(%shim) DMA {fifoName = "l"}
    aie.route_endpoint @right(%shim) DMA {fifoName = "r", sharesChannel = @left}
    aie.objectfifo.pool @p_pool(%mem) {depth = 3 : i32, iterateBds} : memref<12xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 4 : i32}
      aie.objectfifo.segment @s1 {offset = 4 : i32, size = 8 : i32}
    }
    aie.objectfifo.dma_endpoint @p0(%mem) fills @p_pool {segments = [@s0]}
    aie.objectfifo.dma_endpoint @p1(%mem) fills @p_pool {segments = [@s1]}
    aie.objectfifo.dma_endpoint @p(%mem) drains @p_pool {segments = [@s0, @s1]}
    aie.route from @left to [@p0] {packet}
    aie.route from @right to [@p1] {packet}

    aie.route_endpoint @t_in(%t) DMA
    aie.route_endpoint @t_out(%t) DMA
    aie.route from @p to [@t_in]
    %b = aie.buffer(%t) {sym_name = "b"} : memref<12xi32>
    %free = aie.lock(%t) {init = 1 : i32, sym_name = "free"}
    %full = aie.lock(%t) {init = 0 : i32, sym_name = "full"}
    aie.mem(%t) {
      aie.dma_start(S2MM, @t_in, ^take, ^next)
    ^take:
      %c1 = arith.constant 1 : i32
      aie.use_lock(%free, AcquireGreaterEqual, %c1)
      aie.dma_bd(%b : memref<12xi32> offset = 0 len = 12)
      aie.use_lock(%full, Release, %c1)
      aie.next_bd ^take
    ^next:
      aie.dma_start(MM2S, @t_out, ^give, ^end)
    ^give:
      %d1 = arith.constant 1 : i32
      aie.use_lock(%full, AcquireGreaterEqual, %d1)
      aie.dma_bd(%b : memref<12xi32> offset = 0 len = 12)
      aie.use_lock(%free, Release, %d1)
      aie.next_bd ^give
    ^end:
      aie.end
    }

    aie.objectfifo.pool @q_pool(%other) {depth = 2 : i32} : memref<12xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 12 : i32}
    }
    aie.objectfifo.dma_endpoint @q_in(%other) fills @q_pool
    aie.objectfifo.dma_endpoint @q_out(%other) drains @q_pool {dimensions = #aie<bd_dim_layout_array_array[[<size = 3, stride = 4>, <size = 4, stride = 1>]]>, padDimensions = #aie<bd_pad_layout_array_array[[<const_pad_before = 1, const_pad_after = 0>, <const_pad_before = 1, const_pad_after = 1>]]>, padValue = 9 : i32}
    aie.route_endpoint @out(%shim) DMA {fifoName = "out"}
    aie.route from @t_out to [@q_in]
    aie.route from @q_out to [@out]

    // The pool holds three objects: a packet with more parts than that would keep the others out.
    aie.runtime_sequence(%left: memref<24xi32>, %right: memref<48xi32>, %dst: memref<144xi32>) {
      aiex.npu.dma_memcpy_nd(%dst[0, 0, 0, 0][1, 1, 1, 144][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<144xi32>
      aiex.npu.dma_memcpy_nd(%left[0, 0, 0, 0][1, 1, 1, 12][0, 0, 0, 1]) {id = 1 : i64, metadata = @left} : memref<24xi32>
      aiex.npu.dma_memcpy_nd(%right[0, 0, 0, 0][1, 1, 1, 24][0, 0, 0, 1]) {id = 2 : i64, metadata = @right} : memref<48xi32>
      aiex.npu.dma_memcpy_nd(%left[0, 0, 0, 12][1, 1, 1, 12][0, 0, 0, 1]) {id = 3 : i64, metadata = @left} : memref<24xi32>
      aiex.npu.dma_memcpy_nd(%right[0, 0, 0, 24][1, 1, 1, 24][0, 0, 0, 1]) {id = 4 : i64, metadata = @right} : memref<48xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
