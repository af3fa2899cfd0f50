// RUN: aiec opt --aie-expand-load-pdi=inline-config=false %s | FileCheck %s
// RUN: aiec opt --aie-expand-load-pdi=inline-config=false %s | aiec opt --aie-expand-load-pdi -o %t.lazy.mlir
// RUN: aiec opt --aie-expand-load-pdi %s -o %t.inline.mlir
// RUN: diff %t.lazy.mlir %t.inline.mlir
// RUN: FileCheck %s --check-prefix=INLINE < %t.inline.mlir

// A load is a reset by an empty device, and the configuration that is written then. The empty devices take turns,
// and a sequence ends with another than it begins with: the next run begins with a reset too.
// CHECK-LABEL: aie.runtime_sequence @first
// CHECK-NEXT:  aiex.npu.load_pdi {device_ref = @empty_0, expand_mode = 0 : i32}
// CHECK-NEXT:  aiex.npu.write_config @work
// CHECK-NEXT:  aiex.npu.load_pdi {device_ref = @empty_1, expand_mode = 0 : i32}
// CHECK-NEXT:  aiex.npu.write_config @work
// CHECK-NEXT:  {{^    }}}
// CHECK-LABEL: aie.runtime_sequence @second
// CHECK-NEXT:  aiex.npu.load_pdi {device_ref = @empty_0, expand_mode = 0 : i32}
// CHECK-NEXT:  aiex.npu.write_config @work
// CHECK-NEXT:  aiex.npu.load_pdi {device_ref = @empty_1, expand_mode = 0 : i32}
// CHECK-NEXT:  {{^    }}}

// INLINE-NOT:   write_config
// INLINE-LABEL: aie.runtime_sequence @second
// INLINE-NEXT:  aiex.npu.load_pdi {device_ref = @empty_0, expand_mode = 0 : i32}
// INLINE:       aiex.npu.write32
// INLINE:       aiex.npu.blockwrite
// INLINE:       aiex.npu.load_pdi {device_ref = @empty_1, expand_mode = 0 : i32}
module {
  aie.device(npu2) @work {
    %t = aie.tile(0, 2)
    %l = aie.lock(%t, 0) {init = 1 : i32}
    %b = aie.buffer(%t) {address = 1024 : i32, sym_name = "b"} : memref<4xi32> = dense<[1, 2, 3, 4]>
  }
  aie.device(npu2) {
    aie.runtime_sequence @first() {
      aiex.npu.load_pdi {device_ref = @work}
      aiex.npu.load_pdi {device_ref = @work}
    }
    aie.runtime_sequence @second() {
      aiex.npu.load_pdi {device_ref = @work}
    }
  }
}
