// RUN: aiec opt --cert-legalize-pages %s | FileCheck %s
// RUN: not aiec opt --cert-legalize-pages --split-input-file --diagnostics=text %S/Inputs/barriers.mlir 2>&1 | FileCheck %s --check-prefix=MEET

// 1200 words of data twice, and a job behind: the patch stays with the write behind it, jobs are
// numbered on, a chain that two jobs of a page use is counted once.
// CHECK:      aiex.cert.page {
// CHECK-NEXT:   aiex.cert.job(1) {
// CHECK-NEXT:     aiex.cert.uc_dma_write_des_sync(@first)
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: aiex.cert.page {
// CHECK-NEXT:   aiex.cert.job(2) {
// CHECK-NEXT:     aiex.cert.apply_offset_57(@words, 1, 0)
// CHECK-NEXT:     aiex.cert.uc_dma_write_des_sync(@second)
// CHECK-NEXT:     aiex.cert.uc_dma_write_des_sync(@second)
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: aiex.cert.page {
// CHECK-NEXT:   aiex.cert.job(3) {
// CHECK-NEXT:     aiex.cert.nop
// CHECK-NEXT:   }
// CHECK-NEXT: }

// MEET: must be on one page
// MEET: jobs meet here
aie.device(npu2) {
  memref.global "private" constant @more : memref<1200xi32> = dense<7>
  memref.global "private" constant @words : memref<1200xi32> = dense<9>
  aiex.cert.uc_dma_chain @first {
    aiex.cert.uc_dma_bd @more, 0, 1200, false
  }
  aiex.cert.uc_dma_chain @second {
    aiex.cert.uc_dma_bd @words, 0, 1200, false
  }
  aiex.cert.job(1) {
    aiex.cert.uc_dma_write_des_sync(@first)
    aiex.cert.apply_offset_57(@words, 1, 0)
    aiex.cert.uc_dma_write_des_sync(@second)
    aiex.cert.uc_dma_write_des_sync(@second)
  }
  aiex.cert.job(2) {
    aiex.cert.nop
  }
}
