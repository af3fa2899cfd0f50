// Powers, roots, hyperbolic and error functions of f32, in fixed point of 62 bits as in math.mlir.

// e^x as a fraction of 62 bits in [0.7, 1.42) and an exponent. x has 54 bits after the point; |x| is at most 150.
func.func @aiec_rt_exp_parts(%x: i64) -> (i64, i32) {
  %dx5C551D94AE0BF85E = arith.constant 0x5C551D94AE0BF85E : i64
  %scaled = func.call @aiec_rt_mul_q62(%x, %dx5C551D94AE0BF85E) : (i64, i64) -> i64
  %parts:2 = func.call @aiec_rt_exp2_parts(%scaled) : (i64) -> (i64, i32)
  return %parts#0, %parts#1 : i64, i32
}

// 2^x as a fraction of 62 bits in [0.7, 1.42) and an exponent. x has 54 bits after the point.
func.func @aiec_rt_exp2_parts(%x: i64) -> (i64, i32) {
  %dx20000000000000 = arith.constant 0x0020000000000000 : i64
  %dc54 = arith.constant 54 : i64
  %dc8 = arith.constant 8 : i64
  %dx2C5C85FDF473DE6B = arith.constant 0x2C5C85FDF473DE6B : i64
  %0 = arith.addi %x, %dx20000000000000 : i64
  %whole = arith.shrsi %0, %dc54 : i64
  %1 = arith.shli %whole, %dc54 : i64
  %2 = arith.subi %x, %1 : i64
  %rest = arith.shli %2, %dc8 : i64
  %natural = func.call @aiec_rt_mul_q62(%rest, %dx2C5C85FDF473DE6B) : (i64, i64) -> i64
  %f = func.call @aiec_rt_exp_q62(%natural) : (i64) -> i64
  %3 = arith.trunci %whole : i64 to i32
  return %f, %3 : i64, i32
}

// The logarithm of x * 2^exponent, x in [1, 2): see `aiec_rt_log_q62`.
func.func @aiec_rt_log_norm(%x: i64, %exponent: i32, %scale: i64, %unit: i64) -> i32 {
  %dx6000000000000000 = arith.constant 0x6000000000000000 : i64
  %dc1 = arith.constant 1 : i64
  %c1 = arith.constant 1 : i32
  %much = arith.cmpi uge, %x, %dx6000000000000000 : i64
  %0 = arith.shrui %x, %dc1 : i64
  %near = arith.select %much, %0, %x : i64
  %1 = arith.addi %exponent, %c1 : i32
  %k = arith.select %much, %1, %exponent : i32
  %y = func.call @aiec_rt_log_q62(%near, %k, %scale, %unit) : (i64, i32, i64, i64) -> i32
  return %y : i32
}

// The logarithm of x * 2^exponent, x a fraction of 62 bits greater than 0.
func.func @aiec_rt_log_any(%x: i64, %exponent: i32, %scale: i64, %unit: i64) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = func.call @aiec_rt_clz_i64(%x) : (i64) -> i32
  %up = arith.subi %0, %c1 : i32
  %m = func.call @aiec_rt_shl_by(%x, %up) : (i64, i32) -> i64
  %1 = arith.subi %exponent, %up : i32
  %y = func.call @aiec_rt_log_norm(%m, %1, %scale, %unit) : (i64, i32, i64, i64) -> i32
  return %y : i32
}

