// RUN: aiec translate --aie-flows-to-json %s | FileCheck %s
// RUN: aiec translate -aie-flows-to-json %s -o %t && FileCheck %s < %t
// RUN: not aiec translate %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not aiec translate --aie-flows-to-text %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: aiec translate --help | FileCheck %s --check-prefix=HELP

// A broadcast that branches in the mem tile, a packet flow, and the way out through the mux, which
// takes no wire.
// CHECK:      "switchbox00": {
// CHECK-NEXT: "col": 0,
// CHECK-NEXT: "row": 0,
// CHECK-NEXT: "source_count": 2,
// CHECK-NEXT: "destination_count": 1,
// CHECK-NEXT: "northbound": 1,
// CHECK-NEXT: "eastbound": 0,
// CHECK-NEXT: "southbound": 1,
// CHECK-NEXT: "westbound": 0
// CHECK:      "total_path_length": 4,
// CHECK:      "route0": [ {{\[\[}}0, 0], ["North"]], {{\[\[}}0, 1], ["DMA", "North"]], {{\[\[}}0, 2], ["DMA"]], [] ],
// CHECK:      "route1": [ {{\[\[}}0, 2], ["South"]], {{\[\[}}0, 1], ["South"]], {{\[\[}}0, 0], ["South"]], [] ],
// CHECK-NEXT: "route_all": [],
// CHECK:      "end json": 0

// NONE: error: the following required arguments were not provided
// UNKNOWN: error: unexpected argument '--aie-flows-to-text'
// HELP: Translations:
// HELP: --aie-flows-to-json
aie.device(npu2) {
  %s = aie.tile(0, 0)
  %m = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  aie.flow(%s, DMA : 0, %m, DMA : 1)
  aie.flow(%s, DMA : 0, %a, DMA : 0)
  aie.packet_flow(3) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%s, DMA : 0>
  }
  aie.shim_mux(%s) {
    aie.connect<DMA : 0, North : 3>
    aie.connect<North : 2, DMA : 0>
  }
  aie.switchbox(%s) {
    aie.connect<South : 3, North : 0>
    %0 = aie.amsel<0>(0)
    %1 = aie.masterset(South : 2, %0)
    aie.packet_rules(North : 1) {
      aie.rule(31, 3, %0)
    }
  }
  aie.switchbox(%m) {
    aie.connect<South : 0, DMA : 1>
    aie.connect<South : 0, North : 0>
    %0 = aie.amsel<0>(0)
    %1 = aie.masterset(South : 1, %0)
    aie.packet_rules(North : 1) {
      aie.rule(31, 3, %0)
    }
  }
  aie.switchbox(%a) {
    aie.connect<South : 0, DMA : 0>
    %0 = aie.amsel<0>(0)
    %1 = aie.masterset(South : 1, %0)
    aie.packet_rules(DMA : 0) {
      aie.rule(31, 3, %0)
    }
  }
}
