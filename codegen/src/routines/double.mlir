// Arithmetic of f64 on its bits.

// The f64 nearest to a fraction of 63 bits with its leading one in bit 62, by the rules of `aiec_rt_pack_f32`: the exponent is that of
// the field less one, from 2046 on it gives an infinity, and a sign of 2^51 makes that the NaN.
func.func @aiec_rt_pack_f64(%sign: i64, %exponent: i32, %fraction: i64) -> i64 {
  %c0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : i32
  %dc512 = arith.constant 512 : i64
  %dc10 = arith.constant 10 : i64
  %c1023 = arith.constant 1023 : i32
  %c512 = arith.constant 512 : i32
  %dm2 = arith.constant -2 : i64
  %dc0 = arith.constant 0 : i64
  %c20 = arith.constant 20 : i32
  %dc32 = arith.constant 32 : i64
  %c2045 = arith.constant 2045 : i32
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.cmpi slt, %exponent, %c0 : i32
  %moved:2 = scf.if %0 -> (i64, i32) {
    %1 = arith.subi %c0, %exponent : i32
    %2 = arith.cmpi ult, %1, %c63 : i32
    %3 = arith.select %2, %1, %c63 : i32
    %4 = func.call @aiec_rt_shr_sticky_i64(%fraction, %3) : (i64, i32) -> i64
    scf.yield %4, %c0 : i64, i32
  } else {
    scf.yield %fraction, %exponent : i64, i32
  }
  %5 = arith.addi %moved#0, %dc512 : i64
  %6 = arith.shrui %5, %dc10 : i64
  %7 = arith.trunci %moved#0 : i64 to i32
  %8 = arith.andi %7, %c1023 : i32
  %9 = arith.cmpi eq, %8, %c512 : i32
  %10 = arith.andi %6, %dm2 : i64
  %rounded = arith.select %9, %10, %6 : i64
  %11 = arith.cmpi eq, %moved#0, %dc0 : i64
  %12 = arith.select %11, %c0, %moved#1 : i32
  %13 = arith.shli %12, %c20 : i32
  %14 = arith.extui %13 : i32 to i64
  %15 = arith.shli %14, %dc32 : i64
  %16 = arith.addi %15, %rounded : i64
  %17 = arith.cmpi sgt, %moved#1, %c2045 : i32
  %18 = arith.cmpi uge, %16, %dx7FF0000000000000 : i64
  %19 = arith.ori %17, %18 : i1
  %20 = arith.cmpi ne, %fraction, %dc0 : i64
  %21 = arith.andi %19, %20 : i1
  %22 = arith.select %21, %dx7FF0000000000000, %16 : i64
  %23 = arith.ori %sign, %22 : i64
  return %23 : i64
}

// The fraction of an f64 with its leading one in bit 52, that of a subnormal too, and in bits 63:53 how far it was moved up.
func.func @aiec_rt_normalize_f64(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx10000000000000 = arith.constant 0x0010000000000000 : i64
  %c11 = arith.constant 11 : i32
  %c63 = arith.constant 63 : i32
  %dc53 = arith.constant 53 : i64
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %0 = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.cmpi ult, %0, %dx10000000000000 : i64
  %2 = scf.if %1 -> (i64) {
    %3 = func.call @aiec_rt_clz_i64(%0) : (i64) -> i32
    %4 = arith.subi %3, %c11 : i32
    %5 = arith.andi %4, %c63 : i32
    %6 = func.call @aiec_rt_shl_by(%0, %5) : (i64, i32) -> i64
    %7 = arith.extui %4 : i32 to i64
    %8 = arith.shli %7, %dc53 : i64
    %9 = arith.ori %6, %8 : i64
    scf.yield %9 : i64
  } else {
    %10 = arith.andi %0, %dxFFFFFFFFFFFFF : i64
    %11 = arith.ori %10, %dx10000000000000 : i64
    scf.yield %11 : i64
  }
  return %2 : i64
}

// a + b, as `aiec_rt_add_f32`.
func.func @aiec_rt_add_f64(%a: i64, %b: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %c2047 = arith.constant 2047 : i32
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %c0 = arith.constant 0 : i32
  %dx10000000000000 = arith.constant 0x0010000000000000 : i64
  %dc0 = arith.constant 0 : i64
  %dc9 = arith.constant 9 : i64
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %swap = arith.cmpi ult, %0, %1 : i64
  %great = arith.select %swap, %b, %a : i64
  %small = arith.select %swap, %a, %b : i64
  %2 = arith.shrui %great, %dc52 : i64
  %3 = arith.trunci %2 : i64 to i32
  %great_exponent = arith.andi %3, %c2047 : i32
  %4 = arith.shrui %small, %dc52 : i64
  %5 = arith.trunci %4 : i64 to i32
  %small_exponent = arith.andi %5, %c2047 : i32
  %6 = arith.andi %great, %dxFFFFFFFFFFFFF : i64
  %7 = arith.cmpi ne, %great_exponent, %c0 : i32
  %8 = arith.select %7, %dx10000000000000, %dc0 : i64
  %9 = arith.ori %6, %8 : i64
  %10 = arith.shli %9, %dc9 : i64
  %11 = arith.andi %small, %dxFFFFFFFFFFFFF : i64
  %12 = arith.cmpi ne, %small_exponent, %c0 : i32
  %13 = arith.select %12, %dx10000000000000, %dc0 : i64
  %14 = arith.ori %11, %13 : i64
  %15 = arith.shli %14, %dc9 : i64
  %16 = arith.cmpi ne, %great_exponent, %c0 : i32
  %17 = arith.select %16, %great_exponent, %c1 : i32
  %18 = arith.cmpi ne, %small_exponent, %c0 : i32
  %19 = arith.select %18, %small_exponent, %c1 : i32
  %20 = arith.subi %17, %19 : i32
  %21 = arith.cmpi ult, %20, %c63 : i32
  %distance = arith.select %21, %20, %c63 : i32
  %moved = func.call @aiec_rt_shr_sticky_i64(%15, %distance) : (i64, i32) -> i64
  %22 = arith.xori %a, %b : i64
  %opposite = arith.cmpi slt, %22, %dc0 : i64
  %23 = arith.subi %10, %moved : i64
  %24 = arith.addi %10, %moved : i64
  %sum = arith.select %opposite, %23, %24 : i64
  %25 = func.call @aiec_rt_clz_i64(%sum) : (i64) -> i32
  %26 = arith.subi %25, %c1 : i32
  %27 = arith.andi %26, %c63 : i32
  %28 = func.call @aiec_rt_shl_by(%sum, %27) : (i64, i32) -> i64
  %29 = arith.cmpi eq, %great_exponent, %c2047 : i32
  %30 = scf.if %29 -> (i64) {
    %31 = arith.andi %great, %dx7FFFFFFFFFFFFFFF : i64
    %32 = arith.cmpi ugt, %31, %dx7FF0000000000000 : i64
    %33 = arith.andi %small, %dx7FFFFFFFFFFFFFFF : i64
    %34 = arith.cmpi eq, %33, %dx7FF0000000000000 : i64
    %35 = arith.andi %34, %opposite : i1
    %36 = arith.ori %32, %35 : i1
    %37 = arith.select %36, %dx7FF8000000000000, %great : i64
    scf.yield %37 : i64
  } else {
    %38 = arith.andi %great, %dx8000000000000000 : i64
    %39 = arith.subi %17, %26 : i32
    %40 = func.call @aiec_rt_pack_f64(%38, %39, %28) : (i64, i32, i64) -> i64
    %41 = arith.cmpi eq, %sum, %dc0 : i64
    %42 = arith.andi %a, %b : i64
    %43 = arith.andi %42, %dx8000000000000000 : i64
    %44 = arith.select %41, %43, %40 : i64
    scf.yield %44 : i64
  }
  return %30 : i64
}

