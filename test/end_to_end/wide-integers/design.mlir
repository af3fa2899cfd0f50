// Integers of more than 64 bits move words: an i128 over a stream, an i512 over a cascade.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    %s = aie.tile(0, 0)
    %from = aie.tile(0, 3)
    %to = aie.tile(1, 3)
    aie.cascade_flow(%from, %to)
    aie.flow(%from, Core : 0, %to, Core : 0)
    aie.flow(%to, DMA : 0, %s, DMA : 0)
    aie.shim_dma_allocation @out(%s, S2MM, 0)
    %l = aie.lock(%to, 0) {init = 0 : i32}
    %b = aie.buffer(%to) {sym_name = "b"} : memref<8xi32>
    %m = aie.mem(%to) {
      aie.dma_start(MM2S, 0, ^bd, ^end)
    ^bd:
      aie.use_lock(%l, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<8xi32>, 0, 8)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    %c = aie.core(%from) {
      %x = arith.constant 0x7FFFFFFF000000010000000200000003 : i128
      %c0 = arith.constant 0 : i32
      aie.put_stream(%c0 : i32, %x : i128)
      %n = arith.constant -5 : i32
      %z = arith.extsi %n : i32 to i512
      aie.put_cascade(%z : i512)
      aie.end
    }
    %d = aie.core(%to) {
      %c0 = arith.constant 0 : i32
      %i0 = arith.constant 0 : index
      %i1 = arith.constant 1 : index
      %i2 = arith.constant 2 : index
      %i3 = arith.constant 3 : index
      %i4 = arith.constant 4 : index
      %i5 = arith.constant 5 : index
      %i6 = arith.constant 6 : index
      %i7 = arith.constant 7 : index
      %by = arith.constant 96 : i128
      %by512 = arith.constant 480 : i512
      %q = aie.get_stream(%c0 : i32) : i128
      %y = aie.get_cascade() : i512
      %k = arith.trunci %y : i512 to i32
      %h = arith.shrui %y, %by512 : i512
      %k1 = arith.trunci %h : i512 to i16
      %k1w = arith.extui %k1 : i16 to i32
      %k2 = arith.trunci %q : i128 to i32
      %qh = arith.shrui %q, %by : i128
      %k3 = arith.trunci %qh : i128 to i32
      %k4 = arith.trunci %q : i128 to i64
      %c5 = arith.constant 5 : i64
      %k5 = arith.addi %k4, %c5 : i64
      %c32 = arith.constant 32 : i64
      %k6 = arith.shrui %k5, %c32 : i64
      %lo = arith.trunci %k5 : i64 to i32
      %hi = arith.trunci %k6 : i64 to i32
      %x = arith.xori %q, %qh : i128
      %xl = arith.trunci %x : i128 to i32
      memref.store %k, %b[%i0] : memref<8xi32>
      memref.store %k1w, %b[%i1] : memref<8xi32>
      memref.store %k2, %b[%i2] : memref<8xi32>
      memref.store %k3, %b[%i3] : memref<8xi32>
      memref.store %lo, %b[%i4] : memref<8xi32>
      memref.store %hi, %b[%i5] : memref<8xi32>
      memref.store %xl, %b[%i6] : memref<8xi32>
      memref.store %c0, %b[%i7] : memref<8xi32>
      aie.use_lock(%l, Release, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0,0,0,0][1,1,1,8][0,0,0,1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
