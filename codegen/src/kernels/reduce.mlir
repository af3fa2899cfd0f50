// Reductions of a buffer to its first output element. `!a` and `!out` are the buffers in rows, `!e` is an element.

// The sum of all elements.
func.func @reduce_add_int(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %in[%c0] : !a
  %sum = scf.for %i = %c1 to %count step %c1 iter_args(%so_far = %first) -> (!e) {
    %x = memref.load %in[%i] : !a
    %next = arith.addi %so_far, %x : !e
    scf.yield %next : !e
  }
  memref.store %sum, %out[%c0] : !out
  return
}

// In order, as each sum is rounded.
func.func @reduce_add_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %in[%c0] : !a
  %sum = scf.for %i = %c1 to %count step %c1 iter_args(%so_far = %first) -> (!e) {
    %x = memref.load %in[%i] : !a
    %next = arith.addf %so_far, %x : !e
    scf.yield %next : !e
  }
  memref.store %sum, %out[%c0] : !out
  return
}

// Sums are kept in f32.
func.func @reduce_add_narrow_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = memref.load %in[%c0] : !a
  %first = arith.extf %f : !e to f32
  %sum = scf.for %i = %c1 to %count step %c1 iter_args(%so_far = %first) -> (f32) {
    %x = memref.load %in[%i] : !a
    %v = arith.extf %x : !e to f32
    %next = arith.addf %so_far, %v : f32
    scf.yield %next : f32
  }
  %r = arith.truncf %sum : f32 to !e
  memref.store %r, %out[%c0] : !out
  return
}

// The greatest element.
func.func @reduce_max_int(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %in[%c0] : !a
  %sum = scf.for %i = %c1 to %count step %c1 iter_args(%so_far = %first) -> (!e) {
    %x = memref.load %in[%i] : !a
    %next = arith.maxsi %so_far, %x : !e
    scf.yield %next : !e
  }
  memref.store %sum, %out[%c0] : !out
  return
}

// A NaN is never greater.
func.func @reduce_max_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %in[%c0] : !a
  %sum = scf.for %i = %c1 to %count step %c1 iter_args(%so_far = %first) -> (!e) {
    %x = memref.load %in[%i] : !a
    %better = arith.cmpf ogt, %x, %so_far : !e
    %next = arith.select %better, %x, %so_far : !e
    scf.yield %next : !e
  }
  memref.store %sum, %out[%c0] : !out
  return
}

// The least element.
func.func @reduce_min_int(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %in[%c0] : !a
  %sum = scf.for %i = %c1 to %count step %c1 iter_args(%so_far = %first) -> (!e) {
    %x = memref.load %in[%i] : !a
    %next = arith.minsi %so_far, %x : !e
    scf.yield %next : !e
  }
  memref.store %sum, %out[%c0] : !out
  return
}

// A NaN is never less.
func.func @reduce_min_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %in[%c0] : !a
  %sum = scf.for %i = %c1 to %count step %c1 iter_args(%so_far = %first) -> (!e) {
    %x = memref.load %in[%i] : !a
    %better = arith.cmpf olt, %x, %so_far : !e
    %next = arith.select %better, %x, %so_far : !e
    scf.yield %next : !e
  }
  memref.store %sum, %out[%c0] : !out
  return
}

// The greater of the first elements.
func.func @compute_max_int(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : !a
  %y = memref.load %b[%c0] : !b
  %r = arith.maxsi %x, %y : !e
  memref.store %r, %out[%c0] : !out
  return
}

// The greater of the first elements.
func.func @compute_max_float(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : !a
  %y = memref.load %b[%c0] : !b
  %better = arith.cmpf ogt, %y, %x : !e
  %r = arith.select %better, %y, %x : !e
  memref.store %r, %out[%c0] : !out
  return
}

// The lesser of the first elements.
func.func @compute_min_int(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : !a
  %y = memref.load %b[%c0] : !b
  %r = arith.minsi %x, %y : !e
  memref.store %r, %out[%c0] : !out
  return
}

// The lesser of the first elements.
func.func @compute_min_float(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : !a
  %y = memref.load %b[%c0] : !b
  %better = arith.cmpf olt, %y, %x : !e
  %r = arith.select %better, %y, %x : !e
  memref.store %r, %out[%c0] : !out
  return
}
