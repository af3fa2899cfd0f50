// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file --verify-diagnostics %s
// Repetitions that the hardware can't count or has no BDs for; a channel without a DMA.

module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %c = aie.tile(2, 4)
    // expected-error@below {{the DMA of `x` needs 80 BDs, each sent 40 times, but a channel of tile (0, 2) has 16}}
    // expected-error@below {{lock `x_prod_lock_0` would start at 80, but locks hold 0 to 63}}
    aie.objectfifo @x(%a, {%c}, 2 : i32) {repeat_count = 40 : i32} : !aie.objectfifo<memref<8xi32>>
  }
}

// -----

module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    // expected-warning@below {{the DMA channels of `@x` aren't used: its ends share the memory of tile (0, 2)}}
    aie.objectfifo @x(%a, {%b}, 2 : i32) {prod_dma_channel = 1 : i32} : !aie.objectfifo<memref<8xi32>>
  }
}
