// RUN: not aiec opt --split-input-file --aie-materialize-runtime-sequences --diagnostics=text %s 2>&1 | FileCheck %s

// CHECK: device `@a` has no runtime sequence `@no`
// CHECK: it has `@yes`
aie.device(npu1) @a {
  aie.runtime_sequence @yes() {
  }
}
aie.device(npu1) {
  aie.runtime_sequence(%x: memref<1xi32>) {
    aiex.configure @a {
      aiex.run @no(%x) : (memref<1xi32>)
    }
  }
}

// -----

// CHECK: there is no device `@b`
aie.device(npu1) {
  aie.runtime_sequence() {
    aiex.configure @b {
    }
  }
}

// -----

// CHECK: this sequence runs one that is run already, so it would never end
aie.device(npu2) @main {
  aie.runtime_sequence @first(%x: memref<16xi32>) {
    aiex.configure @main {
      aiex.run @first(%x) : (memref<16xi32>)
    }
  }
}

// -----

// CHECK: an `aie.objectfifo` of another device can't be used here
// CHECK: lower fifos and flows
aie.device(npu1) @a {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.objectfifo @of(%shim, {%core}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.runtime_sequence @s(%x: memref<16xi32>) {
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @of} : memref<16xi32>
  }
}
aie.device(npu1) {
  aie.runtime_sequence(%x: memref<16xi32>) {
    aiex.configure @a {
      aiex.run @s(%x) : (memref<16xi32>)
    }
  }
}
