// Bodies for functions that designs declare: aiec --link kernels.mlir

func.func @vector_scalar_mul_scalar(%in: memref<64xi32>, %out: memref<64xi32>, %factor: memref<1xi32>, %count: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.index_cast %count : i32 to index
  scf.for %i = %c0 to %end step %c1 {
    %x = memref.load %in[%i] : memref<64xi32>
    %y = func.call @times(%x, %factor) : (i32, memref<1xi32>) -> i32
    memref.store %y, %out[%i] : memref<64xi32>
  }
  return
}

// What a function needs of its file comes along.
func.func private @times(%x: i32, %factor: memref<1xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %f = memref.load %factor[%c0] : memref<1xi32>
  %y = arith.muli %x, %f : i32
  return %y : i32
}
