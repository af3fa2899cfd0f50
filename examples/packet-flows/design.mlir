// Two cores share one DMA channel of the shim in each direction: packets find their way by id.
// The first core adds 1000 to what packets with id 1 bring, the second doubles those with id 2.
// Devices: npu1, npu2, xcve2302, xcve2802, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(2, 0)
    %adder = aie.tile(2, 3)
    %doubler = aie.tile(3, 3)

    aie.packet_flow(1) {
      aie.packet_source<%shim, DMA : 0>
      aie.packet_dest<%adder, DMA : 0>
    }
    aie.packet_flow(2) {
      aie.packet_source<%shim, DMA : 0>
      aie.packet_dest<%doubler, DMA : 0>
    }
    aie.packet_flow(3) {
      aie.packet_source<%adder, DMA : 0>
      aie.packet_dest<%shim, DMA : 0>
    }
    aie.packet_flow(4) {
      aie.packet_source<%doubler, DMA : 0>
      aie.packet_dest<%shim, DMA : 0>
    }

    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)

    %one = arith.constant 1 : i32

    %a = aie.buffer(%adder) {sym_name = "a"} : memref<64xi32>
    %a_free = aie.lock(%adder, 0) {init = 1 : i32, sym_name = "a_free"}
    %a_full = aie.lock(%adder, 1) {init = 0 : i32, sym_name = "a_full"}
    %a_done = aie.lock(%adder, 2) {init = 0 : i32, sym_name = "a_done"}

    %adder_dma = aie.mem(%adder) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^send)
    ^in:
      aie.use_lock(%a_free, AcquireGreaterEqual, %one)
      aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64)
      aie.use_lock(%a_full, Release, %one)
      aie.next_bd ^in
    ^send:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%a_done, AcquireGreaterEqual, %one)
      aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      aie.use_lock(%a_free, Release, %one)
      aie.next_bd ^out
    ^end:
      aie.end
    }

    %adder_core = aie.core(%adder) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %forever = arith.constant 9223372036854775807 : index
      %step = arith.constant 1000 : i32
      %n = arith.constant 1 : i32
      scf.for %round = %c0 to %forever step %c1 {
        aie.use_lock(%a_full, AcquireGreaterEqual, %n)
        scf.for %i = %c0 to %c64 step %c1 {
          %value = memref.load %a[%i] : memref<64xi32>
          %sum = arith.addi %value, %step : i32
          memref.store %sum, %a[%i] : memref<64xi32>
        }
        aie.use_lock(%a_done, Release, %n)
      }
      aie.end
    }

    %b = aie.buffer(%doubler) {sym_name = "b"} : memref<64xi32>
    %b_free = aie.lock(%doubler, 0) {init = 1 : i32, sym_name = "b_free"}
    %b_full = aie.lock(%doubler, 1) {init = 0 : i32, sym_name = "b_full"}
    %b_done = aie.lock(%doubler, 2) {init = 0 : i32, sym_name = "b_done"}

    %doubler_dma = aie.mem(%doubler) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^send)
    ^in:
      aie.use_lock(%b_free, AcquireGreaterEqual, %one)
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64)
      aie.use_lock(%b_full, Release, %one)
      aie.next_bd ^in
    ^send:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%b_done, AcquireGreaterEqual, %one)
      aie.dma_bd(%b : memref<64xi32> offset = 0 len = 64) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 4>}
      aie.use_lock(%b_free, Release, %one)
      aie.next_bd ^out
    ^end:
      aie.end
    }

    %doubler_core = aie.core(%doubler) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %forever = arith.constant 9223372036854775807 : index
      %n = arith.constant 1 : i32
      scf.for %round = %c0 to %forever step %c1 {
        aie.use_lock(%b_full, AcquireGreaterEqual, %n)
        scf.for %i = %c0 to %c64 step %c1 {
          %value = memref.load %b[%i] : memref<64xi32>
          %doubled = arith.addi %value, %value : i32
          memref.store %doubled, %b[%i] : memref<64xi32>
        }
        aie.use_lock(%b_done, Release, %n)
      }
      aie.end
    }

    // One packet at a time, so that the order of the results is known.
    aie.runtime_sequence(%in: memref<128xi32>, %out: memref<128xi32>) {
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<128xi32>
      aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1], packet = <pkt_type = 0, pkt_id = 1>) {id = 1 : i64, metadata = @in} : memref<128xi32>
      aiex.npu.dma_wait {symbol = @out}
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 64][1, 1, 1, 64][0, 0, 0, 1]) {id = 2 : i64, metadata = @out, issue_token = true} : memref<128xi32>
      aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 64][1, 1, 1, 64][0, 0, 0, 1], packet = <pkt_type = 0, pkt_id = 2>) {id = 3 : i64, metadata = @in} : memref<128xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
