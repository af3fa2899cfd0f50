// Functions of f32, in fixed point of 62 bits: exact enough to round as what is computed in f64.

// a * b of fractions of 62 bits, signed, less than 2: 12 of the last bits' units wrong at most, as the product of the lower
// words is left out.
func.func @aiec_rt_mul_q62(%a: i64, %b: i64) -> i64 {
  %dc32 = arith.constant 32 : i64
  %dc0 = arith.constant 0 : i64
  %dc2 = arith.constant 2 : i64
  %0 = arith.trunci %a : i64 to i32
  %1 = arith.shrui %a, %dc32 : i64
  %2 = arith.trunci %1 : i64 to i32
  %3 = arith.trunci %b : i64 to i32
  %4 = arith.shrui %b, %dc32 : i64
  %5 = arith.trunci %4 : i64 to i32
  %high = func.call @aiec_rt_umulw(%2, %5) : (i32, i32) -> i64
  %6 = func.call @aiec_rt_umulw(%2, %3) : (i32, i32) -> i64
  %7 = func.call @aiec_rt_umulw(%0, %5) : (i32, i32) -> i64
  %8 = arith.shrui %6, %dc32 : i64
  %9 = arith.addi %high, %8 : i64
  %10 = arith.shrui %7, %dc32 : i64
  %11 = arith.addi %9, %10 : i64
  %12 = arith.cmpi slt, %a, %dc0 : i64
  %13 = arith.select %12, %b, %dc0 : i64
  %14 = arith.subi %11, %13 : i64
  %15 = arith.cmpi slt, %b, %dc0 : i64
  %16 = arith.select %15, %a, %dc0 : i64
  %17 = arith.subi %14, %16 : i64
  %18 = arith.shli %17, %dc2 : i64
  return %18 : i64
}

// n / d of positive fractions of 62 bits, with n < 2 * d: a bit of the quotient in each round.
func.func @aiec_rt_div_q62(%n: i64, %d: i64) -> i64 {
  %dc0 = arith.constant 0 : i64
  %ic0 = arith.constant 0 : index
  %ic63 = arith.constant 63 : index
  %ic1 = arith.constant 1 : index
  %dc1 = arith.constant 1 : i64
  %rest:2 = scf.for %i = %ic0 to %ic63 step %ic1 iter_args(%rest1 = %n, %quotient = %dc0) -> (i64, i64) {
    %0 = arith.addi %quotient, %quotient : i64
    %1 = arith.cmpi ult, %rest1, %d : i64
    %2 = arith.subi %rest1, %d : i64
    %3 = arith.select %1, %rest1, %2 : i64
    %4 = arith.addi %3, %3 : i64
    %5 = arith.ori %0, %dc1 : i64
    %6 = arith.select %1, %0, %5 : i64
    scf.yield %4, %6 : i64, i64
  }
  return %rest#1 : i64
}

// e^x of a fraction of 62 bits from -0.35 to 0.35: the series up to x^13.
func.func @aiec_rt_exp_q62(%x: i64) -> i64 {
  %dx2C248C27 = arith.constant 0x000000002C248C27 : i64
  %dx23DDB1DFF = arith.constant 0x000000023DDB1DFF : i64
  %dx1AE64567F5 = arith.constant 0x0000001AE64567F5 : i64
  %dx127E4FB778A = arith.constant 0x00000127E4FB778A : i64
  %dxB8EF1D2AB64 = arith.constant 0x00000B8EF1D2AB64 : i64
  %dx680680680680 = arith.constant 0x0000680680680680 : i64
  %dx3403403403403 = arith.constant 0x0003403403403403 : i64
  %dx16C16C16C16C17 = arith.constant 0x0016C16C16C16C17 : i64
  %dx88888888888889 = arith.constant 0x0088888888888889 : i64
  %dx2AAAAAAAAAAAAAB = arith.constant 0x02AAAAAAAAAAAAAB : i64
  %dxAAAAAAAAAAAAAAB = arith.constant 0x0AAAAAAAAAAAAAAB : i64
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %0 = func.call @aiec_rt_mul_q62(%x, %dx2C248C27) : (i64, i64) -> i64
  %1 = arith.addi %0, %dx23DDB1DFF : i64
  %2 = func.call @aiec_rt_mul_q62(%x, %1) : (i64, i64) -> i64
  %3 = arith.addi %2, %dx1AE64567F5 : i64
  %4 = func.call @aiec_rt_mul_q62(%x, %3) : (i64, i64) -> i64
  %5 = arith.addi %4, %dx127E4FB778A : i64
  %6 = func.call @aiec_rt_mul_q62(%x, %5) : (i64, i64) -> i64
  %7 = arith.addi %6, %dxB8EF1D2AB64 : i64
  %8 = func.call @aiec_rt_mul_q62(%x, %7) : (i64, i64) -> i64
  %9 = arith.addi %8, %dx680680680680 : i64
  %10 = func.call @aiec_rt_mul_q62(%x, %9) : (i64, i64) -> i64
  %11 = arith.addi %10, %dx3403403403403 : i64
  %12 = func.call @aiec_rt_mul_q62(%x, %11) : (i64, i64) -> i64
  %13 = arith.addi %12, %dx16C16C16C16C17 : i64
  %14 = func.call @aiec_rt_mul_q62(%x, %13) : (i64, i64) -> i64
  %15 = arith.addi %14, %dx88888888888889 : i64
  %16 = func.call @aiec_rt_mul_q62(%x, %15) : (i64, i64) -> i64
  %17 = arith.addi %16, %dx2AAAAAAAAAAAAAB : i64
  %18 = func.call @aiec_rt_mul_q62(%x, %17) : (i64, i64) -> i64
  %19 = arith.addi %18, %dxAAAAAAAAAAAAAAB : i64
  %20 = func.call @aiec_rt_mul_q62(%x, %19) : (i64, i64) -> i64
  %21 = arith.addi %20, %dx2000000000000000 : i64
  %22 = func.call @aiec_rt_mul_q62(%x, %21) : (i64, i64) -> i64
  %23 = arith.addi %22, %dx4000000000000000 : i64
  %24 = func.call @aiec_rt_mul_q62(%x, %23) : (i64, i64) -> i64
  %25 = arith.addi %24, %dx4000000000000000 : i64
  return %25 : i64
}

