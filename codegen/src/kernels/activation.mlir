// Activations and norms of floats, computed in f32. `!a` and `!out` are the buffers in rows, `!e` is an element.

// e to the power of each element. All of f32.
func.func @exp_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %y = math.exp %x : f32
    memref.store %y, %out[%i] : !out
  }
  return
}

// 2 to the power of each element. All of f32.
func.func @exp2_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %y = math.exp2 %x : f32
    memref.store %y, %out[%i] : !out
  }
  return
}

// x / (1 + e^-x). All of f32.
func.func @silu_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %minus = arith.negf %x : f32
    %power = math.exp %minus : f32
    %below = arith.addf %one, %power : f32
    %y = arith.divf %x, %below : f32
    memref.store %y, %out[%i] : !out
  }
  return
}

// By the hyperbolic tangent: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))). All of f32.
func.func @gelu_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %c = arith.constant 0.044715 : f32
  %scale = arith.constant 0.797884583 : f32
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %cubic = arith.mulf %c, %x : f32
    %square = arith.mulf %cubic, %x : f32
    %cube = arith.mulf %square, %x : f32
    %curve = arith.addf %x, %cube : f32
    %inner = arith.mulf %scale, %curve : f32
    %bent = math.tanh %inner : f32
    %above = arith.addf %one, %bent : f32
    %half_x = arith.mulf %half, %x : f32
    %y = arith.mulf %half_x, %above : f32
    memref.store %y, %out[%i] : !out
  }
  return
}

// in * w1 * silu(in * w2). All of f32.
func.func @swiglu_float(%in: !a, %first: !b, %second: !c, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %count step %c1 {
    %v = memref.load %in[%i] : !a
    %p = memref.load %first[%i] : !b
    %q = memref.load %second[%i] : !c
    %x = arith.mulf %v, %q : f32
    %minus = arith.negf %x : f32
    %power = math.exp %minus : f32
    %below = arith.addf %one, %power : f32
    %s = arith.divf %x, %below : f32
    %w = arith.mulf %v, %p : f32
    %y = arith.mulf %w, %s : f32
    memref.store %y, %out[%i] : !out
  }
  return
}

// e^(x - greatest) by the sum of these. Powers are computed twice, as a buffer between the loops would take room. All of f32.
func.func @softmax_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %most = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %least) -> (f32) {
    %x = memref.load %in[%i] : !a
    %greater = arith.cmpf ogt, %x, %so_far : f32
    %next = arith.select %greater, %x, %so_far : f32
    scf.yield %next : f32
  }
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %zero) -> (f32) {
    %x = memref.load %in[%i] : !a
    %d = arith.subf %x, %most : f32
    %power = math.exp %d : f32
    %next = arith.addf %so_far, %power : f32
    scf.yield %next : f32
  }
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %d = arith.subf %x, %most : f32
    %power = math.exp %d : f32
    %y = arith.divf %power, %sum : f32
    memref.store %y, %out[%i] : !out
  }
  return
}

// Each element by the root of the mean of squares. All of f32.
func.func @rms_norm_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %whole = arith.index_cast %count : index to i32
  %n = arith.sitofp %whole : i32 to f32
  %squares = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %zero) -> (f32) {
    %x = memref.load %in[%i] : !a
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %so_far, %square : f32
    scf.yield %next : f32
  }
  %mean = arith.divf %squares, %n : f32
  %above = arith.addf %mean, %epsilon : f32
  %root = math.sqrt %above : f32
  %scale = arith.divf %one, %root : f32
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %y = arith.mulf %x, %scale : f32
    memref.store %y, %out[%i] : !out
  }
  return
}

