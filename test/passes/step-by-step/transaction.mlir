// RUN: aiec opt --convert-aie-to-transaction %s | FileCheck %s
// RUN: aiec opt --convert-aie-to-transaction --aie-npu-to-cert --cert-legalize-pages %s -o %t.mlir && aiec translate --aie-cert-to-asm %t.mlir -o %t.asm && aiec asm %t.asm -o %t.elf
// RUN: aiec dis %t.elf | FileCheck %s --check-prefix=DIS

// A lock, a buffer's contents, a circuit and the shim mux.
// CHECK:      memref.global "private" constant @config_blockwrite_data_{{[0-9]+}} : memref<2xi32> = dense<[1, 2]>
// CHECK:      aie.runtime_sequence @configure() {
// CHECK:        aiex.npu.write32
// CHECK:        aiex.npu.blockwrite(%{{.*}}) {address = 2098176 : ui32} : memref<2xi32>
// CHECK:        aiex.npu.maskwrite32

// DIS: WRITE_32
// DIS: UC_DMA_WRITE_DES_SYNC
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  %lock = aie.lock(%core, 0) {init = 1 : i32}
  %buffer = aie.buffer(%core) {address = 1024 : i32, sym_name = "b"} : memref<2xi32> = dense<[1, 2]>
  aie.switchbox(%shim) {
    aie.connect<South : 3, North : 0>
  }
  aie.shim_mux(%shim) {
    aie.connect<DMA : 0, North : 3>
  }
}