// ln(1 + x): of a half of 1 + x, exact from 2^-26 on; below that it is x.
func.func @aiec_rt_math_f32_log1p(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x32800000 = arith.constant 0x32800000 : i32
  %x7F7FFFFF = arith.constant 0x7F7FFFFF : i32
  %xBF800000 = arith.constant 0xBF800000 : i32
  %xFF800000 = arith.constant 0xFF800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %c62 = arith.constant 62 : i32
  %dc1 = arith.constant 1 : i64
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %dx2C5C85FDF473DE6B = arith.constant 0x2C5C85FDF473DE6B : i64
  %a = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.cmpi ult, %a, %x32800000 : i32
  %y_4 = scf.if %0 -> (i32) {
    scf.yield %x : i32
  } else {
    %1 = arith.cmpi sgt, %x, %x7F7FFFFF : i32
    %2 = arith.cmpi uge, %x, %xBF800000 : i32
    %special = arith.ori %1, %2 : i1
    %y_3 = scf.if %special -> (i32) {
      %3 = arith.cmpi eq, %x, %xBF800000 : i32
      %nan = arith.select %3, %xFF800000, %x7FC00000 : i32
      %4 = arith.cmpi eq, %x, %x7F800000 : i32
      %y = arith.select %4, %x7F800000, %nan : i32
      scf.yield %y : i32
    } else {
      %5 = arith.cmpi ult, %a, %x3F800000 : i32
      %either:2 = scf.if %5 -> (i64, i32) {
        %fixed = func.call @aiec_rt_fixed_f32(%x, %c62) : (i32, i32) -> i64
        %6 = arith.shrsi %fixed, %dc1 : i64
        %half = arith.addi %6, %dx2000000000000000 : i64
        scf.yield %half, %c0 : i64, i32
      } else {
        %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
        %one = func.call @aiec_rt_shru_most(%dx2000000000000000, %parts#1) : (i64, i32) -> i64
        %7 = arith.shrui %parts#0, %dc1 : i64
        %half_2 = arith.addi %7, %one : i64
        scf.yield %half_2, %parts#1 : i64, i32
      }
      %8 = arith.addi %either#1, %c1 : i32
      %y_2 = func.call @aiec_rt_log_any(%either#0, %8, %dx2000000000000000, %dx2C5C85FDF473DE6B) : (i64, i32, i64, i64) -> i32
      scf.yield %y_2 : i32
    }
    scf.yield %y_3 : i32
  }
  return %y_4 : i32
}

// Up to 0.2 the area hyperbolic tangent of x / sqrt(x^2 + 1), else ln(x + sqrt(x^2 + 1)), of a quarter of that.
func.func @aiec_rt_math_f32_asinh(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %x3E4CCCCC = arith.constant 0x3E4CCCCC : i32
  %c62 = arith.constant 62 : i32
  %dc2 = arith.constant 2 : i64
  %dx1000000000000000 = arith.constant 0x1000000000000000 : i64
  %dc1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %dx400000000000000 = arith.constant 0x0400000000000000 : i64
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %dx2C5C85FDF473DE6B = arith.constant 0x2C5C85FDF473DE6B : i64
  %a = arith.andi %x, %x7FFFFFFF : i32
  %sign = arith.andi %x, %x80000000 : i32
  %0 = arith.cmpi uge, %a, %x7F800000 : i32
  %y_5 = scf.if %0 -> (i32) {
    %1 = arith.cmpi ugt, %a, %x7F800000 : i32
    %y = arith.select %1, %x7FC00000, %x : i32
    scf.yield %y : i32
  } else {
    %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
    %2 = arith.cmpi ult, %a, %x3E4CCCCC : i32
    %y_4 = scf.if %2 -> (i32) {
      %fixed = func.call @aiec_rt_fixed_f32(%a, %c62) : (i32, i32) -> i64
      %square = func.call @aiec_rt_mul_q62(%fixed, %fixed) : (i64, i64) -> i64
      %3 = arith.shrui %square, %dc2 : i64
      %4 = arith.addi %3, %dx1000000000000000 : i64
      %half_root = func.call @aiec_rt_sqrt_q62(%4) : (i64) -> i64
      %5 = arith.shrui %parts#0, %dc1 : i64
      %t = func.call @aiec_rt_div_q62(%5, %half_root) : (i64, i64) -> i64
      %6 = arith.subi %c0, %parts#1 : i32
      %s = func.call @aiec_rt_shru_most(%t, %6) : (i64, i32) -> i64
      %series = func.call @aiec_rt_atanh_q62(%s) : (i64) -> i64
      %product = func.call @aiec_rt_mul_q62(%t, %series) : (i64, i64) -> i64
      %y_2 = func.call @aiec_rt_pack_q62(%sign, %parts#1, %product) : (i32, i32, i64) -> i32
      scf.yield %y_2 : i32
    } else {
      %small = arith.cmpi slt, %parts#1, %c0 : i32
      %7 = arith.subi %c0, %parts#1 : i32
      %8 = arith.select %small, %7, %c0 : i32
      %fixed_2 = func.call @aiec_rt_shru_by(%parts#0, %8) : (i64, i32) -> i64
      %up = arith.select %small, %c0, %parts#1 : i32
      %9 = arith.shrui %fixed_2, %dc2 : i64
      %square_2 = func.call @aiec_rt_mul_q62(%fixed_2, %9) : (i64, i64) -> i64
      %10 = arith.shli %up, %c1 : i32
      %one = func.call @aiec_rt_shru_most(%dx400000000000000, %10) : (i64, i32) -> i64
      %11 = arith.shrui %square_2, %dc2 : i64
      %12 = arith.addi %11, %one : i64
      %root = func.call @aiec_rt_sqrt_q62(%12) : (i64) -> i64
      %13 = arith.shrui %fixed_2, %dc2 : i64
      %14 = arith.addi %13, %root : i64
      %15 = arith.addi %up, %c2 : i32
      %log = func.call @aiec_rt_log_any(%14, %15, %dx2000000000000000, %dx2C5C85FDF473DE6B) : (i64, i32, i64, i64) -> i32
      %y_3 = arith.ori %log, %sign : i32
      scf.yield %y_3 : i32
    }
    scf.yield %y_4 : i32
  }
  return %y_5 : i32
}

// ln(x + sqrt((x - 1) * (x + 1))), of a quarter of that.
func.func @aiec_rt_math_f32_acosh(%x: i32) -> i32 {
  %x3F800000 = arith.constant 0x3F800000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c0 = arith.constant 0 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %dc3 = arith.constant 3 : i64
  %c2 = arith.constant 2 : i32
  %dc2 = arith.constant 2 : i64
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %dx2C5C85FDF473DE6B = arith.constant 0x2C5C85FDF473DE6B : i64
  %0 = arith.cmpi sle, %x, %x3F800000 : i32
  %1 = arith.cmpi sge, %x, %x7F800000 : i32
  %2 = arith.ori %0, %1 : i1
  %y_3 = scf.if %2 -> (i32) {
    %3 = arith.cmpi eq, %x, %x3F800000 : i32
    %zero = arith.select %3, %c0, %x7FC00000 : i32
    %4 = arith.cmpi eq, %x, %x7F800000 : i32
    %y = arith.select %4, %x, %zero : i32
    scf.yield %y : i32
  } else {
    %parts:2 = func.call @aiec_rt_norm_f32(%x) : (i32) -> (i64, i32)
    %one = func.call @aiec_rt_shru_most(%dx4000000000000000, %parts#1) : (i64, i32) -> i64
    %5 = arith.subi %parts#0, %one : i64
    %6 = arith.addi %parts#0, %one : i64
    %7 = arith.shrui %6, %dc3 : i64
    %parts_2:2 = func.call @aiec_rt_sqrt_product(%5, %7) : (i64, i64) -> (i64, i32)
    %8 = arith.subi %c2, %parts_2#1 : i32
    %quarter = func.call @aiec_rt_shru_most(%parts_2#0, %8) : (i64, i32) -> i64
    %9 = arith.shrui %parts#0, %dc2 : i64
    %10 = arith.addi %9, %quarter : i64
    %11 = arith.addi %parts#1, %c2 : i32
    %y_2 = func.call @aiec_rt_log_any(%10, %11, %dx2000000000000000, %dx2C5C85FDF473DE6B) : (i64, i32, i64, i64) -> i32
    scf.yield %y_2 : i32
  }
  return %y_3 : i32
}

// Up to 0.2 a series of x, else half of ln((1 + x) / (1 - x)).
func.func @aiec_rt_math_f32_atanh(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c62 = arith.constant 62 : i32
  %x3E4CCCCC = arith.constant 0x3E4CCCCC : i32
  %dc1 = arith.constant 1 : i64
  %c1 = arith.constant 1 : i32
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %dx1000000000000000 = arith.constant 0x1000000000000000 : i64
  %dx162E42FEFA39EF36 = arith.constant 0x162E42FEFA39EF36 : i64
  %a = arith.andi %x, %x7FFFFFFF : i32
  %sign = arith.andi %x, %x80000000 : i32
  %0 = arith.cmpi uge, %a, %x3F800000 : i32
  %y_5 = scf.if %0 -> (i32) {
    %1 = arith.cmpi eq, %a, %x3F800000 : i32
    %2 = arith.ori %sign, %x7F800000 : i32
    %y = arith.select %1, %2, %x7FC00000 : i32
    scf.yield %y : i32
  } else {
    %fixed = func.call @aiec_rt_fixed_f32(%a, %c62) : (i32, i32) -> i64
    %3 = arith.cmpi ult, %a, %x3E4CCCCC : i32
    %y_4 = scf.if %3 -> (i32) {
      %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
      %series = func.call @aiec_rt_atanh_q62(%fixed) : (i64) -> i64
      %4 = arith.shrui %parts#0, %dc1 : i64
      %product = func.call @aiec_rt_mul_q62(%4, %series) : (i64, i64) -> i64
      %5 = arith.addi %parts#1, %c1 : i32
      %y_2 = func.call @aiec_rt_pack_q62(%sign, %5, %product) : (i32, i32, i64) -> i32
      scf.yield %y_2 : i32
    } else {
      %less = arith.subi %dx4000000000000000, %fixed : i64
      %6 = func.call @aiec_rt_clz_i64(%less) : (i64) -> i32
      %up = arith.subi %6, %c1 : i32
      %d = func.call @aiec_rt_shl_by(%less, %up) : (i64, i32) -> i64
      %7 = arith.addi %fixed, %dx4000000000000000 : i64
      %q = func.call @aiec_rt_div_q62(%7, %d) : (i64, i64) -> i64
      %log = func.call @aiec_rt_log_any(%q, %up, %dx1000000000000000, %dx162E42FEFA39EF36) : (i64, i32, i64, i64) -> i32
      %y_3 = arith.ori %log, %sign : i32
      scf.yield %y_3 : i32
    }
    scf.yield %y_4 : i32
  }
  return %y_5 : i32
}

// (e^a + e^-a) / 2 of a positive number, or half of the difference, if `sign` has all bits set.
func.func @aiec_rt_hyperbolic_f32(%a: i32, %sign: i64) -> i32 {
  %x43160000 = arith.constant 0x43160000 : i32
  %c54 = arith.constant 54 : i32
  %dc0 = arith.constant 0 : i64
  %dc1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %0 = arith.cmpi ult, %a, %x43160000 : i32
  %most = arith.select %0, %a, %x43160000 : i32
  %fixed = func.call @aiec_rt_fixed_f32(%most, %c54) : (i32, i32) -> i64
  %parts:2 = func.call @aiec_rt_exp_parts(%fixed) : (i64) -> (i64, i32)
  %1 = arith.subi %dc0, %fixed : i64
  %parts_2:2 = func.call @aiec_rt_exp_parts(%1) : (i64) -> (i64, i32)
  %2 = arith.shrui %parts_2#0, %dc1 : i64
  %3 = arith.subi %parts#1, %parts_2#1 : i32
  %other = func.call @aiec_rt_shru_most(%2, %3) : (i64, i32) -> i64
  %4 = arith.shrui %parts#0, %dc1 : i64
  %5 = arith.xori %other, %sign : i64
  %6 = arith.addi %4, %5 : i64
  %7 = arith.subi %6, %sign : i64
  %y = func.call @aiec_rt_pack_q62(%c0, %parts#1, %7) : (i32, i32, i64) -> i32
  return %y : i32
}

// The hyperbolic sine: up to 0.25 x times the mean of (e^x - 1) / x and (e^-x - 1) / -x.
func.func @aiec_rt_math_f32_sinh(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x3E800000 = arith.constant 0x3E800000 : i32
  %c62 = arith.constant 62 : i32
  %dc0 = arith.constant 0 : i64
  %dc1 = arith.constant 1 : i64
  %c1 = arith.constant 1 : i32
  %dm1 = arith.constant -1 : i64
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %sign = arith.andi %x, %x80000000 : i32
  %0 = arith.cmpi ult, %a, %x3E800000 : i32
  %y_3 = scf.if %0 -> (i32) {
    %fixed = func.call @aiec_rt_fixed_f32(%a, %c62) : (i32, i32) -> i64
    %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
    %up = func.call @aiec_rt_expm1_q62(%fixed) : (i64) -> i64
    %1 = arith.subi %dc0, %fixed : i64
    %down = func.call @aiec_rt_expm1_q62(%1) : (i64) -> i64
    %2 = arith.shrui %parts#0, %dc1 : i64
    %3 = arith.addi %up, %down : i64
    %4 = arith.shrui %3, %dc1 : i64
    %product = func.call @aiec_rt_mul_q62(%2, %4) : (i64, i64) -> i64
    %5 = arith.addi %parts#1, %c1 : i32
    %y = func.call @aiec_rt_pack_q62(%sign, %5, %product) : (i32, i32, i64) -> i32
    scf.yield %y : i32
  } else {
    %far = func.call @aiec_rt_hyperbolic_f32(%a, %dm1) : (i32, i64) -> i32
    %6 = arith.cmpi ugt, %a, %x7F800000 : i32
    %7 = arith.ori %far, %sign : i32
    %y_2 = arith.select %6, %x7FC00000, %7 : i32
    scf.yield %y_2 : i32
  }
  return %y_3 : i32
}

// The hyperbolic cosine.
func.func @aiec_rt_math_f32_cosh(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %dc0 = arith.constant 0 : i64
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %far = func.call @aiec_rt_hyperbolic_f32(%a, %dc0) : (i32, i64) -> i32
  %0 = arith.cmpi ugt, %a, %x7F800000 : i32
  %y = arith.select %0, %x7FC00000, %far : i32
  return %y : i32
}

// The cube root. z is the reciprocal of that of x's fraction m, by Newton's method for m * z^3 = 1, which begins at the line that is nearest to it;
// the root of m is m * z^2.
func.func @aiec_rt_math_f32_cbrt(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c150 = arith.constant 150 : i32
  %c171 = arith.constant 171 : i32
  %c9 = arith.constant 9 : i32
  %c3 = arith.constant 3 : i32
  %dxD3402B5852386FB = arith.constant 0x0D3402B5852386FB : i64
  %dx4C71FDE4C349E41F = arith.constant 0x4C71FDE4C349E41F : i64
  %ic0 = arith.constant 0 : index
  %ic4 = arith.constant 4 : index
  %ic1 = arith.constant 1 : index
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %dx1555555555555555 = arith.constant 0x1555555555555555 : i64
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %c1 = arith.constant 1 : i32
  %dx285145F31AE515C4 = arith.constant 0x285145F31AE515C4 : i64
  %dx32CBFD4A7ADC7905 = arith.constant 0x32CBFD4A7ADC7905 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %c49 = arith.constant 49 : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.cmpi eq, %a, %c0 : i32
  %1 = arith.cmpi uge, %a, %x7F800000 : i32
  %2 = arith.ori %0, %1 : i1
  %y_3 = scf.if %2 -> (i32) {
    %3 = arith.cmpi ugt, %a, %x7F800000 : i32
    %y = arith.select %3, %x7FC00000, %x : i32
    scf.yield %y : i32
  } else {
    %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
    %4 = arith.addi %parts#1, %c150 : i32
    %5 = arith.muli %4, %c171 : i32
    %third = arith.shrui %5, %c9 : i32
    %6 = arith.addi %parts#1, %c150 : i32
    %7 = arith.muli %third, %c3 : i32
    %rest = arith.subi %6, %7 : i32
    %line = func.call @aiec_rt_mul_q62(%parts#0, %dxD3402B5852386FB) : (i64, i64) -> i64
    %z = arith.subi %dx4C71FDE4C349E41F, %line : i64
    %loop:1 = scf.for %i = %ic0 to %ic4 step %ic1 iter_args(%z_2 = %z) -> (i64) {
      %square = func.call @aiec_rt_mul_q62(%z_2, %z_2) : (i64, i64) -> i64
      %cube = func.call @aiec_rt_mul_q62(%square, %z_2) : (i64, i64) -> i64
      %one = func.call @aiec_rt_mul_q62(%cube, %parts#0) : (i64, i64) -> i64
      %8 = arith.subi %dx4000000000000000, %one : i64
      %step = func.call @aiec_rt_mul_q62(%z_2, %8) : (i64, i64) -> i64
      %part = func.call @aiec_rt_mul_q62(%step, %dx1555555555555555) : (i64, i64) -> i64
      %z_3 = arith.addi %z_2, %part : i64
      scf.yield %z_3 : i64
    }
    %last = func.call @aiec_rt_mul_q62(%loop#0, %loop#0) : (i64, i64) -> i64
    %root = func.call @aiec_rt_mul_q62(%last, %parts#0) : (i64, i64) -> i64
    %9 = arith.cmpi eq, %rest, %c0 : i32
    %10 = arith.cmpi eq, %rest, %c1 : i32
    %11 = arith.select %10, %dx285145F31AE515C4, %dx32CBFD4A7ADC7905 : i64
    %half = arith.select %9, %dx2000000000000000, %11 : i64
    %product = func.call @aiec_rt_mul_q62(%root, %half) : (i64, i64) -> i64
    %12 = arith.andi %x, %x80000000 : i32
    %13 = arith.subi %third, %c49 : i32
    %y_2 = func.call @aiec_rt_pack_q62(%12, %13, %product) : (i32, i32, i64) -> i32
    scf.yield %y_2 : i32
  }
  return %y_3 : i32
}

// The binary logarithm of x * 2^exponent, x in [1, 2): a signed fraction of 62 bits and its exponent, for powers.
func.func @aiec_rt_log2_parts(%x: i64, %exponent: i32) -> (i64, i32) {
  %dx6000000000000000 = arith.constant 0x6000000000000000 : i64
  %dc1 = arith.constant 1 : i64
  %c1 = arith.constant 1 : i32
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %dc0 = arith.constant 0 : i64
  %c63 = arith.constant 63 : i32
  %dx5C551D94AE0BF85E = arith.constant 0x5C551D94AE0BF85E : i64
  %c0 = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %c62 = arith.constant 62 : i32
  %much = arith.cmpi uge, %x, %dx6000000000000000 : i64
  %0 = arith.shrui %x, %dc1 : i64
  %near = arith.select %much, %0, %x : i64
  %1 = arith.addi %exponent, %c1 : i32
  %k = arith.select %much, %1, %exponent : i32
  %distance = arith.subi %near, %dx4000000000000000 : i64
  %less = arith.cmpi slt, %distance, %dc0 : i64
  %2 = arith.subi %dc0, %distance : i64
  %size = arith.select %less, %2, %distance : i64
  %3 = func.call @aiec_rt_clz_i64(%size) : (i64) -> i32
  %4 = arith.subi %3, %c1 : i32
  %up = arith.andi %4, %c63 : i32
  %n = func.call @aiec_rt_shl_by(%size, %up) : (i64, i32) -> i64
  %5 = arith.shrui %n, %dc1 : i64
  %6 = arith.addi %near, %dx4000000000000000 : i64
  %7 = arith.shrui %6, %dc1 : i64
  %q = func.call @aiec_rt_div_q62(%5, %7) : (i64, i64) -> i64
  %s = func.call @aiec_rt_shru_by(%q, %up) : (i64, i32) -> i64
  %series = func.call @aiec_rt_atanh_q62(%s) : (i64) -> i64
  %scaled = func.call @aiec_rt_mul_q62(%series, %dx5C551D94AE0BF85E) : (i64, i64) -> i64
  %8 = arith.cmpi eq, %k, %c0 : i32
  %either:3 = scf.if %8 -> (i64, i32, i64) {
    %f = func.call @aiec_rt_mul_q62(%q, %scaled) : (i64, i64) -> i64
    %i = arith.subi %c1, %up : i32
    scf.yield %f, %i, %dc0 : i64, i32, i64
  } else {
    %9 = arith.cmpi slt, %k, %c0 : i32
    %10 = arith.subi %c0, %k : i32
    %11 = arith.select %9, %10, %k : i32
    %12 = math.ctlz %11 : i32
    %i_2 = arith.subi %c31, %12 : i32
    %part = func.call @aiec_rt_mul_q62(%s, %scaled) : (i64, i64) -> i64
    %13 = arith.shli %part, %dc1 : i64
    %f_2 = func.call @aiec_rt_shru_by(%13, %i_2) : (i64, i32) -> i64
    %14 = arith.extsi %k : i32 to i64
    %15 = arith.subi %c62, %i_2 : i32
    %whole = func.call @aiec_rt_shl_by(%14, %15) : (i64, i32) -> i64
    scf.yield %f_2, %i_2, %whole : i64, i32, i64
  }
  %16 = arith.subi %either#2, %either#0 : i64
  %17 = arith.addi %either#2, %either#0 : i64
  %18 = arith.select %less, %16, %17 : i64
  return %18, %either#1 : i64, i32
}

// A positive number, zero or infinity to the power of y * 2^exponent, y in [1, 2), or the reciprocal of that if `inverse` isn't 0; with a sign.
// The result is rounded to 52 bits first, or to 54 bits if it is near 1, where it is known better: so a power that is in the middle of two f32
// is rounded to even.
func.func @aiec_rt_power_f32(%a: i32, %sign: i32, %y: i64, %exponent: i32, %inverse: i32) -> i32 {
  %x3F800000 = arith.constant 0x3F800000 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %dc1 = arith.constant 1 : i64
  %dc0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c8 = arith.constant 8 : i32
  %dc128 = arith.constant 128 : i64
  %dm256 = arith.constant -256 : i64
  %dc512 = arith.constant 512 : i64
  %dm1024 = arith.constant -1024 : i64
  %0 = arith.cmpi eq, %a, %x3F800000 : i32
  %z_7 = scf.if %0 -> (i32) {
    %z = arith.ori %sign, %a : i32
    scf.yield %z : i32
  } else {
    %1 = arith.cmpi eq, %a, %c0 : i32
    %2 = arith.cmpi eq, %a, %x7F800000 : i32
    %3 = arith.ori %1, %2 : i1
    %z_6 = scf.if %3 -> (i32) {
      %4 = arith.cmpi eq, %a, %c0 : i32
      %5 = arith.cmpi eq, %inverse, %c0 : i32
      %6 = arith.xori %4, %5 : i1
      %7 = arith.ori %sign, %x7F800000 : i32
      %z_2 = arith.select %6, %7, %sign : i32
      scf.yield %z_2 : i32
    } else {
      %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
      %parts_2:2 = func.call @aiec_rt_log2_parts(%parts#0, %parts#1) : (i64, i32) -> (i64, i32)
      %8 = arith.shrui %y, %dc1 : i64
      %product = func.call @aiec_rt_mul_q62(%parts_2#0, %8) : (i64, i64) -> i64
      %less = arith.cmpi slt, %product, %dc0 : i64
      %9 = arith.subi %dc0, %product : i64
      %size = arith.select %less, %9, %product : i64
      %10 = func.call @aiec_rt_clz_i64(%size) : (i64) -> i32
      %11 = arith.subi %10, %c1 : i32
      %up = arith.andi %11, %c63 : i32
      %n = func.call @aiec_rt_shl_by(%size, %up) : (i64, i32) -> i64
      %12 = arith.addi %exponent, %parts_2#1 : i32
      %13 = arith.addi %12, %c1 : i32
      %e = arith.subi %13, %up : i32
      %14 = arith.cmpi ne, %inverse, %c0 : i32
      %negative = arith.xori %less, %14 : i1
      %15 = arith.cmpi sge, %e, %c8 : i32
      %z_5 = scf.if %15 -> (i32) {
        %16 = arith.ori %sign, %x7F800000 : i32
        %z_3 = arith.select %negative, %sign, %16 : i32
        scf.yield %z_3 : i32
      } else {
        %17 = arith.subi %c8, %e : i32
        %fixed = func.call @aiec_rt_shru_most(%n, %17) : (i64, i32) -> i64
        %18 = arith.subi %dc0, %fixed : i64
        %19 = arith.select %negative, %18, %fixed : i64
        %parts_3:2 = func.call @aiec_rt_exp2_parts(%19) : (i64) -> (i64, i32)
        %beside = arith.cmpi eq, %parts_3#1, %c0 : i32
        %20 = arith.addi %parts_3#0, %dc128 : i64
        %21 = arith.andi %20, %dm256 : i64
        %22 = arith.addi %parts_3#0, %dc512 : i64
        %23 = arith.andi %22, %dm1024 : i64
        %rounded = arith.select %beside, %21, %23 : i64
        %z_4 = func.call @aiec_rt_pack_q62(%sign, %parts_3#1, %rounded) : (i32, i32, i64) -> i32
        scf.yield %z_4 : i32
      }
      scf.yield %z_5 : i32
    }
    scf.yield %z_6 : i32
  }
  return %z_7 : i32
}

// x to the power of y. The power of a negative number is a NaN unless y is a whole number, whose last bit gives the sign.
func.func @aiec_rt_math2_f32_powf(%x: i32, %y: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c0 = arith.constant 0 : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c150 = arith.constant 150 : i32
  %c23 = arith.constant 23 : i32
  %c31 = arith.constant 31 : i32
  %c1 = arith.constant 1 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %b = arith.andi %y, %x7FFFFFFF : i32
  %0 = arith.cmpi eq, %b, %c0 : i32
  %1 = arith.cmpi eq, %x, %x3F800000 : i32
  %2 = arith.ori %0, %1 : i1
  %z_3 = scf.if %2 -> (i32) {
    scf.yield %x3F800000 : i32
  } else {
    %parts:2 = func.call @aiec_rt_norm_f32(%b) : (i32) -> (i64, i32)
    %3 = arith.andi %b, %x7FFFFF : i32
    %bits = arith.ori %3, %x800000 : i32
    %4 = arith.shrui %b, %c23 : i32
    %point = arith.subi %c150, %4 : i32
    %5 = arith.cmpi slt, %point, %c0 : i32
    %6 = arith.cmpi ult, %point, %c31 : i32
    %7 = arith.select %6, %point, %c31 : i32
    %cut = arith.select %5, %c0, %7 : i32
    %units = arith.shrui %bits, %cut : i32
    %8 = arith.shli %units, %cut : i32
    %broken = arith.cmpi ne, %8, %bits : i32
    %9 = arith.cmpi slt, %point, %c0 : i32
    %10 = arith.ori %broken, %9 : i1
    %11 = arith.andi %units, %c1 : i32
    %odd = arith.select %10, %c0, %11 : i32
    %negative = arith.cmpi slt, %x, %c0 : i32
    %12 = arith.cmpi ugt, %a, %b : i32
    %wrong = arith.select %12, %a, %b : i32
    %13 = arith.cmpi ne, %a, %c0 : i32
    %14 = arith.cmpi ne, %a, %x7F800000 : i32
    %neither = arith.andi %13, %14 : i1
    %15 = arith.cmpi ugt, %wrong, %x7F800000 : i32
    %16 = arith.andi %negative, %broken : i1
    %17 = arith.andi %16, %neither : i1
    %18 = arith.ori %15, %17 : i1
    %z_2 = scf.if %18 -> (i32) {
      scf.yield %x7FC00000 : i32
    } else {
      %19 = arith.shli %odd, %c31 : i32
      %20 = arith.andi %x, %19 : i32
      %21 = arith.shrui %y, %c31 : i32
      %z = func.call @aiec_rt_power_f32(%a, %20, %parts#0, %parts#1, %21) : (i32, i32, i64, i32, i32) -> i32
      scf.yield %z : i32
    }
    scf.yield %z_2 : i32
  }
  return %z_3 : i32
}

// x to the power of a whole number.
func.func @aiec_rt_math2_f32_fpowi(%x: i32, %n: i64) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %dc0 = arith.constant 0 : i64
  %x3F800000 = arith.constant 0x3F800000 : i32
  %c31 = arith.constant 31 : i32
  %dc1 = arith.constant 1 : i64
  %c63 = arith.constant 63 : i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.cmpi eq, %n, %dc0 : i64
  %z_2 = scf.if %0 -> (i32) {
    scf.yield %x3F800000 : i32
  } else {
    %less = arith.cmpi slt, %n, %dc0 : i64
    %1 = arith.subi %dc0, %n : i64
    %size = arith.select %less, %1, %n : i64
    %up = func.call @aiec_rt_clz_i64(%size) : (i64) -> i32
    %fraction = func.call @aiec_rt_shl_by(%size, %up) : (i64, i32) -> i64
    %2 = arith.trunci %n : i64 to i32
    %odd = arith.shli %2, %c31 : i32
    %3 = arith.andi %x, %odd : i32
    %4 = arith.shrui %fraction, %dc1 : i64
    %5 = arith.subi %c63, %up : i32
    %6 = arith.select %less, %c1, %c0 : i32
    %power = func.call @aiec_rt_power_f32(%a, %3, %4, %5, %6) : (i32, i32, i64, i32, i32) -> i32
    %7 = arith.cmpi ugt, %a, %x7F800000 : i32
    %z = arith.select %7, %x7FC00000, %power : i32
    scf.yield %z : i32
  }
  return %z_2 : i32
}

// erf(x) / x, of |x| up to 1: a polynomial of x^2, which interpolates at the Chebyshev nodes and is wrong by 2^-62.
func.func @aiec_rt_erf_near(%x: i32) -> i64 {
  %c62 = arith.constant 62 : i32
  %dx105FFD73 = arith.constant 0x00000000105FFD73 : i64
  %dxFFFFFFFEC762B0DA = arith.constant 0xFFFFFFFEC762B0DA : i64
  %dxFBDA5F9D9 = arith.constant 0x0000000FBDA5F9D9 : i64
  %dxFFFFFF50709A487C = arith.constant 0xFFFFFF50709A487C : i64
  %dx6E77C893293 = arith.constant 0x000006E77C893293 : i64
  %dxFFFFC165C39CF811 = arith.constant 0xFFFFC165C39CF811 : i64
  %dx1F9A321D5B8E2 = arith.constant 0x0001F9A321D5B8E2 : i64
  %dxFFF1FE926129DE51 = arith.constant 0xFFF1FE926129DE51 : i64
  %dx5596F3436EA8E0 = arith.constant 0x005596F3436EA8E0 : i64
  %dxFE47D31CED7B1FFC = arith.constant 0xFE47D31CED7B1FFC : i64
  %dx738BC86810ACBEB = arith.constant 0x0738BC86810ACBEB : i64
  %dxE7ED8B94FC861A09 = arith.constant 0xE7ED8B94FC861A09 : i64
  %dx48375D410A6DB446 = arith.constant 0x48375D410A6DB446 : i64
  %fixed = func.call @aiec_rt_fixed_f32(%x, %c62) : (i32, i32) -> i64
  %u = func.call @aiec_rt_mul_q62(%fixed, %fixed) : (i64, i64) -> i64
  %0 = func.call @aiec_rt_mul_q62(%u, %dx105FFD73) : (i64, i64) -> i64
  %p = arith.addi %0, %dxFFFFFFFEC762B0DA : i64
  %1 = func.call @aiec_rt_mul_q62(%u, %p) : (i64, i64) -> i64
  %p_2 = arith.addi %1, %dxFBDA5F9D9 : i64
  %2 = func.call @aiec_rt_mul_q62(%u, %p_2) : (i64, i64) -> i64
  %p_3 = arith.addi %2, %dxFFFFFF50709A487C : i64
  %3 = func.call @aiec_rt_mul_q62(%u, %p_3) : (i64, i64) -> i64
  %p_4 = arith.addi %3, %dx6E77C893293 : i64
  %4 = func.call @aiec_rt_mul_q62(%u, %p_4) : (i64, i64) -> i64
  %p_5 = arith.addi %4, %dxFFFFC165C39CF811 : i64
  %5 = func.call @aiec_rt_mul_q62(%u, %p_5) : (i64, i64) -> i64
  %p_6 = arith.addi %5, %dx1F9A321D5B8E2 : i64
  %6 = func.call @aiec_rt_mul_q62(%u, %p_6) : (i64, i64) -> i64
  %p_7 = arith.addi %6, %dxFFF1FE926129DE51 : i64
  %7 = func.call @aiec_rt_mul_q62(%u, %p_7) : (i64, i64) -> i64
  %p_8 = arith.addi %7, %dx5596F3436EA8E0 : i64
  %8 = func.call @aiec_rt_mul_q62(%u, %p_8) : (i64, i64) -> i64
  %p_9 = arith.addi %8, %dxFE47D31CED7B1FFC : i64
  %9 = func.call @aiec_rt_mul_q62(%u, %p_9) : (i64, i64) -> i64
  %p_10 = arith.addi %9, %dx738BC86810ACBEB : i64
  %10 = func.call @aiec_rt_mul_q62(%u, %p_10) : (i64, i64) -> i64
  %p_11 = arith.addi %10, %dxE7ED8B94FC861A09 : i64
  %11 = func.call @aiec_rt_mul_q62(%u, %p_11) : (i64, i64) -> i64
  %p_12 = arith.addi %11, %dx48375D410A6DB446 : i64
  return %p_12 : i64
}

// erfc(a), of a from 1 to 10.5: a fraction of 62 bits and an exponent. It is e^(-a^2) times a polynomial of t = (a - 2.5) / (a + 2.5),
// which interpolates at the Chebyshev nodes and is wrong by 2^-61.
func.func @aiec_rt_erfc_far(%a: i32) -> (i64, i32) {
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %dc0 = arith.constant 0 : i64
  %c4 = arith.constant 4 : i32
  %dxA00000000000000 = arith.constant 0x0A00000000000000 : i64
  %dxFFFFFFA12AD59977 = arith.constant 0xFFFFFFA12AD59977 : i64
  %dx4C85483BB7 = arith.constant 0x0000004C85483BB7 : i64
  %dx1BAEF5D9DD5 = arith.constant 0x000001BAEF5D9DD5 : i64
  %dx5130892D2E = arith.constant 0x0000005130892D2E : i64
  %dxFFFFF8599ADEAE58 = arith.constant 0xFFFFF8599ADEAE58 : i64
  %dxFFFFF65D6D14CAFA = arith.constant 0xFFFFF65D6D14CAFA : i64
  %dx1FB190453F96 = arith.constant 0x00001FB190453F96 : i64
  %dx4E12E7F39042 = arith.constant 0x00004E12E7F39042 : i64
  %dxFFFF70A0B44D64E9 = arith.constant 0xFFFF70A0B44D64E9 : i64
  %dxFFFDE37337542AC9 = arith.constant 0xFFFDE37337542AC9 : i64
  %dx3BDE5964FE97A = arith.constant 0x0003BDE5964FE97A : i64
  %dxE59DB0D2DBB3F = arith.constant 0x000E59DB0D2DBB3F : i64
  %dxFFD4B51D262CEC6E = arith.constant 0xFFD4B51D262CEC6E : i64
  %dxFFBE913406953DE0 = arith.constant 0xFFBE913406953DE0 : i64
  %dx28E1743ECFD49CA = arith.constant 0x028E1743ECFD49CA : i64
  %dxF7FF755E4749A4B4 = arith.constant 0xF7FF755E4749A4B4 : i64
  %dx101C11A735CD9889 = arith.constant 0x101C11A735CD9889 : i64
  %dxE83577213DE859A9 = arith.constant 0xE83577213DE859A9 : i64
  %dxD7DD9F9DB9A1D66 = arith.constant 0x0D7DD9F9DB9A1D66 : i64
  %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
  %0 = arith.andi %a, %x7FFFFF : i32
  %bits = arith.ori %0, %x800000 : i32
  %product = func.call @aiec_rt_umulw(%bits, %bits) : (i32, i32) -> i64
  %1 = arith.shli %parts#1, %c1 : i32
  %2 = arith.addi %1, %c8 : i32
  %square = func.call @aiec_rt_shl_by(%product, %2) : (i64, i32) -> i64
  %3 = arith.subi %dc0, %square : i64
  %parts_2:2 = func.call @aiec_rt_exp_parts(%3) : (i64) -> (i64, i32)
  %4 = arith.subi %c4, %parts#1 : i32
  %sixteenth = func.call @aiec_rt_shru_by(%parts#0, %4) : (i64, i32) -> i64
  %distance = arith.subi %sixteenth, %dxA00000000000000 : i64
  %less = arith.cmpi slt, %distance, %dc0 : i64
  %5 = arith.subi %dc0, %distance : i64
  %size = arith.select %less, %5, %distance : i64
  %6 = arith.addi %sixteenth, %dxA00000000000000 : i64
  %q = func.call @aiec_rt_div_q62(%size, %6) : (i64, i64) -> i64
  %7 = arith.subi %dc0, %q : i64
  %u = arith.select %less, %7, %q : i64
  %8 = func.call @aiec_rt_mul_q62(%u, %dxFFFFFFA12AD59977) : (i64, i64) -> i64
  %p = arith.addi %8, %dx4C85483BB7 : i64
  %9 = func.call @aiec_rt_mul_q62(%u, %p) : (i64, i64) -> i64
  %p_2 = arith.addi %9, %dx1BAEF5D9DD5 : i64
  %10 = func.call @aiec_rt_mul_q62(%u, %p_2) : (i64, i64) -> i64
  %p_3 = arith.addi %10, %dx5130892D2E : i64
  %11 = func.call @aiec_rt_mul_q62(%u, %p_3) : (i64, i64) -> i64
  %p_4 = arith.addi %11, %dxFFFFF8599ADEAE58 : i64
  %12 = func.call @aiec_rt_mul_q62(%u, %p_4) : (i64, i64) -> i64
  %p_5 = arith.addi %12, %dxFFFFF65D6D14CAFA : i64
  %13 = func.call @aiec_rt_mul_q62(%u, %p_5) : (i64, i64) -> i64
  %p_6 = arith.addi %13, %dx1FB190453F96 : i64
  %14 = func.call @aiec_rt_mul_q62(%u, %p_6) : (i64, i64) -> i64
  %p_7 = arith.addi %14, %dx4E12E7F39042 : i64
  %15 = func.call @aiec_rt_mul_q62(%u, %p_7) : (i64, i64) -> i64
  %p_8 = arith.addi %15, %dxFFFF70A0B44D64E9 : i64
  %16 = func.call @aiec_rt_mul_q62(%u, %p_8) : (i64, i64) -> i64
  %p_9 = arith.addi %16, %dxFFFDE37337542AC9 : i64
  %17 = func.call @aiec_rt_mul_q62(%u, %p_9) : (i64, i64) -> i64
  %p_10 = arith.addi %17, %dx3BDE5964FE97A : i64
  %18 = func.call @aiec_rt_mul_q62(%u, %p_10) : (i64, i64) -> i64
  %p_11 = arith.addi %18, %dxE59DB0D2DBB3F : i64
  %19 = func.call @aiec_rt_mul_q62(%u, %p_11) : (i64, i64) -> i64
  %p_12 = arith.addi %19, %dxFFD4B51D262CEC6E : i64
  %20 = func.call @aiec_rt_mul_q62(%u, %p_12) : (i64, i64) -> i64
  %p_13 = arith.addi %20, %dxFFBE913406953DE0 : i64
  %21 = func.call @aiec_rt_mul_q62(%u, %p_13) : (i64, i64) -> i64
  %p_14 = arith.addi %21, %dx28E1743ECFD49CA : i64
  %22 = func.call @aiec_rt_mul_q62(%u, %p_14) : (i64, i64) -> i64
  %p_15 = arith.addi %22, %dxF7FF755E4749A4B4 : i64
  %23 = func.call @aiec_rt_mul_q62(%u, %p_15) : (i64, i64) -> i64
  %p_16 = arith.addi %23, %dx101C11A735CD9889 : i64
  %24 = func.call @aiec_rt_mul_q62(%u, %p_16) : (i64, i64) -> i64
  %p_17 = arith.addi %24, %dxE83577213DE859A9 : i64
  %25 = func.call @aiec_rt_mul_q62(%u, %p_17) : (i64, i64) -> i64
  %p_18 = arith.addi %25, %dxD7DD9F9DB9A1D66 : i64
  %g = func.call @aiec_rt_mul_q62(%parts_2#0, %p_18) : (i64, i64) -> i64
  return %g, %parts_2#1 : i64, i32
}

// The error function.
func.func @aiec_rt_math_f32_erf(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %dc1 = arith.constant 1 : i64
  %c1 = arith.constant 1 : i32
  %x40800000 = arith.constant 0x40800000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c0 = arith.constant 0 : i32
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %a = arith.andi %x, %x7FFFFFFF : i32
  %sign = arith.andi %x, %x80000000 : i32
  %0 = arith.cmpi ult, %a, %x3F800000 : i32
  %y_5 = scf.if %0 -> (i32) {
    %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
    %p = func.call @aiec_rt_erf_near(%a) : (i32) -> i64
    %1 = arith.shrui %p, %dc1 : i64
    %f = func.call @aiec_rt_mul_q62(%parts#0, %1) : (i64, i64) -> i64
    %2 = arith.addi %parts#1, %c1 : i32
    %y = func.call @aiec_rt_pack_q62(%sign, %2, %f) : (i32, i32, i64) -> i32
    scf.yield %y : i32
  } else {
    %3 = arith.cmpi uge, %a, %x40800000 : i32
    %y_4 = scf.if %3 -> (i32) {
      %4 = arith.cmpi ugt, %a, %x7F800000 : i32
      %5 = arith.ori %sign, %x3F800000 : i32
      %y_2 = arith.select %4, %x7FC00000, %5 : i32
      scf.yield %y_2 : i32
    } else {
      %parts_2:2 = func.call @aiec_rt_erfc_far(%a) : (i32) -> (i64, i32)
      %6 = arith.subi %c0, %parts_2#1 : i32
      %rest = func.call @aiec_rt_shru_most(%parts_2#0, %6) : (i64, i32) -> i64
      %7 = arith.subi %dx4000000000000000, %rest : i64
      %y_3 = func.call @aiec_rt_pack_q62(%sign, %c0, %7) : (i32, i32, i64) -> i32
      scf.yield %y_3 : i32
    }
    scf.yield %y_4 : i32
  }
  return %y_5 : i32
}

// The complementary error function, 1 - erf(x).
func.func @aiec_rt_math_f32_erfc(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %c62 = arith.constant 62 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %dc1 = arith.constant 1 : i64
  %x41280000 = arith.constant 0x41280000 : i32
  %x40000000 = arith.constant 0x40000000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %a = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.cmpi ult, %a, %x3F800000 : i32
  %y_5 = scf.if %0 -> (i32) {
    %fixed = func.call @aiec_rt_fixed_f32(%x, %c62) : (i32, i32) -> i64
    %p = func.call @aiec_rt_erf_near(%a) : (i32) -> i64
    %f = func.call @aiec_rt_mul_q62(%fixed, %p) : (i64, i64) -> i64
    %1 = arith.shrsi %f, %dc1 : i64
    %2 = arith.subi %dx2000000000000000, %1 : i64
    %y = func.call @aiec_rt_pack_q62(%c0, %c1, %2) : (i32, i32, i64) -> i32
    scf.yield %y : i32
  } else {
    %3 = arith.cmpi uge, %a, %x41280000 : i32
    %y_4 = scf.if %3 -> (i32) {
      %4 = arith.cmpi slt, %x, %c0 : i32
      %far = arith.select %4, %x40000000, %c0 : i32
      %5 = arith.cmpi ugt, %a, %x7F800000 : i32
      %y_2 = arith.select %5, %x7FC00000, %far : i32
      scf.yield %y_2 : i32
    } else {
      %parts:2 = func.call @aiec_rt_erfc_far(%a) : (i32) -> (i64, i32)
      %6 = arith.cmpi slt, %x, %c0 : i32
      %either:2 = scf.if %6 -> (i64, i32) {
        %7 = arith.subi %c1, %parts#1 : i32
        %rest = func.call @aiec_rt_shru_most(%parts#0, %7) : (i64, i32) -> i64
        %whole = arith.subi %dx4000000000000000, %rest : i64
        scf.yield %whole, %c1 : i64, i32
      } else {
        scf.yield %parts#0, %parts#1 : i64, i32
      }
      %y_3 = func.call @aiec_rt_pack_q62(%c0, %either#1, %either#0) : (i32, i32, i64) -> i32
      scf.yield %y_3 : i32
    }
    scf.yield %y_4 : i32
  }
  return %y_5 : i32
}
