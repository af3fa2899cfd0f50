// Kernels that take elements one by one. `!a`, `!b`, `!out` are the buffers in rows, `!e` is an element of the first.

// out = in
func.func @pass_through(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    memref.store %x, %out[%i] : !out
  }
  return
}

// out = a + b
func.func @add_int(%a: !a, %b: !b, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %a[%i] : !a
    %y = memref.load %b[%i] : !b
    %sum = arith.addi %x, %y : !e
    memref.store %sum, %out[%i] : !out
  }
  return
}

func.func @add_float(%a: !a, %b: !b, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %a[%i] : !a
    %y = memref.load %b[%i] : !b
    %sum = arith.addf %x, %y : !e
    memref.store %sum, %out[%i] : !out
  }
  return
}

// out = a * b
func.func @mul_int(%a: !a, %b: !b, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %a[%i] : !a
    %y = memref.load %b[%i] : !b
    %product = arith.muli %x, %y : !e
    memref.store %product, %out[%i] : !out
  }
  return
}

func.func @mul_float(%a: !a, %b: !b, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %a[%i] : !a
    %y = memref.load %b[%i] : !b
    %product = arith.mulf %x, %y : !e
    memref.store %product, %out[%i] : !out
  }
  return
}

// out = in * factor
func.func @scale_int(%in: !a, %out: !out, %by: !factor, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %factor = memref.load %by[%c0] : !factor
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %product = arith.muli %x, %factor : !e
    memref.store %product, %out[%i] : !out
  }
  return
}

// The same with a factor of more bits, of which the lower ones count.
func.func @scale_int_wide(%in: !a, %out: !out, %by: !factor, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %wide = memref.load %by[%c0] : !factor
  %factor = arith.trunci %wide : !f to !e
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %product = arith.muli %x, %factor : !e
    memref.store %product, %out[%i] : !out
  }
  return
}

func.func @scale_float(%in: !a, %out: !out, %by: !factor, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %factor = memref.load %by[%c0] : !factor
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %product = arith.mulf %x, %factor : !e
    memref.store %product, %out[%i] : !out
  }
  return
}

// out = the greater of in and 0
func.func @relu_int(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : !e
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %y = arith.maxsi %x, %zero : !e
    memref.store %y, %out[%i] : !out
  }
  return
}

// A NaN and -0 stay what they are: no 0 is greater.
func.func @relu_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : !e
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %y = arith.maximumf %x, %zero : !e
    memref.store %y, %out[%i] : !out
  }
  return
}

// out = 0
func.func @zero_int(%out: !a, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : !e
  scf.for %i = %c0 to %count step %c1 {
    memref.store %zero, %out[%i] : !a
  }
  return
}

func.func @zero_float(%out: !a, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : !e
  scf.for %i = %c0 to %count step %c1 {
    memref.store %zero, %out[%i] : !a
  }
  return
}

// out = a | b
func.func @or_int(%a: !a, %b: !b, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %a[%i] : !a
    %y = memref.load %b[%i] : !b
    %bits = arith.ori %x, %y : !e
    memref.store %bits, %out[%i] : !out
  }
  return
}

// out = a & b
func.func @and_int(%a: !a, %b: !b, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %a[%i] : !a
    %y = memref.load %b[%i] : !b
    %bits = arith.andi %x, %y : !e
    memref.store %bits, %out[%i] : !out
  }
  return
}

// Clipping at a threshold of five sorts: 0 is the most above it and 0 below, 1 the other way round, 3 keeps what is above, 4 what isn't,
// all others cut off there (mlir-aie: aie_kernels/vision/threshold.cc).
func.func @threshold_int(%in: !a, %out: !out, %count: index, %threshold: index, %most: index, %sort: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %is_binary = arith.cmpi eq, %sort, %c0 : index
  %is_binary_inverted = arith.cmpi eq, %sort, %c1 : index
  %is_to_zero = arith.cmpi eq, %sort, %c3 : index
  %is_to_zero_inverted = arith.cmpi eq, %sort, %c4 : index
  %limit = arith.index_cast %threshold : index to i64
  %largest = arith.index_cast %most : index to i64
  %zero = arith.constant 0 : i64
  scf.for %i = %c0 to %count step %c1 {
    %narrow = memref.load %in[%i] : !a
    %value = arith.extsi %narrow : !e to i64
    %is_above = arith.cmpi sgt, %value, %limit : i64
    %cut = arith.minsi %value, %limit : i64
    %binary = arith.select %is_above, %largest, %zero : i64
    %binary_inverted = arith.select %is_above, %zero, %largest : i64
    %to_zero = arith.select %is_above, %value, %zero : i64
    %to_zero_inverted = arith.select %is_above, %zero, %value : i64
    %a = arith.select %is_to_zero_inverted, %to_zero_inverted, %cut : i64
    %b = arith.select %is_to_zero, %to_zero, %a : i64
    %c = arith.select %is_binary_inverted, %binary_inverted, %b : i64
    %d = arith.select %is_binary, %binary, %c : i64
    %stored = arith.trunci %d : i64 to !e
    memref.store %stored, %out[%i] : !out
  }
  return
}

// f32 to narrower floats, rounded to the nearest.
func.func @cast_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %y = arith.truncf %x : !e to !s
    memref.store %y, %out[%i] : !out
  }
  return
}

// A row of `bias` is added to each row of `in`.
func.func @add_row_int(%in: !a, %bias: !bias, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %columns = memref.dim %bias, %c0 : !bias
  scf.for %row = %c0 to %count step %columns {
    scf.for %column = %c0 to %columns step %c1 {
      %i = arith.addi %row, %column : index
      %x = memref.load %in[%i] : !a
      %y = memref.load %bias[%column] : !bias
      %sum = arith.addi %x, %y : !e
      memref.store %sum, %out[%i] : !out
    }
  }
  return
}

func.func @add_row_float(%in: !a, %bias: !bias, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %columns = memref.dim %bias, %c0 : !bias
  scf.for %row = %c0 to %count step %columns {
    scf.for %column = %c0 to %columns step %c1 {
      %i = arith.addi %row, %column : index
      %x = memref.load %in[%i] : !a
      %y = memref.load %bias[%column] : !bias
      %sum = arith.addf %x, %y : !e
      memref.store %sum, %out[%i] : !out
    }
  }
  return
}
