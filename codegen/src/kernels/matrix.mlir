// Products of matrices. `!a`, `!b`, `!out` are blocks of rows and columns that lie one after another: dimensions are block row, block
// column, row, column; a matrix in rows is one block.

// C += A * B. Sums of products of elements that are narrower than those of C.
func.func @matmul_int(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %row_blocks = memref.dim %out, %c0 : !out
  %column_blocks = memref.dim %out, %c1 : !out
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner_blocks = memref.dim %a, %c1 : !a
  %inner = memref.dim %a, %c3 : !a
  scf.for %bi = %c0 to %row_blocks step %c1 {
    scf.for %bj = %c0 to %column_blocks step %c1 {
      scf.for %i = %c0 to %rows step %c1 {
        scf.for %j = %c0 to %columns step %c1 {
          %c = memref.load %out[%bi, %bj, %i, %j] : !out
          %sum = scf.for %bl = %c0 to %inner_blocks step %c1 iter_args(%of_blocks = %c) -> (!s) {
            %of_block = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %of_blocks) -> (!s) {
              %xe = memref.load %a[%bi, %bl, %i, %l] : !a
              %ye = memref.load %b[%bl, %bj, %l, %j] : !b
              %x = arith.extsi %xe : !e to !s
              %y = arith.extsi %ye : !e to !s
              %product = arith.muli %x, %y : !s
              %next = arith.addi %so_far, %product : !s
              scf.yield %next : !s
            }
            scf.yield %of_block : !s
          }
          memref.store %sum, %out[%bi, %bj, %i, %j] : !out
        }
      }
    }
  }
  return
}

// C += A * B. C has elements as wide as those of A: products wrap.
func.func @matmul_int_same(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %row_blocks = memref.dim %out, %c0 : !out
  %column_blocks = memref.dim %out, %c1 : !out
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner_blocks = memref.dim %a, %c1 : !a
  %inner = memref.dim %a, %c3 : !a
  scf.for %bi = %c0 to %row_blocks step %c1 {
    scf.for %bj = %c0 to %column_blocks step %c1 {
      scf.for %i = %c0 to %rows step %c1 {
        scf.for %j = %c0 to %columns step %c1 {
          %c = memref.load %out[%bi, %bj, %i, %j] : !out
          %sum = scf.for %bl = %c0 to %inner_blocks step %c1 iter_args(%of_blocks = %c) -> (!e) {
            %of_block = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %of_blocks) -> (!e) {
              %x = memref.load %a[%bi, %bl, %i, %l] : !a
              %y = memref.load %b[%bl, %bj, %l, %j] : !b
              %product = arith.muli %x, %y : !e
              %next = arith.addi %so_far, %product : !e
              scf.yield %next : !e
            }
            scf.yield %of_block : !e
          }
          memref.store %sum, %out[%bi, %bj, %i, %j] : !out
        }
      }
    }
  }
  return
}

// C += A * B. Narrow floats, C of f32.
func.func @matmul_float(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %row_blocks = memref.dim %out, %c0 : !out
  %column_blocks = memref.dim %out, %c1 : !out
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner_blocks = memref.dim %a, %c1 : !a
  %inner = memref.dim %a, %c3 : !a
  scf.for %bi = %c0 to %row_blocks step %c1 {
    scf.for %bj = %c0 to %column_blocks step %c1 {
      scf.for %i = %c0 to %rows step %c1 {
        scf.for %j = %c0 to %columns step %c1 {
          %c = memref.load %out[%bi, %bj, %i, %j] : !out
          %sum = scf.for %bl = %c0 to %inner_blocks step %c1 iter_args(%of_blocks = %c) -> (f32) {
            %of_block = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %of_blocks) -> (f32) {
              %xe = memref.load %a[%bi, %bl, %i, %l] : !a
              %ye = memref.load %b[%bl, %bj, %l, %j] : !b
              %x = arith.extf %xe : !e to f32
              %y = arith.extf %ye : !e to f32
              %product = arith.mulf %x, %y : f32
              %next = arith.addf %so_far, %product : f32
              scf.yield %next : f32
            }
            scf.yield %of_block : f32
          }
          memref.store %sum, %out[%bi, %bj, %i, %j] : !out
        }
      }
    }
  }
  return
}

// C += A * B. Narrow floats, C too: rounded once at the end.
func.func @matmul_float_narrow(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %row_blocks = memref.dim %out, %c0 : !out
  %column_blocks = memref.dim %out, %c1 : !out
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner_blocks = memref.dim %a, %c1 : !a
  %inner = memref.dim %a, %c3 : !a
  scf.for %bi = %c0 to %row_blocks step %c1 {
    scf.for %bj = %c0 to %column_blocks step %c1 {
      scf.for %i = %c0 to %rows step %c1 {
        scf.for %j = %c0 to %columns step %c1 {
          %ce = memref.load %out[%bi, %bj, %i, %j] : !out
          %c = arith.extf %ce : !s to f32
          %sum = scf.for %bl = %c0 to %inner_blocks step %c1 iter_args(%of_blocks = %c) -> (f32) {
            %of_block = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %of_blocks) -> (f32) {
              %xe = memref.load %a[%bi, %bl, %i, %l] : !a
              %ye = memref.load %b[%bl, %bj, %l, %j] : !b
              %x = arith.extf %xe : !e to f32
              %y = arith.extf %ye : !e to f32
              %product = arith.mulf %x, %y : f32
              %next = arith.addf %so_far, %product : f32
              scf.yield %next : f32
            }
            scf.yield %of_block : f32
          }
          %r = arith.truncf %sum : f32 to !s
          memref.store %r, %out[%bi, %bj, %i, %j] : !out
        }
      }
    }
  }
  return
}

