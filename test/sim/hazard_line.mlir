// A BD that is written while its task runs is reported where the chain of register writes
// begins: the transfer and the write are one.

// RUN: aiec sim %s --report %t.json --diagnostics=mlir 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=REPORT %s < %t.json
// RUN: aiec sim %s --races=off --diagnostics=mlir 2>&1 | FileCheck --check-prefix=OFF %s

// OFF: BD 0 of tile (0, 0) is written while a task of DMA MM2S 0 of tile (0, 0) uses it
// REPORT: "source": "{{.*}}hazard_line.mlir:[[#@LINE+10]]:5"
// CHECK: hazard_line.mlir:[[#@LINE+9]]:5: warning: {{.*}}BD 0 of tile (0, 0) is written while a task of DMA MM2S 0 of tile (0, 0) uses it
// CHECK-SAME: sim::hazard

aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.flow(%shim, DMA : 0, %core, DMA : 0)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%a: memref<64xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
    // The length of the BD of that transfer.
    aiex.npu.write32 {address = 118784 : ui32, value = 16 : ui32}
  }
}
