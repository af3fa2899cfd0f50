// Trigonometric functions of f32 and their inverses, in fixed point of 62 bits as in math.mlir.

// The fraction of |x|, as 62 bits in [1, 2) (0 for 0), and its exponent: 128 for an infinity.
func.func @aiec_rt_norm_f32(%x: i32) -> (i64, i32) {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c1 = arith.constant 1 : i32
  %c127 = arith.constant 127 : i32
  %dc39 = arith.constant 39 : i64
  %a = arith.andi %x, %x7FFFFFFF : i32
  %e = arith.shrui %a, %c23 : i32
  %subnormal = arith.cmpi eq, %e, %c0 : i32
  %0 = math.ctlz %a : i32
  %1 = arith.subi %0, %c8 : i32
  %up = arith.select %subnormal, %1, %c0 : i32
  %2 = arith.shli %a, %up : i32
  %3 = arith.andi %a, %x7FFFFF : i32
  %4 = arith.ori %3, %x800000 : i32
  %bits = arith.select %subnormal, %2, %4 : i32
  %5 = arith.subi %c1, %up : i32
  %6 = arith.select %subnormal, %5, %e : i32
  %exponent = arith.subi %6, %c127 : i32
  %7 = arith.extui %bits : i32 to i64
  %8 = arith.shli %7, %dc39 : i64
  return %8, %exponent : i64, i32
}

// x >> n; 0 where n, which is no negative number, is more than 62.
func.func @aiec_rt_shru_most(%x: i64, %n: i32) -> i64 {
  %c63 = arith.constant 63 : i32
  %0 = arith.cmpi ult, %n, %c63 : i32
  %by = arith.select %0, %n, %c63 : i32
  %moved = func.call @aiec_rt_shru_by(%x, %by) : (i64, i32) -> i64
  return %moved : i64
}

// A word of 2 / pi: 32 bits before the point and 256 bits after it, the most significant word first.
func.func @aiec_rt_two_by_pi(%word: i32) -> i32 {
  %xDEBBC561 = arith.constant 0xDEBBC561 : i32
  %c7 = arith.constant 7 : i32
  %xFE5163AB = arith.constant 0xFE5163AB : i32
  %c6 = arith.constant 6 : i32
  %x3C439041 = arith.constant 0x3C439041 : i32
  %c5 = arith.constant 5 : i32
  %xDB629599 = arith.constant 0xDB629599 : i32
  %c4 = arith.constant 4 : i32
  %xF534DDC0 = arith.constant 0xF534DDC0 : i32
  %c3 = arith.constant 3 : i32
  %xFC2757D1 = arith.constant 0xFC2757D1 : i32
  %c2 = arith.constant 2 : i32
  %x4E441529 = arith.constant 0x4E441529 : i32
  %c1 = arith.constant 1 : i32
  %xA2F9836E = arith.constant 0xA2F9836E : i32
  %c0 = arith.constant 0 : i32
  %0 = arith.cmpi eq, %word, %c7 : i32
  %w = arith.select %0, %xFE5163AB, %xDEBBC561 : i32
  %1 = arith.cmpi eq, %word, %c6 : i32
  %w_2 = arith.select %1, %x3C439041, %w : i32
  %2 = arith.cmpi eq, %word, %c5 : i32
  %w_3 = arith.select %2, %xDB629599, %w_2 : i32
  %3 = arith.cmpi eq, %word, %c4 : i32
  %w_4 = arith.select %3, %xF534DDC0, %w_3 : i32
  %4 = arith.cmpi eq, %word, %c3 : i32
  %w_5 = arith.select %4, %xFC2757D1, %w_4 : i32
  %5 = arith.cmpi eq, %word, %c2 : i32
  %w_6 = arith.select %5, %x4E441529, %w_5 : i32
  %6 = arith.cmpi eq, %word, %c1 : i32
  %w_7 = arith.select %6, %xA2F9836E, %w_6 : i32
  %7 = arith.cmpi eq, %word, %c0 : i32
  %w_8 = arith.select %7, %c0, %w_7 : i32
  return %w_8 : i32
}

