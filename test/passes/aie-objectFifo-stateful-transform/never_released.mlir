// RUN: aiec opt %s --aie-objectFifo-stateful-transform --verify-diagnostics

// An object that is taken in every pass of a loop and never given back is one and the same; one that is
// kept to the end of the core is meant so.
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  aie.objectfifo @weights(%shim, {%tile}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @in(%shim, {%tile}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @out(%tile, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %w = aie.objectfifo.acquire @weights(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
    scf.for %i = %c0 to %c4 step %c1 {
      // expected-warning@+1 {{this core never releases the objects of `@in` that it acquires}}
      %a = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %b = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @out(Produce, 1)
    }
    aie.end
  }
}
