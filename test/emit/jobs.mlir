// RUN: aiec %s --emit=job-graph -o - | FileCheck %s
// RUN: aiec %s --emit=job-graph-svg -o - | FileCheck %s --check-prefix=SVG

// Column 1 reads from the host what column 0 wrote.

// CHECK: digraph jobs {
// CHECK: label="controller 0";
// CHECK: [label="set up (0, 0)", style=solid];
// CHECK: n0_[[WAIT:[0-9]+]] [label="wait S2MM 0 of (0, 0)", style=rounded];
// CHECK: label="controller 1";
// CHECK: n0_[[PUSH:[0-9]+]] [label="MM2S 0 of (1, 0)", style=rounded];
// CHECK: n0_[[WAIT]] -> n0_[[PUSH]] [label="host range", color=
// CHECK: [shape=diamond, label="barrier 0: controllers 0, 1"];

// The critical path goes from the wait over the barrier to the push of the other controller.

// SVG: <svg
// SVG: critical path</text>
// SVG: controller 1
// SVG: class="edge hue{{[0-9]}} critical"><title>host range: wait S2MM 0 of (0, 0) before MM2S 0 of (1, 0)</title>
// SVG: class="bar critical"><title>barrier 0: controllers 0, 1</title>
// SVG: barrier 0 · cycle [[END:[0-9]+]]</text>
// SVG: class="node configures critical"><title>set up (0, 0): cycles 0 to
// SVG: class="node critical"><title>wait S2MM 0 of (0, 0): cycles
// SVG: class="node critical"><title>MM2S 0 of (1, 0): cycles [[END]] to
// SVG: </svg>

module {
  aie.device(xcve3858) {
    %s0 = aie.tile(0, 0)
    %m0 = aie.tile(0, 1)
    %s1 = aie.tile(1, 0)
    %m1 = aie.tile(1, 1)
    aie.objectfifo @in0(%s0, {%m0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out0(%m0, {%s0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in0] -> [@out0] ([] [0])
    aie.objectfifo @in1(%s1, {%m1}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in0} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out0} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out0}
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in1} : memref<16xi32>
    }
  }
}
