// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Configurations that a sequence writes after a reset by an empty device.

// CHECK:      module {
// CHECK-NEXT:   aie.device(npu2) @empty_0 {
// CHECK-NEXT:   }
// CHECK-NEXT:   aie.device(npu2) @empty_1 {
// CHECK-NEXT:   }
// CHECK-NEXT:   aie.device(npu2) @work {
// CHECK-NEXT:     %tile_0_2 = aie.tile(0, 2)
// CHECK-NEXT:   }
// CHECK-NEXT:   aie.device(npu2) {
// CHECK-NEXT:     aie.runtime_sequence @twice() {
// CHECK-NEXT:       aiex.npu.load_pdi {device_ref = @empty_0}
// CHECK-NEXT:       aiex.npu.write_config @work
// CHECK-NEXT:       aiex.npu.load_pdi {device_ref = @empty_1}
// CHECK-NEXT:       aiex.npu.write_config @work {note = "again"}
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
module {
  aie.device(npu2) @empty_0 {
  }
  aie.device(npu2) @empty_1 {
  }
  aie.device(npu2) @work {
    %t = aie.tile(0, 2)
  }
  aie.device(npu2) {
    aie.runtime_sequence @twice() {
      aiex.npu.load_pdi {device_ref = @empty_0}
      aiex.npu.write_config @work
      aiex.npu.load_pdi {device_ref = @empty_1}
      aiex.npu.write_config @work {note = "again"}
    }
  }
}
