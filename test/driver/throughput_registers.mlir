// RUN: aiec %s --emit=throughput -o - | FileCheck %s

// Sequences that write registers: what only delays a run leaves the bound as it is, what may change the array is named.

module {
  // Words of a core's memory, a performance counter, and the task of a descriptor that is written as a block.
  // CHECK: device watched (npu2)
  // CHECK-NEXT: run: at least [[CYCLES:[0-9]+]] cycles after the configuration
  aie.device(npu2) @watched {
    %shim = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    %b = aie.buffer(%t) {sym_name = "b", address = 1024 : i32} : memref<64xi32>
    %l = aie.lock(%t, 0) {init = 1 : i32}
    aie.flow(%shim, DMA : 0, %t, DMA : 0)
    aie.flow(%t, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    %m = aie.mem(%t) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^next)
    ^in:
      aie.dma_bd(%b : memref<64xi32>)
      aie.next_bd ^in
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.dma_bd(%b : memref<64xi32>)
      aie.next_bd ^out
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<256xi32>, %c: memref<256xi32>) {
      aiex.npu.write32 {address = 0x800 : ui32, value = 7 : ui32, column = 0 : i32, row = 2 : i32}
      aiex.npu.write32 {address = 0x31500 : ui32, value = 1 : ui32, column = 0 : i32, row = 2 : i32}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }

  // The same without these writes.
  // CHECK: device plain (npu2)
  // CHECK-NEXT: run: at least [[CYCLES]] cycles after the configuration
  aie.device(npu2) @plain {
    %shim = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    %b = aie.buffer(%t) {sym_name = "b", address = 1024 : i32} : memref<64xi32>
    %l = aie.lock(%t, 0) {init = 1 : i32}
    aie.flow(%shim, DMA : 0, %t, DMA : 0)
    aie.flow(%t, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    %m = aie.mem(%t) {
      %0 = aie.dma_start(S2MM, 0, ^in, ^next)
    ^in:
      aie.dma_bd(%b : memref<64xi32>)
      aie.next_bd ^in
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.dma_bd(%b : memref<64xi32>)
      aie.next_bd ^out
    ^end:
      aie.end
    }
    aie.runtime_sequence(%a: memref<256xi32>, %c: memref<256xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }

  // CHECK: device core (npu2)
  // CHECK-NEXT: no bound: the runtime sequence writes tile (0,2) core control, which may change anything ({{.*}}throughput_registers.mlir:[[#@LINE+4]])
  aie.device(npu2) @core {
    %t = aie.tile(0, 2)
    aie.runtime_sequence() {
      aiex.npu.write32 {address = 0x32000 : ui32, value = 2 : ui32, column = 0 : i32, row = 2 : i32}
    }
  }

  // A descriptor that isn't written before its task, and one that is written while its task may not have begun.
  // CHECK: device unknown (npu2)
  // CHECK-NEXT: no bound: the runtime sequence pushes BD 3 of tile (0, 0), whose words aren't all known
  aie.device(npu2) @unknown {
    %shim = aie.tile(0, 0)
    aie.runtime_sequence(%a: memref<64xi32>) {
      aiex.npu.push_queue(0, 0, MM2S : 0) {issue_token = false, bd_id = 3 : i32, repeat_count = 0 : i32}
    }
  }

  // CHECK: device changed (npu2)
  // CHECK-NEXT: no bound: the runtime sequence changes BD 0 of tile (0, 0), whose task may not have begun
  aie.device(npu2) @changed {
    %shim = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    aie.flow(%shim, DMA : 0, %t, DMA : 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.runtime_sequence(%a: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      // The length of BD 0.
      aiex.npu.write32 {address = 0x1D000 : ui32, value = 8 : ui32, column = 0 : i32, row = 0 : i32}
    }
  }
}
