// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// A link whose fifos are both allocated where all ends reach is one pool and nothing else; if only
// the input is, the output's DMA reads the shared pool.

// CHECK-DAG: %in_prod_lock_0 = aie.lock(%tile_1_3)
// CHECK-DAG: aie.buffer(%tile_1_3) {sym_name = "in_buff_1"}
// CHECK-NOT: out_buff
// CHECK-NOT: {{ }}n_buff
// CHECK: aie.flow(%tile_1_3, DMA : 0, %tile_5_3, DMA : 0)
// CHECK-NOT: aie.flow
// CHECK: aie.core(%tile_1_2)
// CHECK: aie.use_lock(%in_prod_lock_0, AcquireGreaterEqual
// CHECK: aie.core(%tile_2_3)
// CHECK: aie.use_lock(%in_cons_lock_0, AcquireGreaterEqual
// CHECK-NEXT: aie.use_lock(%in_prod_lock_0, Release
// CHECK: aie.mem(%tile_1_3)
// CHECK: aie.dma_start(MM2S, 0,
// CHECK: aie.use_lock(%m_cons_lock_0, AcquireGreaterEqual
// CHECK-NEXT: aie.dma_bd(%m_buff_0
module {
  aie.device(xcve2302) {
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    %c = aie.tile(2, 3)
    %d = aie.tile(5, 3)
    aie.objectfifo @in(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%b, {%c}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.allocate @in(%b)
    aie.objectfifo.allocate @out(%b)
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.objectfifo @m(%c, {%b}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @n(%b, {%d}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.allocate @m(%b)
    aie.objectfifo.link [@m] -> [@n] ([] [])
    %ca = aie.core(%a) {
      %0 = aie.objectfifo.acquire @in(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
      aie.objectfifo.release @in(Produce, 1)
      aie.end
    }
    %cc = aie.core(%c) {
      %0 = aie.objectfifo.acquire @out(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
      aie.objectfifo.release @out(Consume, 1)
      aie.end
    }
  }
}