// (e^x - 1) / x of a fraction of 62 bits from -0.35 to 0.35.
func.func @aiec_rt_expm1_q62(%x: i64) -> i64 {
  %dx3272E95 = arith.constant 0x0000000003272E95 : i64
  %dx2C248C27 = arith.constant 0x000000002C248C27 : i64
  %dx23DDB1DFF = arith.constant 0x000000023DDB1DFF : i64
  %dx1AE64567F5 = arith.constant 0x0000001AE64567F5 : i64
  %dx127E4FB778A = arith.constant 0x00000127E4FB778A : i64
  %dxB8EF1D2AB64 = arith.constant 0x00000B8EF1D2AB64 : i64
  %dx680680680680 = arith.constant 0x0000680680680680 : i64
  %dx3403403403403 = arith.constant 0x0003403403403403 : i64
  %dx16C16C16C16C17 = arith.constant 0x0016C16C16C16C17 : i64
  %dx88888888888889 = arith.constant 0x0088888888888889 : i64
  %dx2AAAAAAAAAAAAAB = arith.constant 0x02AAAAAAAAAAAAAB : i64
  %dxAAAAAAAAAAAAAAB = arith.constant 0x0AAAAAAAAAAAAAAB : i64
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %0 = func.call @aiec_rt_mul_q62(%x, %dx3272E95) : (i64, i64) -> i64
  %1 = arith.addi %0, %dx2C248C27 : i64
  %2 = func.call @aiec_rt_mul_q62(%x, %1) : (i64, i64) -> i64
  %3 = arith.addi %2, %dx23DDB1DFF : i64
  %4 = func.call @aiec_rt_mul_q62(%x, %3) : (i64, i64) -> i64
  %5 = arith.addi %4, %dx1AE64567F5 : i64
  %6 = func.call @aiec_rt_mul_q62(%x, %5) : (i64, i64) -> i64
  %7 = arith.addi %6, %dx127E4FB778A : i64
  %8 = func.call @aiec_rt_mul_q62(%x, %7) : (i64, i64) -> i64
  %9 = arith.addi %8, %dxB8EF1D2AB64 : i64
  %10 = func.call @aiec_rt_mul_q62(%x, %9) : (i64, i64) -> i64
  %11 = arith.addi %10, %dx680680680680 : i64
  %12 = func.call @aiec_rt_mul_q62(%x, %11) : (i64, i64) -> i64
  %13 = arith.addi %12, %dx3403403403403 : i64
  %14 = func.call @aiec_rt_mul_q62(%x, %13) : (i64, i64) -> i64
  %15 = arith.addi %14, %dx16C16C16C16C17 : i64
  %16 = func.call @aiec_rt_mul_q62(%x, %15) : (i64, i64) -> i64
  %17 = arith.addi %16, %dx88888888888889 : i64
  %18 = func.call @aiec_rt_mul_q62(%x, %17) : (i64, i64) -> i64
  %19 = arith.addi %18, %dx2AAAAAAAAAAAAAB : i64
  %20 = func.call @aiec_rt_mul_q62(%x, %19) : (i64, i64) -> i64
  %21 = arith.addi %20, %dxAAAAAAAAAAAAAAB : i64
  %22 = func.call @aiec_rt_mul_q62(%x, %21) : (i64, i64) -> i64
  %23 = arith.addi %22, %dx2000000000000000 : i64
  %24 = func.call @aiec_rt_mul_q62(%x, %23) : (i64, i64) -> i64
  %25 = arith.addi %24, %dx4000000000000000 : i64
  return %25 : i64
}

