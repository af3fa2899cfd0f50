// RUN: aiec opt --no-verify --aie-objectFifo-stateful-transform=whole-design=true --split-input-file --verify-diagnostics %s

module {
  aie.device(npu2) {
    // expected-error@below {{number of output DMA channel exceeded! Tile (1, 2) has no MM2S channel left for `z`}}
    %a = aie.tile(1, 2)
    // expected-error@below {{number of input DMA channel exceeded! Tile (3, 4) has no S2MM channel left for `z_cons`}}
    %c = aie.tile(3, 4)
    aie.objectfifo @x(%a, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @y(%a, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @z(%a, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  }
}

// -----

module {
  aie.device(npu2) {
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    aie.objectfifo @x(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    %core = aie.core(%a) {
      // expected-error@below {{acquires 3 objects of `@x` at once, but this end holds 2}}
      %0 = aie.objectfifo.acquire @x(Produce, 3) : !aie.objectfifosubview<memref<64xi32>>
      // expected-error@below {{object fifo `@x` isn't consumed on this core's tile}}
      %1 = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
      // expected-error@below {{there is no object fifo `@xx`}}
      aie.objectfifo.release @xx(Produce, 1)
      aie.end
    }
  }
}

// -----

module {
  aie.device(npu2) {
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    aie.objectfifo @x(%a, {%b}, 3 : i32) : !aie.objectfifo<memref<64xi32>>
    %core = aie.core(%a) {
      // expected-error@below {{cannot release more elements than are already acquired: 2 released, 1 held}}
      %0 = aie.objectfifo.acquire @x(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
      aie.objectfifo.release @x(Produce, 2)
      aie.end
    }
  }
}

// -----

module {
  aie.device(npu2) {
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    %c = aie.tile(3, 3)
    aie.objectfifo @x(%a, {%b}, 3 : i32) : !aie.objectfifo<memref<64xi32>>
    // expected-error@below {{objectfifo has no shared memory access to delegate tile's memory module}}
    aie.objectfifo.allocate @x(%c)
  }
}

// -----

module {
  aie.device(npu2) {
    %s = aie.tile(1, 0)
    %m = aie.tile(1, 1)
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    aie.objectfifo @x(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @y(%m, {%a}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @z(%m, {%b}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    // expected-error@below {{the part of `@y` has 20 elements, but its objects have 32}}
    aie.objectfifo.link [@x] -> [@y, @z] ([] [0, 20])
  }
}

// -----

module {
  aie.device(npu2) {
    %s = aie.tile(1, 0)
    %m = aie.tile(1, 1)
    %a = aie.tile(1, 2)
    aie.objectfifo @x(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    // expected-error@below {{out of bounds access: the DMA of `y` reaches element 64 of a buffer of 64}}
    aie.objectfifo @y(%m dimensionsToStream [<size = 9, stride = 8>], {%a}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@x] -> [@y] ([] [])
  }
}

// -----

module {
  aie.device(npu2) {
    %m = aie.tile(1, 1)
    %a = aie.tile(1, 2)
    // expected-error@below {{pinned MM2S DMA channel 7 is out of range or already in use on this tile, (1, 1)}}
    aie.objectfifo @y(%m, {%a}, 2 : i32) {prod_dma_channel = 7 : i32} : !aie.objectfifo<memref<64xi32>>
  }
}