// The distance of |x| from the nearest multiple of pi/2: a fraction of 62 bits, less than 2, and its exponent; and that multiple's last two bits,
// with the sign bit set if |x| is less than it. x is finite.
// x is a whole number of 24 bits times 2^e. Bits of 2 / pi whose product with 2^e is a multiple of 4 don't count, so the 128 bits after
// those give 126 bits of the product after the point, of which the first 102 are right. Of all f32, none comes nearer to a multiple than 2^-30 of pi/2.
func.func @aiec_rt_reduce_f32(%x: i32) -> (i64, i32, i32) {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x3F490FDB = arith.constant 0x3F490FDB : i32
  %c0 = arith.constant 0 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c23 = arith.constant 23 : i32
  %c120 = arith.constant 120 : i32
  %c5 = arith.constant 5 : i32
  %c31 = arith.constant 31 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %dc32 = arith.constant 32 : i64
  %dc1 = arith.constant 1 : i64
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %dc62 = arith.constant 62 : i64
  %dc0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i32
  %dx3243F6A8885A308D = arith.constant 0x3243F6A8885A308D : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.cmpi ult, %a, %x3F490FDB : i32
  %either:3 = scf.if %0 -> (i64, i32, i32) {
    %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
    scf.yield %parts#0, %parts#1, %c0 : i64, i32, i32
  } else {
    %1 = arith.andi %a, %x7FFFFF : i32
    %bits = arith.ori %1, %x800000 : i32
    %2 = arith.shrui %a, %c23 : i32
    %skipped = arith.subi %2, %c120 : i32
    %at = arith.shrui %skipped, %c5 : i32
    %by = arith.andi %skipped, %c31 : i32
    %back = arith.subi %c31, %by : i32
    %w0 = func.call @aiec_rt_two_by_pi(%at) : (i32) -> i32
    %3 = arith.addi %at, %c1 : i32
    %w1 = func.call @aiec_rt_two_by_pi(%3) : (i32) -> i32
    %4 = arith.addi %at, %c2 : i32
    %w2 = func.call @aiec_rt_two_by_pi(%4) : (i32) -> i32
    %5 = arith.addi %at, %c3 : i32
    %w3 = func.call @aiec_rt_two_by_pi(%5) : (i32) -> i32
    %6 = arith.addi %at, %c4 : i32
    %w4 = func.call @aiec_rt_two_by_pi(%6) : (i32) -> i32
    %7 = arith.shli %w0, %by : i32
    %8 = arith.shrui %w1, %c1 : i32
    %9 = arith.shrui %8, %back : i32
    %v0 = arith.ori %7, %9 : i32
    %10 = arith.shli %w1, %by : i32
    %11 = arith.shrui %w2, %c1 : i32
    %12 = arith.shrui %11, %back : i32
    %v1 = arith.ori %10, %12 : i32
    %13 = arith.shli %w2, %by : i32
    %14 = arith.shrui %w3, %c1 : i32
    %15 = arith.shrui %14, %back : i32
    %v2 = arith.ori %13, %15 : i32
    %16 = arith.shli %w3, %by : i32
    %17 = arith.shrui %w4, %c1 : i32
    %18 = arith.shrui %17, %back : i32
    %v3 = arith.ori %16, %18 : i32
    %p1 = func.call @aiec_rt_umulw(%bits, %v1) : (i32, i32) -> i64
    %p2 = func.call @aiec_rt_umulw(%bits, %v2) : (i32, i32) -> i64
    %p3 = func.call @aiec_rt_umulw(%bits, %v3) : (i32, i32) -> i64
    %19 = arith.shli %p2, %dc32 : i64
    %low = arith.addi %p3, %19 : i64
    %20 = arith.cmpi ult, %low, %p3 : i64
    %21 = arith.addi %p1, %dc1 : i64
    %carry = arith.select %20, %21, %p1 : i64
    %22 = arith.shrui %p2, %dc32 : i64
    %23 = arith.addi %carry, %22 : i64
    %24 = arith.muli %bits, %v0 : i32
    %25 = arith.extui %24 : i32 to i64
    %26 = arith.shli %25, %dc32 : i64
    %high = arith.addi %23, %26 : i64
    %27 = arith.addi %high, %dx2000000000000000 : i64
    %quarter = arith.shrui %27, %dc62 : i64
    %28 = arith.shli %quarter, %dc62 : i64
    %rest = arith.subi %high, %28 : i64
    %less = arith.cmpi slt, %rest, %dc0 : i64
    %29 = arith.subi %dc0, %rest : i64
    %negated = arith.subi %29, %dc1 : i64
    %30 = arith.cmpi eq, %low, %dc0 : i64
    %31 = arith.addi %negated, %dc1 : i64
    %32 = arith.select %30, %31, %negated : i64
    %rest_high = arith.select %less, %32, %rest : i64
    %33 = arith.subi %dc0, %low : i64
    %rest_low = arith.select %less, %33, %low : i64
    %34 = func.call @aiec_rt_clz_i64(%rest_high) : (i64) -> i32
    %up = arith.subi %34, %c1 : i32
    %upper = func.call @aiec_rt_shl_by(%rest_high, %up) : (i64, i32) -> i64
    %35 = arith.subi %c64, %up : i32
    %lower = func.call @aiec_rt_shru_by(%rest_low, %35) : (i64, i32) -> i64
    %36 = arith.ori %upper, %lower : i64
    %f = func.call @aiec_rt_mul_q62(%36, %dx3243F6A8885A308D) : (i64, i64) -> i64
    %exponent = arith.subi %c1, %up : i32
    %37 = arith.trunci %quarter : i64 to i32
    %38 = arith.select %less, %x80000000, %c0 : i32
    %turns = arith.ori %37, %38 : i32
    scf.yield %f, %exponent, %turns : i64, i32, i32
  }
  return %either#0, %either#1, %either#2 : i64, i32, i32
}

