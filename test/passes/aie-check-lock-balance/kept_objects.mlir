// RUN: aiec opt --aie-check-lock-balance --split-input-file --verify-diagnostics %s
// Windows of two objects over a ring of three: without the release before the loop each object is kept a round too long.

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {sym_name = "a"} : memref<2xi32>
    %b = aie.buffer(%t) {sym_name = "b"} : memref<2xi32>
    %c = aie.buffer(%t) {sym_name = "c"} : memref<2xi32>
    %free = aie.lock(%t, 0) {init = 3 : i32, sym_name = "free"}
    %full = aie.lock(%t, 1) {init = 0 : i32, sym_name = "full"}
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %many = arith.constant 9223372036854775806 : index
      aie.use_lock(%full, AcquireGreaterEqual, 2)
      %0 = memref.load %a[%c0] : memref<2xi32>
      %1 = memref.load %b[%c0] : memref<2xi32>
      // expected-warning@below {{core (0, 2) releases each object that it acquires from `full` a round after its last use}}
      scf.for %i = %c0 to %many step %c3 {
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        %2 = memref.load %b[%c0] : memref<2xi32>
        %3 = memref.load %c[%c0] : memref<2xi32>
        aie.use_lock(%free, Release, 1)
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        %4 = memref.load %c[%c0] : memref<2xi32>
        %5 = memref.load %a[%c0] : memref<2xi32>
        aie.use_lock(%free, Release, 1)
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        %6 = memref.load %a[%c0] : memref<2xi32>
        %7 = memref.load %b[%c0] : memref<2xi32>
        aie.use_lock(%free, Release, 1)
      }
      aie.end
    }
    %mem = aie.mem(%t) {
      %d = aie.dma_start(S2MM, 0, ^first, ^end)
    ^first:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%a : memref<2xi32>, 0, 2)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^second
    ^second:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<2xi32>, 0, 2)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^third
    ^third:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%c : memref<2xi32>, 0, 2)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^first
    ^end:
      aie.end
    }
  }
}

// -----

// A window of three, of which the oldest is used last, and one of which the middle is never used.
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {sym_name = "a"} : memref<2xi32>
    %b = aie.buffer(%t) {sym_name = "b"} : memref<2xi32>
    %c = aie.buffer(%t) {sym_name = "c"} : memref<2xi32>
    %free = aie.lock(%t, 0) {init = 3 : i32, sym_name = "free"}
    %full = aie.lock(%t, 1) {init = 0 : i32, sym_name = "full"}
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %many = arith.constant 9223372036854775806 : index
      aie.use_lock(%full, AcquireGreaterEqual, 2)
      %0 = memref.load %a[%c0] : memref<2xi32>
      %1 = memref.load %b[%c0] : memref<2xi32>
      scf.for %i = %c0 to %many step %c3 {
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        %2 = memref.load %c[%c0] : memref<2xi32>
        %3 = memref.load %a[%c0] : memref<2xi32>
        aie.use_lock(%free, Release, 1)
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        %4 = memref.load %a[%c0] : memref<2xi32>
        %5 = memref.load %b[%c0] : memref<2xi32>
        aie.use_lock(%free, Release, 1)
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        %6 = memref.load %b[%c0] : memref<2xi32>
        %7 = memref.load %c[%c0] : memref<2xi32>
        aie.use_lock(%free, Release, 1)
      }
      aie.end
    }
    %mem = aie.mem(%t) {
      %d = aie.dma_start(S2MM, 0, ^first, ^end)
    ^first:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%a : memref<2xi32>, 0, 2)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^second
    ^second:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<2xi32>, 0, 2)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^third
    ^third:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%c : memref<2xi32>, 0, 2)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^first
    ^end:
      aie.end
    }
  }
}
