// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file %s | FileCheck %s
// Contents from the start: the lock of filled places counts them. What nothing fills again and is
// sent a number of times, or isn't synchronised, has no locks.

// CHECK-LABEL: @filled
// CHECK: aie.buffer(%tile_0_2) {sym_name = "x_buff_0"} : memref<2xi32> = dense<[1, 2]>
// CHECK: aie.buffer(%tile_0_2) {sym_name = "x_buff_1"} : memref<2xi32> = dense<[3, 4]>
// CHECK: {init = 0 : i32, sym_name = "x_prod_lock_0"}
// CHECK: {init = 6 : i32, sym_name = "x_cons_lock_0"}
module { aie.device(npu2) @filled {
  %a = aie.tile(0, 2)
  %c = aie.tile(2, 4)
  aie.objectfifo @x(%a, {%c}, 2 : i32) {repeat_count = 3 : i32} : !aie.objectfifo<memref<2xi32>> = [dense<[1, 2]> : memref<2xi32>, dense<[3, 4]> : memref<2xi32>]
} }

// -----

// CHECK-LABEL: @rounds
// CHECK-NOT: x_prod_lock
// CHECK: aie.memtile_dma
// CHECK: aie.dma_start(MM2S, 0, ^bb1, ^bb4, repeat_count = 2)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: aie.dma_bd(%x_buff_0 :
// CHECK-NEXT: aie.next_bd ^bb2
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: aie.dma_bd(%x_buff_1 :
// CHECK-NEXT: aie.next_bd ^bb3
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: aie.end
module { aie.device(npu2) @rounds {
  %m = aie.tile(0, 1)
  %c = aie.tile(2, 4)
  aie.objectfifo @x(%m, {%c}, 2 : i32) {iter_count = 3 : i32} : !aie.objectfifo<memref<2xi32>> = [dense<[1, 2]> : memref<2xi32>, dense<[3, 4]> : memref<2xi32>]
} }

// -----

// Rounds at both ends of a link; the chains of other fifos go on for ever.
// CHECK-LABEL: @linked_rounds
// CHECK: aie.memtile_dma
// CHECK: aie.dma_start(S2MM, 0, ^bb1, ^bb{{[0-9]+}})
// CHECK: aie.dma_start(MM2S, 0, ^bb{{[0-9]+}}, ^bb{{[0-9]+}}, repeat_count = 7)
module { aie.device(npu2) @linked_rounds {
  %s = aie.tile(0, 0)
  %m = aie.tile(0, 1)
  %c = aie.tile(0, 2)
  aie.objectfifo @in(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<2xi32>>
  aie.objectfifo @x(%m, {%c}, 2 : i32) {iter_count = 8 : i32} : !aie.objectfifo<memref<2xi32>>
  aie.objectfifo.link [@in] -> [@x]([] [])
} }

// -----

// CHECK-LABEL: @nobody_waits
// CHECK-NOT: aie.lock
// CHECK-NOT: aie.use_lock
// CHECK: memref.store %{{.*}}, %x_buff_0
// CHECK-NOT: aie.use_lock
module { aie.device(npu2) @nobody_waits {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @x(%a, {%b}, 2 : i32) {disable_synchronization = true} : !aie.objectfifo<memref<2xi32>>
  aie.core(%a) {
    %c0 = arith.constant 0 : index
    %v = arith.constant 5 : i32
    %0 = aie.objectfifo.acquire @x(Produce, 1) : memref<2xi32>
    memref.store %v, %0[%c0] : memref<2xi32>
    aie.objectfifo.release @x(Produce, 1)
    aie.end
  }
} }