// sin(r) / r of the square of r, from 0 to (pi/4)^2: a polynomial, which interpolates at the Chebyshev nodes and is wrong by 2^-58.
func.func @aiec_rt_sin_q62(%u: i64) -> i64 {
  %dx2BB0ED28 = arith.constant 0x000000002BB0ED28 : i64
  %dxFFFFFFE51A1C818F = arith.constant 0xFFFFFFE51A1C818F : i64
  %dxB8EF1A98544 = arith.constant 0x00000B8EF1A98544 : i64
  %dxFFFCBFCBFCC8AD56 = arith.constant 0xFFFCBFCBFCC8AD56 : i64
  %dx88888888879EDE = arith.constant 0x0088888888879EDE : i64
  %dxF555555555555E57 = arith.constant 0xF555555555555E57 : i64
  %dx3FFFFFFFFFFFFFF1 = arith.constant 0x3FFFFFFFFFFFFFF1 : i64
  %0 = func.call @aiec_rt_mul_q62(%u, %dx2BB0ED28) : (i64, i64) -> i64
  %p = arith.addi %0, %dxFFFFFFE51A1C818F : i64
  %1 = func.call @aiec_rt_mul_q62(%u, %p) : (i64, i64) -> i64
  %p_2 = arith.addi %1, %dxB8EF1A98544 : i64
  %2 = func.call @aiec_rt_mul_q62(%u, %p_2) : (i64, i64) -> i64
  %p_3 = arith.addi %2, %dxFFFCBFCBFCC8AD56 : i64
  %3 = func.call @aiec_rt_mul_q62(%u, %p_3) : (i64, i64) -> i64
  %p_4 = arith.addi %3, %dx88888888879EDE : i64
  %4 = func.call @aiec_rt_mul_q62(%u, %p_4) : (i64, i64) -> i64
  %p_5 = arith.addi %4, %dxF555555555555E57 : i64
  %5 = func.call @aiec_rt_mul_q62(%u, %p_5) : (i64, i64) -> i64
  %p_6 = arith.addi %5, %dx3FFFFFFFFFFFFFF1 : i64
  return %p_6 : i64
}

// cos(r) of the square of r, from 0 to (pi/4)^2: wrong by 2^-62.
func.func @aiec_rt_cos_q62(%u: i64) -> i64 {
  %dxFFFFFFFFFCE113B3 = arith.constant 0xFFFFFFFFFCE113B3 : i64
  %dx23DD2DA01 = arith.constant 0x000000023DD2DA01 : i64
  %dxFFFFFED81B08D810 = arith.constant 0xFFFFFED81B08D810 : i64
  %dx68068066C789 = arith.constant 0x000068068066C789 : i64
  %dxFFE93E93E93EC5FB = arith.constant 0xFFE93E93E93EC5FB : i64
  %dx2AAAAAAAAAAA6CE = arith.constant 0x02AAAAAAAAAAA6CE : i64
  %dxE00000000000001D = arith.constant 0xE00000000000001D : i64
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %0 = func.call @aiec_rt_mul_q62(%u, %dxFFFFFFFFFCE113B3) : (i64, i64) -> i64
  %p = arith.addi %0, %dx23DD2DA01 : i64
  %1 = func.call @aiec_rt_mul_q62(%u, %p) : (i64, i64) -> i64
  %p_2 = arith.addi %1, %dxFFFFFED81B08D810 : i64
  %2 = func.call @aiec_rt_mul_q62(%u, %p_2) : (i64, i64) -> i64
  %p_3 = arith.addi %2, %dx68068066C789 : i64
  %3 = func.call @aiec_rt_mul_q62(%u, %p_3) : (i64, i64) -> i64
  %p_4 = arith.addi %3, %dxFFE93E93E93EC5FB : i64
  %4 = func.call @aiec_rt_mul_q62(%u, %p_4) : (i64, i64) -> i64
  %p_5 = arith.addi %4, %dx2AAAAAAAAAAA6CE : i64
  %5 = func.call @aiec_rt_mul_q62(%u, %p_5) : (i64, i64) -> i64
  %p_6 = arith.addi %5, %dxE00000000000001D : i64
  %6 = func.call @aiec_rt_mul_q62(%u, %p_6) : (i64, i64) -> i64
  %p_7 = arith.addi %6, %dx4000000000000000 : i64
  return %p_7 : i64
}