// a - b.
func.func @aiec_rt_sub_f64(%a: i64, %b: i64) -> i64 {
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %0 = arith.xori %b, %dx8000000000000000 : i64
  %1 = func.call @aiec_rt_add_f64(%a, %0) : (i64, i64) -> i64
  return %1 : i64
}

// The upper 64 bits of a * b, unsigned; the last bit is set if one of the lower 64 is.
func.func @aiec_rt_mul_sticky_i64(%a: i64, %b: i64) -> i64 {
  %dc32 = arith.constant 32 : i64
  %dxFFFFFFFF = arith.constant 0x00000000FFFFFFFF : i64
  %c0 = arith.constant 0 : i32
  %dc1 = arith.constant 1 : i64
  %0 = arith.trunci %a : i64 to i32
  %1 = arith.shrui %a, %dc32 : i64
  %2 = arith.trunci %1 : i64 to i32
  %3 = arith.trunci %b : i64 to i32
  %4 = arith.shrui %b, %dc32 : i64
  %5 = arith.trunci %4 : i64 to i32
  %low = func.call @aiec_rt_umulw(%0, %3) : (i32, i32) -> i64
  %6 = func.call @aiec_rt_umulw(%2, %3) : (i32, i32) -> i64
  %7 = func.call @aiec_rt_umulw(%0, %5) : (i32, i32) -> i64
  %high = func.call @aiec_rt_umulw(%2, %5) : (i32, i32) -> i64
  %8 = arith.shrui %low, %dc32 : i64
  %middle = arith.addi %8, %6 : i64
  %9 = arith.andi %middle, %dxFFFFFFFF : i64
  %carry = arith.addi %9, %7 : i64
  %10 = arith.shrui %middle, %dc32 : i64
  %11 = arith.addi %high, %10 : i64
  %12 = arith.shrui %carry, %dc32 : i64
  %13 = arith.addi %11, %12 : i64
  %14 = arith.trunci %low : i64 to i32
  %15 = arith.trunci %carry : i64 to i32
  %16 = arith.ori %14, %15 : i32
  %17 = arith.cmpi ne, %16, %c0 : i32
  %18 = arith.ori %13, %dc1 : i64
  %19 = arith.select %17, %18, %13 : i64
  return %19 : i64
}

// a * b.
func.func @aiec_rt_mul_f64(%a: i64, %b: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dc0 = arith.constant 0 : i64
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %dc52 = arith.constant 52 : i64
  %c2047 = arith.constant 2047 : i32
  %dc53 = arith.constant 53 : i64
  %dx1FFFFFFFFFFFFF = arith.constant 0x001FFFFFFFFFFFFF : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %dc10 = arith.constant 10 : i64
  %dc11 = arith.constant 11 : i64
  %dx4000000000000000 = arith.constant 0x4000000000000000 : i64
  %dc1 = arith.constant 1 : i64
  %c1023 = arith.constant 1023 : i32
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.cmpi uge, %0, %dx7FF0000000000000 : i64
  %3 = arith.cmpi uge, %1, %dx7FF0000000000000 : i64
  %4 = arith.cmpi eq, %0, %dc0 : i64
  %5 = arith.cmpi eq, %1, %dc0 : i64
  %6 = arith.ori %2, %3 : i1
  %7 = arith.ori %6, %4 : i1
  %8 = arith.ori %7, %5 : i1
  %9 = scf.if %8 -> (i64) {
    %10 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
    %11 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
    %12 = arith.cmpi eq, %10, %dx7FF0000000000000 : i64
    %13 = arith.cmpi eq, %11, %dx7FF0000000000000 : i64
    %14 = arith.cmpi eq, %10, %dc0 : i64
    %15 = arith.cmpi eq, %11, %dc0 : i64
    %16 = arith.cmpi ugt, %10, %dx7FF0000000000000 : i64
    %17 = arith.cmpi ugt, %11, %dx7FF0000000000000 : i64
    %18 = arith.ori %12, %13 : i1
    %19 = arith.ori %14, %15 : i1
    %20 = arith.andi %18, %19 : i1
    %21 = arith.ori %16, %17 : i1
    %22 = arith.ori %21, %20 : i1
    %23 = arith.ori %12, %13 : i1
    %24 = arith.xori %a, %b : i64
    %25 = arith.andi %24, %dx8000000000000000 : i64
    %26 = arith.ori %25, %dx7FF0000000000000 : i64
    %27 = arith.select %23, %26, %25 : i64
    %28 = arith.select %22, %dx7FF8000000000000, %27 : i64
    scf.yield %28 : i64
  } else {
    %29 = arith.shrui %a, %dc52 : i64
    %30 = arith.trunci %29 : i64 to i32
    %31 = arith.andi %30, %c2047 : i32
    %32 = func.call @aiec_rt_normalize_f64(%a) : (i64) -> i64
    %33 = arith.shrui %32, %dc53 : i64
    %34 = arith.trunci %33 : i64 to i32
    %35 = arith.andi %32, %dx1FFFFFFFFFFFFF : i64
    %36 = arith.cmpi eq, %31, %c0 : i32
    %37 = arith.subi %c1, %34 : i32
    %38 = arith.select %36, %37, %31 : i32
    %39 = arith.shrui %b, %dc52 : i64
    %40 = arith.trunci %39 : i64 to i32
    %41 = arith.andi %40, %c2047 : i32
    %42 = func.call @aiec_rt_normalize_f64(%b) : (i64) -> i64
    %43 = arith.shrui %42, %dc53 : i64
    %44 = arith.trunci %43 : i64 to i32
    %45 = arith.andi %42, %dx1FFFFFFFFFFFFF : i64
    %46 = arith.cmpi eq, %41, %c0 : i32
    %47 = arith.subi %c1, %44 : i32
    %48 = arith.select %46, %47, %41 : i32
    %49 = arith.shli %35, %dc10 : i64
    %50 = arith.shli %45, %dc11 : i64
    %51 = func.call @aiec_rt_mul_sticky_i64(%49, %50) : (i64, i64) -> i64
    %52 = arith.cmpi ult, %51, %dx4000000000000000 : i64
    %53 = arith.shli %51, %dc1 : i64
    %54 = arith.select %52, %53, %51 : i64
    %55 = arith.addi %38, %48 : i32
    %56 = arith.subi %55, %c1023 : i32
    %57 = arith.subi %56, %c1 : i32
    %58 = arith.select %52, %57, %56 : i32
    %59 = arith.xori %a, %b : i64
    %60 = arith.andi %59, %dx8000000000000000 : i64
    %61 = func.call @aiec_rt_pack_f64(%60, %58, %54) : (i64, i32, i64) -> i64
    scf.yield %61 : i64
  }
  return %9 : i64
}

