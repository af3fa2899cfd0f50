// RUN: aiec opt --verify-diagnostics %s

// Lists that don't have the dimensions of the type.
aie.device(npu2) {
  // expected-error@below {{the literal's lists are 2x3, its type's 3x2}}
  memref.global constant @turned : memref<3x2xi32> = dense<[[1, 2, 3], [4, 5, 6]]>
  // expected-error@below {{the literal has 6 elements, its type 4}}
  memref.global constant @more : memref<2x2xi32> = dense<[[1, 2, 3], [4, 5, 6]]>
  // expected-error@below {{lists of one dimension have different numbers of elements}}
  memref.global constant @ragged : memref<2x2xi32> = dense<[[1, 2, 3], [4]]>
  memref.global constant @right : memref<2x2xi32> = dense<[[1, 2], [3, 4]]>
}
