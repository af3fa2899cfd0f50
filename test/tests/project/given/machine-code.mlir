// One core with machine code of its own: machine-code.md's commands run it.
module {
  aie.device(npu1) {
    %tile = aie.tile(0, 2)
    %core = aie.core(%tile) {
      aie.end
    } {elf_file = "core.elf"}
    aie.runtime_sequence() {
    }
  }
}
