// RUN: aiec opt --split-input-file --verify-diagnostics %s
// Branches, calls, loops and their ends hand over what is expected.

func.func private @two(i32, f32) -> i32

func.func @calls(%i: i32, %f: f32) -> i32 {
  // expected-error@+1 {{this call of `@two` doesn't fit it: 1 argument instead of 2}}
  %0 = func.call @two(%i) : (i32) -> i32
  // expected-error@+1 {{this call of `@two` doesn't fit it: argument 1 is i32 instead of f32}}
  %1 = func.call @two(%i, %i) : (i32, i32) -> i32
  // expected-error@+1 {{this call of `@two` doesn't fit it: result 0 is f32 instead of i32}}
  %2 = func.call @two(%i, %f) : (i32, f32) -> f32
  %3 = func.call @two(%i, %f) : (i32, f32) -> i32
  return %3 : i32
}

// -----

func.func @returns(%i: i32) -> f32 {
  // expected-error@+1 {{`func.return` doesn't fit `func.func`: value 0 is i32 instead of f32}}
  return %i : i32
}

// -----

func.func @nothing(%i: i32) -> f32 {
  // expected-error@+1 {{`func.return` doesn't fit `func.func`: 0 values instead of 1}}
  return
}

// -----

func.func @yields(%i: i32, %f: f32, %c: i1, %n: index) {
  %0 = scf.if %c -> (i32) {
    // expected-error@+1 {{`scf.yield` doesn't fit `scf.if`: value 0 is f32 instead of i32}}
    scf.yield %f : f32
  } else {
    scf.yield %i : i32
  }
  %1 = scf.for %k = %n to %n step %n iter_args(%a = %i) -> (i32) {
    // expected-error@+1 {{`scf.yield` doesn't fit `scf.for`: 2 values instead of 1}}
    scf.yield %a, %a : i32, i32
  }
  // expected-error@+1 {{`scf.if` with results has no else}}
  %2 = "scf.if"(%c) ({
    scf.yield %i : i32
  }, {
  }) : (i1) -> i32
  return
}

// -----

func.func @steps(%n: index) {
  %c0 = arith.constant 0 : index
  %m1 = arith.constant -1 : index
  // expected-error@+1 {{a loop whose step is 0 doesn't end}}
  scf.for %i = %n to %n step %c0 {
  }
  // expected-error@+1 {{a loop whose step is -1 doesn't end}}
  scf.for %i = %n to %n step %m1 {
  }
  return
}

// -----

func.func @loops(%n: index, %i: i32, %f: f32) {
  // expected-error@+1 {{a loop from index to i32 by index}}
  "scf.for"(%n, %i, %n) ({
  ^bb0(%k: index):
    scf.yield
  }) : (index, i32, index) -> ()
  // expected-error@+1 {{a loop can't count in f32}}
  "scf.for"(%f, %f, %f) ({
  ^bb0(%k: f32):
    scf.yield
  }) : (f32, f32, f32) -> ()
  // expected-error@+1 {{`scf.for` doesn't fit: argument of the body 1 is f32 instead of i32}}
  %0 = "scf.for"(%n, %n, %n, %i) ({
  ^bb0(%k: index, %a: f32):
    scf.yield %i : i32
  }) : (index, index, index, i32) -> i32
  return
}

// -----

func.func @whiles(%i: i32, %c: i1) {
  %0 = scf.while (%a = %i) : (i32) -> i32 {
    // expected-error@+1 {{`scf.condition` doesn't fit: 0 values instead of 1}}
    scf.condition(%c)
  } do {
  ^bb0(%b: i32):
    scf.yield %b : i32
  }
  return
}

// -----

func.func @branches(%i: i32, %f: f32, %c: i1) {
  // expected-error@+1 {{the block that this branch goes to takes others: argument 0 is f32 instead of i32}}
  cf.br ^next(%f : f32)
^next(%a: i32):
  // expected-error@+1 {{the block that this branch goes to takes others: 0 arguments instead of 1}}
  cf.cond_br %c, ^next(%a : i32), ^last
^last(%b: i32):
  return
}

// -----

"func.func"() ({
^entry:
  // expected-error@+1 {{a branch to the first block of a region}}
  cf.br ^entry
}) {sym_name = "first", function_type = () -> ()} : () -> ()

// -----

func.func @ends(%n: index, %c: i1) {
  // expected-error@+1 {{a region of `scf.for` must be one block}}
  scf.for %i = %n to %n step %n {
    cf.br ^bb1
  ^bb1:
    scf.yield
  }
  return
}

// -----

func.func @decided(%i: i32, %n: index) {
  // expected-error@+1 {{`cf.assert` can't decide by i32}}
  "cf.assert"(%i) {msg = "a"} : (i32) -> ()
  // expected-error@+1 {{`scf.index_switch` has two cases for 3}}
  "scf.index_switch"(%n) ({ "scf.yield"() : () -> () }, { "scf.yield"() : () -> () }, { "scf.yield"() : () -> () }) {cases = array<i64: 3, 3>} : (index) -> ()
  // expected-error@+1 {{`cf.switch` has two cases for 1}}
  cf.switch %i : i32, [default: ^a, 1: ^a, 1: ^b]
^a:
  return
^b:
  return
}

// -----

func.func @affine(%m: memref<4x8xi32>, %i: i32, %n: index) {
  // expected-error@+1 {{a loop whose step is 0 doesn't end}}
  affine.for %k = 0 to 8 step 0 {
  }
  // expected-error@+1 {{a loop whose step is -1 doesn't end}}
  affine.for %k = 0 to 8 step -1 {
  }
  %zero = index.constant 0
  // expected-error@+1 {{a loop whose step is 0 doesn't end}}
  scf.for %k = %n to %n step %zero {
  }
  // expected-error@+1 {{1 operands for a map of 2 dimensions and symbols}}
  %0 = "affine.apply"(%n) {map = affine_map<(a, b) -> (a + b)>} : (index) -> index
  // expected-error@+1 {{a map of 2 results where 1 are needed}}
  %1 = "affine.apply"(%n) {map = affine_map<(a) -> (a, a)>} : (index) -> index
  // expected-error@+1 {{`affine.apply` has an index of type i32}}
  %2 = "affine.apply"(%i) {map = affine_map<(a) -> (a)>} : (i32) -> index
  // expected-error@+1 {{`affine.min` computes an index, not i32}}
  %3 = "affine.min"(%n) {map = affine_map<(a) -> (a, 8)>} : (index) -> i32
  // expected-error@+1 {{a map without results}}
  %4 = "affine.max"(%n) {map = affine_map<(a) -> ()>} : (index) -> index
  // expected-error@+1 {{a map of 1 results where 2 are needed}}
  %5 = "affine.load"(%m, %n) {map = affine_map<(a) -> (a)>} : (memref<4x8xi32>, index) -> i32
  %6 = affine.load %m[%n, symbol(%n) + 1] : memref<4x8xi32>
  return
}
