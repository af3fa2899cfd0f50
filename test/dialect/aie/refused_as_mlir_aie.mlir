// `aiec opt` refuses what mlir-aie's verifier refuses.
// RUN: aiec opt --split-input-file --verify-diagnostics %s

module {
  aie.device(npu1) {
    %c0 = arith.constant 0 : i32
    // expected-error@below {{'aie.get_stream' op expects parent op 'aie.core'}}
    %v = aie.get_stream(%c0 : i32) : i32
    // expected-error@below {{'aie.get_cascade' op expects parent op 'aie.core'}}
    %w = aie.get_cascade() : i512
  }
}

// -----

module {
  aie.device(npu1) {
    %t = aie.tile(0, 2)
    %c = aie.core(%t) {
      %c0 = arith.constant 0 : i32
      // expected-error@below {{result #0 must be 32-bit float or 32-bit signless integer or 128-bit signless integer, but got 'f64'}}
      %v = aie.get_stream(%c0 : i32) : f64
      aie.end
    }
  }
}

// -----

module {
  aie.device(npu1) {
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    // expected-error@below {{attribute 'source_channel' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0}}
    aie.flow(%s, DMA : -1, %t, DMA : 0)
    aie.packet_flow(1) {
      // expected-error@below {{attribute 'channel' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0}}
      aie.packet_source<%t, DMA : -2>
      aie.packet_dest<%s, DMA : 0>
    }
  }
}

// -----

module {
  aie.device(npu1) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    // expected-error@below {{attribute 'repeat_count' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1}}
    aie.objectfifo @a(%a, {%b}, 2 : i32) {repeat_count = 0 : i32} : !aie.objectfifo<memref<16xi32>>
    // expected-error@below {{attribute 'elemType' failed to satisfy constraint: type attribute of AIE objectFifo type}}
    aie.objectfifo @b(%a, {%b}, 2 : i32) : memref<16xi32>
    // expected-error@below {{non memref type passed to 'ObjectFifoType'}}
    aie.objectfifo @c(%a, {%b}, 2 : i32) : !aie.objectfifo<i32>
  }
}
