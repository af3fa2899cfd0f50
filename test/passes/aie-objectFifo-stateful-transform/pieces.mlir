// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file %s | FileCheck %s
// RUN: aiec opt --split-input-file %s | FileCheck %s --check-prefix=TEXT
// Fifos that are written as pools, endpoints and routes become what whole fifos become.

// TEXT: aie.objectfifo.pool @f_pool(%tile_0_2) {depth = 2 : i32} : memref<16xi32> {
// TEXT-NEXT: aie.objectfifo.segment @s0 {offset = 0 : i32, size = 16 : i32}
// TEXT-NEXT: }
// TEXT-NEXT: aie.objectfifo.core_endpoint @f(%tile_0_2) fills @f_pool
// TEXT-NEXT: aie.objectfifo.dma_endpoint @f_dma(%tile_0_2) drains @f_pool {channelIndex = 1 : i32}
// TEXT-NEXT: aie.route_endpoint @host(%shim_noc_tile_0_0) DMA {fifoName = "f"}
// TEXT-NEXT: aie.route from @f_dma to [@host]
// TEXT: aie.objectfifo.acquire @f(1) : memref<16xi32>
// TEXT: aie.objectfifo.release @f(1)

// CHECK-LABEL: @to_host
// CHECK: %[[B0:.*]] = aie.buffer(%tile_0_2) {sym_name = "f_buff_0"} : memref<16xi32>
// CHECK: %[[B1:.*]] = aie.buffer(%tile_0_2) {sym_name = "f_buff_1"} : memref<16xi32>
// CHECK: %[[FREE:.*]] = aie.lock(%tile_0_2) {init = 2 : i32, sym_name = "f_prod_lock_0"}
// CHECK: %[[FULL:.*]] = aie.lock(%tile_0_2) {init = 0 : i32, sym_name = "f_cons_lock_0"}
// CHECK: aie.flow(%tile_0_2, DMA : 1, %shim_noc_tile_0_0, DMA : 0)
// CHECK: aie.core(%tile_0_2)
// CHECK: scf.for
// CHECK: aie.use_lock(%[[FREE]], AcquireGreaterEqual
// CHECK: memref.store %{{.*}}, %[[B0]]
// CHECK: aie.use_lock(%[[FULL]], Release
// CHECK: aie.use_lock(%[[FREE]], AcquireGreaterEqual
// CHECK: memref.store %{{.*}}, %[[B1]]
// CHECK: metadata = @f_shim_alloc
// CHECK: aie.shim_dma_allocation @f_shim_alloc(%shim_noc_tile_0_0, S2MM, 0)
// CHECK: aie.mem(%tile_0_2)
// CHECK: aie.dma_start(MM2S, 1
// CHECK: aie.dma_bd(%[[B0]] : memref<16xi32> offset = 0 len = 16)
// CHECK: aie.dma_bd(%[[B1]] : memref<16xi32> offset = 0 len = 16)
module {
  aie.device(npu2) @to_host {
    %shim = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    aie.objectfifo.pool @f_pool(%t) {depth = 2 : i32} : memref<16xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 16 : i32}
    }
    aie.objectfifo.core_endpoint @f(%t) fills @f_pool
    aie.objectfifo.dma_endpoint @f_dma(%t) drains @f_pool {channelIndex = 1 : i32}
    aie.route_endpoint @host(%shim) DMA {fifoName = "f"}
    aie.route from @f_dma to [@host]
    aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %v = arith.constant 7 : i32
      scf.for %i = %c0 to %c8 step %c1 {
        %o = aie.objectfifo.acquire @f(1) : memref<16xi32>
        memref.store %v, %o[%i] : memref<16xi32>
        aie.objectfifo.release @f(1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @host} : memref<16xi32>
    }
  }
}

// -----

// Written buffers and locks stay; two parts are joined; each filler acquires three at once for
// what is sent three times.
// CHECK-LABEL: @join
// CHECK-DAG: %[[OWN:.*]] = aie.buffer(%mem_tile_0_1) {sym_name = "own"}
// CHECK-DAG: %[[P:.*]] = aie.lock(%mem_tile_0_1) {init = 3 : i32, sym_name = "p"}
// CHECK-DAG: %[[C:.*]] = aie.lock(%mem_tile_0_1) {init = 0 : i32, sym_name = "c"}
// CHECK-DAG: %[[P1:.*]] = aie.lock(%mem_tile_0_1) {init = 3 : i32, sym_name = "o_prod_lock_1"}
// CHECK-DAG: %[[C1:.*]] = aie.lock(%mem_tile_0_1) {init = 0 : i32, sym_name = "o_cons_lock_1"}
// CHECK: aie.packet_flow(0)
// CHECK: aie.memtile_dma(%mem_tile_0_1)
// CHECK: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK: aie.dma_start(S2MM, 0
// CHECK: aie.use_lock(%[[P]], AcquireGreaterEqual, %[[THREE]])
// CHECK: aie.dma_bd(%[[OWN]] : memref<24xi32> offset = 0 len = 8)
// CHECK: aie.use_lock(%[[C]], Release, %[[THREE]])
// CHECK: aie.dma_start(S2MM, 1
// CHECK: aie.use_lock(%[[P1]], AcquireGreaterEqual, %[[THREE]])
// CHECK: aie.dma_bd(%[[OWN]] : memref<24xi32> offset = 8 len = 16)
// CHECK: aie.dma_start(MM2S, 0
// CHECK-COUNT-3: aie.dma_bd(%[[OWN]] : memref<24xi32> offset = 8 len = 16 sizes = [4, 4] strides = [1, 4])
module {
  aie.device(npu2) @join {
    %shim = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %own = aie.buffer(%m) {sym_name = "own"} : memref<24xi32>
    %p = aie.lock(%m) {init = 3 : i32, sym_name = "p"}
    %c = aie.lock(%m) {init = 0 : i32, sym_name = "c"}
    aie.objectfifo.pool @o_pool(%m) {depth = 1 : i32, buffers = [@own], repeatCount = 3 : i32} : memref<24xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 8 : i32, produceLock = @p, consumeLock = @c}
      aie.objectfifo.segment @s1 {offset = 8 : i32, size = 16 : i32}
    }
    aie.objectfifo.dma_endpoint @a(%m) fills @o_pool {segments = [@s0]}
    aie.objectfifo.dma_endpoint @b(%m) fills @o_pool {segments = [@s1]}
    aie.objectfifo.dma_endpoint @all(%m) drains @o_pool {segments = [@s0, @s1], dimensions = #aie<bd_dim_layout_array_array[[], [<size = 4, stride = 1>, <size = 4, stride = 4>]]>}
    aie.route_endpoint @in0(%shim) DMA
    aie.route_endpoint @in1(%shim) DMA
    aie.route_endpoint @out(%shim) DMA
    aie.route from @in0 to [@a]
    aie.route from @in1 to [@b]
    aie.route from @all to [@out] {packet}
  }
}