// The f32 of a positive number: a fraction of 62 bits times a power of two.
func.func @aiec_rt_pack_q62(%sign: i32, %exponent: i32, %x: i64) -> i32 {
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %dc32 = arith.constant 32 : i64
  %c0 = arith.constant 0 : i32
  %c126 = arith.constant 126 : i32
  %0 = func.call @aiec_rt_clz_i64(%x) : (i64) -> i32
  %1 = arith.subi %0, %c1 : i32
  %2 = arith.andi %1, %c63 : i32
  %3 = func.call @aiec_rt_shl_by(%x, %2) : (i64, i32) -> i64
  %4 = arith.shrui %3, %dc32 : i64
  %5 = arith.trunci %4 : i64 to i32
  %6 = arith.trunci %3 : i64 to i32
  %7 = arith.cmpi ne, %6, %c0 : i32
  %8 = arith.select %7, %c1, %c0 : i32
  %9 = arith.ori %5, %8 : i32
  %10 = arith.addi %exponent, %c126 : i32
  %11 = arith.subi %10, %1 : i32
  %12 = func.call @aiec_rt_pack_f32(%sign, %11, %9) : (i32, i32, i32) -> i32
  return %12 : i32
}

// An f32, less than 2^(63 - bits), as a fixed-point number of `bits` bits after the point, cut.
func.func @aiec_rt_fixed_f32(%x: i32, %bits: i32) -> i64 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c150 = arith.constant 150 : i32
  %c63 = arith.constant 63 : i32
  %c0 = arith.constant 0 : i32
  %dc0 = arith.constant 0 : i64
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.andi %0, %x7FFFFF : i32
  %3 = arith.ori %2, %x800000 : i32
  %4 = arith.extui %3 : i32 to i64
  %5 = arith.subi %1, %c150 : i32
  %6 = arith.addi %5, %bits : i32
  %7 = arith.andi %6, %c63 : i32
  %8 = func.call @aiec_rt_shl_by(%4, %7) : (i64, i32) -> i64
  %9 = arith.subi %c0, %6 : i32
  %10 = arith.cmpi ult, %9, %c63 : i32
  %11 = arith.select %10, %9, %c63 : i32
  %12 = arith.cmpi slt, %6, %c0 : i32
  %13 = arith.select %12, %11, %c0 : i32
  %14 = func.call @aiec_rt_shru_by(%4, %13) : (i64, i32) -> i64
  %15 = arith.cmpi slt, %6, %c0 : i32
  %16 = arith.select %15, %14, %8 : i64
  %17 = arith.cmpi slt, %x, %c0 : i32
  %18 = arith.subi %dc0, %16 : i64
  %19 = arith.select %17, %18, %16 : i64
  return %19 : i64
}

// e^x: 2 to the power of x * log2(e), of which the whole part is the exponent.
func.func @aiec_rt_math_f32_exp(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x43160000 = arith.constant 0x43160000 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c54 = arith.constant 54 : i32
  %dx5C551D94AE0BF85E = arith.constant 0x5C551D94AE0BF85E : i64
  %dx20000000000000 = arith.constant 0x0020000000000000 : i64
  %dc54 = arith.constant 54 : i64
  %dc8 = arith.constant 8 : i64
  %dx2C5C85FDF473DE6B = arith.constant 0x2C5C85FDF473DE6B : i64
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.cmpi uge, %0, %x43160000 : i32
  %2 = scf.if %1 -> (i32) {
    %3 = arith.cmpi slt, %x, %c0 : i32
    %4 = arith.select %3, %c0, %x7F800000 : i32
    %5 = arith.cmpi ugt, %0, %x7F800000 : i32
    %6 = arith.select %5, %x7FC00000, %4 : i32
    scf.yield %6 : i32
  } else {
    %7 = func.call @aiec_rt_fixed_f32(%x, %c54) : (i32, i32) -> i64
    %8 = func.call @aiec_rt_mul_q62(%7, %dx5C551D94AE0BF85E) : (i64, i64) -> i64
    %9 = arith.addi %8, %dx20000000000000 : i64
    %whole = arith.shrsi %9, %dc54 : i64
    %10 = arith.shli %whole, %dc54 : i64
    %11 = arith.subi %8, %10 : i64
    %rest = arith.shli %11, %dc8 : i64
    %12 = arith.trunci %whole : i64 to i32
    %13 = func.call @aiec_rt_mul_q62(%rest, %dx2C5C85FDF473DE6B) : (i64, i64) -> i64
    %14 = func.call @aiec_rt_exp_q62(%13) : (i64) -> i64
    %15 = func.call @aiec_rt_pack_q62(%c0, %12, %14) : (i32, i32, i64) -> i32
    scf.yield %15 : i32
  }
  return %2 : i32
}

