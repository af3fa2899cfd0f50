// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s
// RUN: aiec %s --emit=job-graph -o - | FileCheck %s --check-prefix=GRAPH
// RUN: aiec %s --emit=job-graph-svg -o - | FileCheck %s --check-prefix=SVG
// RUN: aiec %s --jobs=per-column --emit=ctrl-asm -o - | FileCheck %s --check-prefix=ONE

// Two independent parts of one column use the same descriptors: the second can begin when the
// first has waited, and has nothing to do before. The first job launches it there, so that no
// barrier is needed. Then both go on beside each other.

// CHECK: START_JOB 2
// CHECK: WAIT_TCTS
// CHECK-NEXT: LAUNCH_JOB 3
// CHECK: WAIT_TCTS
// CHECK: END_JOB
// CHECK: START_JOB_DEFERRED 3
// CHECK-NEXT: APPLY_OFFSET_57
// CHECK: WAIT_TCTS
// CHECK-NOT: BARRIER

// GRAPH: [[WAIT:n0_[0-9]+]] [label="wait S2MM 0 of (0, 0)", style=rounded];
// GRAPH: [[IMAGE:n0_[0-9]+]] [label="BD 0 of (0, 0)", style=rounded];
// GRAPH: [[WAIT]] -> [[IMAGE]] [label="bd reuse"
// GRAPH: [[WAIT]] -> [[IMAGE]] [label="launch"

// SVG: <title>launch: wait S2MM 0 of (0, 0) before BD 0 of (0, 0)</title>

// ONE-NOT: LAUNCH_JOB

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %m0 = aie.tile(0, 3)
    %m1 = aie.tile(0, 5)
    aie.objectfifo @in0(%s0, {%m0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out0(%m0, {%s0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in0] -> [@out0] ([] [0])
    aie.objectfifo @in1(%s0, {%m1}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out1(%m1, {%s0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in1] -> [@out1] ([] [0])
    aie.runtime_sequence(%a: memref<256xi32>, %b: memref<256xi32>, %c: memref<512xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in0} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out0} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out0}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in1} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out1} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out1}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 2 : i64, metadata = @in0} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 256][1, 1, 1, 256][0, 0, 0, 1]) {id = 3 : i64, metadata = @out0} : memref<512xi32>
      aiex.npu.dma_wait {symbol = @out0}
    }
  }
}
