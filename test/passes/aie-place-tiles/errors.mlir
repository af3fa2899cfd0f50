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
    // expected-error@below {{no available compute tiles for placement at (0, ?)}}
    %d = aie.logical_tile<CoreTile>(0, ?)
    %core = aie.core(%t) {
      aie.end
    }
  }
}
