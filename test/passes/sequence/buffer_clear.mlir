// RUN: aiec %s --emit=insts-elf -o %t.elf
// RUN: aiec dis %t.elf | FileCheck %s

// Words of a tile's data memory are written with 0.
// CHECK:      XAIE_IO_BLOCKWRITE {{ *}}@0x200000, [8]
// CHECK-NEXT: XAIE_IO_BLOCKWRITE.0 {{ *}}0x0
// CHECK:      XAIE_IO_BLOCKWRITE.7 {{ *}}0x0
// CHECK-NEXT: XAIE_IO_BLOCKWRITE {{ *}}@0x20fff0, [4]
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.runtime_sequence() {
    aiex.buffer_clear(%core, 0, 8)
    aiex.buffer_clear(%core, 65520, 4)
  }
}
