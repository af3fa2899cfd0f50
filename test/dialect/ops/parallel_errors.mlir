// RUN: aiec opt %s --verify-diagnostics --split-input-file

func.func @counts(%m: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{1 bounds or steps for 2 counters}}
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8) step (%c8, %c8) {
  }
  return
}

// -----

func.func @steps() {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{a loop whose step is 0 doesn't end}}
  scf.parallel (%i) = (%c0) to (%c0) step (%c0) {
  }
  // expected-error@+1 {{a loop whose step is 0 doesn't end}}
  affine.parallel (%i) = (0) to (4) step (0) {
  }
  // expected-error@+1 {{a loop whose step is -1 doesn't end}}
  scf.forall (%i) = (0) to (4) step (-1) {
  }
  return
}

// -----

func.func @types(%x: i32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{value of scf.reduce 0 is f32 instead of i32}}
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c8) init (%x) -> i32 {
    %f = arith.constant 1.0 : f32
    scf.reduce(%f : f32) {
    ^bb0(%a: f32, %b: f32):
      scf.reduce.return %a : f32
    }
  }
  %s = scf.parallel (%i) = (%c0) to (%c8) step (%c8) init (%x) -> i32 {
    // expected-error@+1 {{value of scf.reduce.return 0 is index instead of i32}}
    scf.reduce(%x : i32) {
    ^bb0(%a: i32, %b: i32):
      scf.reduce.return %c0 : index
    }
  }
  return
}

// -----

func.func @halves(%x: i32, %y: i16) {
  // expected-error@+1 {{`arith.mulsi_extended` of i32 and i32 can't give i32 and i64}}
  %l, %h = "arith.mulsi_extended"(%x, %x) : (i32, i32) -> (i32, i64)
  // expected-error@+1 {{`arith.addui_extended` of i32 and i16 can't give i32 and i1}}
  %s, %o = "arith.addui_extended"(%x, %y) : (i32, i16) -> (i32, i1)
  return
}