// a / b: a bit of the quotient in each round, 55 and one for what is left.
func.func @aiec_rt_div_f64(%a: i64, %b: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dc0 = arith.constant 0 : i64
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %dc52 = arith.constant 52 : i64
  %c2047 = arith.constant 2047 : i32
  %dc53 = arith.constant 53 : i64
  %dx1FFFFFFFFFFFFF = arith.constant 0x001FFFFFFFFFFFFF : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1021 = arith.constant 1021 : i32
  %c1022 = arith.constant 1022 : i32
  %ic0 = arith.constant 0 : index
  %ic55 = arith.constant 55 : index
  %ic1 = arith.constant 1 : index
  %dc1 = arith.constant 1 : i64
  %dc8 = arith.constant 8 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.cmpi uge, %0, %dx7FF0000000000000 : i64
  %3 = arith.cmpi uge, %1, %dx7FF0000000000000 : i64
  %4 = arith.cmpi eq, %0, %dc0 : i64
  %5 = arith.cmpi eq, %1, %dc0 : i64
  %6 = arith.ori %2, %3 : i1
  %7 = arith.ori %6, %4 : i1
  %8 = arith.ori %7, %5 : i1
  %9 = scf.if %8 -> (i64) {
    %10 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
    %11 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
    %12 = arith.cmpi eq, %10, %dx7FF0000000000000 : i64
    %13 = arith.cmpi eq, %11, %dx7FF0000000000000 : i64
    %14 = arith.cmpi eq, %10, %dc0 : i64
    %15 = arith.cmpi eq, %11, %dc0 : i64
    %16 = arith.cmpi ugt, %10, %dx7FF0000000000000 : i64
    %17 = arith.cmpi ugt, %11, %dx7FF0000000000000 : i64
    %18 = arith.andi %12, %13 : i1
    %19 = arith.andi %14, %15 : i1
    %20 = arith.ori %16, %17 : i1
    %21 = arith.ori %20, %18 : i1
    %22 = arith.ori %21, %19 : i1
    %23 = arith.ori %12, %15 : i1
    %24 = arith.xori %a, %b : i64
    %25 = arith.andi %24, %dx8000000000000000 : i64
    %26 = arith.ori %25, %dx7FF0000000000000 : i64
    %27 = arith.select %23, %26, %25 : i64
    %28 = arith.select %22, %dx7FF8000000000000, %27 : i64
    scf.yield %28 : i64
  } else {
    %29 = arith.shrui %a, %dc52 : i64
    %30 = arith.trunci %29 : i64 to i32
    %31 = arith.andi %30, %c2047 : i32
    %32 = func.call @aiec_rt_normalize_f64(%a) : (i64) -> i64
    %33 = arith.shrui %32, %dc53 : i64
    %34 = arith.trunci %33 : i64 to i32
    %35 = arith.andi %32, %dx1FFFFFFFFFFFFF : i64
    %36 = arith.cmpi eq, %31, %c0 : i32
    %37 = arith.subi %c1, %34 : i32
    %38 = arith.select %36, %37, %31 : i32
    %39 = arith.shrui %b, %dc52 : i64
    %40 = arith.trunci %39 : i64 to i32
    %41 = arith.andi %40, %c2047 : i32
    %42 = func.call @aiec_rt_normalize_f64(%b) : (i64) -> i64
    %43 = arith.shrui %42, %dc53 : i64
    %44 = arith.trunci %43 : i64 to i32
    %45 = arith.andi %42, %dx1FFFFFFFFFFFFF : i64
    %46 = arith.cmpi eq, %41, %c0 : i32
    %47 = arith.subi %c1, %44 : i32
    %48 = arith.select %46, %47, %41 : i32
    %49 = arith.cmpi ult, %35, %45 : i64
    %50 = arith.addi %35, %35 : i64
    %51 = arith.select %49, %50, %35 : i64
    %52 = arith.subi %38, %48 : i32
    %53 = arith.addi %52, %c1021 : i32
    %54 = arith.addi %52, %c1022 : i32
    %55 = arith.select %49, %53, %54 : i32
    %rest:2 = scf.for %i = %ic0 to %ic55 step %ic1 iter_args(%rest1 = %51, %quotient = %dc0) -> (i64, i64) {
      %56 = arith.addi %quotient, %quotient : i64
      %57 = arith.cmpi ult, %rest1, %45 : i64
      %58 = arith.subi %rest1, %45 : i64
      %59 = arith.select %57, %rest1, %58 : i64
      %60 = arith.addi %59, %59 : i64
      %61 = arith.ori %56, %dc1 : i64
      %62 = arith.select %57, %56, %61 : i64
      scf.yield %60, %62 : i64, i64
    }
    %63 = arith.shli %rest#1, %dc8 : i64
    %64 = arith.cmpi ne, %rest#0, %dc0 : i64
    %65 = arith.select %64, %dc1, %dc0 : i64
    %66 = arith.ori %63, %65 : i64
    %67 = arith.xori %a, %b : i64
    %68 = arith.andi %67, %dx8000000000000000 : i64
    %69 = func.call @aiec_rt_pack_f64(%68, %55, %66) : (i64, i32, i64) -> i64
    scf.yield %69 : i64
  }
  return %9 : i64
}

