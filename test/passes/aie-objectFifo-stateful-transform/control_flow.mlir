// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file %s | FileCheck %s
// The oldest object and the number held follow branches, loops that never run, and while loops.

// A branch that takes one object more: the buffer behind it is chosen at run time, what is waited
// for is known.
// CHECK-LABEL: @branch
// CHECK: aie.use_lock(%x_cons_cons_lock_0, AcquireGreaterEqual, %c1_i32)
// CHECK: memref.load %x_cons_buff_0
// CHECK: %[[AT:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: aie.use_lock(%x_cons_cons_lock_0, AcquireGreaterEqual, %c1_i32)
// CHECK: memref.load %x_cons_buff_1
// CHECK: scf.yield %c0_i32 : i32
// CHECK: } else {
// CHECK: scf.yield %c1_i32 : i32
// CHECK: }
// CHECK: aie.use_lock(%x_cons_cons_lock_0, AcquireGreaterEqual, %c1_i32)
// CHECK: %[[N:.*]] = arith.index_cast %[[AT]]
// CHECK: scf.index_switch %[[N]]
module { aie.device(npu2) @branch {
  %m = aie.tile(0, 1)
  %c = aie.tile(0, 2)
  %b = aie.buffer(%c) {sym_name = "b"} : memref<4xi32>
  aie.objectfifo @x(%m, {%c}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.core(%c) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %0 = aie.objectfifo.acquire @x(Consume, 1) : memref<8xi32>
    %v = memref.load %0[%c0] : memref<8xi32>
    aie.objectfifo.release @x(Consume, 1)
    %odd = arith.cmpi ne, %v, %zero : i32
    scf.if %odd {
      %1 = aie.objectfifo.acquire @x(Consume, 1) : memref<8xi32>
      %w = memref.load %1[%c0] : memref<8xi32>
      memref.store %w, %b[%c0] : memref<4xi32>
      aie.objectfifo.release @x(Consume, 1)
    }
    %2 = aie.objectfifo.acquire @x(Consume, 1) : memref<8xi32>
    %u = memref.load %2[%c0] : memref<8xi32>
    memref.store %u, %b[%c0] : memref<4xi32>
    aie.objectfifo.release @x(Consume, 1)
    aie.end
  }
} }

// -----

// A branch that a constant decides is no branch: what follows stays known.
// CHECK-LABEL: @decided
// CHECK-NOT: scf.if
// CHECK: memref.load %x_cons_buff_0
// CHECK-NOT: scf.if
// CHECK: memref.load %x_cons_buff_1
// CHECK-NOT: index_switch
// CHECK: memref.load %x_cons_buff_0
// CHECK: aie.end
module { aie.device(npu2) @decided {
  %m = aie.tile(0, 1)
  %c = aie.tile(0, 2)
  %b = aie.buffer(%c) {sym_name = "b"} : memref<4xi32>
  aie.objectfifo @x(%m, {%c}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.core(%c) {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %false = arith.constant false
    %0 = aie.objectfifo.acquire @x(Consume, 1) : memref<8xi32>
    %v = memref.load %0[%c0] : memref<8xi32>
    memref.store %v, %b[%c0] : memref<4xi32>
    aie.objectfifo.release @x(Consume, 1)
    scf.if %true {
      %1 = aie.objectfifo.acquire @x(Consume, 1) : memref<8xi32>
      %w = memref.load %1[%c0] : memref<8xi32>
      memref.store %w, %b[%c0] : memref<4xi32>
      aie.objectfifo.release @x(Consume, 1)
    }
    scf.if %false {
      %1 = aie.objectfifo.acquire @x(Consume, 1) : memref<8xi32>
      aie.objectfifo.release @x(Consume, 1)
    }
    %2 = aie.objectfifo.acquire @x(Consume, 1) : memref<8xi32>
    %u = memref.load %2[%c0] : memref<8xi32>
    memref.store %u, %b[%c0] : memref<4xi32>
    aie.objectfifo.release @x(Consume, 1)
    aie.end
  }
} }

// -----

// A loop that never runs leaves the window as it was.
// CHECK-LABEL: @never
// CHECK-NOT: index_switch
// CHECK: memref.store %{{.*}}, %x_buff_0
module { aie.device(npu2) @never {
  %m = aie.tile(0, 1)
  %c = aie.tile(0, 2)
  aie.objectfifo @x(%c, {%m}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.core(%c) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 5 : i32
    scf.for %i = %c1 to %c0 step %c1 {
      %0 = aie.objectfifo.acquire @x(Produce, 1) : memref<8xi32>
      memref.store %v, %0[%c0] : memref<8xi32>
      aie.objectfifo.release @x(Produce, 1)
    }
    %1 = aie.objectfifo.acquire @x(Produce, 1) : memref<8xi32>
    memref.store %v, %1[%c0] : memref<8xi32>
    aie.objectfifo.release @x(Produce, 1)
    aie.end
  }
} }

// -----

// CHECK-LABEL: @while
// CHECK: scf.while (%{{.*}} = %{{.*}}, %[[AT:.*]] = %c0_i32) : (index, i32)
// CHECK: scf.condition(%{{.*}}) %{{.*}} : index
// CHECK: aie.use_lock(%x_prod_lock_0, AcquireGreaterEqual, %c1_i32)
// CHECK: scf.index_switch
// CHECK: aie.use_lock(%x_cons_lock_0, Release, %c1_i32)
// CHECK: %[[NEXT:.*]] = arith.select
// CHECK: scf.yield %{{.*}}, %[[NEXT]] : index, i32
module { aie.device(npu2) @while {
  %m = aie.tile(0, 1)
  %c = aie.tile(0, 2)
  aie.objectfifo @x(%c, {%m}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.core(%c) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %v = arith.constant 5 : i32
    %end = scf.while (%i = %c0) : (index) -> index {
      %go = arith.cmpi ult, %i, %c9 : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      %0 = aie.objectfifo.acquire @x(Produce, 1) : memref<8xi32>
      memref.store %v, %0[%c0] : memref<8xi32>
      aie.objectfifo.release @x(Produce, 1)
      %n = arith.addi %i, %c1 : index
      scf.yield %n : index
    }
    aie.end
  }
} }
