// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// The core of column 0 sends a packet into column 1, whose switch chooses its way by a rule: the
// core is released when that is written.

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK: WRITE_32 {{.*}}0x00338000, 0x00000001
// CHECK: .attach_to_group 1
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003

module {
  aie.device(xcve3858) {
    %s1 = aie.tile(1, 0)
    %v = aie.tile(0, 3)
    %w = aie.tile(1, 3)
    // Keeps the controller of this column busy for long.
    %big = aie.buffer(%w) {sym_name = "big"} : memref<8192xi32> = dense<1>
    aie.shim_dma_allocation @out(%s1, S2MM, 0)
    aie.packet_flow(0x1) {
      aie.packet_source<%v, Core : 0>
      aie.packet_dest<%w, DMA : 0>
    }
    aie.flow(%w, DMA : 0, %s1, DMA : 0)
    %x = aie.buffer(%w) {sym_name = "x"} : memref<16xi32>
    %free = aie.lock(%w, 0) {init = 1 : i32, sym_name = "free"}
    %full = aie.lock(%w, 1) {init = 0 : i32, sym_name = "full"}
    aie.core(%v) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 16 : index
      %port = arith.constant 0 : i32
      // The header: id 1, row 3, odd parity.
      %header = arith.constant -2147287039 : i32
      aie.put_stream(%port : i32, %header : i32)
      scf.for %i = %c0 to %n step %c1 {
        %word = arith.index_cast %i : index to i32
        aie.put_stream(%port : i32, %word : i32)
      }
      aie.end
    }
    %dma = aie.mem(%w) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^send)
    ^in:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32>, 0, 16)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^in
    ^send:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32>, 0, 16)
      aie.use_lock(%free, Release, 1)
      aie.next_bd ^out
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