// What is left of a after whole multiples of b, with the sign of a; as `aiec_rt_rem_f32`.
func.func @aiec_rt_rem_f64(%a: i64, %b: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dc0 = arith.constant 0 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %dc52 = arith.constant 52 : i64
  %c2047 = arith.constant 2047 : i32
  %dc53 = arith.constant 53 : i64
  %dx1FFFFFFFFFFFFF = arith.constant 0x001FFFFFFFFFFFFF : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ic1 = arith.constant 1 : index
  %c11 = arith.constant 11 : i32
  %c63 = arith.constant 63 : i32
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %dc10 = arith.constant 10 : i64
  %a_magnitude = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %b_magnitude = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %0 = arith.cmpi uge, %a_magnitude, %dx7FF0000000000000 : i64
  %1 = arith.cmpi ugt, %b_magnitude, %dx7FF0000000000000 : i64
  %2 = arith.cmpi eq, %b_magnitude, %dc0 : i64
  %3 = arith.ori %0, %1 : i1
  %4 = arith.ori %3, %2 : i1
  %5 = arith.cmpi ult, %a_magnitude, %b_magnitude : i64
  %6 = arith.ori %4, %5 : i1
  %7 = scf.if %6 -> (i64) {
    %8 = arith.select %4, %dx7FF8000000000000, %a : i64
    scf.yield %8 : i64
  } else {
    %9 = arith.shrui %a, %dc52 : i64
    %10 = arith.trunci %9 : i64 to i32
    %11 = arith.andi %10, %c2047 : i32
    %12 = func.call @aiec_rt_normalize_f64(%a) : (i64) -> i64
    %13 = arith.shrui %12, %dc53 : i64
    %14 = arith.trunci %13 : i64 to i32
    %15 = arith.andi %12, %dx1FFFFFFFFFFFFF : i64
    %16 = arith.cmpi eq, %11, %c0 : i32
    %17 = arith.subi %c1, %14 : i32
    %18 = arith.select %16, %17, %11 : i32
    %19 = arith.shrui %b, %dc52 : i64
    %20 = arith.trunci %19 : i64 to i32
    %21 = arith.andi %20, %c2047 : i32
    %22 = func.call @aiec_rt_normalize_f64(%b) : (i64) -> i64
    %23 = arith.shrui %22, %dc53 : i64
    %24 = arith.trunci %23 : i64 to i32
    %25 = arith.andi %22, %dx1FFFFFFFFFFFFF : i64
    %26 = arith.cmpi eq, %21, %c0 : i32
    %27 = arith.subi %c1, %24 : i32
    %28 = arith.select %26, %27, %21 : i32
    %29 = arith.subi %18, %28 : i32
    %30 = arith.addi %29, %c1 : i32
    %rounds = arith.index_cast %30 : i32 to index
    %31 = arith.cmpi ult, %15, %25 : i64
    %32 = arith.subi %15, %25 : i64
    %33 = arith.select %31, %15, %32 : i64
    %rest = scf.for %i = %ic1 to %rounds step %ic1 iter_args(%rest1 = %33) -> (i64) {
      %34 = arith.addi %rest1, %rest1 : i64
      %35 = arith.cmpi ult, %34, %25 : i64
      %36 = arith.subi %34, %25 : i64
      %37 = arith.select %35, %34, %36 : i64
      scf.yield %37 : i64
    }
    %38 = func.call @aiec_rt_clz_i64(%rest) : (i64) -> i32
    %39 = arith.subi %38, %c11 : i32
    %40 = arith.andi %39, %c63 : i32
    %41 = func.call @aiec_rt_shl_by(%rest, %40) : (i64, i32) -> i64
    %42 = arith.andi %a, %dx8000000000000000 : i64
    %43 = arith.subi %28, %39 : i32
    %44 = arith.subi %43, %c1 : i32
    %45 = arith.shli %41, %dc10 : i64
    %46 = func.call @aiec_rt_pack_f64(%42, %44, %45) : (i64, i32, i64) -> i64
    %47 = arith.cmpi eq, %rest, %dc0 : i64
    %48 = arith.andi %a, %dx8000000000000000 : i64
    %49 = arith.select %47, %48, %46 : i64
    scf.yield %49 : i64
  }
  return %7 : i64
}

