// What no run can do and mlir-aie's transform takes: a warning in `aiec opt`, an error in a compilation.
// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file --verify-diagnostics %s
// RUN: not aiec opt --aie-objectFifo-stateful-transform=whole-design=true --split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: {{.*}}the part of `@y` is from 0 to 128 of 64
module {
  aie.device(npu2) {
    %s = aie.tile(1, 0)
    %m = aie.tile(1, 1)
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    // expected-warning@below {{out of bounds access: the DMA of `x_cons` reaches element 159 of a buffer of 64}}
    aie.objectfifo @x(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @y(%m, {%a}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    // expected-warning@below {{out of bounds access: the DMA of `z` reaches element 159 of a buffer of 64}}
    aie.objectfifo @z(%m, {%b}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    // expected-warning@below {{the part of `@y` is from 0 to 128 of 64}}
    // expected-warning@below {{the part of `@z` is from 128 to 64 of 64}}
    aie.objectfifo.link [@x] -> [@y, @z] ([] [0, 128])
  }
}

// -----

// CHECK: error: {{.*}}cannot release more elements than are already acquired: 1 released, 0 held
module {
  aie.device(npu2) {
    %s = aie.tile(1, 0)
    %a = aie.tile(1, 2)
    aie.objectfifo @x(%s, {%a}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    %core = aie.core(%a) {
      // expected-warning@below {{cannot release more elements than are already acquired: 1 released, 0 held}}
      aie.objectfifo.release @x(Consume, 1)
      aie.end
    }
  }
}