// -----

// Objects in one buffer, which BDs go around; the other end pads; channels by endpoint; a channel
// that two ends share.
// TEXT: aie.route_endpoint @s1(%shim_noc_tile_0_0) DMA {fifoName = "s1", sharesChannel = @s0}
// TEXT: aie.dma_start(S2MM, @t, ^bb1, ^bb2)
// TEXT: aie.objectfifo.dma_endpoint @o(%mem_tile_0_1) drains @p_pool {dimensions = #aie<bd_dim_layout_array_array{{.*}}, padDimensions = #aie<bd_pad_layout_array_array[{{\[}}<const_pad_before = 1, const_pad_after = 2>]]>, padValue = 5 : i32}
// CHECK-LABEL: @sorts
// CHECK: %[[RING:.*]] = aie.buffer(%mem_tile_0_1) {sym_name = "r_buff"} : memref<32xi32>
// CHECK: aie.lock(%mem_tile_0_1) {init = 4 : i32, sym_name = "r_prod_lock_0"}
// CHECK: aie.dma_start(S2MM, 0, ^bb1, ^bb2)
// CHECK-DAG: aie.shim_dma_allocation @s0_shim_alloc(%shim_noc_tile_0_0, MM2S, 0, <pkt_type = 0, pkt_id = 0>)
// CHECK-DAG: aie.shim_dma_allocation @s1_shim_alloc(%shim_noc_tile_0_0, MM2S, 0, <pkt_type = 0, pkt_id = 1>)
// CHECK: aie.memtile_dma(%mem_tile_0_1)
// CHECK: aie.dma_start(S2MM, 0
// CHECK: aie.dma_bd(%[[RING]] : memref<32xi32> offset = 0 len = 8) {iteration = #aie.bd_iteration<size = 4, stride = 8, current = 0>}
// CHECK: aie.dma_start(MM2S, 0
// CHECK: aie.dma_bd(%[[RING]] : memref<32xi32> offset = 0 len = 8) {iteration = #aie.bd_iteration<size = 4, stride = 8, current = 0>}
// CHECK: aie.dma_start(S2MM, 1
// CHECK: aie.dma_start(MM2S, 1, ^bb{{[0-9]+}}, ^bb{{[0-9]+}}) {pad_value = 5 : i32}
// CHECK: aie.dma_bd(%p_buff_0 : memref<8xi32> offset = 0 len = 11 sizes = [8] strides = [1] pad
module {
  aie.device(npu2) @sorts {
    %shim = aie.tile(0, 0)
    %shim1 = aie.tile(1, 0)
    %m = aie.tile(0, 1)
    %c = aie.tile(0, 2)
    %b = aie.buffer(%c) {sym_name = "b"} : memref<8xi32>
    aie.route_endpoint @s0(%shim) DMA {fifoName = "s0"}
    aie.route_endpoint @s1(%shim) DMA {fifoName = "s1", sharesChannel = @s0}
    aie.objectfifo.pool @r_pool(%m) {depth = 4 : i32, iterateBds} : memref<8xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 8 : i32}
    }
    aie.objectfifo.dma_endpoint @i(%m) fills @r_pool
    aie.objectfifo.dma_endpoint @e(%m) drains @r_pool
    aie.route from @s0 to [@i] {packet}
    aie.route_endpoint @t(%c) DMA
    aie.route from @e to [@t]
    aie.mem(%c) {
      aie.dma_start(S2MM, @t, ^bd, ^end)
    ^bd:
      aie.dma_bd(%b : memref<8xi32> offset = 0 len = 8)
      aie.next_bd ^bd
    ^end:
      aie.end
    }
    aie.objectfifo.pool @p_pool(%m) {depth = 1 : i32} : memref<8xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 8 : i32}
    }
    aie.objectfifo.dma_endpoint @j(%m) fills @p_pool
    aie.objectfifo.dma_endpoint @o(%m) drains @p_pool {dimensions = #aie<bd_dim_layout_array_array[[<size = 8, stride = 1>]]>, padDimensions = #aie<bd_pad_layout_array_array[[<const_pad_before = 1, const_pad_after = 2>]]>, padValue = 5 : i32}
    aie.route from @s1 to [@j] {packet}
    aie.route_endpoint @host(%shim1) DMA {fifoName = "h"}
    aie.route from @o to [@host]
  }
}
