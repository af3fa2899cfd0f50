// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// Arithmetic on scalars: arith, math, index, ub.

func.func @integers(%a: i32, %b: i32, %f: f32, %g: f32, %n: index, %p: i1) {
  %zero = arith.constant 0 : i32
  %mask = arith.constant 0xFF : i32
  %float = arith.constant 1.5 : f32
  %hex = arith.constant 0x7FC00000 : f32
  %yes = arith.constant true
  %list = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %add = arith.addi %a, %b overflow<nsw> : i32
  %sub = arith.subi %a, %b : i32
  %mul = arith.muli %a, %b : i32
  %divs = arith.divsi %a, %b : i32
  %divu = arith.divui %a, %b : i32
  %cds = arith.ceildivsi %a, %b : i32
  %cdu = arith.ceildivui %a, %b : i32
  %fds = arith.floordivsi %a, %b : i32
  %rems = arith.remsi %a, %b : i32
  %remu = arith.remui %a, %b : i32
  %and = arith.andi %a, %b : i32
  %or = arith.ori %a, %b : i32
  %xor = arith.xori %a, %b : i32
  %shl = arith.shli %a, %b : i32
  %shrs = arith.shrsi %a, %b : i32
  %shru = arith.shrui %a, %b : i32
  %mins = arith.minsi %a, %b : i32
  %minu = arith.minui %a, %b : i32
  %maxs = arith.maxsi %a, %b : i32
  %maxu = arith.maxui %a, %b : i32
  %less = arith.cmpi slt, %a, %b : i32
  %addf = arith.addf %f, %g fastmath<fast> : f32
  %subf = arith.subf %f, %g : f32
  %mulf = arith.mulf %f, %g : f32
  %divf = arith.divf %f, %g : f32
  %remf = arith.remf %f, %g : f32
  %negf = arith.negf %f : f32
  %minf = arith.minimumf %f, %g : f32
  %maxf = arith.maximumf %f, %g : f32
  %minn = arith.minnumf %f, %g : f32
  %maxn = arith.maxnumf %f, %g : f32
  %lessf = arith.cmpf olt, %f, %g : f32
  %choice = arith.select %p, %a, %b : i32
  %wide = arith.extsi %a : i32 to i64
  %wideu = arith.extui %a : i32 to i64
  %widef = arith.extf %f : f32 to f64
  %narrow = arith.trunci %wide : i64 to i8
  %narrowf = arith.truncf %f : f32 to bf16
  %tof = arith.sitofp %a : i32 to f32
  %touf = arith.uitofp %a : i32 to f32
  %toi = arith.fptosi %f : f32 to i32
  %toui = arith.fptoui %f : f32 to i32
  %cast = arith.index_cast %n : index to i32
  %castu = arith.index_castui %n : index to i32
  %bits = arith.bitcast %f : f32 to i32
  %poison = ub.poison : i32
  return
}
func.func @maths(%f: f32, %g: f32, %i: i32) {
  %absf = math.absf %f : f32
  %absi = math.absi %i : i32
  %acos = math.acos %f : f32
  %acosh = math.acosh %f : f32
  %asin = math.asin %f : f32
  %asinh = math.asinh %f : f32
  %atan = math.atan %f : f32
  %atanh = math.atanh %f : f32
  %cbrt = math.cbrt %f : f32
  %ceil = math.ceil %f : f32
  %cos = math.cos %f : f32
  %cosh = math.cosh %f : f32
  %ctlz = math.ctlz %i : i32
  %cttz = math.cttz %i : i32
  %ctpop = math.ctpop %i : i32
  %erf = math.erf %f : f32
  %erfc = math.erfc %f : f32
  %exp = math.exp %f : f32
  %exp2 = math.exp2 %f : f32
  %expm1 = math.expm1 %f : f32
  %floor = math.floor %f : f32
  %log = math.log %f : f32
  %log10 = math.log10 %f : f32
  %log1p = math.log1p %f : f32
  %log2 = math.log2 %f : f32
  %round = math.round %f : f32
  %even = math.roundeven %f : f32
  %rsqrt = math.rsqrt %f : f32
  %sin = math.sin %f : f32
  %sinh = math.sinh %f : f32
  %sqrt = math.sqrt %f : f32
  %tan = math.tan %f : f32
  %tanh = math.tanh %f : f32
  %trunc = math.trunc %f : f32
  %atan2 = math.atan2 %f, %g : f32
  %sign = math.copysign %f, %g : f32
  %ipow = math.ipowi %i, %i : i32
  %pow = math.powf %f, %g : f32
  %fma = math.fma %f, %g, %f : f32
  %fpow = math.fpowi %f, %i : f32, i32
  return
}
func.func @indices(%a: index, %b: index) {
  %c = index.constant -4
  %t = index.bool.constant true
  %add = index.add %a, %b
  %sub = index.sub %a, %b
  %mul = index.mul %a, %b
  %divs = index.divs %a, %b
  %divu = index.divu %a, %b
  %cds = index.ceildivs %a, %b
  %cdu = index.ceildivu %a, %b
  %fds = index.floordivs %a, %b
  %rems = index.rems %a, %b
  %remu = index.remu %a, %b
  %maxs = index.maxs %a, %b
  %maxu = index.maxu %a, %b
  %mins = index.mins %a, %b
  %minu = index.minu %a, %b
  %shl = index.shl %a, %b
  %shrs = index.shrs %a, %b
  %shru = index.shru %a, %b
  %and = index.and %a, %b
  %or = index.or %a, %b
  %xor = index.xor %a, %b
  %s = index.casts %a : index to i32
  %u = index.castu %a : index to i64
  %less = index.cmp slt(%a, %b)
  return
}

