// RUN: aiec opt --cert-legalize-pages %s | FileCheck %s
// RUN: aiec opt --cert-legalize-pages="fill=whole" %s | FileCheck %s --check-prefix=WHOLE

// 2400 bytes of data four times. As the reference does, a page is half full as long as the rest
// needs more than one; the last three fit together.
// CHECK:      aiex.cert.job(1) {
// CHECK-NEXT:   aiex.cert.uc_dma_write_des_sync(@a)
// CHECK:      aiex.cert.job(2) {
// CHECK-NEXT:   aiex.cert.uc_dma_write_des_sync(@b)
// CHECK-NEXT:   aiex.cert.uc_dma_write_des_sync(@c)
// CHECK-NEXT:   aiex.cert.uc_dma_write_des_sync(@d)
// CHECK-NOT:  aiex.cert.job

// WHOLE:      aiex.cert.job(1) {
// WHOLE-NEXT:   aiex.cert.uc_dma_write_des_sync(@a)
// WHOLE-NEXT:   aiex.cert.uc_dma_write_des_sync(@b)
// WHOLE-NEXT:   aiex.cert.uc_dma_write_des_sync(@c)
// WHOLE:      aiex.cert.job(2) {
// WHOLE-NEXT:   aiex.cert.uc_dma_write_des_sync(@d)
aie.device(npu2) {
  memref.global "private" constant @w : memref<600xi32> = dense<1>
  memref.global "private" constant @x : memref<600xi32> = dense<2>
  memref.global "private" constant @y : memref<600xi32> = dense<3>
  memref.global "private" constant @z : memref<600xi32> = dense<4>
  aiex.cert.uc_dma_chain @a {
    aiex.cert.uc_dma_bd @w, 0, 600, false
  }
  aiex.cert.uc_dma_chain @b {
    aiex.cert.uc_dma_bd @x, 0, 600, false
  }
  aiex.cert.uc_dma_chain @c {
    aiex.cert.uc_dma_bd @y, 0, 600, false
  }
  aiex.cert.uc_dma_chain @d {
    aiex.cert.uc_dma_bd @z, 0, 600, false
  }
  aiex.cert.job(1) {
    aiex.cert.uc_dma_write_des_sync(@a)
    aiex.cert.uc_dma_write_des_sync(@b)
    aiex.cert.uc_dma_write_des_sync(@c)
    aiex.cert.uc_dma_write_des_sync(@d)
  }
}
