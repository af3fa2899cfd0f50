// RUN: aiec opt --split-input-file --verify-diagnostics %s
// DMA programs and buffer descriptors.

aie.device(npu1) {
  %t = aie.tile(0, 2)
  %n = aie.tile(0, 3)
  %b = aie.buffer(%t) : memref<64xi32>
  %far = aie.buffer(%n) : memref<64xi32>
  %l = aie.lock(%t)
  %bytes = aie.buffer(%t) : memref<64xi8>
  // expected-error@+2 {{uses more output channels than available on this tile}}
  // expected-error@+1 {{BD block must have at most one acquire UseLockOp, found 2}}
  %m = aie.mem(%t) {
    %c1 = arith.constant 1 : i32
    %0 = aie.dma_start(MM2S, 2, ^bd0, ^end)
  ^bd0:
    // expected-note@+1 {{in this BD block}}
    aie.use_lock(%l, Acquire, %c1)
    aie.use_lock(%l, Acquire, %c1)
    // expected-error@+1 {{Core tile DMAs can only access a buffer in the same tile.}}
    aie.dma_bd(%far : memref<64xi32>)
    aie.next_bd ^bd1
  ^bd1:
    // expected-error@+1 {{Cannot give more than 3 dimensions}}
    aie.dma_bd(%b : memref<64xi32> offset = 0 len = 4 sizes = [1, 1, 2, 2] strides = [1, 1, 2, 1])
    aie.next_bd ^bd2
  ^bd2:
    // expected-error@+1 {{For <32b width datatypes, inner-most dim stride must be 1}}
    aie.dma_bd(%bytes : memref<64xi8> offset = 0 len = 16 sizes = [16] strides = [2])
    aie.next_bd ^bd3
  ^bd3:
    // expected-error@+1 {{out of bounds access in buffer, for index 84 in memref of length 64}}
    aie.dma_bd(%b : memref<64xi32> offset = 0 len = 8 sizes = [8] strides = [12])
    aie.next_bd ^bd4
  ^bd4:
    // expected-error@+1 {{Packet ID field can only hold 5 bits.}}
    aie.dma_bd(%b : memref<64xi32>) {packet = #aie.packet_info<pkt_type = 1, pkt_id = 32>}
    aie.next_bd ^bd5
  ^bd5:
    // expected-error@+1 {{BD iteration size must be in [1, 64]}}
    aie.dma_bd(%b : memref<64xi32>) {iteration = #aie.bd_iteration<size = 65, stride = 1, current = 0>}
    aie.next_bd ^bd6
  ^bd6:
    // expected-error@+1 {{Padding is only supported by memtile dma bds.}}
    aie.dma_bd(%b : memref<64xi32> offset = 0 len = 6 sizes = [4] strides = [1] pad [<const_pad_before = 1, const_pad_after = 1>])
    // expected-error@+1 {{'cf.br' op is not an allowed terminator}}
    cf.br ^end
  ^end:
    aie.end
  }
}

// -----

aie.device(npu1) {
  %t1 = aie.tile(1, 1)
  %t2 = aie.tile(2, 1)
  // expected-note@+1 {{buffer}}
  %b = aie.buffer(%t2) : memref<256xi32>
  %own = aie.buffer(%t1) : memref<8xi32>
  %m = aie.memtile_dma(%t1) {
    // expected-note@+1 {{channel}}
    %0 = aie.dma_start(MM2S, 4, ^bd0, ^next)
  ^next:
    // expected-error@+1 {{pad_value requires the CONSTANT_PAD_VALUE register}}
    %1 = aie.dma_start(MM2S, 0, ^bd1, ^end) {pad_value = 7 : i32}
  ^bd0:
    // expected-error@+1 {{is reachable from DMA channel 4 and attempts to access a non-local buffer}}
    aie.dma_bd(%b : memref<256xi32>)
    aie.next_bd ^bd0
  ^bd1:
    // expected-error@+1 {{Data exceeds len after padding.}}
    aie.dma_bd(%own : memref<8xi32> offset = 0 len = 4 sizes = [4] strides = [1] pad [<const_pad_before = 1, const_pad_after = 0>])
    aie.next_bd ^bd1
  ^end:
    aie.end
  }
}
