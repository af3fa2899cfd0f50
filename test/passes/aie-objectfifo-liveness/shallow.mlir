// RUN: aiec opt --aie-objectfifo-liveness --split-input-file --verify-diagnostics %s
// A broadcast in a cycle needs places for what its repetitions leave on the way.

// Two halves of one broadcast: 4 consumers in 3 rounds.
module {
  aie.device(npu2) {
    %m = aie.tile(0, 1)
    %n = aie.tile(1, 1)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %c = aie.tile(1, 2)
    %d = aie.tile(1, 3)
    // expected-error@below {{broadcast `@w` is too shallow for a cycle: 4 consumers in 3 rounds leave 12 objects on their way, but only 8 have a place}}
    aie.objectfifo @w_0(%m, {%a, %b}, 4 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @w_1(%n, {%c, %d}, 4 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @back_0(%a, {%m}, 4 : i32) {repeat_count = 3 : i32} : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @back_1(%c, {%n}, 4 : i32) : !aie.objectfifo<memref<4xi32>>
  }
}

// -----

// The other half is another type: 2 consumers, deep enough.
module {
  aie.device(npu2) {
    %m = aie.tile(0, 1)
    %n = aie.tile(1, 1)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %c = aie.tile(1, 2)
    %d = aie.tile(1, 3)
    aie.objectfifo @w_0(%m, {%a, %b}, 4 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @w_1(%n, {%c, %d}, 4 : i32) : !aie.objectfifo<memref<8xi16>>
    aie.objectfifo @back_0(%a, {%m}, 4 : i32) {repeat_count = 3 : i32} : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @back_1(%c, {%n}, 4 : i32) : !aie.objectfifo<memref<4xi32>>
  }
}

// -----

// Nothing comes back: no cycle.
module {
  aie.device(npu2) {
    %m = aie.tile(0, 1)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @w(%m, {%a, %b}, 1 : i32) {repeat_count = 9 : i32} : !aie.objectfifo<memref<8xi32>>
  }
}
