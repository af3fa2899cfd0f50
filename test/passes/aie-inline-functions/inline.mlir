// RUN: aiec opt --split-input-file --aie-inline-functions %s | FileCheck %s
// RUN: not aiec opt --split-input-file --aie-inline-functions --diagnostics=text %S/Inputs/blocks.mlir 2>&1 | FileCheck %s --check-prefix=BAD

// Two calls of a function that works on fifos; the function is gone, one that doesn't stays.
// CHECK-NOT:  func.func @work
// CHECK:      func.func @plain
// CHECK:      aie.core
// CHECK-COUNT-2: aie.objectfifo.acquire @in(Consume, 1)
// CHECK-NOT:  call @work
// CHECK:      call @plain
// BAD:        this function calls itself, and works on object fifos or locks
// BAD:        a function of several blocks works on object fifos or locks
  aie.device(npu2) {
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    aie.objectfifo @in(%s, {%t}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%t, {%s}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    func.func @work(%k: i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %si = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %so = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %c16 step %c1 {
        %v = memref.load %x[%i] : memref<16xi32>
        %w = arith.addi %v, %k : i32
        memref.store %w, %y[%i] : memref<16xi32>
      }
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
      return
    }
    func.func @plain() {
      return
    }
    aie.core(%t) {
      %c5 = arith.constant 5 : i32
      %c7 = arith.constant 7 : i32
      func.call @work(%c5) : (i32) -> ()
      func.call @work(%c7) : (i32) -> ()
      func.call @plain() : () -> ()
      aie.end
    }
    aie.runtime_sequence(%a: memref<32xi32>, %b: memref<32xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {metadata = @in, id = 0 : i64} : memref<32xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {metadata = @out, id = 1 : i64} : memref<32xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }

// -----

// A lock as an argument.
// CHECK:      aie.core
// CHECK:        aie.use_lock(%l, AcquireGreaterEqual
// CHECK:        aie.use_lock(%l, Release
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %l = aie.lock(%t, 1) {init = 1 : i32, sym_name = "l"}
    %b = aie.buffer(%t) {sym_name = "b"} : memref<4xi32>
    func.func private @work(%lock: index, %m: memref<4xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : i32
      aie.use_lock(%lock, AcquireGreaterEqual, 1)
      memref.store %c1, %m[%c0] : memref<4xi32>
      aie.use_lock(%lock, Release, 1)
      return
    }
    aie.core(%t) {
      func.call @work(%l, %b) : (index, memref<4xi32>) -> ()
      aie.end
    }
  }
