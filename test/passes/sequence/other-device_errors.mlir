// RUN: not aiec opt --split-input-file --emit-jobs --diagnostics=text %s 2>&1 | FileCheck %s

// CHECK: this is of device `@other`, but `@main` is loaded here
// CHECK: put it into an `aiex.configure @other`
module {
  aie.device(xcve3858) @main {
    aie.runtime_sequence @s(%x: memref<4xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @other::@in} : memref<4xi32>
    }
  }
  aie.device(xcve3858) @other {
    %shim = aie.tile(0, 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
  }
}

// -----

// CHECK: `@none::@in` names no device of this module
// CHECK: devices of this module: `@main`
aie.device(xcve3858) @main {
  aie.runtime_sequence @s(%x: memref<4xi32>) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @none::@in} : memref<4xi32>
  }
}

// -----

// What is named by device is looked for there only.
// CHECK: `@there` names nothing
module {
  aie.device(xcve3858) @main {
    %shim = aie.tile(0, 0)
    aie.shim_dma_allocation @there(%shim, MM2S, 0)
    aie.runtime_sequence @s(%x: memref<4xi32>) {
      aiex.configure @other {
        aiex.npu.dma_wait {symbol = @other::@there}
      }
    }
  }
  aie.device(xcve3858) @other {
  }
}
