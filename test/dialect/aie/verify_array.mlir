// RUN: aiec opt --split-input-file --verify-diagnostics %s
// Tiles, ports, cascades: our words and those of mlir-aie's tools both meet an expectation.

aie.device(npu1) {
  // expected-error@+1 {{lies outside of npu1}}
  %a = aie.tile(9, 2)
  // expected-error@+1 {{'aie.tile' op column index (9) must be less than the number of columns in the device (4)}}
  %b = aie.tile(9, 3)
  // expected-error@+1 {{'aie.tile' op attribute 'col' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0}}
  %c = aie.tile(-1, 3)
}

// -----

aie.device(npu2) {
  // expected-error@+1 {{column index (100) must be less than the number of columns}}
  %a = aie.logical_tile<CoreTile>(100, ?)
  // expected-error@+1 {{does not match the tile type at coordinates (0, 0)}}
  %b = aie.logical_tile<CoreTile>(0, 0)
  // expected-error@+1 {{Shim tiles cannot have an allocation scheme}}
  %c = aie.logical_tile<ShimNOCTile>(0, 0) {allocation_scheme = "basic-sequential"}
}

// -----

aie.device(xcvc1902) {
  // expected-error@+1 {{tile type 'MemTile' does not exist on the target device}}
  %a = aie.logical_tile<MemTile>(?, ?)
}

// -----

aie.device(npu1) {
  %t = aie.tile(0, 2)
  %mem = aie.tile(0, 1)
  // expected-error@+1 {{'aie.core' op failed to verify that op exists in a core tile}}
  aie.core(%mem) {
    aie.end
  }
  // expected-note@+1 {{the first one}}
  aie.core(%t) {
    aie.end
  }
  // expected-error@+1 {{tile (0, 2) already has a core; each compute tile can host only one core}}
  aie.core(%t) {
    aie.end
  }
}

// -----

aie.device(npu1) {
  %t = aie.tile(0, 2)
  aie.switchbox(%t) {
    // expected-error@+1 {{source bundle NOC not supported}}
    aie.connect<NOC : 0, North : 0>
    // expected-error@+1 {{source index cannot be less than zero}}
    aie.connect<DMA : -1, North : 0>
    // expected-error@+1 {{index 99 for source bundle DMA must be less than 2}}
    aie.connect<DMA : 99, North : 1>
  }
}

// -----

aie.device(npu1) {
  %mem = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(3, 4)
  // expected-error@+1 {{memTile row has no cascade stream interface}}
  aie.cascade_flow(%mem, %a)
  // expected-error@+1 {{tiles must be adjacent}}
  aie.cascade_flow(%a, %b)
  // expected-error@+1 {{input direction of cascade must be North or West on AIE2}}
  aie.configure_cascade(%a, South, East)
  %core = aie.core(%b) {
    // expected-error@+1 {{must be a 512-bit type}}
    %v = aie.get_cascade() : vector<8xi32>
    // expected-error@+1 {{type must match architecture cascade width (512 bits in AIE2)}}
    aie.put_cascade(%v : vector<8xi32>)
    aie.end
  }
}
