// RUN: not aiec %s --emit=routing-svg -o %t.svg 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --check-prefix=SVG --input-file=%t.svg
// RUN: not aiec %s --emit=routing-html,ctrl-asm -o %t.folder 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not ls %t.folder/routing_that_fails.asm

// Seven streams must leave the lower two tiles of the only column, six wires do: six are drawn, the
// seventh is a straight line, and the cut is drawn around the tiles. The exit code is 1.

// SAID: route::congested
// SAID: 7 streams must leave
// SAID: a picture of what can be routed is in {{.*}}.svg

// SVG: 7 flows, {{[0-9]+}} wires, 1 not routed
// SVG: class="missing"
// SVG-NOT: class="missing"
// SVG: class="cut"
// SVG: Can't be routed: 7 streams must leave tiles (0, 0) to (0, 1), 6 wires do
// SVG: (not routed)

// FOLDER: a picture of what can be routed is in {{.*}}routing.html
aie.device(npu1_1col) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %c2 = aie.tile(0, 2)
  %c3 = aie.tile(0, 3)
  %c4 = aie.tile(0, 4)
  %c5 = aie.tile(0, 5)
  aie.flow(%mem, DMA : 0, %c2, DMA : 0)
  aie.flow(%mem, DMA : 1, %c2, DMA : 1)
  aie.flow(%mem, DMA : 2, %c3, DMA : 0)
  aie.flow(%mem, DMA : 3, %c3, DMA : 1)
  aie.flow(%mem, DMA : 4, %c4, DMA : 0)
  aie.flow(%mem, DMA : 5, %c4, DMA : 1)
  aie.flow(%shim, DMA : 0, %c5, DMA : 0)
}
