// RUN: aiec opt --split-input-file --aie-dma-tasks-to-npu --verify-diagnostics %s
// RUN: not aiec opt --split-input-file --aie-dma-tasks-to-npu --diagnostics=text %s 2>&1 | FileCheck %s

// CHECK: a length of 32 elements doesn't match a pattern of 16 elements for each run
// CHECK: leave `len` out, or write the product of the inner sizes
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      // expected-error@+2 {{Buffer descriptor length does not match length of transfer}}
      // expected-note@+1 {{Do not include the highest dimension}}
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32 sizes = [2, 2, 4] strides = [8, 4, 1]) {bd_id = 0 : i32}
      aie.end
    }
  }
}

// -----

// CHECK: this block has 2 buffer descriptors
// CHECK: put each `aie.dma_bd` into a block of its own
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) {bd_id = 0 : i32}
      // expected-note@+1 {{Extra aie.dma_bd}}
      aie.dma_bd(%x : memref<64xi32> offset = 32 len = 32) {bd_id = 1 : i32}
      // expected-error@+1 {{This block contains multiple aie.dma_bd}}
      aie.end
    }
  }
}

// -----

// CHECK: this task has no buffer descriptor in this block
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    // expected-note@+1 {{Error encountered while lowering this BD configuration}}
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) {bd_id = 0 : i32}
      aie.next_bd ^next
    ^next:
      // expected-error@+1 {{Block ending in this terminator does not contain a required}}
      aie.end
    }
  }
}

// -----

// CHECK: `next_bd_id` names 5, the chain goes on with 1
// CHECK: leave `next_bd_id` out
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      // expected-error@+1 {{Cannot specify both next_bd_id attribute and aie.next_bd}}
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 32) {bd_id = 0 : i32, next_bd_id = 5 : i32}
      aie.next_bd ^next
    ^next:
      aie.dma_bd(%x : memref<64xi32> offset = 32 len = 32) {bd_id = 1 : i32}
      aie.end
    }
  }
}

// -----

// CHECK: only channels that send can pad
aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %buf = aie.buffer(%mem) {address = 64 : i32} : memref<64xi32>
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%mem, S2MM, 0) {
      // expected-error@+1 {{supports padding only for MM2S direction on MemTiles.}}
      aie.dma_bd(%buf : memref<64xi32> offset = 0 len = 18 sizes = [2, 8] strides = [8, 1] pad [<const_pad_before = 0, const_pad_after = 0>, <const_pad_before = 1, const_pad_after = 0>]) {bd_id = 0 : i32}
      aie.end
    }
  }
}

// -----

// CHECK: packet id 33 is out of range
// CHECK: packet ids are 0 to 31, packet types 0 to 7
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      // expected-error@+1 {{Packet ID exceeds the maximum supported by 5 bits.}}
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64) {bd_id = 0 : i32, packet = #aie.packet_info<pkt_type = 1, pkt_id = 33>}
      aie.end
    }
  }
}

// -----

// CHECK: this buffer of (0, 2) can't be reached from here
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  // expected-error@+1 {{accessed from an unreachable tile}}
  %buf = aie.buffer(%core) {address = 64 : i32} : memref<64xi32>
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      // expected-note@+1 {{user}}
      aie.dma_bd(%buf : memref<64xi32> offset = 0 len = 64) {bd_id = 0 : i32}
      aie.end
    }
  }
}

// -----

// CHECK: 1 sizes are marked as values, 0 are given
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = "aiex.dma_configure_task"(%shim) <{channel = 0 : i32, direction = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
      // expected-error@+1 {{expected 1 dynamic sizes values}}
      "aie.dma_bd"(%x) <{bd_id = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, static_len = 32 : i32, static_offset = 4 : i32, static_sizes = array<i64: -9223372036854775808, 2>, static_strides = array<i64: 4, 1>}> : (memref<64xi32>) -> ()
      aie.end
    }) : (index) -> index
  }
}

// -----

// CHECK: this isn't a tile with a place
aie.device(npu2) {
  %shim = aie.logical_tile<ShimNOCTile>(?, ?)
  aie.runtime_sequence(%x: memref<64xi32>) {
    // expected-error@+1 {{Cannot lower a DMA task whose tile is not placed}}
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64) {bd_id = 0 : i32}
      aie.end
    }
  }
}