// Distances from the mean by the root of the variance. All of f32.
func.func @layer_norm_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %whole = arith.index_cast %count : index to i32
  %n = arith.sitofp %whole : i32 to f32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %zero) -> (f32) {
    %x = memref.load %in[%i] : !a
    %next = arith.addf %so_far, %x : f32
    scf.yield %next : f32
  }
  %mean = arith.divf %sum, %n : f32
  %squares = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %zero) -> (f32) {
    %x = memref.load %in[%i] : !a
    %d = arith.subf %x, %mean : f32
    %square = arith.mulf %d, %d : f32
    %next = arith.addf %so_far, %square : f32
    scf.yield %next : f32
  }
  %variance = arith.divf %squares, %n : f32
  %above = arith.addf %variance, %epsilon : f32
  %root = math.sqrt %above : f32
  %scale = arith.divf %one, %root : f32
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %in[%i] : !a
    %d = arith.subf %x, %mean : f32
    %y = arith.mulf %d, %scale : f32
    memref.store %y, %out[%i] : !out
  }
  return
}

// Narrow floats, rounded where they are stored.
func.func @exp_narrow_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %y = math.exp %x : f32
    %y_e = arith.truncf %y : f32 to !e
    memref.store %y_e, %out[%i] : !out
  }
  return
}

// Narrow floats, rounded where they are stored.
func.func @exp2_narrow_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %y = math.exp2 %x : f32
    %y_e = arith.truncf %y : f32 to !e
    memref.store %y_e, %out[%i] : !out
  }
  return
}

// Narrow floats, rounded where they are stored.
func.func @silu_narrow_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %count step %c1 {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %minus = arith.negf %x : f32
    %power = math.exp %minus : f32
    %below = arith.addf %one, %power : f32
    %y = arith.divf %x, %below : f32
    %y_e = arith.truncf %y : f32 to !e
    memref.store %y_e, %out[%i] : !out
  }
  return
}

// Narrow floats, rounded where they are stored.
func.func @gelu_narrow_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %c = arith.constant 0.044715 : f32
  %scale = arith.constant 0.797884583 : f32
  scf.for %i = %c0 to %count step %c1 {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %cubic = arith.mulf %c, %x : f32
    %square = arith.mulf %cubic, %x : f32
    %cube = arith.mulf %square, %x : f32
    %curve = arith.addf %x, %cube : f32
    %inner = arith.mulf %scale, %curve : f32
    %bent = math.tanh %inner : f32
    %above = arith.addf %one, %bent : f32
    %half_x = arith.mulf %half, %x : f32
    %y = arith.mulf %half_x, %above : f32
    %y_e = arith.truncf %y : f32 to !e
    memref.store %y_e, %out[%i] : !out
  }
  return
}

// Narrow floats, rounded where they are stored.
func.func @swiglu_narrow_float(%in: !a, %first: !b, %second: !c, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %count step %c1 {
    %v_e = memref.load %in[%i] : !a
    %v = arith.extf %v_e : !e to f32
    %p_e = memref.load %first[%i] : !b
    %p = arith.extf %p_e : !e to f32
    %q_e = memref.load %second[%i] : !c
    %q = arith.extf %q_e : !e to f32
    %x = arith.mulf %v, %q : f32
    %minus = arith.negf %x : f32
    %power = math.exp %minus : f32
    %below = arith.addf %one, %power : f32
    %s = arith.divf %x, %below : f32
    %w = arith.mulf %v, %p : f32
    %y = arith.mulf %w, %s : f32
    %y_e = arith.truncf %y : f32 to !e
    memref.store %y_e, %out[%i] : !out
  }
  return
}

// Narrow floats, rounded where they are stored.
func.func @softmax_narrow_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %most = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %least) -> (f32) {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %greater = arith.cmpf ogt, %x, %so_far : f32
    %next = arith.select %greater, %x, %so_far : f32
    scf.yield %next : f32
  }
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %zero) -> (f32) {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %d = arith.subf %x, %most : f32
    %power = math.exp %d : f32
    %next = arith.addf %so_far, %power : f32
    scf.yield %next : f32
  }
  scf.for %i = %c0 to %count step %c1 {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %d = arith.subf %x, %most : f32
    %power = math.exp %d : f32
    %y = arith.divf %power, %sum : f32
    %y_e = arith.truncf %y : f32 to !e
    memref.store %y_e, %out[%i] : !out
  }
  return
}

