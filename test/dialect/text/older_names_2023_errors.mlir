// RUN: aiec opt --verify-diagnostics %s

module {
  aie.device(npu1) {
    %t02 = aie.tile(0, 2)
    %b = aie.buffer(%t02) : memref<64xi32>
    %m = aie.mem(%t02) {
      %0 = aie.dma_start(MM2S, 0, ^a, ^e)
    ^a:
      // expected-error@below {{a second buffer of a BD is a matter of AI Engines before AIE2}}
      aie.dmaBd(<%b : memref<64xi32>, 0, 64>, 1)
      aie.next_bd ^e
    ^e:
      aie.end
    }
  }
}
