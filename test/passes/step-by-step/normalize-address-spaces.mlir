// RUN: aiec opt --aie-normalize-address-spaces %s | FileCheck %s

// Globals, values, arguments of blocks and functions' types; a layout stays.
// CHECK: memref.global "private" @g : memref<8xi32>
// CHECK: func.func private @f(memref<8xi32>, i32) -> memref<4xi32, strided<[2]>>
// CHECK: aie.buffer({{.*}}) {{.*}}: memref<8xi32>
// CHECK: memref.get_global @g : memref<8xi32>
// CHECK: call @f({{.*}}) : (memref<8xi32>, i32) -> memref<4xi32, strided<[2]>>
// CHECK: ^bb1(%{{.*}}: memref<8xi32>):
aie.device(npu2) {
  memref.global "private" @g : memref<8xi32, 1>
  func.func private @f(memref<8xi32, 1>, i32) -> memref<4xi32, strided<[2]>, 2>
  %t = aie.tile(0, 2)
  %b = aie.buffer(%t) : memref<8xi32, 3>
  func.func @h(%n: i32) {
    %0 = memref.get_global @g : memref<8xi32, 1>
    %1 = call @f(%0, %n) : (memref<8xi32, 1>, i32) -> memref<4xi32, strided<[2]>, 2>
    cf.br ^bb1(%0 : memref<8xi32, 1>)
  ^bb1(%a: memref<8xi32, 1>):
    return
  }
}
