// RUN: aiec opt --split-input-file --verify-diagnostics %s
// Types of `arith`, `math` and `index` are held as upstream's verifiers hold them.

func.func @widths(%i: i32, %f: f32, %v: vector<4xi32>, %n: index) {
  // expected-error@+1 {{`arith.extsi` can't make i16 of i32}}
  %0 = arith.extsi %i : i32 to i16
  // expected-error@+1 {{`arith.extui` can't make i32 of i32}}
  %1 = arith.extui %i : i32 to i32
  // expected-error@+1 {{`arith.trunci` can't make i64 of i32}}
  %2 = arith.trunci %i : i32 to i64
  // expected-error@+1 {{`arith.truncf` can't make f64 of f32}}
  %3 = arith.truncf %f : f32 to f64
  // expected-error@+1 {{`arith.extf` can't make bf16 of f32}}
  %4 = arith.extf %f : f32 to bf16
  // expected-error@+1 {{`arith.extsi` can't make vector<8xi64> of vector<4xi32>}}
  %5 = arith.extsi %v : vector<4xi32> to vector<8xi64>
  // expected-error@+1 {{`arith.sitofp` can't make f32 of f32}}
  %6 = arith.sitofp %f : f32 to f32
  // expected-error@+1 {{`arith.fptosi` can't make i32 of i32}}
  %7 = arith.fptosi %i : i32 to i32
  // expected-error@+1 {{`arith.index_cast` can't make i64 of i32}}
  %8 = arith.index_cast %i : i32 to i64
  // expected-error@+1 {{`arith.bitcast` can't make i16 of f32}}
  %9 = arith.bitcast %f : f32 to i16
  // expected-error@+1 {{`index.casts` can't make index of index}}
  %10 = index.casts %n : index to index
  return
}

// -----

func.func @classes(%i: i32, %f: f32, %u: ui32) {
  // expected-error@+1 {{`arith.addi` computes with signless integers or index, not with f32}}
  %0 = arith.addi %f, %f : f32
  // expected-error@+1 {{`arith.mulf` computes with floats, not with i32}}
  %1 = arith.mulf %i, %i : i32
  // expected-error@+1 {{`arith.addi` computes with signless integers or index, not with ui32}}
  %2 = arith.addi %u, %u : ui32
  // expected-error@+1 {{`math.sqrt` computes with floats, not with i32}}
  %3 = math.sqrt %i : i32
  // expected-error@+1 {{`math.absi` computes with signless integers or index, not with f32}}
  %4 = math.absi %f : f32
  return
}

// -----

func.func @comparisons(%i: i32, %j: i64, %f: f32, %v: vector<4xi32>, %m: vector<8xi1>) {
  // expected-error@+1 {{`arith.cmpi` compares integers, not f32}}
  %0 = arith.cmpi slt, %f, %f : f32
  // expected-error@+1 {{`arith.cmpf` compares floats, not i32}}
  %1 = arith.cmpf olt, %i, %i : i32
  // expected-error@+1 {{comparing i32 doesn't give i32}}
  %2 = "arith.cmpi"(%i, %i) {predicate = 2 : i64} : (i32, i32) -> i32
  // expected-error@+1 {{`arith.cmpi` compares i32 with i64}}
  %3 = "arith.cmpi"(%i, %j) {predicate = 2 : i64} : (i32, i64) -> i1
  // expected-error@+1 {{`arith.cmpi` has no such predicate}}
  %4 = "arith.cmpi"(%i, %i) {predicate = 10 : i64} : (i32, i32) -> i1
  // expected-error@+1 {{`arith.select` of vector<4xi32> can't decide by vector<8xi1>}}
  %5 = "arith.select"(%m, %v, %v) : (vector<8xi1>, vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  // expected-error@+1 {{`arith.select` of i32 and i64 can't give i32}}
  %6 = "arith.select"(%0, %i, %j) : (i1, i32, i64) -> i32
  return
}

// -----

func.func @constants() {
  // expected-error@+1 {{a constant of i32 can't be the result i64}}
  %0 = "arith.constant"() {value = 3 : i32} : () -> i64
  // expected-error@+1 {{a constant of vector<4xi32> can't be the result vector<8xi32>}}
  %1 = "arith.constant"() {value = dense<1> : vector<4xi32>} : () -> vector<8xi32>
  return
}

// -----

// All of this is right.
func.func @right(%i: i32, %n: index, %f: f32, %v: vector<4xi32>, %m: vector<4xi1>, %c: i1) {
  %0 = arith.extsi %i : i32 to i64
  %1 = arith.trunci %v : vector<4xi32> to vector<4xi8>
  %2 = arith.index_cast %n : index to i32
  %3 = arith.bitcast %f : f32 to i32
  %4 = arith.cmpi slt, %v, %v : vector<4xi32>
  %5 = arith.select %4, %v, %v : vector<4xi1>, vector<4xi32>
  %6 = arith.select %c, %v, %v : vector<4xi32>
  %7 = arith.addi %n, %n : index
  %8 = math.fpowi %f, %i : f32, i32
  %9 = arith.constant dense<1> : tensor<4xi8>
  %10 = index.castu %i : i32 to index
  return
}

// -----

func.func @indices(%i: i32, %n: index) {
  // expected-error@+1 {{`index.add` computes with index, not with i32}}
  %0 = "index.add"(%i, %i) : (i32, i32) -> i32
  // expected-error@+1 {{`index.shl` mixes the types index and i32}}
  %1 = "index.shl"(%n, %n) : (index, index) -> i32
  %2 = index.sub %n, %n
  return
}

// -----

func.func @signs(%f: f32) {
  // expected-error@+1 {{`arith.bitcast` can't make ui32 of f32}}
  %0 = "arith.bitcast"(%f) : (f32) -> ui32
  // expected-error@+1 {{`affine.if` has an index of type f32}}
  "affine.if"(%f) ({ "affine.yield"() : () -> () }, { }) {condition = affine_set<(a) : (a >= 0)>} : (f32) -> ()
  return
}