// 2^x.
func.func @aiec_rt_math_f32_exp2(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x43160000 = arith.constant 0x43160000 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c54 = arith.constant 54 : i32
  %dx20000000000000 = arith.constant 0x0020000000000000 : i64
  %dc54 = arith.constant 54 : i64
  %dc8 = arith.constant 8 : i64
  %dx2C5C85FDF473DE6B = arith.constant 0x2C5C85FDF473DE6B : i64
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.cmpi uge, %0, %x43160000 : i32
  %2 = scf.if %1 -> (i32) {
    %3 = arith.cmpi slt, %x, %c0 : i32
    %4 = arith.select %3, %c0, %x7F800000 : i32
    %5 = arith.cmpi ugt, %0, %x7F800000 : i32
    %6 = arith.select %5, %x7FC00000, %4 : i32
    scf.yield %6 : i32
  } else {
    %7 = func.call @aiec_rt_fixed_f32(%x, %c54) : (i32, i32) -> i64
    %8 = arith.addi %7, %dx20000000000000 : i64
    %whole = arith.shrsi %8, %dc54 : i64
    %9 = arith.shli %whole, %dc54 : i64
    %10 = arith.subi %7, %9 : i64
    %rest = arith.shli %10, %dc8 : i64
    %11 = arith.trunci %whole : i64 to i32
    %12 = func.call @aiec_rt_mul_q62(%rest, %dx2C5C85FDF473DE6B) : (i64, i64) -> i64
    %13 = func.call @aiec_rt_exp_q62(%12) : (i64) -> i64
    %14 = func.call @aiec_rt_pack_q62(%c0, %11, %13) : (i32, i32, i64) -> i32
    scf.yield %14 : i32
  }
  return %2 : i32
}

// e^x - 1: up to 0.25 x times a series of x, so that its exponent is exact; else 1 is subtracted.
func.func @aiec_rt_math_f32_expm1(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %x3E800000 = arith.constant 0x3E800000 : i32
  %c62 = arith.constant 62 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %dc38 = arith.constant 38 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %c126 = arith.constant 126 : i32
  %c64 = arith.constant 64 : i32
  %x43160000 = arith.constant 0x43160000 : i32
  %c0 = arith.constant 0 : i32
  %xBF800000 = arith.constant 0xBF800000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c54 = arith.constant 54 : i32
  %dx5C551D94AE0BF85E = arith.constant 0x5C551D94AE0BF85E : i64
  %dx20000000000000 = arith.constant 0x0020000000000000 : i64
  %dc54 = arith.constant 54 : i64
  %dc8 = arith.constant 8 : i64
  %dx2C5C85FDF473DE6B = arith.constant 0x2C5C85FDF473DE6B : i64
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %dc0 = arith.constant 0 : i64
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.cmpi ult, %0, %x3E800000 : i32
  %3 = scf.if %2 -> (i32) {
    %4 = func.call @aiec_rt_fixed_f32(%x, %c62) : (i32, i32) -> i64
    %5 = func.call @aiec_rt_expm1_q62(%4) : (i64) -> i64
    %6 = arith.andi %0, %x7FFFFF : i32
    %7 = arith.ori %6, %x800000 : i32
    %8 = arith.extui %7 : i32 to i64
    %9 = arith.shli %8, %dc38 : i64
    %10 = func.call @aiec_rt_mul_q62(%9, %5) : (i64, i64) -> i64
    %11 = arith.andi %x, %x80000000 : i32
    %12 = arith.subi %1, %c126 : i32
    %13 = func.call @aiec_rt_pack_q62(%11, %12, %10) : (i32, i32, i64) -> i32
    %14 = arith.cmpi ult, %1, %c64 : i32
    %15 = arith.select %14, %x, %13 : i32
    scf.yield %15 : i32
  } else {
    %16 = arith.andi %x, %x7FFFFFFF : i32
    %17 = arith.cmpi uge, %16, %x43160000 : i32
    %18 = scf.if %17 -> (i32) {
      %19 = arith.cmpi slt, %x, %c0 : i32
      %20 = arith.select %19, %xBF800000, %x7F800000 : i32
      %21 = arith.cmpi ugt, %16, %x7F800000 : i32
      %22 = arith.select %21, %x7FC00000, %20 : i32
      scf.yield %22 : i32
    } else {
      %23 = func.call @aiec_rt_fixed_f32(%x, %c54) : (i32, i32) -> i64
      %24 = func.call @aiec_rt_mul_q62(%23, %dx5C551D94AE0BF85E) : (i64, i64) -> i64
      %25 = arith.addi %24, %dx20000000000000 : i64
      %whole = arith.shrsi %25, %dc54 : i64
      %26 = arith.shli %whole, %dc54 : i64
      %27 = arith.subi %24, %26 : i64
      %rest = arith.shli %27, %dc8 : i64
      %28 = arith.trunci %whole : i64 to i32
      %29 = func.call @aiec_rt_mul_q62(%rest, %dx2C5C85FDF473DE6B) : (i64, i64) -> i64
      %30 = func.call @aiec_rt_exp_q62(%29) : (i64) -> i64
      %31 = arith.cmpi slt, %28, %c0 : i32
      %32 = arith.subi %c0, %28 : i32
      %33 = arith.select %31, %32, %28 : i32
      %34 = arith.cmpi ult, %33, %c62 : i32
      %35 = arith.select %34, %33, %c62 : i32
      %36 = arith.select %31, %c0, %35 : i32
      %37 = func.call @aiec_rt_shru_by(%dx4000000000000000, %36) : (i64, i32) -> i64
      %38 = arith.select %31, %35, %c0 : i32
      %39 = func.call @aiec_rt_shru_by(%30, %38) : (i64, i32) -> i64
      %40 = arith.subi %39, %37 : i64
      %41 = arith.cmpi slt, %40, %dc0 : i64
      %42 = arith.subi %dc0, %40 : i64
      %43 = arith.select %41, %42, %40 : i64
      %44 = arith.select %41, %x80000000, %c0 : i32
      %45 = arith.select %31, %c0, %28 : i32
      %46 = func.call @aiec_rt_pack_q62(%44, %45, %43) : (i32, i32, i64) -> i32
      scf.yield %46 : i32
    }
    scf.yield %18 : i32
  }
  return %3 : i32
}

