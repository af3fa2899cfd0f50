// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file --verify-diagnostics %s
// Pools, endpoints and routes that don't fit each other.

module {
  aie.device(npu2) {
    %m = aie.tile(0, 1)
    %far = aie.tile(3, 3)
    %shim = aie.tile(0, 0)
    // expected-error@below {{the segments cover 12 of 16 elements}}
    // expected-error@below {{`iterateBds` of `aie.objectfifo.pool` isn't known here}}
    aie.objectfifo.pool @p(%m) {depth = 1 : i32, iterateBds} : memref<16xi32> {
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
