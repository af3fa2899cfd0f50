// RUN: aiec opt --aie-check-lock-balance --split-input-file --verify-diagnostics %s
// Who takes more units of locks than it gives in a round, or fewer.

// A core without a release.
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {sym_name = "a"} : memref<8xi32>
    %free = aie.lock(%t, 0) {init = 2 : i32, sym_name = "free"}
    %full = aie.lock(%t, 1) {init = 0 : i32, sym_name = "full"}
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %many = arith.constant 9223372036854775807 : index
      // expected-warning@below {{core (0, 2) takes 1 unit of locks more than it gives in each pass of its loop}}
      scf.for %i = %c0 to %many step %c1 {
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        aie.use_lock(%free, Release, 1)
      }
      aie.end
    }
    %mem = aie.mem(%t) {
      %d = aie.dma_start(S2MM, 0, ^first, ^end)
    ^first:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%a : memref<8xi32>, 0, 8)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^second
    ^second:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%a : memref<8xi32>, 0, 8)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^first
    ^end:
      aie.end
    }
  }
}

// -----

// A channel without an acquire.
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {sym_name = "a"} : memref<8xi32>
    %free = aie.lock(%t, 0) {init = 2 : i32, sym_name = "free"}
    %full = aie.lock(%t, 1) {init = 0 : i32, sym_name = "full"}
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %many = arith.constant 9223372036854775807 : index
      scf.for %i = %c0 to %many step %c1 {
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        aie.use_lock(%free, Release, 1)
      }
      aie.end
    }
    %mem = aie.mem(%t) {
      // expected-warning@below {{DMA S2MM 0 of tile (0, 2) gives 1 unit of locks more than it takes in each round of its buffer descriptors}}
      %d = aie.dma_start(S2MM, 0, ^first, ^end)
    ^first:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%a : memref<8xi32>, 0, 8)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^second
    ^second:
      aie.dma_bd(%a : memref<8xi32>, 0, 8)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^first
    ^end:
      aie.end
    }
  }
}

// -----

// A release that is never executed: the pass that is left over behind an unrolled endless loop.
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %one = aie.lock(%t, 0) {init = 1 : i32, sym_name = "one"}
    // expected-warning@below {{core (0, 2) takes 1 unit of locks more than it gives after its endless loop}}
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %many = arith.constant 9223372036854775806 : index
      scf.for %i = %c0 to %many step %c2 {
        aie.use_lock(%one, AcquireGreaterEqual, 1)
        aie.use_lock(%one, Release, 1)
      }
      aie.use_lock(%one, AcquireGreaterEqual, 1)
      aie.end
    }
  }
}

// -----

// Rounds that fit together: one gives two units in a round, the other takes one in each. A window of three
// objects, one of which is released in each pass. Weights that are kept. A lock that the runtime sequence sets.
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %u = aie.tile(0, 3)
    %b = aie.buffer(%u) {sym_name = "b"} : memref<8xi32>
    %free = aie.lock(%t, 0) {init = 1 : i32, sym_name = "free"}
    %full = aie.lock(%t, 1) {init = 0 : i32, sym_name = "full"}
    %go = aie.lock(%t, 2) {init = 0 : i32, sym_name = "go"}
    %weights = aie.lock(%t, 3) {init = 1 : i32, sym_name = "weights"}
    %lines = aie.lock(%u, 0) {init = 0 : i32, sym_name = "lines"}
    %space = aie.lock(%u, 1) {init = 4 : i32, sym_name = "space"}
    %core = aie.core(%t) {
      %true = arith.constant true
      scf.while : () -> () {
        scf.condition(%true)
      } do {
        aie.use_lock(%go, AcquireGreaterEqual, 1)
        aie.use_lock(%free, AcquireGreaterEqual, 1)
        aie.use_lock(%full, Release, 2)
        scf.yield
      }
      aie.end
    }
    %other = aie.core(%u) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c1_i32 = arith.constant 1 : i32
      %c3_i32 = arith.constant 3 : i32
      %many = arith.constant 9223372036854775807 : index
      aie.use_lock(%weights, AcquireGreaterEqual, 1)
      %rest = scf.for %i = %c0 to %many step %c1 iter_args(%want = %c3_i32) -> (i32) {
        aie.use_lock(%full, AcquireGreaterEqual, 2)
        aie.use_lock(%free, Release, 1)
        aie.use_lock(%lines, AcquireGreaterEqual, %want)
        aie.use_lock(%space, Release, 1)
        scf.yield %c1_i32 : i32
      }
      aie.end
    }
    %mem = aie.mem(%u) {
      %d = aie.dma_start(S2MM, 0, ^first, ^end)
    ^first:
      aie.use_lock(%space, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<8xi32>, 0, 8)
      aie.use_lock(%lines, Release, 1)
      aie.next_bd ^first
    ^end:
      aie.end
    }
    aie.runtime_sequence() {
      aiex.set_lock(%go, 1)
    }
  }
}
