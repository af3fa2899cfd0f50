// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// A parameter of a core in column 2, whose data come from column 0, is changed before and between
// transfers: it comes behind what was done and before what follows. Column 0 has work of its own
// meanwhile, so that each column's work stays with its controller.

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}, 0x00000005
// CHECK: WAIT_TCTS
// CHECK-NEXT: REMOTE_BARRIER {{.*}}, 0x00000005
// CHECK: REMOTE_BARRIER {{.*}}, 0x00000005
// CHECK: WAIT_TCTS
// CHECK-NOT: REMOTE_BARRIER
// CHECK: .attach_to_group 2
// CHECK-COUNT-3: REMOTE_BARRIER {{.*}}, 0x00000005
// CHECK-NOT: REMOTE_BARRIER

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %m0 = aie.tile(0, 1)
    %own = aie.buffer(%m0) {sym_name = "own"} : memref<2048xi32> = dense<1>
    %w = aie.tile(2, 3)
    %rtp = aie.buffer(%w) {sym_name = "rtp"} : memref<16xi32> = dense<1>
    %big = aie.buffer(%w) {sym_name = "big"} : memref<2048xi32> = dense<1>
    aie.objectfifo @in(%s0, {%w}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%w, {%s0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.core(%w) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 16 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %r = %c0 to %forever step %c1 {
        %x = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %a = aie.objectfifo.subview.access %x[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        %y = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %b = aie.objectfifo.subview.access %y[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        %k = memref.load %rtp[%c0] : memref<16xi32>
        scf.for %i = %c0 to %n step %c1 {
          %v = memref.load %a[%i] : memref<16xi32>
          %s = arith.muli %v, %k : i32
          memref.store %s, %b[%i] : memref<16xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<32xi32>) {
      %first = arith.constant 0 : index
      %last = arith.constant 2048 : index
      %half = arith.constant 1024 : index
      %step = arith.constant 2 : index
      %zero = arith.constant 0 : i32
      // Takes long; then what column 0 does meanwhile.
      scf.for %i = %first to %last step %step {
        %at = arith.index_cast %i : index to i32
        aiex.npu.write32(%at, %zero) {buffer = @big} : i32, i32
      }
      scf.for %i = %first to %half step %step {
        %at = arith.index_cast %i : index to i32
        aiex.npu.write32(%at, %zero) {buffer = @own} : i32, i32
      }
      aiex.npu.rtp_write(@rtp, 0, 7)
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<32xi32>
      aiex.npu.dma_wait {symbol = @out}
      // The same again.
      scf.for %i = %first to %last step %step {
        %at = arith.index_cast %i : index to i32
        aiex.npu.write32(%at, %zero) {buffer = @big} : i32, i32
      }
      scf.for %i = %first to %half step %step {
        %at = arith.index_cast %i : index to i32
        aiex.npu.write32(%at, %zero) {buffer = @own} : i32, i32
      }
      aiex.npu.rtp_write(@rtp, 0, 9)
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 2 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 16][1, 1, 1, 16][0, 0, 0, 1]) {id = 3 : i64, metadata = @out} : memref<32xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
