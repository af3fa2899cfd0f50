// RUN: not aiec opt --split-input-file --aie-materialize-bd-chains --diagnostics=text %s 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: not aiec opt --split-input-file --aie-substitute-shim-dma-allocations --diagnostics=text %s 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not aiec opt --split-input-file --aie-assign-runtime-sequence-bd-ids --diagnostics=text %s 2>&1 | FileCheck %s --check-prefix=IDS
// RUN: not aiec opt --split-input-file --aie-dma-tasks-to-npu --diagnostics=text %s 2>&1 | FileCheck %s --check-prefix=TASKS
// RUN: not aiec opt --split-input-file --aie-npu-to-cert --diagnostics=text %s 2>&1 | FileCheck %s --check-prefix=CERT
// RUN: not aiec opt --split-input-file --aie-npu-to-cert=device-name=other --diagnostics=text %s 2>&1 | FileCheck %s --check-prefix=DEVICE

// CHAIN: argument 1 of `@one` has another type
// CHAIN: there is no BD chain `@ones`
// NAME:  there is no shim DMA channel `@inn`
// NAME:  did you mean `@in`?
// IDS:   this isn't a configured task
// IDS:   run --aie-materialize-bd-chains first
// IDS:   the buffer descriptors of this task are free
// IDS:   buffer descriptor 3 of tile (0, 0) is in use
// TASKS: is lowered by another pass
// TASKS: run --aie-materialize-bd-chains first
// TASKS: this buffer descriptor has no number
// TASKS: run --aie-assign-runtime-sequence-bd-ids first
// CERT:  isn't a register write
// CERT:  lower tasks and transfers first
// DEVICE: there is no device `@other`
// DEVICE: choose with device-name=…: `main`
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.bd_chain @one(%a: memref<64xi32>) {
    aie.dma_bd(%a : memref<64xi32> offset = 0 len = 64)
    aie.end
  }
  aie.runtime_sequence(%x: memref<32xi32>) {
    %t = aiex.dma_start_bd_chain @one(%x) : (memref<32xi32>) on (%shim, MM2S, 0) {issue_token = true}
    aiex.dma_await_task(%t)
  }
}

// -----

aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @in (%shim, MM2S, 1)
  aie.runtime_sequence(%x: memref<32xi32>) {
    %t = aiex.dma_configure_task_for @inn {
      aie.dma_bd(%x : memref<32xi32> offset = 0 len = 32)
      aie.end
    }
    %u = aiex.dma_start_bd_chain @ones(%x) : (memref<32xi32>) on (%shim, MM2S, 0)
  }
}

// -----

aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.runtime_sequence(%x: memref<32xi32>) {
    %t = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<32xi32> offset = 0 len = 32)
      aie.end
    }
    aiex.dma_start_task(%t)
    aiex.dma_free_task(%t)
    aiex.dma_free_task(%t)
    %u = aiex.dma_configure_task(%shim, MM2S, 0) {
      aie.dma_bd(%x : memref<32xi32> offset = 0 len = 32) {bd_id = 3 : i32}
      aie.next_bd ^next
    ^next:
      aie.dma_bd(%x : memref<32xi32> offset = 0 len = 32) {bd_id = 3 : i32}
      aie.end
    }
  }
}
