// RUN: aiec opt %s --split-input-file --verify-diagnostics --emit-jobs

// What can't be loaded or run.

module {
  aie.device(npu2) {
    aie.runtime_sequence @main(%a: memref<4xi32>) {
      aiex.configure @other {
        // expected-error @+1 {{device `@other` has no runtime sequence `@nothing`}}
        aiex.run @nothing(%a) : (memref<4xi32>)
      }
    }
  }
  aie.device(npu2) @other {
    aie.runtime_sequence @something(%a: memref<4xi32>) {
    }
  }
}

// -----

module {
  aie.device(npu2) {
    aie.runtime_sequence @main(%a: memref<4xi32>) {
      aiex.configure @other {
        // expected-error @+1 {{argument 0 is memref<4xi32>, the sequence takes memref<4xi16>}}
        aiex.run @types(%a) : (memref<4xi32>)
        // expected-error @+1 {{1 argument is given, the sequence takes 2}}
        aiex.run @count(%a) : (memref<4xi32>)
      }
    }
  }
  aie.device(npu2) @other {
    aie.runtime_sequence @types(%a: memref<4xi16>) {
    }
    aie.runtime_sequence @count(%a: memref<4xi32>, %b: memref<4xi32>) {
    }
  }
}

// -----

module {
  aie.device(npu2) {
    aie.runtime_sequence @main(%a: memref<4xi32>) {
      aiex.configure @other {
        aiex.run @there(%a) : (memref<4xi32>)
      }
    }
  }
  aie.device(npu2) @other {
    aie.runtime_sequence @there(%a: memref<4xi32>) {
      aiex.configure @third {
        aiex.run @back(%a) : (memref<4xi32>)
      }
    }
  }
  aie.device(npu2) @third {
    aie.runtime_sequence @back(%a: memref<4xi32>) {
      aiex.configure @other {
        // expected-error @+1 {{`@there` runs itself, so it would never end}}
        aiex.run @there(%a) : (memref<4xi32>)
      }
    }
  }
}

// -----

// The device of a transfer is gone.

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.runtime_sequence @main(%a: memref<4xi32>) {
      aiex.configure @other {
        aiex.run @nothing(%a) : (memref<4xi32>)
      }
      // expected-error @+1 {{this needs device `@main`, but `@other` is loaded here}}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<4xi32>
    }
  }
  aie.device(npu2) @other {
    aie.runtime_sequence @nothing(%a: memref<4xi32>) {
    }
  }
}

// -----

// A sequence that loads another device has none to go on with.

module {
  aie.device(npu2) {
    aie.runtime_sequence @main(%a: memref<4xi32>) {
      aiex.configure @other {
        aiex.run @loads(%a) : (memref<4xi32>)
        // expected-error @+1 {{this runs on `@other`, but `@third` is loaded here}}
        aiex.run @plain(%a) : (memref<4xi32>)
      }
    }
  }
  aie.device(npu2) @other {
    aie.runtime_sequence @loads(%a: memref<4xi32>) {
      aiex.configure @third {
      }
    }
    aie.runtime_sequence @plain(%a: memref<4xi32>) {
    }
  }
  aie.device(npu2) @third {
  }
}

// -----

// A device that never comes to rest.

module {
  aie.device(npu2) {
    aie.runtime_sequence @main() {
      aiex.configure @endless {
      }
      aiex.configure @other {
      }
    }
  }
  aie.device(npu2) @endless {
    %shim = aie.tile(0, 0)
    %host = aie.external_buffer {address = 64 : i64} : memref<64xi32>
    %dma = aie.shim_dma(%shim) {
      // expected-error @+1 {{`@endless` can't be left for another device}}
      %0 = aie.dma_start(MM2S, 0, ^bd, ^end)
    ^bd:
      aie.dma_bd(%host : memref<64xi32> offset = 0 len = 64) {bd_id = 0 : i32}
      aie.next_bd ^bd
    ^end:
      aie.end
    }
  }
  aie.device(npu2) @other {
  }
}

// -----

module {
  // expected-error @+1 {{several devices load others, and none is called `@main`}}
  aie.device(npu2) @one {
    aie.runtime_sequence @a() {
      aiex.configure @two {
      }
    }
  }
  aie.device(npu2) @two {
    aie.runtime_sequence @b() {
      aiex.configure @one {
      }
    }
  }
}

// -----

module {
  aie.device(npu2) {
    aie.runtime_sequence @main() {
      aiex.configure @one {
        // expected-error @+1 {{an `aiex.configure` can't be in another one}}
        aiex.configure @two {
        }
      }
    }
  }
  aie.device(npu2) @one {
  }
  aie.device(npu2) @two {
  }
}
