// RUN: aiec opt --split-input-file --verify-diagnostics %s
// Runtime sequences: transfers, register operations, resets, configurations, parameters.

aie.device(npu1) {
  %t = aie.tile(0, 0)
  aie.shim_dma_allocation @a(%t, MM2S, 0)
  aie.runtime_sequence(%x: memref<64xi32>, %y: memref<64xi8>) {
    // expected-error@+1 {{Size 3 exceeds the [1:64] range}}
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][65, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @a} : memref<64xi32>
    // expected-error@+1 {{Offset must be 4-byte-aligned}}
    aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 1][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @a} : memref<64xi8>
    // expected-error@+1 {{Stride 1 is 2 elements * 1 bytes = 2 bytes, which is not divisible by 4}}
    aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 2, 4][0, 0, 2, 1]) {id = 0 : i64, metadata = @a} : memref<64xi8>
    // expected-error@+1 {{Packet type field can only hold 3 bits.}}
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1], packet = <pkt_type = 8, pkt_id = 1>) {id = 0 : i64, metadata = @a} : memref<64xi32>
    %rc = arith.constant 256 : i32
    %bd = arith.constant 16 : i32
    // expected-error@+2 {{BD ID exceeds the maximum ID.}}
    // expected-error@+1 {{Repeat count exceeds the [0:255] range.}}
    aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %bd repeat %rc {issue_token = false} : i32, i32
    %task = aiex.dma_configure_task(%t, MM2S, 0) {
      // expected-error@+1 {{Cannot give more than 4 dimensions}}
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64 sizes = [1, 1, 1, 1, 64] strides = [0, 0, 0, 0, 1])
      aie.end
    }
    // expected-error@+1 {{has no DMA channel reset}}
    aiex.dma_channel_reset(%t, MM2S, 0)
    // expected-error@+1 {{'a' must reference an aie.objectfifo}}
    aiex.dma_channel_reset_for(@a)
    // expected-error@+1 {{tile (0, 0) has no core to reset}}
    aiex.core_reset(%t)
    // expected-error@+1 {{couldn't find symbol in parent device}}
    aiex.npu.dma_wait {symbol = @nothing}
    // expected-error@+1 {{must be inside an aie.core}}
    %p = aiex.read_scratchpad_parameter @p : i32
  }
}

// -----

module {
  aie.device(npu1) @one {
  }
  aie.device(npu2) {
    aie.runtime_sequence() {
      // expected-error@+1 {{Device types do not match: 'npu2' vs. 'npu1'}}
      aiex.configure @one {
      }
      // expected-error@+1 {{No such device: '@other'}}
      aiex.configure @other {
      }
      // A device without a name is `main`.
      aiex.configure @main {
      }
    }
  }
}

// -----

// Registers that are read.
aie.device(npu2) {
  aie.runtime_sequence() {
    %index = arith.constant 0 : index
    // expected-error@+1 {{tile operand must be produced by an aie.tile op}}
    aiex.npu.read_reg(%index, 0)
  }
}

// -----

// A configuration is written after the firmware has reset the array.
module {
  aie.device(npu2) @empty_0 {
  }
  aie.device(npu2) @empty_1 {
  }
  aie.device(npu2) @work {
    %t = aie.tile(0, 2)
  }
  aie.device(npu2) {
    aie.runtime_sequence @nothing_before() {
      // expected-error@+1 {{must follow the load_pdi that resets the array}}
      aiex.npu.write_config @work
      aiex.npu.load_pdi {device_ref = @empty_0}
    }
    aie.runtime_sequence @not_empty() {
      aiex.npu.load_pdi {device_ref = @work}
      // expected-error@+1 {{must follow a load_pdi of an empty device}}
      aiex.npu.write_config @work
      aiex.npu.load_pdi {device_ref = @empty_0}
    }
    aie.runtime_sequence @unknown() {
      aiex.npu.load_pdi {device_ref = @empty_0}
      // expected-error@+1 {{@other is not a device}}
      aiex.npu.write_config @other
      aiex.npu.load_pdi {device_ref = @empty_1}
    }
    aie.runtime_sequence @same_again() {
      aiex.npu.load_pdi {device_ref = @empty_0}
      aiex.npu.write_config @work
      aiex.npu.load_pdi {device_ref = @empty_0}
      // expected-error@+1 {{follows a load_pdi the firmware skips}}
      aiex.npu.write_config @work
      aiex.npu.load_pdi {device_ref = @empty_1}
    }
    // The next run of the sequence begins with what this one loaded last.
    aie.runtime_sequence @next_run() {
      aiex.npu.load_pdi {device_ref = @empty_0}
      // expected-error@+1 {{follows a load_pdi the firmware skips}}
      aiex.npu.write_config @work
    }
    aie.runtime_sequence @in_a_loop() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      aiex.npu.load_pdi {device_ref = @empty_0}
      scf.for %i = %c0 to %c1 step %c1 {
        // expected-error@+1 {{expects parent op 'aie.runtime_sequence'}}
        aiex.npu.write_config @work
      }
    }
  }
}

// -----

// A task may name the DMA channel of an endpoint, on any tile.
aie.device(npu2) {
  %mem = aie.tile(0, 1)
  %core = aie.tile(0, 2)
  %b = aie.buffer(%core) {sym_name = "b"} : memref<64xi32>
  aie.route_endpoint @port(%core) Core {channelIndex = 0 : i32}
  aie.route_endpoint @in(%mem) DMA
  aie.runtime_sequence() {
    // expected-error@+1 {{@port names a Core port, not a DMA channel}}
    %t = aiex.dma_configure_task_for @port {
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.end
    }
    aiex.dma_start_task(%t)
    %u = aiex.dma_configure_task_for @in {
      // expected-error@+1 {{Cannot give more than 4 dimensions}}
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64 sizes = [1, 1, 1, 1, 64] strides = [0, 0, 0, 0, 1])
      aie.end
    }
    aiex.dma_start_task(%u)
  }
}

// -----

// Starts with repeat counts of their own.
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<64xi32> offset = 0 len = 64)
      aie.end
    }
    %two = arith.constant 2 : i32
    // expected-error@+1 {{takes repeat_count or a runtime repeat count, not both}}
    aiex.dma_start_task(%t) repeat %two : i32 {repeat_count = 2 : i32}
    // expected-error@+1 {{repeat_count must be non-negative, got -1}}
    aiex.dma_start_task(%t) {repeat_count = -1 : i32}
  }
}
