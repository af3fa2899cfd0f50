// RUN: aiec opt --aie-assign-tile-controller-ids=column-wise-unique-ids=false --verify-diagnostics %s

module {
  aie.device(npu2) {
    %a = aie.tile(3, 2)
    // expected-error@below {{tile (5, 2) gets no controller id}}
    %b = aie.tile(5, 2)
  }
}
