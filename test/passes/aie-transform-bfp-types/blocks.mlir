// RUN: aiec opt --aie-transform-bfp-types %s | FileCheck %s
// RUN: aiec %s --emit=memory-map -o - 2>/dev/null | FileCheck %s --check-prefix=MAP
// RUN: not aiec opt --aie-transform-bfp-types --diagnostics=text %S/Inputs/unknown.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK:   func.func private @kernel(memref<8xi72>)
// CHECK:   aie.buffer(%{{.*}}) {sym_name = "b"} : memref<4xi136>
// CHECK:   aie.objectfifo @in({{.*}}) : !aie.objectfifo<memref<8xi72>>
// CHECK:   aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<8xi72>>
// MAP:     b
// UNKNOWN: there are no blocks `v32bfp16ebs8` of block floating point
aie.device(npu2) {
  func.func private @kernel(memref<8x!aiex.bfp<"v8bfp16ebs8">>)
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  %b = aie.buffer(%tile) {sym_name = "b"} : memref<4x!aiex.bfp<"v16bfp16ebs16">>
  aie.objectfifo @in(%shim, {%tile}, 2 : i32) : !aie.objectfifo<memref<8x!aiex.bfp<"v8bfp16ebs8">>>
  %core = aie.core(%tile) {
    %view = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<8x!aiex.bfp<"v8bfp16ebs8">>>
    aie.objectfifo.release @in(Consume, 1)
    aie.end
  }
}
