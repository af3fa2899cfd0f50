// RUN: aiec opt --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu %s | FileCheck %s --check-prefix=TASKS
// RUN: aiec opt --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu --aie-dma-to-npu %s | FileCheck %s --check-prefix=NPU
// RUN: aiec opt --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu --aie-dma-to-npu --aie-npu-to-cert %s | FileCheck %s --check-prefix=CERT
// RUN: aiec opt --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu --aie-dma-to-npu --aie-npu-to-cert %s -o %t.mlir && aiec translate --aie-cert-to-asm %t.mlir | FileCheck %s --check-prefix=ASM
// RUN: aiec translate --aie-cert-to-asm %t.mlir -o %t.asm && aiec asm %t.asm -o %t.elf
// RUN: aiec opt --aie-assign-runtime-sequence-bd-ids --aie-dma-tasks-to-npu --aie-dma-to-npu %s | aiec translate --aie-npu-to-binary --aie-output-binary=false - | FileCheck %s --check-prefix=TXN

// A task of 16 words from word 8 of argument 1, and a transfer that is announced.
// TASKS:      aiex.npu.writebd {bd_id = 0 : i32, buffer_length = 16 : i32, buffer_offset = 32 : i32, column = 0 : i32,
// TASKS:      %[[PLUS:.*]] = arith.constant 32 : i32
// TASKS-NEXT: aiex.npu.address_patch(%[[PLUS]] : i32) {addr = 118788 : ui32, arg_idx = 1 : i32}
// TASKS:      aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %{{.*}} repeat %{{.*}} {issue_token = true} : i32, i32
// TASKS:      aiex.npu.sync
// TASKS:      aiex.npu.dma_memcpy_nd

// NPU:        memref.global "private" constant @blockwrite_data_0 : memref<8xi32> = dense<[16, 32, 0, 0, -1073741824, 33554432, 0, 33554432]>
// NPU:        memref.global "private" constant @blockwrite_data_1
// NPU:        aiex.npu.blockwrite(%{{.*}}) {address = 118784 : ui32} : memref<8xi32>
// NPU:        aiex.npu.address_patch(%{{.*}} : i32) {addr = 118788 : ui32, arg_idx = 1 : i32}
// The controller's number comes before the first token is asked for.
// NPU:        aiex.npu.maskwrite32
// NPU:        %[[PUSH:.*]] = arith.constant -2147483648 : i32
// NPU:        aiex.npu.write32(%{{.*}}, %[[PUSH]]) : i32, i32
// NPU:        aiex.npu.sync
// NPU:        aiex.npu.blockwrite(%{{.*}}) {address = 118816 : ui32} : memref<8xi32>

// CERT:       aiex.cert.uc_dma_chain @chain_0 {
// CERT-NEXT:    aiex.cert.uc_dma_bd @blockwrite_data_0, 118784, 8, false
// CERT:       aiex.cert.page {
// CERT:         aiex.cert.job(2) {
// CERT-NEXT:      aiex.cert.apply_offset_57(@blockwrite_data_0, 1, 1)
// CERT-NEXT:      aiex.cert.uc_dma_write_des_sync(@chain_0)
// CERT-NEXT:      aiex.cert.maskwrite32(119312, 65280, 3840)
// CERT-NEXT:      aiex.cert.write32(119316, 2147483648)
// CERT-NEXT:      aiex.cert.wait_tcts(0, 6, 1)
// CERT:           aiex.cert.wait_tcts(0, 1, 1)

// ASM:        .partition 8column
// ASM:        .attach_to_group 0
// ASM-NEXT:   START_JOB {{ *}}2
// ASM-NEXT:     APPLY_OFFSET_57 {{ *}}@blockwrite_data_0, 1, 1
// ASM-NEXT:     UC_DMA_WRITE_DES_SYNC {{ *}}@chain_0
// ASM:          WAIT_TCTS {{ *}}TILE_0_0, SHIM_MM2S_0, 1
// ASM:        END_JOB
// ASM:        EOF
// ASM:        chain_0:
// ASM-NEXT:     UC_DMA_BD {{ *}}0x0, 0x0001d000, @blockwrite_data_0, 8, 0, 0
// The image of a BD of eight words is filled up to what the patch reaches.
// ASM:        blockwrite_data_0:
// ASM-COUNT-9:  .long
// ASM-NOT:      .long
// ASM:        blockwrite_data_1:

// Version 0.1, npu2, 6 rows; 8 columns; seven operations and two masks, in bytes.
// TXN:      06040100
// TXN-NEXT: 00000108
// TXN-NEXT: 0000000A
// TXN-NEXT: {{[0-9A-F]+}}
// TXN-NEXT: 00000001
// TXN-NEXT: 00000000
// TXN-NEXT: 0001D000
// TXN-NEXT: 00000030
// TXN-NEXT: 00000010
// TXN-NEXT: 00000020
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @out (%shim, S2MM, 1)
  aie.runtime_sequence @go(%x: memref<64xi32>, %y: memref<64xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%y : memref<64xi32> offset = 8 len = 16)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%t)
    aiex.dma_await_task(%t)
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<64xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