// a * b + c, rounded once. The product has 106 bits: sums of 128 bits in pairs of words.
func.func @aiec_rt_fma_f64(%a: i64, %b: i64, %c: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dc0 = arith.constant 0 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %dc52 = arith.constant 52 : i64
  %c2047 = arith.constant 2047 : i32
  %dc53 = arith.constant 53 : i64
  %dx1FFFFFFFFFFFFF = arith.constant 0x001FFFFFFFFFFFFF : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %dc10 = arith.constant 10 : i64
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %dc1 = arith.constant 1 : i64
  %dc63 = arith.constant 63 : i64
  %c1022 = arith.constant 1022 : i32
  %dc9 = arith.constant 9 : i64
  %xFFFFC000 = arith.constant 0xFFFFC000 : i32
  %c127 = arith.constant 127 : i32
  %c64 = arith.constant 64 : i32
  %c63 = arith.constant 63 : i32
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.andi %c, %dx7FFFFFFFFFFFFFFF : i64
  %3 = arith.xori %a, %b : i64
  %product_sign = arith.andi %3, %dx8000000000000000 : i64
  %addend_sign = arith.andi %c, %dx8000000000000000 : i64
  %4 = arith.cmpi eq, %0, %dx7FF0000000000000 : i64
  %5 = arith.cmpi eq, %1, %dx7FF0000000000000 : i64
  %6 = arith.cmpi eq, %2, %dx7FF0000000000000 : i64
  %7 = arith.cmpi eq, %0, %dc0 : i64
  %8 = arith.cmpi eq, %1, %dc0 : i64
  %9 = arith.cmpi eq, %2, %dc0 : i64
  %10 = arith.ori %4, %5 : i1
  %zero_product = arith.ori %7, %8 : i1
  %11 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %13 = arith.cmpi ugt, %2, %dx7FF0000000000000 : i64
  %14 = arith.andi %10, %zero_product : i1
  %15 = arith.cmpi ne, %product_sign, %addend_sign : i64
  %16 = arith.andi %10, %6 : i1
  %17 = arith.andi %16, %15 : i1
  %18 = arith.ori %11, %12 : i1
  %19 = arith.ori %18, %13 : i1
  %20 = arith.ori %19, %14 : i1
  %nan = arith.ori %20, %17 : i1
  %21 = arith.ori %nan, %10 : i1
  %22 = arith.ori %21, %6 : i1
  %23 = arith.ori %22, %zero_product : i1
  %24 = scf.if %23 -> (i64) {
    %25 = arith.ori %product_sign, %dx7FF0000000000000 : i64
    %26 = arith.select %10, %25, %c : i64
    %27 = arith.andi %zero_product, %9 : i1
    %28 = arith.andi %product_sign, %addend_sign : i64
    %29 = arith.select %27, %28, %26 : i64
    %30 = arith.select %nan, %dx7FF8000000000000, %29 : i64
    scf.yield %30 : i64
  } else {
    %31 = arith.shrui %a, %dc52 : i64
    %32 = arith.trunci %31 : i64 to i32
    %33 = arith.andi %32, %c2047 : i32
    %34 = func.call @aiec_rt_normalize_f64(%a) : (i64) -> i64
    %35 = arith.shrui %34, %dc53 : i64
    %36 = arith.trunci %35 : i64 to i32
    %37 = arith.andi %34, %dx1FFFFFFFFFFFFF : i64
    %38 = arith.cmpi eq, %33, %c0 : i32
    %39 = arith.subi %c1, %36 : i32
    %40 = arith.select %38, %39, %33 : i32
    %41 = arith.shrui %b, %dc52 : i64
    %42 = arith.trunci %41 : i64 to i32
    %43 = arith.andi %42, %c2047 : i32
    %44 = func.call @aiec_rt_normalize_f64(%b) : (i64) -> i64
    %45 = arith.shrui %44, %dc53 : i64
    %46 = arith.trunci %45 : i64 to i32
    %47 = arith.andi %44, %dx1FFFFFFFFFFFFF : i64
    %48 = arith.cmpi eq, %43, %c0 : i32
    %49 = arith.subi %c1, %46 : i32
    %50 = arith.select %48, %49, %43 : i32
    %51 = arith.shrui %c, %dc52 : i64
    %52 = arith.trunci %51 : i64 to i32
    %53 = arith.andi %52, %c2047 : i32
    %54 = func.call @aiec_rt_normalize_f64(%c) : (i64) -> i64
    %55 = arith.shrui %54, %dc53 : i64
    %56 = arith.trunci %55 : i64 to i32
    %57 = arith.andi %54, %dx1FFFFFFFFFFFFF : i64
    %58 = arith.cmpi eq, %53, %c0 : i32
    %59 = arith.subi %c1, %56 : i32
    %60 = arith.select %58, %59, %53 : i32
    %61 = arith.shli %37, %dc10 : i64
    %62 = arith.shli %47, %dc10 : i64
    %63 = func.call @aiec_rt_mulhu(%61, %62) : (i64, i64) -> i64
    %64 = func.call @aiec_rt_mul_i64(%61, %62) : (i64, i64) -> i64
    %65 = arith.cmpi ult, %63, %dx2000000000000000 : i64
    %66 = arith.shli %63, %dc1 : i64
    %67 = arith.shrui %64, %dc63 : i64
    %68 = arith.ori %66, %67 : i64
    %product_high = arith.select %65, %68, %63 : i64
    %69 = arith.shli %64, %dc1 : i64
    %product_low = arith.select %65, %69, %64 : i64
    %70 = arith.addi %40, %50 : i32
    %71 = arith.subi %70, %c1022 : i32
    %72 = arith.subi %71, %c1 : i32
    %product_exponent = arith.select %65, %72, %71 : i32
    %73 = arith.shli %57, %dc9 : i64
    %addend_high = arith.select %9, %dc0, %73 : i64
    %addend_exponent = arith.select %9, %xFFFFC000, %60 : i32
    %74 = arith.cmpi sgt, %product_exponent, %addend_exponent : i32
    %75 = arith.cmpi eq, %product_exponent, %addend_exponent : i32
    %76 = arith.cmpi uge, %product_high, %addend_high : i64
    %77 = arith.andi %75, %76 : i1
    %product_first = arith.ori %74, %77 : i1
    %78 = arith.select %product_first, %product_sign, %addend_sign : i64
    %exponent = arith.select %product_first, %product_exponent, %addend_exponent : i32
    %79 = arith.select %product_first, %product_high, %addend_high : i64
    %80 = arith.select %product_first, %product_low, %dc0 : i64
    %81 = arith.select %product_first, %addend_high, %product_high : i64
    %82 = arith.select %product_first, %dc0, %product_low : i64
    %83 = arith.select %product_first, %addend_exponent, %product_exponent : i32
    %84 = arith.subi %exponent, %83 : i32
    %85 = arith.cmpi ult, %84, %c127 : i32
    %distance = arith.select %85, %84, %c127 : i32
    %far = arith.cmpi uge, %distance, %c64 : i32
    %86 = arith.select %far, %dc0, %81 : i64
    %87 = arith.select %far, %81, %82 : i64
    %88 = arith.select %far, %82, %dc0 : i64
    %89 = arith.andi %distance, %c63 : i32
    %90 = func.call @aiec_rt_shru_by(%86, %89) : (i64, i32) -> i64
    %91 = func.call @aiec_rt_shru_by(%87, %89) : (i64, i32) -> i64
    %92 = arith.cmpi ne, %89, %c0 : i32
    %93 = arith.subi %c64, %89 : i32
    %94 = arith.andi %93, %c63 : i32
    %95 = func.call @aiec_rt_shl_by(%86, %94) : (i64, i32) -> i64
    %96 = arith.select %92, %95, %dc0 : i64
    %97 = arith.cmpi ne, %89, %c0 : i32
    %98 = arith.subi %c64, %89 : i32
    %99 = arith.andi %98, %c63 : i32
    %100 = func.call @aiec_rt_shl_by(%87, %99) : (i64, i32) -> i64
    %101 = arith.select %97, %100, %dc0 : i64
    %102 = arith.ori %91, %96 : i64
    %103 = arith.ori %88, %101 : i64
    %104 = arith.cmpi ne, %103, %dc0 : i64
    %105 = arith.ori %102, %dc1 : i64
    %106 = arith.select %104, %105, %102 : i64
    %opposite = arith.cmpi ne, %product_sign, %addend_sign : i64
    %107 = arith.subi %80, %106 : i64
    %108 = arith.addi %80, %106 : i64
    %sum_low = arith.select %opposite, %107, %108 : i64
    %109 = arith.cmpi ult, %80, %106 : i64
    %110 = arith.cmpi ult, %sum_low, %80 : i64
    %111 = arith.select %opposite, %109, %110 : i1
    %112 = arith.subi %79, %90 : i64
    %113 = arith.addi %79, %90 : i64
    %114 = arith.select %opposite, %112, %113 : i64
    %115 = arith.subi %114, %dc1 : i64
    %116 = arith.addi %114, %dc1 : i64
    %117 = arith.select %opposite, %115, %116 : i64
    %sum_high = arith.select %111, %117, %114 : i64
    %118 = arith.cmpi eq, %sum_high, %dc0 : i64
    %119 = arith.select %118, %sum_low, %sum_high : i64
    %120 = func.call @aiec_rt_clz_i64(%119) : (i64) -> i32
    %121 = arith.select %118, %sum_low, %sum_high : i64
    %122 = arith.select %118, %dc0, %sum_low : i64
    %123 = arith.subi %120, %c1 : i32
    %124 = arith.cmpi slt, %123, %c0 : i32
    %125 = arith.andi %123, %c63 : i32
    %126 = func.call @aiec_rt_shl_by(%121, %125) : (i64, i32) -> i64
    %127 = arith.subi %c64, %123 : i32
    %128 = arith.andi %127, %c63 : i32
    %129 = func.call @aiec_rt_shru_by(%122, %128) : (i64, i32) -> i64
    %130 = arith.cmpi eq, %123, %c0 : i32
    %131 = arith.select %130, %dc0, %129 : i64
    %132 = arith.andi %123, %c63 : i32
    %133 = func.call @aiec_rt_shl_by(%122, %132) : (i64, i32) -> i64
    %134 = arith.ori %126, %131 : i64
    %135 = arith.cmpi ne, %133, %dc0 : i64
    %136 = arith.ori %134, %dc1 : i64
    %137 = arith.select %135, %136, %134 : i64
    %138 = arith.shrui %121, %dc1 : i64
    %139 = arith.andi %121, %dc1 : i64
    %140 = arith.ori %138, %139 : i64
    %141 = arith.select %124, %140, %137 : i64
    %142 = arith.subi %exponent, %123 : i32
    %143 = arith.subi %142, %c64 : i32
    %144 = arith.select %118, %143, %142 : i32
    %145 = arith.ori %sum_high, %sum_low : i64
    %146 = arith.cmpi eq, %145, %dc0 : i64
    %147 = func.call @aiec_rt_pack_f64(%78, %144, %141) : (i64, i32, i64) -> i64
    %148 = arith.select %opposite, %dc0, %78 : i64
    %149 = arith.select %146, %148, %147 : i64
    scf.yield %149 : i64
  }
  return %24 : i64
}