// With y = 2 * |x|: (e^y - 1) / (e^y + 1), up to 0.125 by a series of y whose exponent is exact, else 1 - 2 / (e^y + 1).
func.func @aiec_rt_math_f32_tanh(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x3E000000 = arith.constant 0x3E000000 : i32
  %c62 = arith.constant 62 : i32
  %dc1 = arith.constant 1 : i64
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %dc38 = arith.constant 38 : i64
  %c126 = arith.constant 126 : i32
  %c64 = arith.constant 64 : i32
  %x41A00000 = arith.constant 0x41A00000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c54 = arith.constant 54 : i32
  %dx5C551D94AE0BF85E = arith.constant 0x5C551D94AE0BF85E : i64
  %dx20000000000000 = arith.constant 0x0020000000000000 : i64
  %dc54 = arith.constant 54 : i64
  %dc8 = arith.constant 8 : i64
  %dx2C5C85FDF473DE6B = arith.constant 0x2C5C85FDF473DE6B : i64
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %c0 = arith.constant 0 : i32
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.andi %x, %x80000000 : i32
  %3 = arith.cmpi ult, %0, %x3E000000 : i32
  %4 = scf.if %3 -> (i32) {
    %5 = func.call @aiec_rt_fixed_f32(%0, %c62) : (i32, i32) -> i64
    %6 = arith.shli %5, %dc1 : i64
    %7 = func.call @aiec_rt_expm1_q62(%6) : (i64) -> i64
    %8 = func.call @aiec_rt_mul_q62(%6, %7) : (i64, i64) -> i64
    %9 = arith.shrui %8, %dc1 : i64
    %10 = arith.addi %9, %dx4000000000000000 : i64
    %11 = func.call @aiec_rt_div_q62(%7, %10) : (i64, i64) -> i64
    %12 = arith.andi %0, %x7FFFFF : i32
    %13 = arith.ori %12, %x800000 : i32
    %14 = arith.extui %13 : i32 to i64
    %15 = arith.shli %14, %dc38 : i64
    %16 = arith.subi %1, %c126 : i32
    %17 = func.call @aiec_rt_mul_q62(%15, %11) : (i64, i64) -> i64
    %18 = func.call @aiec_rt_pack_q62(%2, %16, %17) : (i32, i32, i64) -> i32
    %19 = arith.cmpi ult, %1, %c64 : i32
    %20 = arith.select %19, %x, %18 : i32
    scf.yield %20 : i32
  } else {
    %21 = arith.cmpi uge, %0, %x41A00000 : i32
    %22 = scf.if %21 -> (i32) {
      %23 = arith.cmpi ugt, %0, %x7F800000 : i32
      %24 = arith.ori %2, %x3F800000 : i32
      %25 = arith.select %23, %x7FC00000, %24 : i32
      scf.yield %25 : i32
    } else {
      %26 = func.call @aiec_rt_fixed_f32(%0, %c54) : (i32, i32) -> i64
      %27 = func.call @aiec_rt_mul_q62(%26, %dx5C551D94AE0BF85E) : (i64, i64) -> i64
      %28 = arith.shli %27, %dc1 : i64
      %29 = arith.addi %28, %dx20000000000000 : i64
      %whole = arith.shrsi %29, %dc54 : i64
      %30 = arith.shli %whole, %dc54 : i64
      %31 = arith.subi %28, %30 : i64
      %rest = arith.shli %31, %dc8 : i64
      %32 = arith.trunci %whole : i64 to i32
      %33 = func.call @aiec_rt_mul_q62(%rest, %dx2C5C85FDF473DE6B) : (i64, i64) -> i64
      %34 = func.call @aiec_rt_exp_q62(%33) : (i64) -> i64
      %35 = arith.cmpi ult, %32, %c62 : i32
      %36 = arith.select %35, %32, %c62 : i32
      %37 = func.call @aiec_rt_shru_by(%dx4000000000000000, %36) : (i64, i32) -> i64
      %38 = arith.addi %34, %37 : i64
      %39 = arith.shrui %38, %dc1 : i64
      %40 = func.call @aiec_rt_div_q62(%dx2000000000000000, %39) : (i64, i64) -> i64
      %41 = func.call @aiec_rt_shru_by(%40, %36) : (i64, i32) -> i64
      %42 = arith.shli %41, %dc1 : i64
      %43 = arith.subi %dx4000000000000000, %42 : i64
      %44 = func.call @aiec_rt_pack_q62(%2, %c0, %43) : (i32, i32, i64) -> i32
      scf.yield %44 : i32
    }
    scf.yield %22 : i32
  }
  return %4 : i32
}

