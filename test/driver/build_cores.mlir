// RUN: aiec build %s -o %t.machine | FileCheck %s --check-prefix=HOST
// RUN: aiec build %s -o %t.model --core=model | FileCheck %s --check-prefix=MODEL
// RUN: aiec build %s -o %t.asked --core=machine
// RUN: cmp %t.machine/build_cores.elf %t.asked/build_cores.elf
// RUN: not cmp %t.machine/build_cores.elf %t.model/build_cores.elf
// Hardware that runs control code runs machine code in its cores, too: `aiec build` writes that, and says so
// where something else was asked for.

// HOST: xrt::elf elf
// MODEL: for the simulator only: the cores hold programs that no hardware runs
// MODEL-NOT: xrt::

module {
  aie.device(xcve3858) {
    %tile = aie.tile(0, 3)
    %b = aie.buffer(%tile) {sym_name = "b"} : memref<4xi32>
    %core = aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %seven = arith.constant 7 : i32
      memref.store %seven, %b[%c0] : memref<4xi32>
      aie.end
    }
    aie.runtime_sequence() {
    }
  }
}
