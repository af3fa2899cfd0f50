// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file --verify-diagnostics %s
// Pools, endpoints and routes that don't fit each other.

module {
  aie.device(npu2) {
    %m = aie.tile(0, 1)
    %far = aie.tile(3, 3)
    %shim = aie.tile(0, 0)
    // expected-error@below {{the segments cover 12 of 16 elements}}
    // expected-error@below {{`lookAhead` of `aie.objectfifo.pool` isn't known here}}
    aie.objectfifo.pool @p(%m) {depth = 1 : i32, lookAhead} : memref<16xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 8 : i32}
      // expected-error@below {{segment `@s1` starts at 10, the next free is 8}}
      aie.objectfifo.segment @s1 {offset = 10 : i32, size = 2 : i32}
    }
    // expected-error@below {{which segments of the pool is left open}}
    aie.objectfifo.dma_endpoint @a(%m) fills @p
    // expected-error@below {{the segments don't fit the pool}}
    aie.objectfifo.dma_endpoint @b(%m) drains @p {segments = [@s1, @s0]}
    // expected-error@below {{there is no pool `@q`}}
    aie.objectfifo.dma_endpoint @c(%m) drains @q
    // expected-error@below {{endpoint `@d`: a core takes whole objects of pools with one segment}}
    aie.objectfifo.core_endpoint @d(%far) drains @p {segments = [@s0]}
    aie.route_endpoint @host(%shim) DMA
    // expected-error@below {{there is no endpoint `@nobody`}}
    aie.route from @nobody to [@host]
  }
}

// -----

module {
  aie.device(npu2) {
    %m = aie.tile(0, 1)
    %shim = aie.tile(0, 0)
    // expected-error@below {{no endpoint drains `@s0`}}
    aie.objectfifo.pool @p(%m) {depth = 1 : i32} : memref<16xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 16 : i32}
    }
    aie.objectfifo.dma_endpoint @a(%m) fills @p
    // expected-error@below {{two endpoints do the same to a segment of `@p`}}
    // expected-error@below {{endpoint `@b` is in no route}}
    aie.objectfifo.dma_endpoint @b(%m) fills @p
    aie.route_endpoint @host(%shim) DMA
    // expected-error@below {{`@a` can't be on this side of a route}}
    aie.route from @a to [@host]
  }
}

// -----

module {
  aie.device(npu2) {
    %m = aie.tile(0, 1)
    %c = aie.tile(0, 2)
    // expected-error@below {{iterate_bds cannot be combined with 'repeatCount'}}
    aie.objectfifo.pool @p(%m) {depth = 4 : i32, iterateBds, repeatCount = 2 : i32} : memref<16xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 16 : i32}
    }
    aie.objectfifo.pool @q(%c) {depth = 4 : i32, iterateBds} : memref<16xi32> {
      aie.objectfifo.segment @s0 {offset = 0 : i32, size = 16 : i32}
    }
    // expected-error@below {{endpoint `@reader`: objects of iterate_bds are addressed only by a DMA}}
    aie.objectfifo.core_endpoint @reader(%c) drains @q
    // expected-error@below {{endpoint `@a`: only an endpoint that drains pads}}
    aie.objectfifo.dma_endpoint @a(%m) fills @p {padDimensions = #aie<bd_pad_layout_array_array[[<const_pad_before = 1, const_pad_after = 0>]]>}
    // expected-error@below {{endpoint `@b`: pads need a dimension each}}
    aie.objectfifo.dma_endpoint @b(%m) drains @p {padDimensions = #aie<bd_pad_layout_array_array[[<const_pad_before = 1, const_pad_after = 0>]]>}
  }
}

// -----

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %c = aie.tile(0, 2)
    %b = aie.buffer(%m) {sym_name = "b"} : memref<64xi32>
    aie.route_endpoint @out(%m) DMA
    aie.route_endpoint @dst(%shim) DMA {fifoName = "b"}
    aie.route_endpoint @spray(%m) DMA
    aie.route_endpoint @catch(%c) DMA
    aie.route from @out to [@dst]
    aie.route from @spray to [@catch] {packet}
    aie.memtile_dma(%m) {
      // expected-error@below {{`@out` is MM2S by its route}}
      aie.dma_start(S2MM, @out, ^bd, ^more)
    ^bd:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^bd
    ^more:
      // expected-error@below {{is the source of a packet-switched route: this program's BDs would not carry its header}}
      aie.dma_start(MM2S, @spray, ^bd1, ^again)
    ^bd1:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^bd1
    ^again:
      // expected-error@below {{`@catch` is on tile (0, 2), this program isn't}}
      aie.dma_start(S2MM, @catch, ^bd2, ^end)
    ^bd2:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^bd2
    ^end:
      aie.end
    }
  }
}

// -----

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    // expected-error@below {{sharesChannel names '@nobody', which has no assigned channel}}
    aie.route_endpoint @a(%shim) DMA {fifoName = "a", sharesChannel = @nobody}
    aie.route_endpoint @b(%shim) DMA {fifoName = "b"}
    // expected-error@below {{sharesChannel names '@b', but only packets can share a channel}}
    aie.route_endpoint @c(%shim) DMA {fifoName = "c", sharesChannel = @b}
    aie.route_endpoint @x(%m) DMA
    aie.route_endpoint @y(%m) DMA
    aie.route_endpoint @z(%m) DMA
    aie.route from @a to [@x]
    aie.route from @b to [@y]
    aie.route from @c to [@z]
  }
}

// -----

module {
  aie.device(npu2) {
    %c = aie.tile(0, 2)
    %b = aie.buffer(%c) {sym_name = "b"} : memref<8xi32>
    aie.mem(%c) {
      // expected-error@below {{there is no `aie.route_endpoint @nobody`}}
      aie.dma_start(S2MM, @nobody, ^bd, ^end)
    ^bd:
      aie.dma_bd(%b : memref<8xi32> offset = 0 len = 8)
      aie.next_bd ^bd
    ^end:
      aie.end
    }
  }
}

// -----

// Tasks of sequences that name endpoints.
module {
  aie.device(npu2) {
    %m = aie.tile(0, 1)
    %c = aie.tile(0, 2)
    %b = aie.buffer(%m) : memref<16xi32>
    aie.objectfifo.pool @p(%m) {depth = 1 : i32} : memref<16xi32> {
      aie.objectfifo.segment @s {offset = 0 : i32, size = 16 : i32}
    }
    aie.objectfifo.dma_endpoint @fill(%m) fills @p
    aie.objectfifo.dma_endpoint @drain(%m) drains @p
    aie.route_endpoint @alone(%m) DMA
    aie.route_endpoint @from(%c) DMA
    aie.route_endpoint @to(%c) DMA
    aie.route from @from to [@fill]
    aie.route from @drain to [@to]
    aie.runtime_sequence() {
      // expected-error@below {{`@alone` is in no route, so its direction isn't known}}
      %t = aiex.dma_configure_task_for @alone {
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 16)
        aie.end
      }
      aiex.dma_start_task(%t)
    }
  }
}