// The sine of |x| + turns * pi/2, with the sign bit flipped by `sign`.
func.func @aiec_rt_sine_f32(%x: i32, %sign: i32, %turns: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c2 = arith.constant 2 : i32
  %c30 = arith.constant 30 : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.cmpi uge, %a, %x7F800000 : i32
  %y_2 = scf.if %0 -> (i32) {
    scf.yield %x7FC00000 : i32
  } else {
    %parts:3 = func.call @aiec_rt_reduce_f32(%a) : (i32) -> (i64, i32, i32)
    %1 = arith.subi %c0, %parts#1 : i32
    %r = func.call @aiec_rt_shru_most(%parts#0, %1) : (i64, i32) -> i64
    %u = func.call @aiec_rt_mul_q62(%r, %r) : (i64, i64) -> i64
    %quarter = arith.addi %parts#2, %turns : i32
    %2 = arith.andi %quarter, %c1 : i32
    %3 = arith.cmpi eq, %2, %c0 : i32
    %either:3 = scf.if %3 -> (i64, i32, i32) {
      %s = func.call @aiec_rt_sin_q62(%u) : (i64) -> i64
      %g = func.call @aiec_rt_mul_q62(%parts#0, %s) : (i64, i64) -> i64
      %flip = arith.andi %parts#2, %x80000000 : i32
      scf.yield %g, %parts#1, %flip : i64, i32, i32
    } else {
      %g_2 = func.call @aiec_rt_cos_q62(%u) : (i64) -> i64
      scf.yield %g_2, %c0, %c0 : i64, i32, i32
    }
    %4 = arith.andi %quarter, %c2 : i32
    %turned = arith.shli %4, %c30 : i32
    %5 = arith.xori %sign, %either#2 : i32
    %6 = arith.xori %5, %turned : i32
    %y = func.call @aiec_rt_pack_q62(%6, %either#1, %either#0) : (i32, i32, i64) -> i32
    scf.yield %y : i32
  }
  return %y_2 : i32
}

// The sine.
func.func @aiec_rt_math_f32_sin(%x: i32) -> i32 {
  %x80000000 = arith.constant 0x80000000 : i32
  %c0 = arith.constant 0 : i32
  %0 = arith.andi %x, %x80000000 : i32
  %y = func.call @aiec_rt_sine_f32(%x, %0, %c0) : (i32, i32, i32) -> i32
  return %y : i32
}

// The cosine.
func.func @aiec_rt_math_f32_cos(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %y = func.call @aiec_rt_sine_f32(%x, %c0, %c1) : (i32, i32, i32) -> i32
  return %y : i32
}

// The tangent: sine by cosine, or the negative reciprocal of that after an odd number of quarters.
func.func @aiec_rt_math_f32_tan(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %dc1 = arith.constant 1 : i64
  %c31 = arith.constant 31 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.cmpi uge, %a, %x7F800000 : i32
  %y_2 = scf.if %0 -> (i32) {
    scf.yield %x7FC00000 : i32
  } else {
    %parts:3 = func.call @aiec_rt_reduce_f32(%a) : (i32) -> (i64, i32, i32)
    %1 = arith.subi %c0, %parts#1 : i32
    %r = func.call @aiec_rt_shru_most(%parts#0, %1) : (i64, i32) -> i64
    %u = func.call @aiec_rt_mul_q62(%r, %r) : (i64, i64) -> i64
    %p = func.call @aiec_rt_sin_q62(%u) : (i64) -> i64
    %s = func.call @aiec_rt_mul_q62(%parts#0, %p) : (i64, i64) -> i64
    %c = func.call @aiec_rt_cos_q62(%u) : (i64) -> i64
    %2 = arith.andi %parts#2, %c1 : i32
    %even = arith.cmpi eq, %2, %c0 : i32
    %3 = arith.shrui %s, %dc1 : i64
    %4 = arith.select %even, %3, %c : i64
    %5 = arith.select %even, %c, %s : i64
    %q = func.call @aiec_rt_div_q62(%4, %5) : (i64, i64) -> i64
    %6 = arith.addi %parts#1, %c1 : i32
    %7 = arith.subi %c0, %parts#1 : i32
    %k = arith.select %even, %6, %7 : i32
    %8 = arith.xori %x, %parts#2 : i32
    %9 = arith.shli %parts#2, %c31 : i32
    %10 = arith.xori %8, %9 : i32
    %sign = arith.andi %10, %x80000000 : i32
    %y = func.call @aiec_rt_pack_q62(%sign, %k, %q) : (i32, i32, i64) -> i32
    scf.yield %y : i32
  }
  return %y_2 : i32
}

// The angle of the point (x, y * 2^exponent), or (-x, y * 2^exponent) if `back` is 1, with a sign. x and y are fractions of 62 bits in [1, 2).
// The angle's tangent n / d is at most 1 after swapping, then at most 0.423 by the angle's distance from pi/4: (d - n) / (d + n).
// The arc tangent of that is a polynomial of its square, wrong by 2^-58. Small angles are rounded to 54 bits, so that they are the quotient
// where an f64 would be.
func.func @aiec_rt_atan_q62(%y: i64, %x: i64, %exponent: i32, %sign: i32, %back: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %dc2 = arith.constant 2 : i64
  %dc3 = arith.constant 3 : i64
  %dc5 = arith.constant 5 : i64
  %dc1 = arith.constant 1 : i64
  %dxFEE5E0EC01498876 = arith.constant 0xFEE5E0EC01498876 : i64
  %dx2652FD3F22FDA54 = arith.constant 0x02652FD3F22FDA54 : i64
  %dxFCCA8D8F6DC7EBA3 = arith.constant 0xFCCA8D8F6DC7EBA3 : i64
  %dx3BD2B3F7300622F = arith.constant 0x03BD2B3F7300622F : i64
  %dxFBBC735517465229 = arith.constant 0xFBBC735517465229 : i64
  %dx4EC414C994A597C = arith.constant 0x04EC414C994A597C : i64
  %dxFA2E8C4AA60CD4FD = arith.constant 0xFA2E8C4AA60CD4FD : i64
  %dx71C71C1E9C8170D = arith.constant 0x071C71C1E9C8170D : i64
  %dxF6DB6DB6F3D831D6 = arith.constant 0xF6DB6DB6F3D831D6 : i64
  %dxCCCCCCCCC9161D1 = arith.constant 0x0CCCCCCCCC9161D1 : i64
  %dxEAAAAAAAAAAAE36F = arith.constant 0xEAAAAAAAAAAAE36F : i64
  %dx3FFFFFFFFFFFFFF7 = arith.constant 0x3FFFFFFFFFFFFFF7 : i64
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %dc128 = arith.constant 128 : i64
  %dm256 = arith.constant -256 : i64
  %dc0 = arith.constant 0 : i64
  %dxC90FDAA22168C23 = arith.constant 0x0C90FDAA22168C23 : i64
  %dx1921FB54442D1847 = arith.constant 0x1921FB54442D1847 : i64
  %dx3243F6A8885A308D = arith.constant 0x3243F6A8885A308D : i64
  %0 = arith.cmpi eq, %exponent, %c0 : i32
  %1 = arith.cmpi ugt, %y, %x : i64
  %2 = arith.cmpi sgt, %exponent, %c0 : i32
  %swapped = arith.select %0, %1, %2 : i1
  %n = arith.select %swapped, %x, %y : i64
  %d = arith.select %swapped, %y, %x : i64
  %3 = arith.subi %c0, %exponent : i32
  %down = arith.select %swapped, %exponent, %3 : i32
  %moved = func.call @aiec_rt_shru_most(%n, %down) : (i64, i32) -> i64
  %4 = arith.shrui %d, %dc2 : i64
  %5 = arith.shrui %d, %dc3 : i64
  %6 = arith.addi %4, %5 : i64
  %7 = arith.shrui %d, %dc5 : i64
  %8 = arith.addi %6, %7 : i64
  %near = arith.cmpi ugt, %moved, %8 : i64
  %9 = arith.subi %d, %moved : i64
  %10 = arith.shrui %9, %dc1 : i64
  %over = arith.select %near, %10, %n : i64
  %11 = arith.addi %d, %moved : i64
  %12 = arith.shrui %11, %dc1 : i64
  %under = arith.select %near, %12, %d : i64
  %shift = arith.select %near, %c0, %down : i32
  %t = func.call @aiec_rt_div_q62(%over, %under) : (i64, i64) -> i64
  %q = func.call @aiec_rt_shru_most(%t, %shift) : (i64, i32) -> i64
  %u = func.call @aiec_rt_mul_q62(%q, %q) : (i64, i64) -> i64
  %13 = func.call @aiec_rt_mul_q62(%u, %dxFEE5E0EC01498876) : (i64, i64) -> i64
  %p = arith.addi %13, %dx2652FD3F22FDA54 : i64
  %14 = func.call @aiec_rt_mul_q62(%u, %p) : (i64, i64) -> i64
  %p_2 = arith.addi %14, %dxFCCA8D8F6DC7EBA3 : i64
  %15 = func.call @aiec_rt_mul_q62(%u, %p_2) : (i64, i64) -> i64
  %p_3 = arith.addi %15, %dx3BD2B3F7300622F : i64
  %16 = func.call @aiec_rt_mul_q62(%u, %p_3) : (i64, i64) -> i64
  %p_4 = arith.addi %16, %dxFBBC735517465229 : i64
  %17 = func.call @aiec_rt_mul_q62(%u, %p_4) : (i64, i64) -> i64
  %p_5 = arith.addi %17, %dx4EC414C994A597C : i64
  %18 = func.call @aiec_rt_mul_q62(%u, %p_5) : (i64, i64) -> i64
  %p_6 = arith.addi %18, %dxFA2E8C4AA60CD4FD : i64
  %19 = func.call @aiec_rt_mul_q62(%u, %p_6) : (i64, i64) -> i64
  %p_7 = arith.addi %19, %dx71C71C1E9C8170D : i64
  %20 = func.call @aiec_rt_mul_q62(%u, %p_7) : (i64, i64) -> i64
  %p_8 = arith.addi %20, %dxF6DB6DB6F3D831D6 : i64
  %21 = func.call @aiec_rt_mul_q62(%u, %p_8) : (i64, i64) -> i64
  %p_9 = arith.addi %21, %dxCCCCCCCCC9161D1 : i64
  %22 = func.call @aiec_rt_mul_q62(%u, %p_9) : (i64, i64) -> i64
  %p_10 = arith.addi %22, %dxEAAAAAAAAAAAE36F : i64
  %23 = func.call @aiec_rt_mul_q62(%u, %p_10) : (i64, i64) -> i64
  %p_11 = arith.addi %23, %dx3FFFFFFFFFFFFFF7 : i64
  %angle = func.call @aiec_rt_mul_q62(%t, %p_11) : (i64, i64) -> i64
  %eighth = arith.select %near, %c1, %c0 : i32
  %24 = arith.subi %c2, %eighth : i32
  %folded = arith.select %swapped, %24, %eighth : i32
  %25 = arith.cmpi ne, %back, %c0 : i32
  %26 = arith.subi %c4, %folded : i32
  %whole = arith.select %25, %26, %folded : i32
  %27 = arith.cmpi eq, %whole, %c0 : i32
  %either:2 = scf.if %27 -> (i32, i64) {
    %k = arith.subi %c0, %shift : i32
    %28 = arith.addi %angle, %dc128 : i64
    %g = arith.andi %28, %dm256 : i64
    scf.yield %k, %g : i32, i64
  } else {
    %29 = arith.andi %whole, %c1 : i32
    %30 = arith.cmpi eq, %29, %c0 : i32
    %one = arith.select %30, %dc0, %dxC90FDAA22168C23 : i64
    %31 = arith.andi %whole, %c2 : i32
    %32 = arith.cmpi eq, %31, %c0 : i32
    %33 = arith.addi %one, %dx1921FB54442D1847 : i64
    %two = arith.select %32, %one, %33 : i64
    %34 = arith.cmpi eq, %whole, %c4 : i32
    %base = arith.select %34, %dx3243F6A8885A308D, %two : i64
    %rest = func.call @aiec_rt_shru_most(%angle, %shift) : (i64, i32) -> i64
    %part = arith.shrui %rest, %dc2 : i64
    %35 = arith.xori %near, %swapped : i1
    %36 = arith.cmpi ne, %back, %c0 : i32
    %odd = arith.xori %35, %36 : i1
    %37 = arith.subi %base, %part : i64
    %38 = arith.addi %base, %part : i64
    %g_2 = arith.select %odd, %37, %38 : i64
    scf.yield %c2, %g_2 : i32, i64
  }
  %z = func.call @aiec_rt_pack_q62(%sign, %either#0, %either#1) : (i32, i32, i64) -> i32
  return %z : i32
}

// The square root of a fraction of 62 bits, less than 1: a bit of the root in each round.
func.func @aiec_rt_sqrt_q62(%x: i64) -> i64 {
  %dc2 = arith.constant 2 : i64
  %dc0 = arith.constant 0 : i64
  %ic0 = arith.constant 0 : index
  %ic60 = arith.constant 60 : index
  %ic1 = arith.constant 1 : index
  %dc62 = arith.constant 62 : i64
  %dc1 = arith.constant 1 : i64
  %bits = arith.shli %x, %dc2 : i64
  %loop:3 = scf.for %i = %ic0 to %ic60 step %ic1 iter_args(%bits_2 = %bits, %rest = %dc0, %root = %dc0) -> (i64, i64, i64) {
    %0 = arith.shli %rest, %dc2 : i64
    %1 = arith.shrui %bits_2, %dc62 : i64
    %carried = arith.ori %0, %1 : i64
    %bits_3 = arith.shli %bits_2, %dc2 : i64
    %doubled = arith.shli %root, %dc1 : i64
    %2 = arith.shli %doubled, %dc1 : i64
    %trial = arith.ori %2, %dc1 : i64
    %less = arith.cmpi ult, %carried, %trial : i64
    %3 = arith.subi %carried, %trial : i64
    %rest_2 = arith.select %less, %carried, %3 : i64
    %4 = arith.ori %doubled, %dc1 : i64
    %root_2 = arith.select %less, %doubled, %4 : i64
    scf.yield %bits_3, %rest_2, %root_2 : i64, i64, i64
  }
  %5 = arith.shli %loop#2, %dc2 : i64
  return %5 : i64
}

// The square root of a * b, as a fraction of 62 bits in [1, 2) and its exponent. a is a fraction of 62 bits, greater than 0; b is given as
// an eighth, which is in [1/8, 1/2).
func.func @aiec_rt_sqrt_product(%a: i64, %b: i64) -> (i64, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  %dc1 = arith.constant 1 : i64
  %0 = func.call @aiec_rt_clz_i64(%a) : (i64) -> i32
  %up = arith.subi %0, %c1 : i32
  %whole = func.call @aiec_rt_shl_by(%a, %up) : (i64, i32) -> i64
  %product = func.call @aiec_rt_mul_q62(%whole, %b) : (i64, i64) -> i64
  %1 = func.call @aiec_rt_clz_i64(%product) : (i64) -> i32
  %more = arith.subi %1, %c2 : i32
  %scaled = func.call @aiec_rt_shl_by(%product, %more) : (i64, i32) -> i64
  %2 = arith.subi %c3, %more : i32
  %exponent = arith.subi %2, %up : i32
  %odd = arith.andi %exponent, %c1 : i32
  %3 = arith.cmpi eq, %odd, %c0 : i32
  %4 = arith.shrui %scaled, %dc1 : i64
  %even = arith.select %3, %scaled, %4 : i64
  %root = func.call @aiec_rt_sqrt_q62(%even) : (i64) -> i64
  %5 = arith.shli %root, %dc1 : i64
  %6 = arith.addi %exponent, %odd : i32
  %7 = arith.shrsi %6, %c1 : i32
  %8 = arith.subi %7, %c1 : i32
  return %5, %8 : i64, i32
}

// The arc sine, or cosine, of x: the angle of the point whose other coordinate is the root of (1 - x) * (1 + x).
func.func @aiec_rt_arc_f32(%x: i32, %cosine: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c62 = arith.constant 62 : i32
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %dc0 = arith.constant 0 : i64
  %m1000 = arith.constant -1000 : i32
  %dc3 = arith.constant 3 : i64
  %c0 = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %sign = arith.andi %x, %x80000000 : i32
  %0 = arith.cmpi ugt, %a, %x3F800000 : i32
  %z_4 = scf.if %0 -> (i32) {
    scf.yield %x7FC00000 : i32
  } else {
    %parts:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
    %fixed = func.call @aiec_rt_fixed_f32(%a, %c62) : (i32, i32) -> i64
    %less = arith.subi %dx4000000000000000, %fixed : i64
    %1 = arith.cmpi eq, %less, %dc0 : i64
    %either:2 = scf.if %1 -> (i64, i32) {
      scf.yield %dx4000000000000000, %m1000 : i64, i32
    } else {
      %2 = arith.addi %fixed, %dx4000000000000000 : i64
      %3 = arith.shrui %2, %dc3 : i64
      %parts_2:2 = func.call @aiec_rt_sqrt_product(%less, %3) : (i64, i64) -> (i64, i32)
      scf.yield %parts_2#0, %parts_2#1 : i64, i32
    }
    %4 = arith.cmpi eq, %a, %c0 : i32
    %either_2:2 = scf.if %4 -> (i32, i64) {
      scf.yield %m1000, %dx4000000000000000 : i32, i64
    } else {
      %full = arith.addi %parts#0, %dc0 : i64
      scf.yield %parts#1, %full : i32, i64
    }
    %5 = arith.cmpi eq, %cosine, %c0 : i32
    %z_3 = scf.if %5 -> (i32) {
      %6 = arith.subi %either_2#0, %either#1 : i32
      %z = func.call @aiec_rt_atan_q62(%either_2#1, %either#0, %6, %sign, %c0) : (i64, i64, i32, i32, i32) -> i32
      scf.yield %z : i32
    } else {
      %7 = arith.subi %either#1, %either_2#0 : i32
      %8 = arith.shrui %sign, %c31 : i32
      %z_2 = func.call @aiec_rt_atan_q62(%either#0, %either_2#1, %7, %c0, %8) : (i64, i64, i32, i32, i32) -> i32
      scf.yield %z_2 : i32
    }
    scf.yield %z_3 : i32
  }
  return %z_4 : i32
}

// The arc sine.
func.func @aiec_rt_math_f32_asin(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %y = func.call @aiec_rt_arc_f32(%x, %c0) : (i32, i32) -> i32
  return %y : i32
}

// The arc cosine.
func.func @aiec_rt_math_f32_acos(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %y = func.call @aiec_rt_arc_f32(%x, %c1) : (i32, i32) -> i32
  return %y : i32
}

// The angle of the point (x, y). An infinity is a number whose exponent is beyond all others, a zero one whose exponent is below all others,
// that of y lower than that of x.
func.func @aiec_rt_angle_f32(%y: i32, %x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c1000 = arith.constant 1000 : i32
  %c0 = arith.constant 0 : i32
  %m2000 = arith.constant -2000 : i32
  %m1000 = arith.constant -1000 : i32
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %c31 = arith.constant 31 : i32
  %b = arith.andi %y, %x7FFFFFFF : i32
  %a = arith.andi %x, %x7FFFFFFF : i32
  %sign = arith.andi %y, %x80000000 : i32
  %0 = arith.cmpi ugt, %a, %b : i32
  %1 = arith.select %0, %a, %b : i32
  %2 = arith.cmpi ugt, %1, %x7F800000 : i32
  %z_2 = scf.if %2 -> (i32) {
    scf.yield %x7FC00000 : i32
  } else {
    %parts:2 = func.call @aiec_rt_norm_f32(%b) : (i32) -> (i64, i32)
    %parts_2:2 = func.call @aiec_rt_norm_f32(%a) : (i32) -> (i64, i32)
    %3 = arith.cmpi eq, %b, %x7F800000 : i32
    %4 = arith.cmpi eq, %b, %c0 : i32
    %5 = arith.select %4, %m2000, %parts#1 : i32
    %up = arith.select %3, %c1000, %5 : i32
    %6 = arith.cmpi eq, %a, %x7F800000 : i32
    %7 = arith.cmpi eq, %a, %c0 : i32
    %8 = arith.select %7, %m1000, %parts_2#1 : i32
    %right = arith.select %6, %c1000, %8 : i32
    %9 = arith.ori %parts#0, %dx4000000000000000 : i64
    %10 = arith.ori %parts_2#0, %dx4000000000000000 : i64
    %11 = arith.subi %up, %right : i32
    %12 = arith.shrui %x, %c31 : i32
    %z = func.call @aiec_rt_atan_q62(%9, %10, %11, %sign, %12) : (i64, i64, i32, i32, i32) -> i32
    scf.yield %z : i32
  }
  return %z_2 : i32
}

// The arc tangent.
func.func @aiec_rt_math_f32_atan(%x: i32) -> i32 {
  %x3F800000 = arith.constant 0x3F800000 : i32
  %y = func.call @aiec_rt_angle_f32(%x, %x3F800000) : (i32, i32) -> i32
  return %y : i32
}

// The angle of the point (x, y).
func.func @aiec_rt_math2_f32_atan2(%y: i32, %x: i32) -> i32 {
  %z = func.call @aiec_rt_angle_f32(%y, %x) : (i32, i32) -> i32
  return %z : i32
}
