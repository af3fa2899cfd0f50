// RUN: aiec translate --aie-generate-ldscript --tilecol=1 --tilerow=3 %s | FileCheck %s --check-prefix=SCRIPT
// RUN: aiec translate --aie-generate-bcf --tilecol=1 --tilerow=3 %s | FileCheck %s --check-prefix=BCF
// RUN: aiec translate --aie-generate-mmap --aie-device-name=main %s | FileCheck %s --check-prefix=MAP
// RUN: not aiec translate --aie-generate-ldscript --tilecol=1 --tilerow=2 %s 2>&1 | FileCheck %s --check-prefix=NO-CORE
// RUN: not aiec translate --aie-generate-mmap --aie-device-name=other %s 2>&1 | FileCheck %s --check-prefix=NO-DEVICE

// Own memory is the east window of AIE2. The stack takes 0x800 bytes; of the gaps above it the one
// between the buffers is the larger. A merged file is not linked.
// SCRIPT:      program (RX) : ORIGIN = 0, LENGTH = 0x0020000
// SCRIPT-NEXT: data (!RX) : ORIGIN = 0x72000, LENGTH = 0x6000
// SCRIPT:      . = 0x70000;
// SCRIPT-NEXT: _sp_start_value_DM_stack = .;
// SCRIPT-NEXT: . += 0x800;
// SCRIPT-NEXT: . = 0x40100;
// SCRIPT-NEXT: south = .;
// SCRIPT-NEXT: . += 0x40;
// SCRIPT-NEXT: . = 0x71000;
// SCRIPT-NEXT: low = .;
// SCRIPT-NEXT: . += 0x1000;
// SCRIPT-NEXT: . = 0x78000;
// SCRIPT-NEXT: high = .;
// SCRIPT-NEXT: . += 0x8000;
// SCRIPT:      INPUT(a.o)
// SCRIPT-NEXT: INPUT(b.o)
// SCRIPT-NOT:  merged.ll
// SCRIPT:      PROVIDE(main = core_1_3);

// BCF:      _reserved DMb 0x00000 0x40000
// BCF-NEXT: _stack DM_stack 0x70000 0x800
// BCF:      // south
// BCF-NEXT: _reserved DMb 0x40000 0x10000 // Don't allocate variables in south neighbor
// BCF-NEXT: _symbol south 0x40100 64
// BCF-NEXT: _extern south
// BCF-NEXT: _reserved DMb 0x40100 64
// BCF:      // west
// BCF-NEXT: _reserved DMb 0x50000 0x10000 // Don't allocate variables in west neighbor
// BCF:      // north
// BCF-NEXT: _reserved DMb 0x60000 0x10000
// BCF:      // east
// BCF-NEXT: _symbol low 0x71000 4096
// BCF:      _reserved DMb 0x80000 0x80000 // And everything else
// BCF-NEXT: _include _file a.o
// BCF-NEXT: _include _file b.o
// BCF-NEXT: _resolve _main core_1_3

// Tiles in order of columns and rows; a mem tile has no core that sees its buffers.
// MAP:      // Tile(1, 2)
// MAP-NEXT: // Memory map: name base_address num_bytes
// MAP-NEXT: _symbol low 0x61000 4096
// MAP-NEXT: _symbol high 0x68000 32768
// MAP-NEXT: _symbol south 0x70100 64
// MAP-NEXT: // Tile(1, 3)
// MAP:      _symbol south 0x40100 64
// MAP-NOT:  staged

// NO-CORE: there is no core at (1, 2)
// NO-CORE: there are cores at (1, 3)
// NO-DEVICE: there is no such aie.device
aie.device(npu2) @main {
  %here = aie.tile(1, 3)
  %below = aie.tile(1, 2)
  %mem = aie.tile(1, 1)
  %low = aie.buffer(%here) {address = 0x1000 : i32, sym_name = "low"} : memref<1024xi32>
  %high = aie.buffer(%here) {address = 0x8000 : i32, sym_name = "high"} : memref<8192xi32>
  %south = aie.buffer(%below) {address = 0x100 : i32, sym_name = "south"} : memref<16xi32>
  %staged = aie.buffer(%mem) {sym_name = "staged"} : memref<16xi32>
  aie.core(%here) {
    aie.end
  } {stack_size = 0x800 : i32, link_files = ["a.o", "b.o"], link_merge_files = ["merged.ll"]}
}