// C += A * B. All of f32.
func.func @matmul_float_same(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %row_blocks = memref.dim %out, %c0 : !out
  %column_blocks = memref.dim %out, %c1 : !out
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner_blocks = memref.dim %a, %c1 : !a
  %inner = memref.dim %a, %c3 : !a
  scf.for %bi = %c0 to %row_blocks step %c1 {
    scf.for %bj = %c0 to %column_blocks step %c1 {
      scf.for %i = %c0 to %rows step %c1 {
        scf.for %j = %c0 to %columns step %c1 {
          %c = memref.load %out[%bi, %bj, %i, %j] : !out
          %sum = scf.for %bl = %c0 to %inner_blocks step %c1 iter_args(%of_blocks = %c) -> (f32) {
            %of_block = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %of_blocks) -> (f32) {
              %x = memref.load %a[%bi, %bl, %i, %l] : !a
              %y = memref.load %b[%bl, %bj, %l, %j] : !b
              %product = arith.mulf %x, %y : f32
              %next = arith.addf %so_far, %product : f32
              scf.yield %next : f32
            }
            scf.yield %of_block : f32
          }
          memref.store %sum, %out[%bi, %bj, %i, %j] : !out
        }
      }
    }
  }
  return
}

// The scalar version of C += A * B, of matrices in rows: a sum has the type of C, and is added to C at last.
func.func @matmul_scalar_int(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : !s
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner = memref.dim %a, %c3 : !a
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %sum = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %zero) -> (!s) {
        %xe = memref.load %a[%c0, %c0, %i, %l] : !a
        %x = arith.extsi %xe : !e to !s
        %ye = memref.load %b[%c0, %c0, %l, %j] : !b
        %y = arith.extsi %ye : !e to !s
        %product = arith.muli %x, %y : !s
        %next = arith.addi %so_far, %product : !s
        scf.yield %next : !s
      }
      %c = memref.load %out[%c0, %c0, %i, %j] : !out
      %total = arith.addi %c, %sum : !s
      memref.store %total, %out[%c0, %c0, %i, %j] : !out
    }
  }
  return
}

// The scalar version of C += A * B, of matrices in rows: a sum has the type of C, and is added to C at last.
func.func @matmul_scalar_int_same(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : !e
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner = memref.dim %a, %c3 : !a
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %sum = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %zero) -> (!e) {
        %x = memref.load %a[%c0, %c0, %i, %l] : !a
        %y = memref.load %b[%c0, %c0, %l, %j] : !b
        %product = arith.muli %x, %y : !e
        %next = arith.addi %so_far, %product : !e
        scf.yield %next : !e
      }
      %c = memref.load %out[%c0, %c0, %i, %j] : !out
      %total = arith.addi %c, %sum : !e
      memref.store %total, %out[%c0, %c0, %i, %j] : !out
    }
  }
  return
}

// The scalar version of C += A * B, of matrices in rows: a sum has the type of C, and is added to C at last.
func.func @matmul_scalar_float(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner = memref.dim %a, %c3 : !a
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %sum = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %zero) -> (f32) {
        %xe = memref.load %a[%c0, %c0, %i, %l] : !a
        %x = arith.extf %xe : !e to f32
        %ye = memref.load %b[%c0, %c0, %l, %j] : !b
        %y = arith.extf %ye : !e to f32
        %product = arith.mulf %x, %y : f32
        %next = arith.addf %so_far, %product : f32
        scf.yield %next : f32
      }
      %c = memref.load %out[%c0, %c0, %i, %j] : !out
      %total = arith.addf %c, %sum : f32
      memref.store %total, %out[%c0, %c0, %i, %j] : !out
    }
  }
  return
}

// The scalar version of C += A * B, of matrices in rows: a sum has the type of C, to which each step rounds, and is added to C at last.
func.func @matmul_scalar_float_narrow(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner = memref.dim %a, %c3 : !a
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %sum = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %zero) -> (f32) {
        %xe = memref.load %a[%c0, %c0, %i, %l] : !a
        %x = arith.extf %xe : !e to f32
        %ye = memref.load %b[%c0, %c0, %l, %j] : !b
        %y = arith.extf %ye : !e to f32
        %product = arith.mulf %x, %y : f32
        %exact = arith.addf %so_far, %product : f32
        %rounded = arith.truncf %exact : f32 to !s
        %next = arith.extf %rounded : !s to f32
        scf.yield %next : f32
      }
      %ce = memref.load %out[%c0, %c0, %i, %j] : !out
      %c = arith.extf %ce : !s to f32
      %total = arith.addf %c, %sum : f32
      %r = arith.truncf %total : f32 to !s
      memref.store %r, %out[%c0, %c0, %i, %j] : !out
    }
  }
  return
}

// The scalar version of C += A * B, of matrices in rows: a sum has the type of C, and is added to C at last.
func.func @matmul_scalar_float_same(%a: !a, %b: !b, %out: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %out, %c2 : !out
  %columns = memref.dim %out, %c3 : !out
  %inner = memref.dim %a, %c3 : !a
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %sum = scf.for %l = %c0 to %inner step %c1 iter_args(%so_far = %zero) -> (f32) {
        %x = memref.load %a[%c0, %c0, %i, %l] : !a
        %y = memref.load %b[%c0, %c0, %l, %j] : !b
        %product = arith.mulf %x, %y : f32
        %next = arith.addf %so_far, %product : f32
        scf.yield %next : f32
      }
      %c = memref.load %out[%c0, %c0, %i, %j] : !out
      %total = arith.addf %c, %sum : f32
      memref.store %total, %out[%c0, %c0, %i, %j] : !out
    }
  }
  return
}
