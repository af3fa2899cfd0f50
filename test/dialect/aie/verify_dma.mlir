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

// -----

// Descriptors that packets choose, and that they name.
aie.device(npu2) {
  %core = aie.tile(0, 2)
  %mem = aie.tile(0, 1)
  %shim = aie.tile(0, 0)
  %b = aie.buffer(%core) : memref<4xi32>
  %k = aie.mem(%core) {
    // expected-error@+1 {{out_of_order is only valid on an S2MM channel}}
    aie.dma_start(MM2S, 0, ^send, ^in) {out_of_order}
  ^send:
    // expected-error@+1 {{out_of_order_id requires a packet-enabled BD}}
    aie.dma_bd(%b : memref<4xi32> offset = 0 len = 2) {out_of_order_id = 3 : i32}
    aie.next_bd ^send
  ^in:
    aie.dma_start(S2MM, 0, ^take, ^names) {out_of_order}
  ^take:
    // expected-error@+1 {{out-of-order S2MM receive buffer descriptor must be packet-enabled}}
    aie.dma_bd(%b : memref<4xi32> offset = 0 len = 2)
    aie.next_bd ^take
  ^names:
    aie.dma_start(S2MM, 1, ^other, ^end) {out_of_order}
  ^other:
    // expected-error@+2 {{out_of_order_id belongs on the sender buffer descriptor}}
    // expected-error@+1 {{out_of_order_id must be in [0, 63]}}
    aie.dma_bd(%b : memref<4xi32> offset = 0 len = 2) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>, out_of_order_id = 64 : i32}
    aie.next_bd ^other
  ^end:
    aie.end
  }
  %lock = aie.lock(%mem, 0)
  aie.runtime_sequence(%x: memref<8xi32>) {
    // expected-error@+1 {{out_of_order channel cannot issue a completion token}}
    %t = aiex.dma_configure_task(%shim, S2MM, 0, <pkt_type = 0, pkt_id = 1>) {
      aie.dma_bd(%x : memref<8xi32> offset = 0 len = 4) {bd_id = 0 : i32}
      aie.end
    } {issue_token = true, out_of_order}
    aiex.dma_start_task(%t)
    %one = arith.constant 1 : i32
    %u = aiex.dma_configure_task(%mem, S2MM, 0, <pkt_type = 0, pkt_id = 1>) {
      aie.use_lock(%lock, AcquireGreaterEqual, %one)
      // expected-error@+1 {{out-of-order S2MM prohibits inter-BD lock dependencies; can deadlock}}
      aie.dma_bd(%x : memref<8xi32> offset = 0 len = 4) {bd_id = 0 : i32}
      aie.next_bd ^second
    ^second:
      aie.dma_bd(%x : memref<8xi32> offset = 4 len = 4) {bd_id = 1 : i32}
      aie.use_lock(%lock, Release, %one)
      aie.end
    } {out_of_order}
    aiex.dma_start_task(%u)
    // The header may be the task's.
    %v = aiex.dma_configure_task(%shim, MM2S, 0, <pkt_type = 0, pkt_id = 1>) {
      aie.dma_bd(%x : memref<8xi32> offset = 0 len = 4) {bd_id = 2 : i32, out_of_order_id = 63 : i32}
      aie.end
    }
    aiex.dma_start_task(%v)
  }
}
