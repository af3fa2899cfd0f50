// RUN: not aiec opt --diagnostics=text %s 2>&1 | FileCheck %s

// The type of a view says what the operation does.
// CHECK-DAG: expected result type with size = 2 instead of 1 in dim = 0
// CHECK-DAG: expected result type with stride = 3 instead of 1 in dim = 0
// CHECK-DAG: expected result type with offset = 4 instead of 0
// CHECK-DAG: 2 sizes for a result of 1 dimensions
// CHECK-DAG: a view of 4x1 elements has a result of 3
// CHECK-DAG: a view of 4x4 elements has a result of 4
// CHECK-DAG: a view of 4x? elements has a result of 4x4
aie.device(npu2) {
  %t = aie.tile(0, 2)
  %b = aie.buffer(%t) : memref<16x16xi16>
  aie.core(%t) {
    %n = arith.constant 4 : index
    %0 = memref.reinterpret_cast %b to offset: [0], sizes: [2], strides: [1] : memref<16x16xi16> to memref<1xi16>
    %1 = memref.reinterpret_cast %b to offset: [0], sizes: [2], strides: [3] : memref<16x16xi16> to memref<2xi16>
    %2 = memref.reinterpret_cast %b to offset: [4], sizes: [2], strides: [1] : memref<16x16xi16> to memref<2xi16>
    %3 = memref.reinterpret_cast %b to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<16x16xi16> to memref<2xi16>
    %4 = memref.subview %b[0, 0] [4, 1] [1, 1] : memref<16x16xi16> to memref<3xi16, strided<[16]>>
    %5 = memref.subview %b[0, 0] [4, 4] [1, 1] : memref<16x16xi16> to memref<4xi16, strided<[16]>>
    %6 = memref.subview %b[0, 0] [4, %n] [1, 1] : memref<16x16xi16> to memref<4x4xi16, strided<[16, 1]>>
    // These are right.
    %7 = memref.subview %b[0, 0] [4, 1] [1, 1] : memref<16x16xi16> to memref<4xi16, strided<[16]>>
    %8 = memref.subview %b[0, 0] [1, 1] [1, 1] : memref<16x16xi16> to memref<1xi16, strided<[16]>>
    %9 = memref.reinterpret_cast %b to offset: [4], sizes: [%n], strides: [3] : memref<16x16xi16> to memref<?xi16, strided<[3], offset: 4>>
    aie.end
  }
}