// The lesser of a and b, the NaN if one of them is one; -0 is less than +0.
func.func @aiec_rt_min_f64(%a: i64, %b: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dc63 = arith.constant 63 : i64
  %dc1 = arith.constant 1 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %a_nan = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %b_nan = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.shrui %2, %dc1 : i64
  %4 = arith.xori %a, %3 : i64
  %5 = arith.shrsi %b, %dc63 : i64
  %6 = arith.shrui %5, %dc1 : i64
  %7 = arith.xori %b, %6 : i64
  %8 = arith.cmpi slt, %4, %7 : i64
  %9 = arith.select %8, %a, %b : i64
  %10 = arith.select %b_nan, %dx7FF8000000000000, %9 : i64
  %11 = arith.select %a_nan, %dx7FF8000000000000, %10 : i64
  return %11 : i64
}

// The lesser of a and b, the other if one of them is a NaN; -0 is less than +0.
func.func @aiec_rt_minnum_f64(%a: i64, %b: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dc63 = arith.constant 63 : i64
  %dc1 = arith.constant 1 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %a_nan = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %b_nan = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.shrui %2, %dc1 : i64
  %4 = arith.xori %a, %3 : i64
  %5 = arith.shrsi %b, %dc63 : i64
  %6 = arith.shrui %5, %dc1 : i64
  %7 = arith.xori %b, %6 : i64
  %8 = arith.cmpi slt, %4, %7 : i64
  %9 = arith.select %8, %a, %b : i64
  %10 = arith.select %b_nan, %dx7FF8000000000000, %b : i64
  %11 = arith.select %b_nan, %a, %9 : i64
  %12 = arith.select %a_nan, %10, %11 : i64
  return %12 : i64
}

// The greater of a and b, the NaN if one of them is one; -0 is less than +0.
func.func @aiec_rt_max_f64(%a: i64, %b: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dc63 = arith.constant 63 : i64
  %dc1 = arith.constant 1 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %a_nan = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %b_nan = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.shrui %2, %dc1 : i64
  %4 = arith.xori %a, %3 : i64
  %5 = arith.shrsi %b, %dc63 : i64
  %6 = arith.shrui %5, %dc1 : i64
  %7 = arith.xori %b, %6 : i64
  %8 = arith.cmpi slt, %4, %7 : i64
  %9 = arith.select %8, %b, %a : i64
  %10 = arith.select %b_nan, %dx7FF8000000000000, %9 : i64
  %11 = arith.select %a_nan, %dx7FF8000000000000, %10 : i64
  return %11 : i64
}

// The greater of a and b, the other if one of them is a NaN; -0 is less than +0.
func.func @aiec_rt_maxnum_f64(%a: i64, %b: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dc63 = arith.constant 63 : i64
  %dc1 = arith.constant 1 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %a_nan = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %b_nan = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.shrui %2, %dc1 : i64
  %4 = arith.xori %a, %3 : i64
  %5 = arith.shrsi %b, %dc63 : i64
  %6 = arith.shrui %5, %dc1 : i64
  %7 = arith.xori %b, %6 : i64
  %8 = arith.cmpi slt, %4, %7 : i64
  %9 = arith.select %8, %b, %a : i64
  %10 = arith.select %b_nan, %dx7FF8000000000000, %b : i64
  %11 = arith.select %b_nan, %a, %9 : i64
  %12 = arith.select %a_nan, %10, %11 : i64
  return %12 : i64
}