// atanh(s) / s of a fraction of 62 bits from 0 to 0.2: the series up to s^22.
func.func @aiec_rt_atanh_q62(%s: i64) -> i64 {
  %dx2C8590B21642C86 = arith.constant 0x02C8590B21642C86 : i64
  %dx30C30C30C30C30C = arith.constant 0x030C30C30C30C30C : i64
  %dx35E50D79435E50D = arith.constant 0x035E50D79435E50D : i64
  %dx3C3C3C3C3C3C3C4 = arith.constant 0x03C3C3C3C3C3C3C4 : i64
  %dx444444444444444 = arith.constant 0x0444444444444444 : i64
  %dx4EC4EC4EC4EC4EC = arith.constant 0x04EC4EC4EC4EC4EC : i64
  %dx5D1745D1745D174 = arith.constant 0x05D1745D1745D174 : i64
  %dx71C71C71C71C71C = arith.constant 0x071C71C71C71C71C : i64
  %dx924924924924925 = arith.constant 0x0924924924924925 : i64
  %dxCCCCCCCCCCCCCCD = arith.constant 0x0CCCCCCCCCCCCCCD : i64
  %dx1555555555555555 = arith.constant 0x1555555555555555 : i64
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %0 = func.call @aiec_rt_mul_q62(%s, %s) : (i64, i64) -> i64
  %1 = func.call @aiec_rt_mul_q62(%0, %dx2C8590B21642C86) : (i64, i64) -> i64
  %2 = arith.addi %1, %dx30C30C30C30C30C : i64
  %3 = func.call @aiec_rt_mul_q62(%0, %2) : (i64, i64) -> i64
  %4 = arith.addi %3, %dx35E50D79435E50D : i64
  %5 = func.call @aiec_rt_mul_q62(%0, %4) : (i64, i64) -> i64
  %6 = arith.addi %5, %dx3C3C3C3C3C3C3C4 : i64
  %7 = func.call @aiec_rt_mul_q62(%0, %6) : (i64, i64) -> i64
  %8 = arith.addi %7, %dx444444444444444 : i64
  %9 = func.call @aiec_rt_mul_q62(%0, %8) : (i64, i64) -> i64
  %10 = arith.addi %9, %dx4EC4EC4EC4EC4EC : i64
  %11 = func.call @aiec_rt_mul_q62(%0, %10) : (i64, i64) -> i64
  %12 = arith.addi %11, %dx5D1745D1745D174 : i64
  %13 = func.call @aiec_rt_mul_q62(%0, %12) : (i64, i64) -> i64
  %14 = arith.addi %13, %dx71C71C71C71C71C : i64
  %15 = func.call @aiec_rt_mul_q62(%0, %14) : (i64, i64) -> i64
  %16 = arith.addi %15, %dx924924924924925 : i64
  %17 = func.call @aiec_rt_mul_q62(%0, %16) : (i64, i64) -> i64
  %18 = arith.addi %17, %dxCCCCCCCCCCCCCCD : i64
  %19 = func.call @aiec_rt_mul_q62(%0, %18) : (i64, i64) -> i64
  %20 = arith.addi %19, %dx1555555555555555 : i64
  %21 = func.call @aiec_rt_mul_q62(%0, %20) : (i64, i64) -> i64
  %22 = arith.addi %21, %dx4000000000000000 : i64
  return %22 : i64
}

