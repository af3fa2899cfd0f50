// RUN: aiec opt --aie-place-tiles="placer=sa_placer sa-seed=7" --split-input-file %s | FileCheck %s
// RUN: aiec opt --aie-place-tiles="placer=sa_placer sa-seed=7" --split-input-file %s -o %t.a && aiec opt --aie-place-tiles="placer=sa_placer sa-seed=7" --split-input-file %s -o %t.b && diff %t.a %t.b
// RUN: not aiec opt --aie-place-tiles=placer=annealing %s 2>&1 | FileCheck %s --check-prefix=NAME

// NAME: Cannot find option named 'annealing'!

// A chain of fifos: each core is put next to its predecessor, so that nothing needs a channel.
// CHECK-LABEL: module @chain
// CHECK-NOT: aie.logical_tile
module @chain {
  aie.device(npu2) {
    %a = aie.logical_tile<CoreTile>(2, 3)
    %b = aie.logical_tile<CoreTile>(?, ?)
    aie.cascade_flow(%a, %b)
    // CHECK-DAG: aie.tile(2, 3)
    // CHECK-DAG: aie.tile({{2, 2|3, 3}})
    aie.core(%a) { aie.end }
    aie.core(%b) { aie.end }
  }
}

// -----

// A core's own fifo that doesn't fit beside its weights goes to a neighbour.
// CHECK-LABEL: module @spill
// CHECK: aie.objectfifo.allocate @own
module @spill {
  aie.device(npu2) {
    %a = aie.logical_tile<CoreTile>(2, 3)
    %w = aie.buffer(%a) {sym_name = "w"} : memref<14000xi32>
    aie.objectfifo @own(%a, {%a}, 4 : i32) : !aie.objectfifo<memref<1024xi32>>
    aie.core(%a) { aie.end }
  }
}
