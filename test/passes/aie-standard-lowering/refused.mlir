// RUN: true

aie.device(npu2) {
  %t = aie.tile(0, 2)
  aie.core(%t) {
    %c = arith.constant 0 : i32
    %f = arith.constant 1.0 : f32
    // expected-error@+1 {{`aie.put_stream` of f32 has no intrinsic}}
    aie.put_stream(%c : i32, %f : f32)
    aie.end
  }
}

// -----

// expected-error@+1 {{`llvm-aie` has no intrinsics for AIE2ps}}
aie.device(xcve3858) {
}

// -----

// expected-error@+1 {{there are 2 devices to choose from}}
module {
  aie.device(npu1) @a {
  }
  aie.device(npu1) @b {
  }
}