// A logarithm of 2^k times a fraction of 62 bits in [0.75, 1.5): `unit` is that of 2, as a fraction of 62 bits, `scale` half of the base's factor 1 / ln.
// With k = 0 the result has the exponent of the fraction's distance from 1.
func.func @aiec_rt_log_q62(%x: i64, %k: i32, %scale: i64, %unit: i64) -> i32 {
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %dc0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : i32
  %dc1 = arith.constant 1 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %c2 = arith.constant 2 : i32
  %dc5 = arith.constant 5 : i64
  %dc7 = arith.constant 7 : i64
  %c7 = arith.constant 7 : i32
  %0 = arith.subi %x, %dx4000000000000000 : i64
  %1 = arith.cmpi slt, %0, %dc0 : i64
  %2 = arith.subi %dc0, %0 : i64
  %3 = arith.select %1, %2, %0 : i64
  %4 = arith.cmpi eq, %3, %dc0 : i64
  %5 = func.call @aiec_rt_clz_i64(%3) : (i64) -> i32
  %6 = arith.subi %5, %c1 : i32
  %7 = arith.select %4, %c0, %6 : i32
  %8 = arith.andi %7, %c63 : i32
  %9 = func.call @aiec_rt_shl_by(%3, %8) : (i64, i32) -> i64
  %10 = arith.shrui %9, %dc1 : i64
  %11 = arith.addi %x, %dx4000000000000000 : i64
  %12 = arith.shrui %11, %dc1 : i64
  %13 = func.call @aiec_rt_div_q62(%10, %12) : (i64, i64) -> i64
  %14 = arith.andi %7, %c63 : i32
  %15 = func.call @aiec_rt_shru_by(%13, %14) : (i64, i32) -> i64
  %16 = func.call @aiec_rt_atanh_q62(%15) : (i64) -> i64
  %17 = func.call @aiec_rt_mul_q62(%16, %scale) : (i64, i64) -> i64
  %18 = arith.cmpi eq, %k, %c0 : i32
  %19 = scf.if %18 -> (i32) {
    %20 = arith.select %1, %x80000000, %c0 : i32
    %21 = arith.subi %c2, %7 : i32
    %22 = func.call @aiec_rt_mul_q62(%13, %17) : (i64, i64) -> i64
    %23 = func.call @aiec_rt_pack_q62(%20, %21, %22) : (i32, i32, i64) -> i32
    %24 = arith.select %4, %c0, %23 : i32
    scf.yield %24 : i32
  } else {
    %25 = func.call @aiec_rt_mul_q62(%15, %17) : (i64, i64) -> i64
    %26 = arith.shrui %25, %dc5 : i64
    %27 = arith.subi %dc0, %26 : i64
    %28 = arith.select %1, %27, %26 : i64
    %29 = arith.extsi %k : i32 to i64
    %30 = arith.shrui %unit, %dc7 : i64
    %31 = func.call @aiec_rt_mul_i64(%29, %30) : (i64, i64) -> i64
    %32 = arith.addi %31, %28 : i64
    %33 = arith.cmpi slt, %32, %dc0 : i64
    %34 = arith.subi %dc0, %32 : i64
    %35 = arith.select %33, %34, %32 : i64
    %36 = arith.select %33, %x80000000, %c0 : i32
    %37 = func.call @aiec_rt_pack_q62(%36, %c7, %35) : (i32, i32, i64) -> i32
    scf.yield %37 : i32
  }
  return %19 : i32
}

// The natural logarithm.
func.func @aiec_rt_math_f32_log(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %xFF800000 = arith.constant 0xFF800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c8 = arith.constant 8 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c1 = arith.constant 1 : i32
  %xC00000 = arith.constant 0x00C00000 : i32
  %c127 = arith.constant 127 : i32
  %dc39 = arith.constant 39 : i64
  %dc1 = arith.constant 1 : i64
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %dx2C5C85FDF473DE6B = arith.constant 0x2C5C85FDF473DE6B : i64
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.cmpi sle, %x, %c0 : i32
  %3 = arith.cmpi uge, %0, %x7F800000 : i32
  %4 = arith.ori %2, %3 : i1
  %5 = scf.if %4 -> (i32) {
    %6 = arith.cmpi ugt, %0, %x7F800000 : i32
    %7 = arith.cmpi slt, %x, %c0 : i32
    %8 = arith.cmpi ne, %0, %c0 : i32
    %9 = arith.andi %7, %8 : i1
    %10 = arith.ori %6, %9 : i1
    %11 = arith.cmpi eq, %0, %c0 : i32
    %12 = arith.select %11, %xFF800000, %x7F800000 : i32
    %13 = arith.select %10, %x7FC00000, %12 : i32
    scf.yield %13 : i32
  } else {
    %14 = math.ctlz %0 : i32
    %15 = arith.subi %14, %c8 : i32
    %16 = arith.cmpi eq, %1, %c0 : i32
    %17 = arith.cmpi eq, %1, %c0 : i32
    %18 = arith.select %17, %15, %c0 : i32
    %19 = arith.shli %0, %18 : i32
    %20 = arith.andi %0, %x7FFFFF : i32
    %21 = arith.ori %20, %x800000 : i32
    %22 = arith.select %16, %19, %21 : i32
    %23 = arith.cmpi eq, %1, %c0 : i32
    %24 = arith.subi %c1, %15 : i32
    %25 = arith.select %23, %24, %1 : i32
    %26 = arith.cmpi uge, %22, %xC00000 : i32
    %27 = arith.subi %25, %c127 : i32
    %28 = arith.addi %27, %c1 : i32
    %29 = arith.select %26, %28, %27 : i32
    %30 = arith.extui %22 : i32 to i64
    %31 = arith.shli %30, %dc39 : i64
    %32 = arith.shrui %31, %dc1 : i64
    %33 = arith.select %26, %32, %31 : i64
    %34 = func.call @aiec_rt_log_q62(%33, %29, %dx2000000000000000, %dx2C5C85FDF473DE6B) : (i64, i32, i64, i64) -> i32
    scf.yield %34 : i32
  }
  return %5 : i32
}

