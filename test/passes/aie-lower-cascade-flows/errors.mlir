// RUN: aiec opt --aie-lower-cascade-flows --split-input-file --no-verify --verify-diagnostics %s

module {
  aie.device(npu1) {
    %a = aie.tile(1, 3)
    %b = aie.tile(1, 4)
    // expected-error@below {{tile (1, 3) can't send cascade data to tile (1, 4)}}
    aie.cascade_flow(%a, %b)
  }
}

// -----

module {
  aie.device(npu1) {
    %a = aie.tile(1, 3)
    %b = aie.tile(1, 4)
    %c = aie.tile(0, 3)
    aie.cascade_flow(%b, %a)
    // expected-error@below {{the cascade input of this core is asked for twice}}
    aie.cascade_flow(%c, %a)
  }
}

// -----

module {
  aie.device(npu1) {
    %a = aie.tile(1, 3)
    %b = aie.tile(1, 4)
    aie.configure_cascade(%a, West, East)
    // expected-error@below {{the cascade ports of this core are asked for twice}}
    aie.cascade_flow(%b, %a)
  }
}
