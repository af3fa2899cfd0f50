// RUN: aiec opt --aie-assign-bd-ids --split-input-file --no-verify --verify-diagnostics %s

module {
  aie.device(npu2) {
    %t = aie.tile(0, 1)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<64xi32>
    %m = aie.memtile_dma(%t) {
      %0 = aie.dma_start(MM2S, 1, ^b0, ^end)
    ^b0:
      // expected-error@below {{MM2S channel 1 can't use BD 3}}
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64) {bd_id = 3 : i32}
      aie.next_bd ^b0
    ^end:
      aie.end
    }
  }
}

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<64xi32>
    %m = aie.mem(%t) {
      %0 = aie.dma_start(MM2S, 1, ^b0, ^end)
    ^b0:
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 32) {bd_id = 3 : i32}
      aie.next_bd ^b1
    ^b1:
      // expected-error@below {{two BDs of the tile have number 3}}
      aie.dma_bd(%b : memref<64xi32> offset = 32 len = 32) {bd_id = 3 : i32}
      aie.next_bd ^b0
    ^end:
      aie.end
    }
  }
}

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 1)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<64xi32>
    %m = aie.memtile_dma(%t) {
      %0 = aie.dma_start(MM2S, 0, ^b0, ^other)
    ^other:
      %1 = aie.dma_start(MM2S, 1, ^b0, ^end)
    ^b0:
      // expected-error@below {{this BD is in the chains of an even and of an odd channel}}
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.next_bd ^b0
    ^end:
      aie.end
    }
  }
}

// -----

// A second start of a channel waits for the end of the first.
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<64xi32>
    %m = aie.mem(%t) {
      // expected-note@below {{never ends}}
      %0 = aie.dma_start(MM2S, 0, ^a, ^second)
    ^second:
      // expected-warning@below {{MM2S channel 0 is started again after a chain that never ends}}
      %1 = aie.dma_start(MM2S, 0, ^b, ^third)
    ^third:
      %2 = aie.dma_start(MM2S, 1, ^c, ^fourth)
    ^fourth:
      %3 = aie.dma_start(MM2S, 1, ^b, ^end)
    ^a:
      aie.dma_bd(%b : memref<64xi32>, 0, 64)
      aie.next_bd ^a
    ^b:
      aie.dma_bd(%b : memref<64xi32>, 0, 64)
      aie.next_bd ^end
    ^c:
      aie.dma_bd(%b : memref<64xi32>, 0, 64)
      aie.next_bd ^end
    ^end:
      aie.end
    }
  }
}