// The logarithm to base 2.
func.func @aiec_rt_math_f32_log2(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %xFF800000 = arith.constant 0xFF800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c8 = arith.constant 8 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c1 = arith.constant 1 : i32
  %xC00000 = arith.constant 0x00C00000 : i32
  %c127 = arith.constant 127 : i32
  %dc39 = arith.constant 39 : i64
  %dc1 = arith.constant 1 : i64
  %dx2E2A8ECA5705FC2F = arith.constant 0x2E2A8ECA5705FC2F : i64
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.cmpi sle, %x, %c0 : i32
  %3 = arith.cmpi uge, %0, %x7F800000 : i32
  %4 = arith.ori %2, %3 : i1
  %5 = scf.if %4 -> (i32) {
    %6 = arith.cmpi ugt, %0, %x7F800000 : i32
    %7 = arith.cmpi slt, %x, %c0 : i32
    %8 = arith.cmpi ne, %0, %c0 : i32
    %9 = arith.andi %7, %8 : i1
    %10 = arith.ori %6, %9 : i1
    %11 = arith.cmpi eq, %0, %c0 : i32
    %12 = arith.select %11, %xFF800000, %x7F800000 : i32
    %13 = arith.select %10, %x7FC00000, %12 : i32
    scf.yield %13 : i32
  } else {
    %14 = math.ctlz %0 : i32
    %15 = arith.subi %14, %c8 : i32
    %16 = arith.cmpi eq, %1, %c0 : i32
    %17 = arith.cmpi eq, %1, %c0 : i32
    %18 = arith.select %17, %15, %c0 : i32
    %19 = arith.shli %0, %18 : i32
    %20 = arith.andi %0, %x7FFFFF : i32
    %21 = arith.ori %20, %x800000 : i32
    %22 = arith.select %16, %19, %21 : i32
    %23 = arith.cmpi eq, %1, %c0 : i32
    %24 = arith.subi %c1, %15 : i32
    %25 = arith.select %23, %24, %1 : i32
    %26 = arith.cmpi uge, %22, %xC00000 : i32
    %27 = arith.subi %25, %c127 : i32
    %28 = arith.addi %27, %c1 : i32
    %29 = arith.select %26, %28, %27 : i32
    %30 = arith.extui %22 : i32 to i64
    %31 = arith.shli %30, %dc39 : i64
    %32 = arith.shrui %31, %dc1 : i64
    %33 = arith.select %26, %32, %31 : i64
    %34 = func.call @aiec_rt_log_q62(%33, %29, %dx2E2A8ECA5705FC2F, %dx4000000000000000) : (i64, i32, i64, i64) -> i32
    scf.yield %34 : i32
  }
  return %5 : i32
}

// The logarithm to base 10.
func.func @aiec_rt_math_f32_log10(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %xFF800000 = arith.constant 0xFF800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c8 = arith.constant 8 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c1 = arith.constant 1 : i32
  %xC00000 = arith.constant 0x00C00000 : i32
  %c127 = arith.constant 127 : i32
  %dc39 = arith.constant 39 : i64
  %dc1 = arith.constant 1 : i64
  %dxDE5BD8A93728719 = arith.constant 0x0DE5BD8A93728719 : i64
  %dx134413509F79FEF3 = arith.constant 0x134413509F79FEF3 : i64
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.cmpi sle, %x, %c0 : i32
  %3 = arith.cmpi uge, %0, %x7F800000 : i32
  %4 = arith.ori %2, %3 : i1
  %5 = scf.if %4 -> (i32) {
    %6 = arith.cmpi ugt, %0, %x7F800000 : i32
    %7 = arith.cmpi slt, %x, %c0 : i32
    %8 = arith.cmpi ne, %0, %c0 : i32
    %9 = arith.andi %7, %8 : i1
    %10 = arith.ori %6, %9 : i1
    %11 = arith.cmpi eq, %0, %c0 : i32
    %12 = arith.select %11, %xFF800000, %x7F800000 : i32
    %13 = arith.select %10, %x7FC00000, %12 : i32
    scf.yield %13 : i32
  } else {
    %14 = math.ctlz %0 : i32
    %15 = arith.subi %14, %c8 : i32
    %16 = arith.cmpi eq, %1, %c0 : i32
    %17 = arith.cmpi eq, %1, %c0 : i32
    %18 = arith.select %17, %15, %c0 : i32
    %19 = arith.shli %0, %18 : i32
    %20 = arith.andi %0, %x7FFFFF : i32
    %21 = arith.ori %20, %x800000 : i32
    %22 = arith.select %16, %19, %21 : i32
    %23 = arith.cmpi eq, %1, %c0 : i32
    %24 = arith.subi %c1, %15 : i32
    %25 = arith.select %23, %24, %1 : i32
    %26 = arith.cmpi uge, %22, %xC00000 : i32
    %27 = arith.subi %25, %c127 : i32
    %28 = arith.addi %27, %c1 : i32
    %29 = arith.select %26, %28, %27 : i32
    %30 = arith.extui %22 : i32 to i64
    %31 = arith.shli %30, %dc39 : i64
    %32 = arith.shrui %31, %dc1 : i64
    %33 = arith.select %26, %32, %31 : i64
    %34 = func.call @aiec_rt_log_q62(%33, %29, %dxDE5BD8A93728719, %dx134413509F79FEF3) : (i64, i32, i64, i64) -> i32
    scf.yield %34 : i32
  }
  return %5 : i32
}