// a = b, and neither is a NaN.
func.func @aiec_rt_cmp_f64_oeq(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi eq, %5, %9 : i64
  %11 = arith.cmpi ule, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ule, %1, %dx7FF0000000000000 : i64
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a > b, and neither is a NaN.
func.func @aiec_rt_cmp_f64_ogt(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi sgt, %5, %9 : i64
  %11 = arith.cmpi ule, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ule, %1, %dx7FF0000000000000 : i64
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a >= b, and neither is a NaN.
func.func @aiec_rt_cmp_f64_oge(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi sge, %5, %9 : i64
  %11 = arith.cmpi ule, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ule, %1, %dx7FF0000000000000 : i64
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a < b, and neither is a NaN.
func.func @aiec_rt_cmp_f64_olt(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi slt, %5, %9 : i64
  %11 = arith.cmpi ule, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ule, %1, %dx7FF0000000000000 : i64
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a <= b, and neither is a NaN.
func.func @aiec_rt_cmp_f64_ole(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi sle, %5, %9 : i64
  %11 = arith.cmpi ule, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ule, %1, %dx7FF0000000000000 : i64
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a != b, and neither is a NaN.
func.func @aiec_rt_cmp_f64_one(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi ne, %5, %9 : i64
  %11 = arith.cmpi ule, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ule, %1, %dx7FF0000000000000 : i64
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// Neither a nor b is a NaN.
func.func @aiec_rt_cmp_f64_ord(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.cmpi ule, %0, %dx7FF0000000000000 : i64
  %3 = arith.cmpi ule, %1, %dx7FF0000000000000 : i64
  %4 = arith.andi %2, %3 : i1
  return %4 : i1
}

// a = b, or one is a NaN.
func.func @aiec_rt_cmp_f64_ueq(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi eq, %5, %9 : i64
  %11 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a > b, or one is a NaN.
func.func @aiec_rt_cmp_f64_ugt(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi sgt, %5, %9 : i64
  %11 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a >= b, or one is a NaN.
func.func @aiec_rt_cmp_f64_uge(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi sge, %5, %9 : i64
  %11 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a < b, or one is a NaN.
func.func @aiec_rt_cmp_f64_ult(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi slt, %5, %9 : i64
  %11 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a <= b, or one is a NaN.
func.func @aiec_rt_cmp_f64_ule(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi sle, %5, %9 : i64
  %11 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a != b, or one is a NaN.
func.func @aiec_rt_cmp_f64_une(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc63 = arith.constant 63 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.shrsi %a, %dc63 : i64
  %3 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.xori %3, %2 : i64
  %5 = arith.subi %4, %2 : i64
  %6 = arith.shrsi %b, %dc63 : i64
  %7 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %8 = arith.xori %7, %6 : i64
  %9 = arith.subi %8, %6 : i64
  %10 = arith.cmpi ne, %5, %9 : i64
  %11 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %12 = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a or b is a NaN.
func.func @aiec_rt_cmp_f64_uno(%a: i64, %b: i64) -> i1 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx7FFFFFFFFFFFFFFF : i64
  %2 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %3 = arith.cmpi ugt, %1, %dx7FF0000000000000 : i64
  %4 = arith.ori %2, %3 : i1
  return %4 : i1
}

// x without its sign.
func.func @aiec_rt_math_f64_absf(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %0 = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  return %0 : i64
}

// a with the sign of b.
func.func @aiec_rt_math2_f64_copysign(%a: i64, %b: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %0 = arith.andi %a, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.andi %b, %dx8000000000000000 : i64
  %2 = arith.ori %0, %1 : i64
  return %2 : i64
}

// To negative infinity, as for f32.
func.func @aiec_rt_math_f64_floor(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %c1023 = arith.constant 1023 : i32
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %c63 = arith.constant 63 : i32
  %dc0 = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %dxBFF0000000000000 = arith.constant 0xBFF0000000000000 : i64
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %dm1 = arith.constant -1 : i64
  %c52 = arith.constant 52 : i32
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %magnitude = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %0 = arith.shrui %magnitude, %dc52 : i64
  %1 = arith.trunci %0 : i64 to i32
  %exponent = arith.subi %1, %c1023 : i32
  %2 = arith.andi %x, %dx8000000000000000 : i64
  %3 = arith.andi %exponent, %c63 : i32
  %4 = arith.cmpi slt, %x, %dc0 : i64
  %5 = arith.cmpi slt, %exponent, %c0 : i32
  %6 = scf.if %5 -> (i64) {
    %7 = arith.cmpi ne, %magnitude, %dc0 : i64
    %8 = arith.andi %4, %7 : i1
    %9 = arith.select %8, %dxBFF0000000000000, %2 : i64
    scf.yield %9 : i64
  } else {
    %below = func.call @aiec_rt_shru_by(%dxFFFFFFFFFFFFF, %3) : (i64, i32) -> i64
    %10 = arith.select %4, %below, %dc0 : i64
    %11 = arith.addi %x, %10 : i64
    %12 = arith.xori %below, %dm1 : i64
    %13 = arith.andi %11, %12 : i64
    %14 = arith.cmpi sge, %exponent, %c52 : i32
    %15 = arith.select %14, %x, %13 : i64
    %16 = arith.cmpi ugt, %magnitude, %dx7FF0000000000000 : i64
    %17 = arith.select %16, %dx7FF8000000000000, %15 : i64
    scf.yield %17 : i64
  }
  return %6 : i64
}

// To positive infinity, as for f32.
func.func @aiec_rt_math_f64_ceil(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %c1023 = arith.constant 1023 : i32
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %c63 = arith.constant 63 : i32
  %dc0 = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %dx3FF0000000000000 = arith.constant 0x3FF0000000000000 : i64
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %dm1 = arith.constant -1 : i64
  %c52 = arith.constant 52 : i32
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %magnitude = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %0 = arith.shrui %magnitude, %dc52 : i64
  %1 = arith.trunci %0 : i64 to i32
  %exponent = arith.subi %1, %c1023 : i32
  %2 = arith.andi %x, %dx8000000000000000 : i64
  %3 = arith.andi %exponent, %c63 : i32
  %4 = arith.cmpi slt, %x, %dc0 : i64
  %5 = arith.cmpi slt, %exponent, %c0 : i32
  %6 = scf.if %5 -> (i64) {
    %7 = arith.cmpi sgt, %x, %dc0 : i64
    %8 = arith.cmpi ne, %magnitude, %dc0 : i64
    %9 = arith.andi %7, %8 : i1
    %10 = arith.select %9, %dx3FF0000000000000, %2 : i64
    scf.yield %10 : i64
  } else {
    %below = func.call @aiec_rt_shru_by(%dxFFFFFFFFFFFFF, %3) : (i64, i32) -> i64
    %11 = arith.select %4, %dc0, %below : i64
    %12 = arith.addi %x, %11 : i64
    %13 = arith.xori %below, %dm1 : i64
    %14 = arith.andi %12, %13 : i64
    %15 = arith.cmpi sge, %exponent, %c52 : i32
    %16 = arith.select %15, %x, %14 : i64
    %17 = arith.cmpi ugt, %magnitude, %dx7FF0000000000000 : i64
    %18 = arith.select %17, %dx7FF8000000000000, %16 : i64
    scf.yield %18 : i64
  }
  return %6 : i64
}

// To zero, as for f32.
func.func @aiec_rt_math_f64_trunc(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %c1023 = arith.constant 1023 : i32
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %c63 = arith.constant 63 : i32
  %dc0 = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %dm1 = arith.constant -1 : i64
  %c52 = arith.constant 52 : i32
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %magnitude = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %0 = arith.shrui %magnitude, %dc52 : i64
  %1 = arith.trunci %0 : i64 to i32
  %exponent = arith.subi %1, %c1023 : i32
  %2 = arith.andi %x, %dx8000000000000000 : i64
  %3 = arith.andi %exponent, %c63 : i32
  %4 = arith.cmpi slt, %x, %dc0 : i64
  %5 = arith.cmpi slt, %exponent, %c0 : i32
  %6 = scf.if %5 -> (i64) {
    scf.yield %2 : i64
  } else {
    %below = func.call @aiec_rt_shru_by(%dxFFFFFFFFFFFFF, %3) : (i64, i32) -> i64
    %7 = arith.xori %below, %dm1 : i64
    %8 = arith.andi %x, %7 : i64
    %9 = arith.cmpi sge, %exponent, %c52 : i32
    %10 = arith.select %9, %x, %8 : i64
    %11 = arith.cmpi ugt, %magnitude, %dx7FF0000000000000 : i64
    %12 = arith.select %11, %dx7FF8000000000000, %10 : i64
    scf.yield %12 : i64
  }
  return %6 : i64
}

// To the nearest, halves away from zero, as for f32.
func.func @aiec_rt_math_f64_round(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %c1023 = arith.constant 1023 : i32
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %c63 = arith.constant 63 : i32
  %dc0 = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %dx3FE0000000000000 = arith.constant 0x3FE0000000000000 : i64
  %dx3FF0000000000000 = arith.constant 0x3FF0000000000000 : i64
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %dc1 = arith.constant 1 : i64
  %dm1 = arith.constant -1 : i64
  %c52 = arith.constant 52 : i32
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %magnitude = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %0 = arith.shrui %magnitude, %dc52 : i64
  %1 = arith.trunci %0 : i64 to i32
  %exponent = arith.subi %1, %c1023 : i32
  %2 = arith.andi %x, %dx8000000000000000 : i64
  %3 = arith.andi %exponent, %c63 : i32
  %4 = arith.cmpi slt, %x, %dc0 : i64
  %5 = arith.cmpi slt, %exponent, %c0 : i32
  %6 = scf.if %5 -> (i64) {
    %7 = arith.cmpi uge, %magnitude, %dx3FE0000000000000 : i64
    %8 = arith.select %7, %dx3FF0000000000000, %dc0 : i64
    %9 = arith.ori %2, %8 : i64
    scf.yield %9 : i64
  } else {
    %below = func.call @aiec_rt_shru_by(%dxFFFFFFFFFFFFF, %3) : (i64, i32) -> i64
    %10 = arith.shrui %below, %dc1 : i64
    %11 = arith.addi %10, %dc1 : i64
    %12 = arith.addi %x, %11 : i64
    %13 = arith.xori %below, %dm1 : i64
    %14 = arith.andi %12, %13 : i64
    %15 = arith.cmpi sge, %exponent, %c52 : i32
    %16 = arith.select %15, %x, %14 : i64
    %17 = arith.cmpi ugt, %magnitude, %dx7FF0000000000000 : i64
    %18 = arith.select %17, %dx7FF8000000000000, %16 : i64
    scf.yield %18 : i64
  }
  return %6 : i64
}

// To the nearest, halves to even, as for f32.
func.func @aiec_rt_math_f64_roundeven(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %c1023 = arith.constant 1023 : i32
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %c63 = arith.constant 63 : i32
  %dc0 = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %dx3FE0000000000000 = arith.constant 0x3FE0000000000000 : i64
  %dx3FF0000000000000 = arith.constant 0x3FF0000000000000 : i64
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %c52 = arith.constant 52 : i32
  %dc1 = arith.constant 1 : i64
  %dm1 = arith.constant -1 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %magnitude = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %0 = arith.shrui %magnitude, %dc52 : i64
  %1 = arith.trunci %0 : i64 to i32
  %exponent = arith.subi %1, %c1023 : i32
  %2 = arith.andi %x, %dx8000000000000000 : i64
  %3 = arith.andi %exponent, %c63 : i32
  %4 = arith.cmpi slt, %x, %dc0 : i64
  %5 = arith.cmpi slt, %exponent, %c0 : i32
  %6 = scf.if %5 -> (i64) {
    %7 = arith.cmpi ugt, %magnitude, %dx3FE0000000000000 : i64
    %8 = arith.select %7, %dx3FF0000000000000, %dc0 : i64
    %9 = arith.ori %2, %8 : i64
    scf.yield %9 : i64
  } else {
    %below = func.call @aiec_rt_shru_by(%dxFFFFFFFFFFFFF, %3) : (i64, i32) -> i64
    %10 = arith.subi %c52, %exponent : i32
    %11 = arith.andi %10, %c63 : i32
    %12 = func.call @aiec_rt_shru_by(%x, %11) : (i64, i32) -> i64
    %13 = arith.andi %12, %dc1 : i64
    %14 = arith.cmpi eq, %exponent, %c0 : i32
    %15 = arith.select %14, %dc1, %13 : i64
    %16 = arith.shrui %below, %dc1 : i64
    %17 = arith.addi %x, %16 : i64
    %18 = arith.addi %17, %15 : i64
    %19 = arith.xori %below, %dm1 : i64
    %20 = arith.andi %18, %19 : i64
    %21 = arith.cmpi sge, %exponent, %c52 : i32
    %22 = arith.select %21, %x, %20 : i64
    %23 = arith.cmpi ugt, %magnitude, %dx7FF0000000000000 : i64
    %24 = arith.select %23, %dx7FF8000000000000, %22 : i64
    scf.yield %24 : i64
  }
  return %6 : i64
}

// The square root, as for f32: 55 bits of it.
func.func @aiec_rt_math_f64_sqrt(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %c2047 = arith.constant 2047 : i32
  %dc0 = arith.constant 0 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %dx7FF8000000000000 = arith.constant 0x7FF8000000000000 : i64
  %dc53 = arith.constant 53 : i64
  %dx1FFFFFFFFFFFFF = arith.constant 0x001FFFFFFFFFFFFF : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %dc1 = arith.constant 1 : i64
  %dc10 = arith.constant 10 : i64
  %ic0 = arith.constant 0 : index
  %ic55 = arith.constant 55 : index
  %ic1 = arith.constant 1 : index
  %dc2 = arith.constant 2 : i64
  %dc62 = arith.constant 62 : i64
  %dc8 = arith.constant 8 : i64
  %c1023 = arith.constant 1023 : i32
  %0 = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.shrui %x, %dc52 : i64
  %2 = arith.trunci %1 : i64 to i32
  %3 = arith.andi %2, %c2047 : i32
  %4 = arith.cmpi sle, %x, %dc0 : i64
  %5 = arith.cmpi uge, %0, %dx7FF0000000000000 : i64
  %6 = arith.ori %4, %5 : i1
  %7 = scf.if %6 -> (i64) {
    %8 = arith.cmpi eq, %0, %dc0 : i64
    %9 = arith.cmpi eq, %x, %dx7FF0000000000000 : i64
    %10 = arith.select %9, %x, %dx7FF8000000000000 : i64
    %11 = arith.select %8, %x, %10 : i64
    scf.yield %11 : i64
  } else {
    %12 = func.call @aiec_rt_normalize_f64(%x) : (i64) -> i64
    %13 = arith.shrui %12, %dc53 : i64
    %14 = arith.trunci %13 : i64 to i32
    %15 = arith.andi %12, %dx1FFFFFFFFFFFFF : i64
    %16 = arith.cmpi eq, %3, %c0 : i32
    %17 = arith.subi %c1, %14 : i32
    %18 = arith.select %16, %17, %3 : i32
    %19 = arith.andi %18, %c1 : i32
    %20 = arith.cmpi eq, %19, %c0 : i32
    %21 = arith.shli %15, %dc1 : i64
    %22 = arith.select %20, %21, %15 : i64
    %23 = arith.shli %22, %dc10 : i64
    %bits:3 = scf.for %i = %ic0 to %ic55 step %ic1 iter_args(%bits1 = %23, %rest = %dc0, %root = %dc0) -> (i64, i64, i64) {
      %24 = arith.shli %rest, %dc2 : i64
      %25 = arith.shrui %bits1, %dc62 : i64
      %26 = arith.ori %24, %25 : i64
      %27 = arith.shli %root, %dc2 : i64
      %28 = arith.ori %27, %dc1 : i64
      %29 = arith.cmpi ult, %26, %28 : i64
      %30 = arith.addi %root, %root : i64
      %31 = arith.shli %bits1, %dc2 : i64
      %32 = arith.subi %26, %28 : i64
      %33 = arith.select %29, %26, %32 : i64
      %34 = arith.ori %30, %dc1 : i64
      %35 = arith.select %29, %30, %34 : i64
      scf.yield %31, %33, %35 : i64, i64, i64
    }
    %36 = arith.shli %bits#2, %dc8 : i64
    %37 = arith.cmpi ne, %bits#1, %dc0 : i64
    %38 = arith.select %37, %dc1, %dc0 : i64
    %39 = arith.ori %36, %38 : i64
    %40 = arith.addi %18, %c1023 : i32
    %41 = arith.shrui %40, %c1 : i32
    %42 = arith.subi %41, %c1 : i32
    %43 = func.call @aiec_rt_pack_f64(%dc0, %42, %39) : (i64, i32, i64) -> i64
    scf.yield %43 : i64
  }
  return %7 : i64
}

// 1 / the square root, both rounded.
func.func @aiec_rt_math_f64_rsqrt(%x: i64) -> i64 {
  %dx3FF0000000000000 = arith.constant 0x3FF0000000000000 : i64
  %0 = func.call @aiec_rt_math_f64_sqrt(%x) : (i64) -> i64
  %1 = func.call @aiec_rt_div_f64(%dx3FF0000000000000, %0) : (i64, i64) -> i64
  return %1 : i64
}
