// RUN: aiec sim %s --core=model --arg 0=%{root}/test/sim/Inputs/part_word_loop.bin --arg-size 1=128 --dump arg:1 2>&1 | FileCheck %s
// RUN: aiec sim %s --core=machine --arg 0=%{root}/test/sim/Inputs/part_word_loop.bin --arg-size 1=128 --dump arg:1 2>&1 | FileCheck %s
// RUN: aiec sim %s --device=npu2 --core=machine --arg 0=%{root}/test/sim/Inputs/part_word_loop.bin --arg-size 1=128 --dump arg:1 2>&1 | FileCheck %s

// A loop whose iterations overlap stores a byte and loads others. A core waits in a load soon after such a store, while results of
// loads before arrive, so that no instruction after the load may read what a register had before.
// CHECK: 0x00000000  00000027
aie.device(xcve3858) {
  %shim = aie.tile(0, 0)
  %w = aie.tile(0, 3)
  aie.objectfifo @z(%shim, {%w}, 1 : i32) : !aie.objectfifo<memref<68xi8>>
  aie.objectfifo @y(%w, {%shim}, 1 : i32) : !aie.objectfifo<memref<128xi8>>
  aie.core(%w) {
    %zs = aie.objectfifo.acquire @z(Consume, 1) : !aie.objectfifosubview<memref<68xi8>>
    %z = aie.objectfifo.subview.access %zs[0] : !aie.objectfifosubview<memref<68xi8>> -> memref<68xi8>
    %ys = aie.objectfifo.acquire @y(Produce, 1) : !aie.objectfifosubview<memref<128xi8>>
    %y = aie.objectfifo.subview.access %ys[0] : !aie.objectfifosubview<memref<128xi8>> -> memref<128xi8>
    %zero = arith.constant 0 : i8
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c67 = arith.constant 67 : index
    %c68 = arith.constant 68 : index
    %c118 = arith.constant 118 : index
    %down = arith.constant -1 : index
    %all = scf.for %i = %c0 to %c68 step %c2 iter_args(%sofar = %zero) -> (i8) {
      %back = arith.muli %i, %down : index
      %at = arith.addi %back, %c67 : index
      %v = memref.load %z[%at] : memref<68xi8>
      %least = arith.minsi %sofar, %v : i8
      %next = arith.ori %sofar, %least : i8
      %other = memref.load %y[%c118] : memref<128xi8>
      %difference = arith.subi %v, %other : i8
      memref.store %difference, %y[%c0] : memref<128xi8>
      scf.yield %next : i8
    }
    %two = arith.constant 2 : i8
    %result = arith.shrui %all, %two : i8
    memref.store %result, %y[%c0] : memref<128xi8>
    aie.objectfifo.release @z(Consume, 1)
    aie.objectfifo.release @y(Produce, 1)
    aie.end
  }
  aie.runtime_sequence(%b: memref<68xi8>, %c: memref<128xi8>) {
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 68][0, 0, 0, 1]) {id = 1 : i64, metadata = @z} : memref<68xi8>
    aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 2 : i64, metadata = @y, issue_token = true} : memref<128xi8>
    aiex.npu.dma_wait {symbol = @y}
  }
}
