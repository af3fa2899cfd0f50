// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// The core of column 1 uses a lock and a buffer of column 0: column 0 sets them up first. The
// release of the core comes behind the barrier.

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK-NEXT: END_JOB
// CHECK-NOT: REMOTE_BARRIER
// CHECK: .attach_to_group 1
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK: WRITE_32 {{.*}}0x02338000, 0x00000001
// CHECK-NOT: REMOTE_BARRIER

module {
  aie.device(xcve3858) {
    %s1 = aie.tile(1, 0)
    %w0 = aie.tile(0, 3)
    %w1 = aie.tile(1, 3)
    // The lock and the table are column 0's, the core that uses them is column 1's.
    %l = aie.lock(%w0, 0) {init = 1 : i32, sym_name = "l"}
    %table = aie.buffer(%w0) {sym_name = "table"} : memref<16xi32> = dense<3>
    %big = aie.buffer(%w0) {sym_name = "big"} : memref<2048xi32> = dense<1>
    aie.objectfifo @out(%w1, {%s1}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.core(%w1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 16 : index
      aie.use_lock(%l, AcquireGreaterEqual, 1)
      %y = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %b = aie.objectfifo.subview.access %y[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %n step %c1 {
        %t = memref.load %table[%i] : memref<16xi32>
        memref.store %t, %b[%i] : memref<16xi32>
      }
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
