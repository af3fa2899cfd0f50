// Host buffers without an address become arguments behind those of the sequence; without one there
// is a sequence that waits for what is written to the host.
// RUN: split-file %s %t
// RUN: aiec opt --aie-bind-external-buffers %t/with.mlir | FileCheck %s
// RUN: aiec opt --aie-bind-external-buffers %t/without.mlir | FileCheck %s --check-prefix=WAIT
// RUN: not aiec opt --aie-bind-external-buffers %t/several.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL

// CHECK: aie.external_buffer {address = 64 : i64, sym_name = "fixed"}
// CHECK: aie.external_buffer {argument = 1 : i32, sym_name = "host"}
// CHECK: aie.external_buffer {sym_name = "unused"}
// CHECK: aie.runtime_sequence(%arg0: memref<8xi32>, %arg1: memref<16xi32>)

// WAIT: aie.external_buffer {argument = 0 : i32, sym_name = "host"}
// WAIT: aie.runtime_sequence(%arg0: memref<16xi32>)
// WAIT: aiex.npu.sync

// SEVERAL: which argument this host buffer is can't be said

//--- with.mlir
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %fixed = aie.external_buffer {sym_name = "fixed", address = 64 : i64} : memref<16xi32>
  %host = aie.external_buffer {sym_name = "host"} : memref<16xi32>
  %unused = aie.external_buffer {sym_name = "unused"} : memref<16xi32>
  aie.shim_dma(%shim) {
    aie.dma_start(MM2S, 0, ^a, ^end)
  ^a:
    aie.dma_bd(%host : memref<16xi32>, 0, 16)
    aie.next_bd ^b
  ^b:
    aie.dma_bd(%fixed : memref<16xi32>, 0, 16)
    aie.next_bd ^end
  ^end:
    aie.end
  }
  aie.runtime_sequence(%a: memref<8xi32>) {
  }
}
//--- without.mlir
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %host = aie.external_buffer {sym_name = "host"} : memref<16xi32>
  aie.shim_dma(%shim) {
    aie.dma_start(S2MM, 0, ^a, ^end)
  ^a:
    aie.dma_bd(%host : memref<16xi32>, 0, 16)
    aie.next_bd ^end
  ^end:
    aie.end
  }
}
//--- several.mlir
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %host = aie.external_buffer {sym_name = "host"} : memref<16xi32>
  aie.shim_dma(%shim) {
    aie.dma_start(S2MM, 0, ^a, ^end)
  ^a:
    aie.dma_bd(%host : memref<16xi32>, 0, 16)
    aie.next_bd ^end
  ^end:
    aie.end
  }
  aie.runtime_sequence @one(%a: memref<8xi32>) {
  }
  aie.runtime_sequence @two(%a: memref<8xi32>, %b: memref<8xi32>) {
  }
}