// CHECK:      module {
// CHECK-NEXT:   func.func @integers(%arg0: i32, %arg1: i32, %arg2: f32, %arg3: f32, %arg4: index, %arg5: i1) {
// CHECK-NEXT:     %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT:     %c255_i32 = arith.constant 255 : i32
// CHECK-NEXT:     %cst = arith.constant 1.500000e+00 : f32
// CHECK-NEXT:     %cst_0 = arith.constant 0x7FC00000 : f32
// CHECK-NEXT:     %true = arith.constant true
// CHECK-NEXT:     %cst_1 = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
// CHECK-NEXT:     %0 = arith.addi %arg0, %arg1 overflow<nsw> : i32
// CHECK-NEXT:     %1 = arith.subi %arg0, %arg1 : i32
// CHECK-NEXT:     %2 = arith.muli %arg0, %arg1 : i32
// CHECK-NEXT:     %3 = arith.divsi %arg0, %arg1 : i32
// CHECK-NEXT:     %4 = arith.divui %arg0, %arg1 : i32
// CHECK-NEXT:     %5 = arith.ceildivsi %arg0, %arg1 : i32
// CHECK-NEXT:     %6 = arith.ceildivui %arg0, %arg1 : i32
// CHECK-NEXT:     %7 = arith.floordivsi %arg0, %arg1 : i32
// CHECK-NEXT:     %8 = arith.remsi %arg0, %arg1 : i32
// CHECK-NEXT:     %9 = arith.remui %arg0, %arg1 : i32
// CHECK-NEXT:     %10 = arith.andi %arg0, %arg1 : i32
// CHECK-NEXT:     %11 = arith.ori %arg0, %arg1 : i32
// CHECK-NEXT:     %12 = arith.xori %arg0, %arg1 : i32
// CHECK-NEXT:     %13 = arith.shli %arg0, %arg1 : i32
// CHECK-NEXT:     %14 = arith.shrsi %arg0, %arg1 : i32
// CHECK-NEXT:     %15 = arith.shrui %arg0, %arg1 : i32
// CHECK-NEXT:     %16 = arith.minsi %arg0, %arg1 : i32
// CHECK-NEXT:     %17 = arith.minui %arg0, %arg1 : i32
// CHECK-NEXT:     %18 = arith.maxsi %arg0, %arg1 : i32
// CHECK-NEXT:     %19 = arith.maxui %arg0, %arg1 : i32
// CHECK-NEXT:     %20 = arith.cmpi slt, %arg0, %arg1 : i32
// CHECK-NEXT:     %21 = arith.addf %arg2, %arg3 fastmath<fast> : f32
// CHECK-NEXT:     %22 = arith.subf %arg2, %arg3 : f32
// CHECK-NEXT:     %23 = arith.mulf %arg2, %arg3 : f32
// CHECK-NEXT:     %24 = arith.divf %arg2, %arg3 : f32
// CHECK-NEXT:     %25 = arith.remf %arg2, %arg3 : f32
// CHECK-NEXT:     %26 = arith.negf %arg2 : f32
// CHECK-NEXT:     %27 = arith.minimumf %arg2, %arg3 : f32
// CHECK-NEXT:     %28 = arith.maximumf %arg2, %arg3 : f32
// CHECK-NEXT:     %29 = arith.minnumf %arg2, %arg3 : f32
// CHECK-NEXT:     %30 = arith.maxnumf %arg2, %arg3 : f32
// CHECK-NEXT:     %31 = arith.cmpf olt, %arg2, %arg3 : f32
// CHECK-NEXT:     %32 = arith.select %arg5, %arg0, %arg1 : i32
// CHECK-NEXT:     %33 = arith.extsi %arg0 : i32 to i64
// CHECK-NEXT:     %34 = arith.extui %arg0 : i32 to i64
// CHECK-NEXT:     %35 = arith.extf %arg2 : f32 to f64
// CHECK-NEXT:     %36 = arith.trunci %33 : i64 to i8
// CHECK-NEXT:     %37 = arith.truncf %arg2 : f32 to bf16
// CHECK-NEXT:     %38 = arith.sitofp %arg0 : i32 to f32
// CHECK-NEXT:     %39 = arith.uitofp %arg0 : i32 to f32
// CHECK-NEXT:     %40 = arith.fptosi %arg2 : f32 to i32
// CHECK-NEXT:     %41 = arith.fptoui %arg2 : f32 to i32
// CHECK-NEXT:     %42 = arith.index_cast %arg4 : index to i32
// CHECK-NEXT:     %43 = arith.index_castui %arg4 : index to i32
// CHECK-NEXT:     %44 = arith.bitcast %arg2 : f32 to i32
// CHECK-NEXT:     %45 = ub.poison : i32
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @maths(%arg0: f32, %arg1: f32, %arg2: i32) {
// CHECK-NEXT:     %0 = math.absf %arg0 : f32
// CHECK-NEXT:     %1 = math.absi %arg2 : i32
// CHECK-NEXT:     %2 = math.acos %arg0 : f32
// CHECK-NEXT:     %3 = math.acosh %arg0 : f32
// CHECK-NEXT:     %4 = math.asin %arg0 : f32
// CHECK-NEXT:     %5 = math.asinh %arg0 : f32
// CHECK-NEXT:     %6 = math.atan %arg0 : f32
// CHECK-NEXT:     %7 = math.atanh %arg0 : f32
// CHECK-NEXT:     %8 = math.cbrt %arg0 : f32
// CHECK-NEXT:     %9 = math.ceil %arg0 : f32
// CHECK-NEXT:     %10 = math.cos %arg0 : f32
// CHECK-NEXT:     %11 = math.cosh %arg0 : f32
// CHECK-NEXT:     %12 = math.ctlz %arg2 : i32
// CHECK-NEXT:     %13 = math.cttz %arg2 : i32
// CHECK-NEXT:     %14 = math.ctpop %arg2 : i32
// CHECK-NEXT:     %15 = math.erf %arg0 : f32
// CHECK-NEXT:     %16 = math.erfc %arg0 : f32
// CHECK-NEXT:     %17 = math.exp %arg0 : f32
// CHECK-NEXT:     %18 = math.exp2 %arg0 : f32
// CHECK-NEXT:     %19 = math.expm1 %arg0 : f32
// CHECK-NEXT:     %20 = math.floor %arg0 : f32
// CHECK-NEXT:     %21 = math.log %arg0 : f32
// CHECK-NEXT:     %22 = math.log10 %arg0 : f32
// CHECK-NEXT:     %23 = math.log1p %arg0 : f32
// CHECK-NEXT:     %24 = math.log2 %arg0 : f32
// CHECK-NEXT:     %25 = math.round %arg0 : f32
// CHECK-NEXT:     %26 = math.roundeven %arg0 : f32
// CHECK-NEXT:     %27 = math.rsqrt %arg0 : f32
// CHECK-NEXT:     %28 = math.sin %arg0 : f32
// CHECK-NEXT:     %29 = math.sinh %arg0 : f32
// CHECK-NEXT:     %30 = math.sqrt %arg0 : f32
// CHECK-NEXT:     %31 = math.tan %arg0 : f32
// CHECK-NEXT:     %32 = math.tanh %arg0 : f32
// CHECK-NEXT:     %33 = math.trunc %arg0 : f32
// CHECK-NEXT:     %34 = math.atan2 %arg0, %arg1 : f32
// CHECK-NEXT:     %35 = math.copysign %arg0, %arg1 : f32
// CHECK-NEXT:     %36 = math.ipowi %arg2, %arg2 : i32
// CHECK-NEXT:     %37 = math.powf %arg0, %arg1 : f32
// CHECK-NEXT:     %38 = math.fma %arg0, %arg1, %arg0 : f32
// CHECK-NEXT:     %39 = math.fpowi %arg0, %arg2 : f32, i32
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @indices(%arg0: index, %arg1: index) {
// CHECK-NEXT:     %idx-4 = index.constant -4
// CHECK-NEXT:     %true = index.bool.constant true
// CHECK-NEXT:     %0 = index.add %arg0, %arg1
// CHECK-NEXT:     %1 = index.sub %arg0, %arg1
// CHECK-NEXT:     %2 = index.mul %arg0, %arg1
// CHECK-NEXT:     %3 = index.divs %arg0, %arg1
// CHECK-NEXT:     %4 = index.divu %arg0, %arg1
// CHECK-NEXT:     %5 = index.ceildivs %arg0, %arg1
// CHECK-NEXT:     %6 = index.ceildivu %arg0, %arg1
// CHECK-NEXT:     %7 = index.floordivs %arg0, %arg1
// CHECK-NEXT:     %8 = index.rems %arg0, %arg1
// CHECK-NEXT:     %9 = index.remu %arg0, %arg1
// CHECK-NEXT:     %10 = index.maxs %arg0, %arg1
// CHECK-NEXT:     %11 = index.maxu %arg0, %arg1
// CHECK-NEXT:     %12 = index.mins %arg0, %arg1
// CHECK-NEXT:     %13 = index.minu %arg0, %arg1
// CHECK-NEXT:     %14 = index.shl %arg0, %arg1
// CHECK-NEXT:     %15 = index.shrs %arg0, %arg1
// CHECK-NEXT:     %16 = index.shru %arg0, %arg1
// CHECK-NEXT:     %17 = index.and %arg0, %arg1
// CHECK-NEXT:     %18 = index.or %arg0, %arg1
// CHECK-NEXT:     %19 = index.xor %arg0, %arg1
// CHECK-NEXT:     %20 = index.casts %arg0 : index to i32
// CHECK-NEXT:     %21 = index.castu %arg0 : index to i64
// CHECK-NEXT:     %22 = index.cmp slt(%arg0, %arg1)
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT: }
