// RUN: not aiec opt --convert-aie-to-transaction %s 2>&1 | FileCheck %s
// Configuration as a sequence of its own has no argument for a host buffer of the design.

// CHECK: error: {{.*}}this host buffer has no address [configure::bad-memory]
// CHECK-NEXT: aie.dma_bd
// CHECK: write its `address`, or move the transfer into the runtime sequence
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %host = aie.external_buffer {sym_name = "host", argument = 0 : i32} : memref<64xi32>
    aie.shim_dma(%shim) {
      aie.dma_start(MM2S, 0, ^bd, ^end)
    ^bd:
      aie.dma_bd(%host : memref<64xi32>, 0, 64) {bd_id = 0 : i32}
      aie.next_bd ^end
    ^end:
      aie.end
    }
  }
}
