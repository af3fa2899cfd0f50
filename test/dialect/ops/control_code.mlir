// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Control code as operations.

module {
  memref.global "private" constant @words : memref<4xi32> = dense<[1, 2, 3, 4]>
  aiex.cert.section @main {
    aiex.cert.attach_to_group(0) {
      aiex.cert.page {
        aiex.cert.job(1) {
          aiex.cert.write32(0x10, 7)
          aiex.cert.maskwrite32(16, 3, 5)
          aiex.cert.mask_poll_32(16, 1, 1)
          aiex.cert.read_32(1, 16)
          aiex.cert.add(1, 4294967295)
          aiex.cert.write_32_d(20, 1)
          aiex.cert.apply_offset_57(@words, 2, 0xffff)
          aiex.cert.uc_dma_write_des_sync(@chain)
          aiex.cert.uc_dma_write_des(0, @chain)
          aiex.cert.wait_uc_dma(0)
          aiex.cert.wait_tcts(32, 6, 2)
          aiex.cert.local_barrier(0, 2)
          aiex.cert.launch_job(2)
          aiex.cert.remote_barrier(1, 3)
          aiex.cert.load_pdi(1, @main)
          aiex.cert.preempt(2, @main, @main)
          aiex.cert.nop
        }
        aiex.cert.uc_dma_chain @chain {
          aiex.cert.uc_dma_bd @words, 0x2001d000, 4, false
        }
      }
    }
  }
}

// CHECK:      module {
// CHECK-NEXT:   memref.global "private" constant @words : memref<4xi32> = dense<[1, 2, 3, 4]>
// CHECK-NEXT:   aiex.cert.section @main {
// CHECK-NEXT:     aiex.cert.attach_to_group(0) {
// CHECK-NEXT:       aiex.cert.page {
// CHECK-NEXT:         aiex.cert.job(1) {
// CHECK-NEXT:           aiex.cert.write32(16, 7)
// CHECK-NEXT:           aiex.cert.maskwrite32(16, 3, 5)
// CHECK-NEXT:           aiex.cert.mask_poll_32(16, 1, 1)
// CHECK-NEXT:           aiex.cert.read_32(1, 16)
// CHECK-NEXT:           aiex.cert.add(1, 4294967295)
// CHECK-NEXT:           aiex.cert.write_32_d(20, 1)
// CHECK-NEXT:           aiex.cert.apply_offset_57(@words, 2, -1)
// CHECK-NEXT:           aiex.cert.uc_dma_write_des_sync(@chain)
// CHECK-NEXT:           aiex.cert.uc_dma_write_des(0, @chain)
// CHECK-NEXT:           aiex.cert.wait_uc_dma(0)
// CHECK-NEXT:           aiex.cert.wait_tcts(32, 6, 2)
// CHECK-NEXT:           aiex.cert.local_barrier(0, 2)
// CHECK-NEXT:           aiex.cert.launch_job(2)
// CHECK-NEXT:           aiex.cert.remote_barrier(1, 3)
// CHECK-NEXT:           aiex.cert.load_pdi(1, @main)
// CHECK-NEXT:           aiex.cert.preempt(2, @main, @main)
// CHECK-NEXT:           aiex.cert.nop
// CHECK-NEXT:         }
// CHECK-NEXT:         aiex.cert.uc_dma_chain @chain {
// CHECK-NEXT:           aiex.cert.uc_dma_bd @words, 536989696, 4, false
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
