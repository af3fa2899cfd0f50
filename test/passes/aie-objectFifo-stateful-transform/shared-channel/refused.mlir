// RUN: aiec opt --split-input-file --verify-diagnostics %s

aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) {packet} : !aie.objectfifo<memref<48xi32>>
  aie.objectfifo @x(%mem, {%a}, 2 : i32) : !aie.objectfifo<memref<24xi32>>
  aie.objectfifo @y(%mem, {%b}, 2 : i32) : !aie.objectfifo<memref<24xi32>>
  // expected-error@+1 {{only the inputs of a join can share a channel}}
  aie.objectfifo.link [@in] -> [@x, @y] ([] [0, 24]) {shared_input_channel}
}

// -----

aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %other = aie.tile(1, 0)
  %core = aie.tile(0, 2)
  %mem = aie.tile(0, 1)
  aie.objectfifo @a(%shim, {%mem}, 2 : i32) {packet, packet_id = 0 : i8, prod_dma_channel = 0 : i32} : !aie.objectfifo<memref<16xi32>>
  // expected-error@+1 {{a fifo that shares a channel must be packets}}
  aie.objectfifo @b(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  // expected-error@+1 {{fifos that share a channel must have one producer}}
  aie.objectfifo @c(%other, {%mem}, 2 : i32) {packet} : !aie.objectfifo<memref<16xi32>>
  // expected-error@+1 {{fifos that share a channel name different channels}}
  aie.objectfifo @d(%shim, {%mem}, 2 : i32) {packet, prod_dma_channel = 1 : i32} : !aie.objectfifo<memref<16xi32>>
  // expected-error@+1 {{fifos that share a channel have one packet id}}
  aie.objectfifo @e(%shim, {%mem}, 2 : i32) {packet, packet_id = 0 : i8} : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @joined(%mem, {%core}, 2 : i32) : !aie.objectfifo<memref<80xi32>>
  aie.objectfifo.link [@a, @b, @c, @d, @e] -> [@joined] ([0, 16, 32, 48, 64] []) {shared_input_channel}
}

// -----

aie.device(npu2) {
  %from = aie.tile(0, 3)
  %core = aie.tile(0, 2)
  %mem = aie.tile(0, 1)
  aie.objectfifo @a(%from, {%mem}, 2 : i32) {packet} : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @b(%from, {%mem}, 2 : i32) {packet} : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @joined(%mem, {%core}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
  // expected-error@+1 {{the inputs that share a channel come from a tile without host memory}}
  aie.objectfifo.link [@a, @b] -> [@joined] ([0, 16] []) {shared_input_channel}
}

// -----

aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %core = aie.tile(0, 2)
  %idle = aie.tile(0, 3)
  aie.objectfifo @payload(%shim, {%mem}, 2 : i32) {packet} : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @scale(%shim, {%mem}, 1 : i32) {packet} : !aie.objectfifo<memref<4xi32>>
  aie.objectfifo @joined(%mem, {%core}, 4 : i32) : !aie.objectfifo<memref<20xi32>>
  aie.objectfifo.link [@payload, @scale] -> [@joined] ([0, 16] []) {shared_input_channel}
  aie.objectfifo @other(%shim, {%idle}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.runtime_sequence(%w: memref<1024xi32>) {
    // expected-error@+1 {{`interleave` makes it 2 fifos, and the task has 1 BDs}}
    %0 = aiex.dma_configure_task_for @payload {
      aie.dma_bd(%w : memref<1024xi32>, 0, 16)
      aie.end
    } {interleave = [@scale]}
    // expected-error@+1 {{these fifos don't share a channel}}
    %1 = aiex.dma_configure_task_for @payload {
      aie.dma_bd(%w : memref<1024xi32>, 0, 16)
      aie.next_bd ^next
    ^next:
      aie.dma_bd(%w : memref<1024xi32>, 16, 16)
      aie.end
    } {interleave = [@other]}
    %2 = aiex.dma_configure_task_for @payload {
      // expected-error@+1 {{the BD moves on 8 times in 6 runs of its task}}
      aie.dma_bd(%w : memref<1024xi32> offset = 0 len = 16 sizes = [8, 1, 1, 16] strides = [16, 0, 0, 1])
      aie.next_bd ^next
    ^next:
      // expected-error@+1 {{the BD moves 2 objects of `@scale` at once, whose consumer has room for 1}}
      aie.dma_bd(%w : memref<1024xi32>, 512, 8)
      aie.end
    } {repeat_count = 5 : i32, interleave = [@scale]}
    // expected-error@+1 {{`@nothing` isn't an object fifo or shim DMA allocation}}
    %3 = aiex.dma_configure_task_for @payload {
      aie.dma_bd(%w : memref<1024xi32>, 0, 16)
      aie.end
    } {interleave = [@nothing]}
  }
}

// -----

// Lowered names: the channels must be one.
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @a(%shim, MM2S, 0, <pkt_type = 0, pkt_id = 0>)
  aie.shim_dma_allocation @b(%shim, MM2S, 1, <pkt_type = 0, pkt_id = 1>)
  aie.runtime_sequence(%w: memref<1024xi32>) {
    // expected-error@+1 {{`interleave` makes it 2 fifos, and the task has 1 BDs}}
    %0 = aiex.dma_configure_task_for @a {
      aie.dma_bd(%w : memref<1024xi32>, 0, 16)
      aie.end
    } {interleave = [@b]}
  }
}