// Narrow floats, rounded where they are stored.
func.func @rms_norm_narrow_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %whole = arith.index_cast %count : index to i32
  %n = arith.sitofp %whole : i32 to f32
  %squares = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %zero) -> (f32) {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %so_far, %square : f32
    scf.yield %next : f32
  }
  %mean = arith.divf %squares, %n : f32
  %above = arith.addf %mean, %epsilon : f32
  %root = math.sqrt %above : f32
  %scale = arith.divf %one, %root : f32
  scf.for %i = %c0 to %count step %c1 {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %y = arith.mulf %x, %scale : f32
    %y_e = arith.truncf %y : f32 to !e
    memref.store %y_e, %out[%i] : !out
  }
  return
}

// Narrow floats, rounded where they are stored.
func.func @layer_norm_narrow_float(%in: !a, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %whole = arith.index_cast %count : index to i32
  %n = arith.sitofp %whole : i32 to f32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %zero) -> (f32) {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %next = arith.addf %so_far, %x : f32
    scf.yield %next : f32
  }
  %mean = arith.divf %sum, %n : f32
  %squares = scf.for %i = %c0 to %count step %c1 iter_args(%so_far = %zero) -> (f32) {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %d = arith.subf %x, %mean : f32
    %square = arith.mulf %d, %d : f32
    %next = arith.addf %so_far, %square : f32
    scf.yield %next : f32
  }
  %variance = arith.divf %squares, %n : f32
  %above = arith.addf %variance, %epsilon : f32
  %root = math.sqrt %above : f32
  %scale = arith.divf %one, %root : f32
  scf.for %i = %c0 to %count step %c1 {
    %x_e = memref.load %in[%i] : !a
    %x = arith.extf %x_e : !e to f32
    %d = arith.subf %x, %mean : f32
    %y = arith.mulf %d, %scale : f32
    %y_e = arith.truncf %y : f32 to !e
    memref.store %y_e, %out[%i] : !out
  }
  return
}

// Pairs of elements turned by angles whose cosines and sines follow one another.
func.func @rope_float(%in: !a, %angles: !angles, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %even = %c0 to %count step %c2 {
    %odd = arith.addi %even, %c1 : index
    %x = memref.load %in[%even] : !a
    %y = memref.load %in[%odd] : !a
    %cos = memref.load %angles[%even] : !angles
    %sin = memref.load %angles[%odd] : !angles
    %x_cos = arith.mulf %x, %cos : f32
    %y_sin = arith.mulf %y, %sin : f32
    %x_sin = arith.mulf %x, %sin : f32
    %y_cos = arith.mulf %y, %cos : f32
    %first = arith.subf %x_cos, %y_sin : f32
    %second = arith.addf %x_sin, %y_cos : f32
    memref.store %first, %out[%even] : !out
    memref.store %second, %out[%odd] : !out
  }
  return
}

// Narrow floats, rounded where they are stored.
func.func @rope_narrow_float(%in: !a, %angles: !angles, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %even = %c0 to %count step %c2 {
    %odd = arith.addi %even, %c1 : index
    %x_e = memref.load %in[%even] : !a
    %x = arith.extf %x_e : !e to f32
    %y_e = memref.load %in[%odd] : !a
    %y = arith.extf %y_e : !e to f32
    %cos_e = memref.load %angles[%even] : !angles
    %cos = arith.extf %cos_e : !e to f32
    %sin_e = memref.load %angles[%odd] : !angles
    %sin = arith.extf %sin_e : !e to f32
    %x_cos = arith.mulf %x, %cos : f32
    %y_sin = arith.mulf %y, %sin : f32
    %x_sin = arith.mulf %x, %sin : f32
    %y_cos = arith.mulf %y, %cos : f32
    %first = arith.subf %x_cos, %y_sin : f32
    %second = arith.addf %x_sin, %y_cos : f32
    %first_e = arith.truncf %first : f32 to !e
    memref.store %first_e, %out[%even] : !out
    %second_e = arith.truncf %second : f32 to !e
    memref.store %second_e, %out[%odd] : !out
  }
  return
}
