// RUN: aiec opt --aie-place-tiles --aie-objectFifo-stateful-transform %s | FileCheck %s --check-prefix=SEQUENTIAL
// RUN: aiec opt --aie-place-tiles=placer=sa_placer --aie-objectFifo-stateful-transform %s | FileCheck %s --check-prefix=ANNEALING
// A chain of eight cores that the text names in another order: column by column nobody is the
// neighbour of its successor, so that each fifo takes a route, two channels and a copy of its
// objects. Annealing finds the snake, in which all share memory.

// SEQUENTIAL-COUNT-7: aie.flow(
// SEQUENTIAL: aie.dma_start
// ANNEALING-NOT: aie.flow(
// ANNEALING-NOT: aie.dma_start
module {
  aie.device(npu2) {
    %a = aie.logical_tile<CoreTile>(?, ?)
    %e = aie.logical_tile<CoreTile>(?, ?)
    %b = aie.logical_tile<CoreTile>(?, ?)
    %f = aie.logical_tile<CoreTile>(?, ?)
    %c = aie.logical_tile<CoreTile>(?, ?)
    %g = aie.logical_tile<CoreTile>(?, ?)
    %d = aie.logical_tile<CoreTile>(?, ?)
    %h = aie.logical_tile<CoreTile>(?, ?)
    aie.objectfifo @ab(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @bc(%b, {%c}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @cd(%c, {%d}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @de(%d, {%e}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @ef(%e, {%f}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @fg(%f, {%g}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @gh(%g, {%h}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  }
}
