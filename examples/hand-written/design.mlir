// No object fifos: flows, locks and chains of buffer descriptors written out, in the syntax of
// early 2025. The mem tile takes in 64 numbers at a time into two buffers in turn; a core negates them.
// Devices: npu1, npu1_3col, npu2, xcve2302, xcve2802, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(2, 0)
    %mem = aie.tile(2, 1)
    %worker = aie.tile(2, 3)

    aie.flow(%shim, DMA : 0, %mem, DMA : 0)
    aie.flow(%mem, DMA : 0, %worker, DMA : 0)
    aie.flow(%worker, DMA : 0, %shim, DMA : 0)

    aie.shim_dma_allocation @in(MM2S, 0, 2)
    aie.shim_dma_allocation @out(S2MM, 0, 2)

    %ping = aie.buffer(%mem) {sym_name = "ping"} : memref<64xi32>
    %pong = aie.buffer(%mem) {sym_name = "pong"} : memref<64xi32>
    %mem_free = aie.lock(%mem, 0) {init = 2 : i32, sym_name = "mem_free"}
    %mem_full = aie.lock(%mem, 1) {init = 0 : i32, sym_name = "mem_full"}

    %x = aie.buffer(%worker) {sym_name = "x"} : memref<64xi32>
    %y = aie.buffer(%worker) {sym_name = "y"} : memref<64xi32>
    %x_free = aie.lock(%worker, 0) {init = 1 : i32, sym_name = "x_free"}
    %x_full = aie.lock(%worker, 1) {init = 0 : i32, sym_name = "x_full"}
    %y_free = aie.lock(%worker, 2) {init = 1 : i32, sym_name = "y_free"}
    %y_full = aie.lock(%worker, 3) {init = 0 : i32, sym_name = "y_full"}

    %memtile_dma = aie.memtile_dma(%mem) {
      %0 = aie.dma_start(S2MM, 0, ^in_ping, ^send)
    ^in_ping:
      aie.use_lock(%mem_free, AcquireGreaterEqual, 1)
      aie.dma_bd(%ping : memref<64xi32>, 0, 64)
      aie.use_lock(%mem_full, Release, 1)
      aie.next_bd ^in_pong
    ^in_pong:
      aie.use_lock(%mem_free, AcquireGreaterEqual, 1)
      aie.dma_bd(%pong : memref<64xi32>, 0, 64)
      aie.use_lock(%mem_full, Release, 1)
      aie.next_bd ^in_ping
    ^send:
      %1 = aie.dma_start(MM2S, 0, ^out_ping, ^end)
    ^out_ping:
      aie.use_lock(%mem_full, AcquireGreaterEqual, 1)
      aie.dma_bd(%ping : memref<64xi32>, 0, 64)
      aie.use_lock(%mem_free, Release, 1)
      aie.next_bd ^out_pong
    ^out_pong:
      aie.use_lock(%mem_full, AcquireGreaterEqual, 1)
      aie.dma_bd(%pong : memref<64xi32>, 0, 64)
      aie.use_lock(%mem_free, Release, 1)
      aie.next_bd ^out_ping
    ^end:
      aie.end
    }

    %worker_dma = aie.mem(%worker) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^send)
    ^in:
      aie.use_lock(%x_free, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<64xi32>, 0, 64)
      aie.use_lock(%x_full, Release, 1)
      aie.next_bd ^in
    ^send:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%y_full, AcquireGreaterEqual, 1)
      aie.dma_bd(%y : memref<64xi32>, 0, 64)
      aie.use_lock(%y_free, Release, 1)
      aie.next_bd ^out
    ^end:
      aie.end
    }

    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %forever = arith.constant 9223372036854775807 : index
      %zero = arith.constant 0 : i32
      scf.for %round = %c0 to %forever step %c1 {
        aie.use_lock(%x_full, AcquireGreaterEqual, 1)
        aie.use_lock(%y_free, AcquireGreaterEqual, 1)
        scf.for %i = %c0 to %c64 step %c1 {
          %value = memref.load %x[%i] : memref<64xi32>
          %negated = arith.subi %zero, %value : i32
          memref.store %negated, %y[%i] : memref<64xi32>
        }
        aie.use_lock(%x_free, Release, 1)
        aie.use_lock(%y_full, Release, 1)
      }
      aie.end
    }

    aiex.runtime_sequence(%a: memref<256xi32>, %b: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
