// RUN: aiec opt --aie-place-tiles --split-input-file --verify-diagnostics %s

module {
  aie.device(npu2) {
    %a = aie.logical_tile<CoreTile>(1, 2)
    // expected-error@below {{tile (1, 2) already has a core}}
    %b = aie.logical_tile<CoreTile>(1, 2)
  }
}

// -----

module {
  aie.device(npu1_1col) {
    %t = aie.tile(0, 2)
    %a = aie.logical_tile<CoreTile>(0, ?)
    %b = aie.logical_tile<CoreTile>(0, ?)
    %c = aie.logical_tile<CoreTile>(0, ?)
    // expected-error@below {{no available compute tiles for placement: all 4 core tiles matching (0, ?) are taken}}
    %d = aie.logical_tile<CoreTile>(0, ?)
    %core = aie.core(%t) {
      aie.end
    }
  }
}

// -----

module {
  aie.device(npu2) {
    %s0 = aie.logical_tile<ShimNOCTile>(?, ?)
    %s1 = aie.logical_tile<ShimNOCTile>(?, ?)
    %s2 = aie.logical_tile<ShimNOCTile>(?, ?)
    // expected-error@below {{the fifos and flows of this tile need 3 S2MM and 0 MM2S channels, but a core tile has 2 and 2}}
    %c = aie.logical_tile<CoreTile>(?, ?)
    aie.objectfifo @a(%s0, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @b(%s1, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @c(%s2, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  }
}

// -----

module {
  aie.device(npu1) {
    // expected-note@below {{sends it a cascade from (1, 3): the core must be below or to the right}}
    %src = aie.logical_tile<CoreTile>(1, 3)
    // expected-error@below {{none of the 4 free core tiles matching (0, ?) satisfies cascade adjacency}}
    %dst = aie.logical_tile<CoreTile>(0, ?)
    aie.cascade_flow(%src, %dst)
  }
}

// -----

module {
  aie.device(npu1) {
    // expected-note@below {{holds a buffer or lock that it uses, at (1, 3)}}
    %owner = aie.tile(1, 3)
    %b = aie.buffer(%owner) {sym_name = "b"} : memref<16xi32>
    // expected-error@below {{satisfies shared-L1 buffer adjacency}}
    %user = aie.logical_tile<CoreTile>(3, ?)
    aie.core(%user) {
      %i = arith.constant 0 : index
      %v = memref.load %b[%i] : memref<16xi32>
      aie.end
    }
  }
}

// -----

module {
  aie.device(npu1_1col) {
    %c = aie.tile(0, 2)
    // expected-error@below {{no shim NOC tile has sufficient DMA capacity for 0 input/1 output channels: the 1 of them have 2 S2MM and 0 MM2S channels left together}}
    %s0 = aie.logical_tile<ShimNOCTile>(?, ?)
    %s1 = aie.logical_tile<ShimNOCTile>(?, ?)
    aie.flow(%s0, DMA : 0, %c, DMA : 0)
    aie.flow(%s1, DMA : 0, %c, DMA : 1)
    aie.flow(%s1, DMA : 1, %c, TileControl : 0)
  }
}
