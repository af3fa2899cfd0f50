// Conversions between floats, and between floats and integers.

// As `aiec_rt_pack_f32`, rounded by a mode: those of `arith.truncf` by number, and 5 to odd (what is no f32 gets the neighbour with 1
// in its last bit), which rounding to fewer bits later doesn't notice. Exponents from 4096 on are infinities.
func.func @aiec_rt_pack_f32_by(%sign: i32, %exponent: i32, %fraction: i32, %mode: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %bc0 = arith.constant false
  %bc1 = arith.constant true
  %c127 = arith.constant 127 : i32
  %c7 = arith.constant 7 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c23 = arith.constant 23 : i32
  %c253 = arith.constant 253 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c4096 = arith.constant 4096 : i32
  %x7F7FFFFF = arith.constant 0x7F7FFFFF : i32
  %0 = arith.cmpi slt, %exponent, %c0 : i32
  %1 = arith.subi %c0, %exponent : i32
  %2 = arith.select %0, %1, %c0 : i32
  %3 = arith.cmpi ult, %2, %c31 : i32
  %down = arith.select %3, %2, %c31 : i32
  %4 = arith.shrui %fraction, %down : i32
  %5 = arith.shli %4, %down : i32
  %6 = arith.cmpi ne, %5, %fraction : i32
  %7 = arith.ori %4, %c1 : i32
  %moved = arith.select %6, %7, %4 : i32
  %8 = arith.select %0, %c0, %exponent : i32
  %9 = arith.cmpi slt, %sign, %c0 : i32
  %10 = arith.cmpi eq, %mode, %c1 : i32
  %11 = arith.andi %10, %9 : i1
  %12 = arith.cmpi eq, %mode, %c2 : i32
  %13 = arith.select %9, %bc0, %bc1 : i1
  %14 = arith.andi %12, %13 : i1
  %outward = arith.ori %11, %14 : i1
  %15 = arith.shrui %moved, %c7 : i32
  %16 = arith.andi %15, %c1 : i32
  %17 = arith.shrui %c127, %c1 : i32
  %18 = arith.addi %17, %16 : i32
  %19 = arith.cmpi eq, %mode, %c0 : i32
  %20 = arith.select %outward, %c127, %c0 : i32
  %21 = arith.select %19, %18, %20 : i32
  %22 = arith.cmpi eq, %mode, %c4 : i32
  %23 = arith.addi %17, %c1 : i32
  %24 = arith.select %22, %23, %21 : i32
  %25 = arith.addi %moved, %24 : i32
  %26 = arith.shrui %25, %c7 : i32
  %27 = arith.cmpi eq, %mode, %c5 : i32
  %28 = arith.andi %moved, %c127 : i32
  %29 = arith.cmpi ne, %28, %c0 : i32
  %30 = arith.andi %27, %29 : i1
  %31 = arith.ori %26, %c1 : i32
  %rounded = arith.select %30, %31, %26 : i32
  %32 = arith.cmpi eq, %moved, %c0 : i32
  %33 = arith.select %32, %c0, %8 : i32
  %34 = arith.shli %33, %c23 : i32
  %magnitude = arith.addi %34, %rounded : i32
  %35 = arith.cmpi sgt, %8, %c253 : i32
  %36 = arith.cmpi uge, %magnitude, %x7F800000 : i32
  %37 = arith.ori %35, %36 : i1
  %38 = arith.cmpi ne, %fraction, %c0 : i32
  %39 = arith.andi %37, %38 : i1
  %40 = arith.cmpi eq, %mode, %c0 : i32
  %41 = arith.cmpi eq, %mode, %c4 : i32
  %42 = arith.cmpi sge, %exponent, %c4096 : i32
  %43 = arith.ori %outward, %40 : i1
  %44 = arith.ori %43, %41 : i1
  %45 = arith.ori %44, %42 : i1
  %46 = arith.select %45, %x7F800000, %x7F7FFFFF : i32
  %47 = arith.select %39, %46, %magnitude : i32
  %48 = arith.ori %sign, %47 : i32
  return %48 : i32
}

// An f64 as an f32, rounded by a mode as in `aiec_rt_pack_f32_by`; a NaN keeps sign and upper payload.
func.func @aiec_rt_narrow_f64_by(%x: i64, %mode: i32) -> i32 {
  %dc32 = arith.constant 32 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %c2047 = arith.constant 2047 : i32
  %dc29 = arith.constant 29 : i64
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %dx10000000000000 = arith.constant 0x0010000000000000 : i64
  %dc22 = arith.constant 22 : i64
  %x3FFFFF = arith.constant 0x003FFFFF : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %dc0 = arith.constant 0 : i64
  %c897 = arith.constant 897 : i32
  %0 = arith.shrui %x, %dc32 : i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = arith.andi %1, %x80000000 : i32
  %3 = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %4 = arith.shrui %3, %dc52 : i64
  %5 = arith.trunci %4 : i64 to i32
  %6 = arith.cmpi eq, %5, %c2047 : i32
  %7 = scf.if %6 -> (i32) {
    %8 = arith.shrui %x, %dc29 : i64
    %9 = arith.trunci %8 : i64 to i32
    %10 = arith.andi %9, %x7FFFFF : i32
    %11 = arith.cmpi ugt, %3, %dx7FF0000000000000 : i64
    %12 = arith.ori %10, %x7FC00000 : i32
    %13 = arith.select %11, %12, %x7F800000 : i32
    %14 = arith.ori %2, %13 : i32
    scf.yield %14 : i32
  } else {
    %15 = arith.andi %3, %dxFFFFFFFFFFFFF : i64
    %16 = arith.ori %15, %dx10000000000000 : i64
    %17 = arith.shrui %16, %dc22 : i64
    %18 = arith.trunci %17 : i64 to i32
    %19 = arith.trunci %3 : i64 to i32
    %20 = arith.andi %19, %x3FFFFF : i32
    %21 = arith.cmpi ne, %20, %c0 : i32
    %22 = arith.ori %18, %c1 : i32
    %23 = arith.select %21, %22, %18 : i32
    %24 = arith.cmpi eq, %3, %dc0 : i64
    %25 = arith.select %24, %c0, %23 : i32
    %26 = arith.subi %5, %c897 : i32
    %27 = func.call @aiec_rt_pack_f32_by(%2, %26, %25, %mode) : (i32, i32, i32, i32) -> i32
    scf.yield %27 : i32
  }
  return %7 : i32
}

// An f64 as an f32, to nearest even.
func.func @aiec_rt_narrow_f64_f32(%x: i64) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c0) : (i64, i32) -> i32
  return %0 : i32
}

// An f64 as an f32, downward.
func.func @aiec_rt_narrow_f64_f32_downward(%x: i64) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c1) : (i64, i32) -> i32
  return %0 : i32
}

// An f64 as an f32, upward.
func.func @aiec_rt_narrow_f64_f32_upward(%x: i64) -> i32 {
  %c2 = arith.constant 2 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c2) : (i64, i32) -> i32
  return %0 : i32
}

// An f64 as an f32, toward zero.
func.func @aiec_rt_narrow_f64_f32_toward_zero(%x: i64) -> i32 {
  %c3 = arith.constant 3 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c3) : (i64, i32) -> i32
  return %0 : i32
}

// An f64 as an f32, to nearest away.
func.func @aiec_rt_narrow_f64_f32_to_nearest_away(%x: i64) -> i32 {
  %c4 = arith.constant 4 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c4) : (i64, i32) -> i32
  return %0 : i32
}

// An f64 rounded to bf16, to nearest even.
func.func @aiec_rt_narrow_f64_bf16(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_bf16(%0) : (i32) -> i32
  return %1 : i32
}

// An f64 rounded to bf16, downward.
func.func @aiec_rt_narrow_f64_bf16_downward(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_bf16_downward(%0) : (i32) -> i32
  return %1 : i32
}

// An f64 rounded to bf16, upward.
func.func @aiec_rt_narrow_f64_bf16_upward(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_bf16_upward(%0) : (i32) -> i32
  return %1 : i32
}

// An f64 rounded to bf16, toward zero.
func.func @aiec_rt_narrow_f64_bf16_toward_zero(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_bf16_toward_zero(%0) : (i32) -> i32
  return %1 : i32
}

// An f64 rounded to bf16, to nearest away.
func.func @aiec_rt_narrow_f64_bf16_to_nearest_away(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_bf16_to_nearest_away(%0) : (i32) -> i32
  return %1 : i32
}

// An f64 rounded to f16, to nearest even.
func.func @aiec_rt_narrow_f64_f16(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_f16(%0) : (i32) -> i32
  return %1 : i32
}

// An f64 rounded to f16, downward.
func.func @aiec_rt_narrow_f64_f16_downward(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_f16_downward(%0) : (i32) -> i32
  return %1 : i32
}

// An f64 rounded to f16, upward.
func.func @aiec_rt_narrow_f64_f16_upward(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_f16_upward(%0) : (i32) -> i32
  return %1 : i32
}

// An f64 rounded to f16, toward zero.
func.func @aiec_rt_narrow_f64_f16_toward_zero(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_f16_toward_zero(%0) : (i32) -> i32
  return %1 : i32
}

// An f64 rounded to f16, to nearest away.
func.func @aiec_rt_narrow_f64_f16_to_nearest_away(%x: i64) -> i32 {
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_narrow_f64_by(%x, %c5) : (i64, i32) -> i32
  %1 = func.call @aiec_rt_narrow_f32_f16_to_nearest_away(%0) : (i32) -> i32
  return %1 : i32
}

// An f32 rounded to bf16, to nearest even: half of the bits go. A carry into the exponent is right.
func.func @aiec_rt_narrow_f32_bf16(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c1 = arith.constant 1 : i32
  %x7FFF = arith.constant 32767 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %xFFFF0000 = arith.constant 0xFFFF0000 : i32
  %0 = arith.cmpi slt, %x, %c0 : i32
  %1 = arith.shrui %x, %c16 : i32
  %2 = arith.andi %1, %c1 : i32
  %3 = arith.addi %2, %x7FFF : i32
  %4 = arith.addi %x, %3 : i32
  %5 = arith.andi %x, %x7FFFFFFF : i32
  %6 = arith.cmpi ugt, %5, %x7F800000 : i32
  %7 = arith.ori %x, %x400000 : i32
  %8 = arith.select %6, %7, %4 : i32
  %9 = arith.andi %8, %xFFFF0000 : i32
  return %9 : i32
}

// An f32 rounded to bf16, downward: half of the bits go. A carry into the exponent is right.
func.func @aiec_rt_narrow_f32_bf16_downward(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %xFFFF = arith.constant 65535 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %xFFFF0000 = arith.constant 0xFFFF0000 : i32
  %0 = arith.cmpi slt, %x, %c0 : i32
  %1 = arith.select %0, %xFFFF, %c0 : i32
  %2 = arith.addi %x, %1 : i32
  %3 = arith.andi %x, %x7FFFFFFF : i32
  %4 = arith.cmpi ugt, %3, %x7F800000 : i32
  %5 = arith.ori %x, %x400000 : i32
  %6 = arith.select %4, %5, %2 : i32
  %7 = arith.andi %6, %xFFFF0000 : i32
  return %7 : i32
}

// An f32 rounded to bf16, upward: half of the bits go. A carry into the exponent is right.
func.func @aiec_rt_narrow_f32_bf16_upward(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %xFFFF = arith.constant 65535 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %xFFFF0000 = arith.constant 0xFFFF0000 : i32
  %0 = arith.cmpi slt, %x, %c0 : i32
  %1 = arith.select %0, %c0, %xFFFF : i32
  %2 = arith.addi %x, %1 : i32
  %3 = arith.andi %x, %x7FFFFFFF : i32
  %4 = arith.cmpi ugt, %3, %x7F800000 : i32
  %5 = arith.ori %x, %x400000 : i32
  %6 = arith.select %4, %5, %2 : i32
  %7 = arith.andi %6, %xFFFF0000 : i32
  return %7 : i32
}

// An f32 rounded to bf16, toward zero: half of the bits go. A carry into the exponent is right.
func.func @aiec_rt_narrow_f32_bf16_toward_zero(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %xFFFF0000 = arith.constant 0xFFFF0000 : i32
  %0 = arith.cmpi slt, %x, %c0 : i32
  %1 = arith.andi %x, %x7FFFFFFF : i32
  %2 = arith.cmpi ugt, %1, %x7F800000 : i32
  %3 = arith.ori %x, %x400000 : i32
  %4 = arith.select %2, %3, %x : i32
  %5 = arith.andi %4, %xFFFF0000 : i32
  return %5 : i32
}

// An f32 rounded to bf16, to nearest away: half of the bits go. A carry into the exponent is right.
func.func @aiec_rt_narrow_f32_bf16_to_nearest_away(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %x8000 = arith.constant 32768 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %xFFFF0000 = arith.constant 0xFFFF0000 : i32
  %0 = arith.cmpi slt, %x, %c0 : i32
  %1 = arith.addi %x, %x8000 : i32
  %2 = arith.andi %x, %x7FFFFFFF : i32
  %3 = arith.cmpi ugt, %2, %x7F800000 : i32
  %4 = arith.ori %x, %x400000 : i32
  %5 = arith.select %3, %4, %1 : i32
  %6 = arith.andi %5, %xFFFF0000 : i32
  return %6 : i32
}

// An f32 rounded to f16 by a mode of `arith.truncf`. From 2^-14 on 13 bits go; below that numbers are whole multiples of 2^-24.
func.func @aiec_rt_narrow_f16_by(%x: i32, %mode: i32) -> i32 {
  %x80000000 = arith.constant 0x80000000 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %bc0 = arith.constant false
  %bc1 = arith.constant true
  %c255 = arith.constant 255 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %xFFFFE000 = arith.constant 0xFFFFE000 : i32
  %c113 = arith.constant 113 : i32
  %x1FFF = arith.constant 8191 : i32
  %c13 = arith.constant 13 : i32
  %c4 = arith.constant 4 : i32
  %x477FE000 = arith.constant 0x477FE000 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c126 = arith.constant 126 : i32
  %c25 = arith.constant 25 : i32
  %c133 = arith.constant 133 : i32
  %c8 = arith.constant 8 : i32
  %c31 = arith.constant 31 : i32
  %0 = arith.andi %x, %x80000000 : i32
  %1 = arith.andi %x, %x7FFFFFFF : i32
  %2 = arith.shrui %1, %c23 : i32
  %3 = arith.cmpi slt, %0, %c0 : i32
  %4 = arith.cmpi eq, %mode, %c1 : i32
  %5 = arith.andi %4, %3 : i1
  %6 = arith.cmpi eq, %mode, %c2 : i32
  %7 = arith.select %3, %bc0, %bc1 : i1
  %8 = arith.andi %6, %7 : i1
  %outward = arith.ori %5, %8 : i1
  %9 = arith.cmpi eq, %2, %c255 : i32
  %10 = scf.if %9 -> (i32) {
    %11 = arith.cmpi ugt, %1, %x7F800000 : i32
    %12 = arith.ori %x, %x400000 : i32
    %13 = arith.andi %12, %xFFFFE000 : i32
    %14 = arith.select %11, %13, %x : i32
    scf.yield %14 : i32
  } else {
    %15 = arith.cmpi uge, %2, %c113 : i32
    %16 = scf.if %15 -> (i32) {
      %17 = arith.shrui %1, %c13 : i32
      %18 = arith.andi %17, %c1 : i32
      %19 = arith.shrui %x1FFF, %c1 : i32
      %20 = arith.addi %19, %18 : i32
      %21 = arith.cmpi eq, %mode, %c0 : i32
      %22 = arith.select %outward, %x1FFF, %c0 : i32
      %23 = arith.select %21, %20, %22 : i32
      %24 = arith.cmpi eq, %mode, %c4 : i32
      %25 = arith.addi %19, %c1 : i32
      %26 = arith.select %24, %25, %23 : i32
      %27 = arith.addi %1, %26 : i32
      %28 = arith.andi %27, %xFFFFE000 : i32
      %29 = arith.cmpi eq, %mode, %c0 : i32
      %30 = arith.cmpi eq, %mode, %c4 : i32
      %31 = arith.ori %outward, %29 : i1
      %32 = arith.ori %31, %30 : i1
      %33 = arith.cmpi ugt, %28, %x477FE000 : i32
      %34 = arith.select %32, %x7F800000, %x477FE000 : i32
      %35 = arith.select %33, %34, %28 : i32
      scf.yield %35 : i32
    } else {
      %36 = arith.andi %1, %x7FFFFF : i32
      %37 = arith.ori %36, %x800000 : i32
      %38 = arith.cmpi eq, %1, %c0 : i32
      %39 = arith.select %38, %c0, %37 : i32
      %40 = arith.subi %c126, %2 : i32
      %41 = arith.cmpi ult, %40, %c25 : i32
      %by = arith.select %41, %40, %c25 : i32
      %42 = arith.shli %c1, %by : i32
      %43 = arith.subi %42, %c1 : i32
      %44 = arith.shrui %39, %by : i32
      %45 = arith.andi %44, %c1 : i32
      %46 = arith.shrui %43, %c1 : i32
      %47 = arith.addi %46, %45 : i32
      %48 = arith.cmpi eq, %mode, %c0 : i32
      %49 = arith.select %outward, %43, %c0 : i32
      %50 = arith.select %48, %47, %49 : i32
      %51 = arith.cmpi eq, %mode, %c4 : i32
      %52 = arith.addi %46, %c1 : i32
      %53 = arith.select %51, %52, %50 : i32
      %54 = arith.addi %39, %53 : i32
      %55 = arith.shrui %54, %by : i32
      %56 = math.ctlz %55 : i32
      %57 = arith.subi %c133, %56 : i32
      %58 = arith.shli %57, %c23 : i32
      %59 = arith.subi %56, %c8 : i32
      %60 = arith.andi %59, %c31 : i32
      %61 = arith.shli %55, %60 : i32
      %62 = arith.addi %58, %61 : i32
      %63 = arith.cmpi eq, %55, %c0 : i32
      %64 = arith.select %63, %c0, %62 : i32
      scf.yield %64 : i32
    }
    %65 = arith.ori %0, %16 : i32
    scf.yield %65 : i32
  }
  return %10 : i32
}

// An f32 rounded to f16, to nearest even.
func.func @aiec_rt_narrow_f32_f16(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = func.call @aiec_rt_narrow_f16_by(%x, %c0) : (i32, i32) -> i32
  return %0 : i32
}

// An f32 rounded to f16, downward.
func.func @aiec_rt_narrow_f32_f16_downward(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = func.call @aiec_rt_narrow_f16_by(%x, %c1) : (i32, i32) -> i32
  return %0 : i32
}

// An f32 rounded to f16, upward.
func.func @aiec_rt_narrow_f32_f16_upward(%x: i32) -> i32 {
  %c2 = arith.constant 2 : i32
  %0 = func.call @aiec_rt_narrow_f16_by(%x, %c2) : (i32, i32) -> i32
  return %0 : i32
}

// An f32 rounded to f16, toward zero.
func.func @aiec_rt_narrow_f32_f16_toward_zero(%x: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %0 = func.call @aiec_rt_narrow_f16_by(%x, %c3) : (i32, i32) -> i32
  return %0 : i32
}

// An f32 rounded to f16, to nearest away.
func.func @aiec_rt_narrow_f32_f16_to_nearest_away(%x: i32) -> i32 {
  %c4 = arith.constant 4 : i32
  %0 = func.call @aiec_rt_narrow_f16_by(%x, %c4) : (i32, i32) -> i32
  return %0 : i32
}

// An f32 as an f64; a NaN is made quiet.
func.func @aiec_rt_widen(%x: i32) -> i64 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c1 = arith.constant 1 : i32
  %c254 = arith.constant 254 : i32
  %c896 = arith.constant 896 : i32
  %c8 = arith.constant 8 : i32
  %c31 = arith.constant 31 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %c897 = arith.constant 897 : i32
  %c255 = arith.constant 255 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %c1792 = arith.constant 1792 : i32
  %c3 = arith.constant 3 : i32
  %c20 = arith.constant 20 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c29 = arith.constant 29 : i32
  %dc32 = arith.constant 32 : i64
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.subi %1, %c1 : i32
  %3 = arith.cmpi ult, %2, %c254 : i32
  %parts:2 = scf.if %3 -> (i32, i32) {
    scf.yield %0, %c896 : i32, i32
  } else {
    %4 = math.ctlz %0 : i32
    %5 = arith.subi %4, %c8 : i32
    %6 = arith.andi %5, %c31 : i32
    %7 = arith.shli %0, %6 : i32
    %8 = arith.andi %7, %x7FFFFF : i32
    %9 = arith.subi %c897, %5 : i32
    %10 = arith.cmpi eq, %1, %c255 : i32
    %11 = arith.cmpi eq, %0, %c0 : i32
    %12 = arith.cmpi ugt, %0, %x7F800000 : i32
    %13 = arith.ori %0, %x400000 : i32
    %14 = arith.select %12, %13, %0 : i32
    %15 = arith.select %11, %c0, %8 : i32
    %16 = arith.select %10, %14, %15 : i32
    %17 = arith.subi %c897, %5 : i32
    %18 = arith.select %11, %c0, %17 : i32
    %19 = arith.select %10, %c1792, %18 : i32
    scf.yield %16, %19 : i32, i32
  }
  %20 = arith.shrui %parts#0, %c3 : i32
  %21 = arith.shli %parts#1, %c20 : i32
  %22 = arith.addi %20, %21 : i32
  %23 = arith.andi %x, %x80000000 : i32
  %24 = arith.ori %22, %23 : i32
  %25 = arith.shli %parts#0, %c29 : i32
  %26 = arith.extui %24 : i32 to i64
  %27 = arith.shli %26, %dc32 : i64
  %28 = arith.extui %25 : i32 to i64
  %29 = arith.ori %27, %28 : i64
  return %29 : i64
}

// A signed number of 64 bits as f32.
func.func @aiec_rt_stof_f32(%x: i64) -> i32 {
  %dc63 = arith.constant 63 : i64
  %dc32 = arith.constant 32 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %c63 = arith.constant 63 : i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c189 = arith.constant 189 : i32
  %dc0 = arith.constant 0 : i64
  %0 = arith.shrsi %x, %dc63 : i64
  %1 = arith.xori %x, %0 : i64
  %2 = arith.subi %1, %0 : i64
  %3 = arith.shrui %x, %dc32 : i64
  %4 = arith.trunci %3 : i64 to i32
  %5 = arith.andi %4, %x80000000 : i32
  %6 = func.call @aiec_rt_clz_i64(%2) : (i64) -> i32
  %7 = arith.andi %6, %c63 : i32
  %8 = func.call @aiec_rt_shl_by(%2, %7) : (i64, i32) -> i64
  %9 = arith.shrui %8, %dc32 : i64
  %10 = arith.trunci %9 : i64 to i32
  %11 = arith.trunci %8 : i64 to i32
  %12 = arith.shrui %10, %c1 : i32
  %13 = arith.andi %10, %c1 : i32
  %14 = arith.ori %13, %11 : i32
  %15 = arith.cmpi ne, %14, %c0 : i32
  %16 = arith.select %15, %c1, %c0 : i32
  %17 = arith.ori %12, %16 : i32
  %18 = arith.subi %c189, %6 : i32
  %19 = arith.cmpi eq, %2, %dc0 : i64
  %20 = arith.select %19, %c0, %17 : i32
  %21 = func.call @aiec_rt_pack_f32(%5, %18, %20) : (i32, i32, i32) -> i32
  return %21 : i32
}

// A signed number of 32 bits as f32.
func.func @aiec_rt_stof_f32_i32(%x: i32) -> i32 {
  %c31 = arith.constant 31 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c157 = arith.constant 157 : i32
  %0 = arith.shrsi %x, %c31 : i32
  %1 = arith.xori %x, %0 : i32
  %2 = arith.subi %1, %0 : i32
  %3 = arith.andi %x, %x80000000 : i32
  %4 = math.ctlz %2 : i32
  %5 = arith.subi %4, %c1 : i32
  %6 = arith.andi %5, %c31 : i32
  %7 = arith.shli %2, %6 : i32
  %8 = arith.shrui %2, %c1 : i32
  %9 = arith.andi %2, %c1 : i32
  %10 = arith.ori %8, %9 : i32
  %11 = arith.cmpi eq, %4, %c0 : i32
  %12 = arith.select %11, %10, %7 : i32
  %13 = arith.cmpi eq, %2, %c0 : i32
  %14 = arith.select %13, %c0, %12 : i32
  %15 = arith.subi %c157, %4 : i32
  %16 = func.call @aiec_rt_pack_f32(%3, %15, %14) : (i32, i32, i32) -> i32
  return %16 : i32
}

// A signed number of 64 bits as f64.
func.func @aiec_rt_stof_f64(%x: i64) -> i64 {
  %dc63 = arith.constant 63 : i64
  %dc32 = arith.constant 32 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %c63 = arith.constant 63 : i32
  %dc1 = arith.constant 1 : i64
  %dc0 = arith.constant 0 : i64
  %c1085 = arith.constant 1085 : i32
  %0 = arith.shrsi %x, %dc63 : i64
  %1 = arith.xori %x, %0 : i64
  %2 = arith.subi %1, %0 : i64
  %3 = arith.shrui %x, %dc32 : i64
  %4 = arith.trunci %3 : i64 to i32
  %5 = arith.andi %4, %x80000000 : i32
  %6 = func.call @aiec_rt_clz_i64(%2) : (i64) -> i32
  %7 = arith.andi %6, %c63 : i32
  %8 = func.call @aiec_rt_shl_by(%2, %7) : (i64, i32) -> i64
  %9 = arith.shrui %8, %dc1 : i64
  %10 = arith.andi %8, %dc1 : i64
  %11 = arith.ori %9, %10 : i64
  %12 = arith.cmpi eq, %2, %dc0 : i64
  %13 = arith.select %12, %dc0, %11 : i64
  %14 = arith.extui %5 : i32 to i64
  %15 = arith.shli %14, %dc32 : i64
  %16 = arith.subi %c1085, %6 : i32
  %17 = func.call @aiec_rt_pack_f64(%15, %16, %13) : (i64, i32, i64) -> i64
  return %17 : i64
}

// A signed number of 32 bits as f64.
func.func @aiec_rt_stof_f64_i32(%x: i32) -> i64 {
  %c31 = arith.constant 31 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c11 = arith.constant 11 : i32
  %c1053 = arith.constant 1053 : i32
  %c20 = arith.constant 20 : i32
  %c21 = arith.constant 21 : i32
  %dc32 = arith.constant 32 : i64
  %c0 = arith.constant 0 : i32
  %dc0 = arith.constant 0 : i64
  %0 = arith.shrsi %x, %c31 : i32
  %1 = arith.xori %x, %0 : i32
  %2 = arith.subi %1, %0 : i32
  %3 = arith.andi %x, %x80000000 : i32
  %4 = math.ctlz %2 : i32
  %5 = arith.andi %4, %c31 : i32
  %6 = arith.shli %2, %5 : i32
  %7 = arith.shrui %6, %c11 : i32
  %8 = arith.subi %c1053, %4 : i32
  %9 = arith.shli %8, %c20 : i32
  %10 = arith.addi %7, %9 : i32
  %11 = arith.ori %10, %3 : i32
  %12 = arith.shli %6, %c21 : i32
  %13 = arith.extui %11 : i32 to i64
  %14 = arith.shli %13, %dc32 : i64
  %15 = arith.extui %12 : i32 to i64
  %16 = arith.ori %14, %15 : i64
  %17 = arith.cmpi eq, %2, %c0 : i32
  %18 = arith.select %17, %dc0, %16 : i64
  return %18 : i64
}

// A signed number of 64 bits as bf16.
func.func @aiec_rt_stof_bf16(%x: i64) -> i32 {
  %dc63 = arith.constant 63 : i64
  %dc32 = arith.constant 32 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %c63 = arith.constant 63 : i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c189 = arith.constant 189 : i32
  %dc0 = arith.constant 0 : i64
  %c5 = arith.constant 5 : i32
  %0 = arith.shrsi %x, %dc63 : i64
  %1 = arith.xori %x, %0 : i64
  %2 = arith.subi %1, %0 : i64
  %3 = arith.shrui %x, %dc32 : i64
  %4 = arith.trunci %3 : i64 to i32
  %5 = arith.andi %4, %x80000000 : i32
  %6 = func.call @aiec_rt_clz_i64(%2) : (i64) -> i32
  %7 = arith.andi %6, %c63 : i32
  %8 = func.call @aiec_rt_shl_by(%2, %7) : (i64, i32) -> i64
  %9 = arith.shrui %8, %dc32 : i64
  %10 = arith.trunci %9 : i64 to i32
  %11 = arith.trunci %8 : i64 to i32
  %12 = arith.shrui %10, %c1 : i32
  %13 = arith.andi %10, %c1 : i32
  %14 = arith.ori %13, %11 : i32
  %15 = arith.cmpi ne, %14, %c0 : i32
  %16 = arith.select %15, %c1, %c0 : i32
  %17 = arith.ori %12, %16 : i32
  %18 = arith.subi %c189, %6 : i32
  %19 = arith.cmpi eq, %2, %dc0 : i64
  %20 = arith.select %19, %c0, %17 : i32
  %21 = func.call @aiec_rt_pack_f32_by(%5, %18, %20, %c5) : (i32, i32, i32, i32) -> i32
  %22 = func.call @aiec_rt_narrow_f32_bf16(%21) : (i32) -> i32
  return %22 : i32
}

// A signed number of 32 bits as bf16.
func.func @aiec_rt_stof_bf16_i32(%x: i32) -> i32 {
  %c31 = arith.constant 31 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c157 = arith.constant 157 : i32
  %c5 = arith.constant 5 : i32
  %0 = arith.shrsi %x, %c31 : i32
  %1 = arith.xori %x, %0 : i32
  %2 = arith.subi %1, %0 : i32
  %3 = arith.andi %x, %x80000000 : i32
  %4 = math.ctlz %2 : i32
  %5 = arith.subi %4, %c1 : i32
  %6 = arith.andi %5, %c31 : i32
  %7 = arith.shli %2, %6 : i32
  %8 = arith.shrui %2, %c1 : i32
  %9 = arith.andi %2, %c1 : i32
  %10 = arith.ori %8, %9 : i32
  %11 = arith.cmpi eq, %4, %c0 : i32
  %12 = arith.select %11, %10, %7 : i32
  %13 = arith.cmpi eq, %2, %c0 : i32
  %14 = arith.select %13, %c0, %12 : i32
  %15 = arith.subi %c157, %4 : i32
  %16 = func.call @aiec_rt_pack_f32_by(%3, %15, %14, %c5) : (i32, i32, i32, i32) -> i32
  %17 = func.call @aiec_rt_narrow_f32_bf16(%16) : (i32) -> i32
  return %17 : i32
}

// A signed number of 64 bits as f16.
func.func @aiec_rt_stof_f16(%x: i64) -> i32 {
  %dc63 = arith.constant 63 : i64
  %dc32 = arith.constant 32 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %c63 = arith.constant 63 : i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c189 = arith.constant 189 : i32
  %dc0 = arith.constant 0 : i64
  %c5 = arith.constant 5 : i32
  %0 = arith.shrsi %x, %dc63 : i64
  %1 = arith.xori %x, %0 : i64
  %2 = arith.subi %1, %0 : i64
  %3 = arith.shrui %x, %dc32 : i64
  %4 = arith.trunci %3 : i64 to i32
  %5 = arith.andi %4, %x80000000 : i32
  %6 = func.call @aiec_rt_clz_i64(%2) : (i64) -> i32
  %7 = arith.andi %6, %c63 : i32
  %8 = func.call @aiec_rt_shl_by(%2, %7) : (i64, i32) -> i64
  %9 = arith.shrui %8, %dc32 : i64
  %10 = arith.trunci %9 : i64 to i32
  %11 = arith.trunci %8 : i64 to i32
  %12 = arith.shrui %10, %c1 : i32
  %13 = arith.andi %10, %c1 : i32
  %14 = arith.ori %13, %11 : i32
  %15 = arith.cmpi ne, %14, %c0 : i32
  %16 = arith.select %15, %c1, %c0 : i32
  %17 = arith.ori %12, %16 : i32
  %18 = arith.subi %c189, %6 : i32
  %19 = arith.cmpi eq, %2, %dc0 : i64
  %20 = arith.select %19, %c0, %17 : i32
  %21 = func.call @aiec_rt_pack_f32_by(%5, %18, %20, %c5) : (i32, i32, i32, i32) -> i32
  %22 = func.call @aiec_rt_narrow_f32_f16(%21) : (i32) -> i32
  return %22 : i32
}

// A signed number of 32 bits as f16.
func.func @aiec_rt_stof_f16_i32(%x: i32) -> i32 {
  %c31 = arith.constant 31 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c157 = arith.constant 157 : i32
  %c5 = arith.constant 5 : i32
  %0 = arith.shrsi %x, %c31 : i32
  %1 = arith.xori %x, %0 : i32
  %2 = arith.subi %1, %0 : i32
  %3 = arith.andi %x, %x80000000 : i32
  %4 = math.ctlz %2 : i32
  %5 = arith.subi %4, %c1 : i32
  %6 = arith.andi %5, %c31 : i32
  %7 = arith.shli %2, %6 : i32
  %8 = arith.shrui %2, %c1 : i32
  %9 = arith.andi %2, %c1 : i32
  %10 = arith.ori %8, %9 : i32
  %11 = arith.cmpi eq, %4, %c0 : i32
  %12 = arith.select %11, %10, %7 : i32
  %13 = arith.cmpi eq, %2, %c0 : i32
  %14 = arith.select %13, %c0, %12 : i32
  %15 = arith.subi %c157, %4 : i32
  %16 = func.call @aiec_rt_pack_f32_by(%3, %15, %14, %c5) : (i32, i32, i32, i32) -> i32
  %17 = func.call @aiec_rt_narrow_f32_f16(%16) : (i32) -> i32
  return %17 : i32
}

// An unsigned number of 64 bits as f32.
func.func @aiec_rt_utof_f32(%x: i64) -> i32 {
  %c0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : i32
  %dc32 = arith.constant 32 : i64
  %c1 = arith.constant 1 : i32
  %c189 = arith.constant 189 : i32
  %dc0 = arith.constant 0 : i64
  %0 = func.call @aiec_rt_clz_i64(%x) : (i64) -> i32
  %1 = arith.andi %0, %c63 : i32
  %2 = func.call @aiec_rt_shl_by(%x, %1) : (i64, i32) -> i64
  %3 = arith.shrui %2, %dc32 : i64
  %4 = arith.trunci %3 : i64 to i32
  %5 = arith.trunci %2 : i64 to i32
  %6 = arith.shrui %4, %c1 : i32
  %7 = arith.andi %4, %c1 : i32
  %8 = arith.ori %7, %5 : i32
  %9 = arith.cmpi ne, %8, %c0 : i32
  %10 = arith.select %9, %c1, %c0 : i32
  %11 = arith.ori %6, %10 : i32
  %12 = arith.subi %c189, %0 : i32
  %13 = arith.cmpi eq, %x, %dc0 : i64
  %14 = arith.select %13, %c0, %11 : i32
  %15 = func.call @aiec_rt_pack_f32(%c0, %12, %14) : (i32, i32, i32) -> i32
  return %15 : i32
}

// An unsigned number of 32 bits as f32.
func.func @aiec_rt_utof_f32_i32(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c31 = arith.constant 31 : i32
  %c157 = arith.constant 157 : i32
  %0 = math.ctlz %x : i32
  %1 = arith.subi %0, %c1 : i32
  %2 = arith.andi %1, %c31 : i32
  %3 = arith.shli %x, %2 : i32
  %4 = arith.shrui %x, %c1 : i32
  %5 = arith.andi %x, %c1 : i32
  %6 = arith.ori %4, %5 : i32
  %7 = arith.cmpi eq, %0, %c0 : i32
  %8 = arith.select %7, %6, %3 : i32
  %9 = arith.cmpi eq, %x, %c0 : i32
  %10 = arith.select %9, %c0, %8 : i32
  %11 = arith.subi %c157, %0 : i32
  %12 = func.call @aiec_rt_pack_f32(%c0, %11, %10) : (i32, i32, i32) -> i32
  return %12 : i32
}

// An unsigned number of 64 bits as f64.
func.func @aiec_rt_utof_f64(%x: i64) -> i64 {
  %c0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : i32
  %dc1 = arith.constant 1 : i64
  %dc0 = arith.constant 0 : i64
  %dc32 = arith.constant 32 : i64
  %c1085 = arith.constant 1085 : i32
  %0 = func.call @aiec_rt_clz_i64(%x) : (i64) -> i32
  %1 = arith.andi %0, %c63 : i32
  %2 = func.call @aiec_rt_shl_by(%x, %1) : (i64, i32) -> i64
  %3 = arith.shrui %2, %dc1 : i64
  %4 = arith.andi %2, %dc1 : i64
  %5 = arith.ori %3, %4 : i64
  %6 = arith.cmpi eq, %x, %dc0 : i64
  %7 = arith.select %6, %dc0, %5 : i64
  %8 = arith.extui %c0 : i32 to i64
  %9 = arith.shli %8, %dc32 : i64
  %10 = arith.subi %c1085, %0 : i32
  %11 = func.call @aiec_rt_pack_f64(%9, %10, %7) : (i64, i32, i64) -> i64
  return %11 : i64
}

// An unsigned number of 32 bits as f64.
func.func @aiec_rt_utof_f64_i32(%x: i32) -> i64 {
  %c0 = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %c11 = arith.constant 11 : i32
  %c1053 = arith.constant 1053 : i32
  %c20 = arith.constant 20 : i32
  %c21 = arith.constant 21 : i32
  %dc32 = arith.constant 32 : i64
  %dc0 = arith.constant 0 : i64
  %0 = math.ctlz %x : i32
  %1 = arith.andi %0, %c31 : i32
  %2 = arith.shli %x, %1 : i32
  %3 = arith.shrui %2, %c11 : i32
  %4 = arith.subi %c1053, %0 : i32
  %5 = arith.shli %4, %c20 : i32
  %6 = arith.addi %3, %5 : i32
  %7 = arith.ori %6, %c0 : i32
  %8 = arith.shli %2, %c21 : i32
  %9 = arith.extui %7 : i32 to i64
  %10 = arith.shli %9, %dc32 : i64
  %11 = arith.extui %8 : i32 to i64
  %12 = arith.ori %10, %11 : i64
  %13 = arith.cmpi eq, %x, %c0 : i32
  %14 = arith.select %13, %dc0, %12 : i64
  return %14 : i64
}

// An unsigned number of 64 bits as bf16.
func.func @aiec_rt_utof_bf16(%x: i64) -> i32 {
  %c0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : i32
  %dc32 = arith.constant 32 : i64
  %c1 = arith.constant 1 : i32
  %c189 = arith.constant 189 : i32
  %dc0 = arith.constant 0 : i64
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_clz_i64(%x) : (i64) -> i32
  %1 = arith.andi %0, %c63 : i32
  %2 = func.call @aiec_rt_shl_by(%x, %1) : (i64, i32) -> i64
  %3 = arith.shrui %2, %dc32 : i64
  %4 = arith.trunci %3 : i64 to i32
  %5 = arith.trunci %2 : i64 to i32
  %6 = arith.shrui %4, %c1 : i32
  %7 = arith.andi %4, %c1 : i32
  %8 = arith.ori %7, %5 : i32
  %9 = arith.cmpi ne, %8, %c0 : i32
  %10 = arith.select %9, %c1, %c0 : i32
  %11 = arith.ori %6, %10 : i32
  %12 = arith.subi %c189, %0 : i32
  %13 = arith.cmpi eq, %x, %dc0 : i64
  %14 = arith.select %13, %c0, %11 : i32
  %15 = func.call @aiec_rt_pack_f32_by(%c0, %12, %14, %c5) : (i32, i32, i32, i32) -> i32
  %16 = func.call @aiec_rt_narrow_f32_bf16(%15) : (i32) -> i32
  return %16 : i32
}

// An unsigned number of 32 bits as bf16.
func.func @aiec_rt_utof_bf16_i32(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c31 = arith.constant 31 : i32
  %c157 = arith.constant 157 : i32
  %c5 = arith.constant 5 : i32
  %0 = math.ctlz %x : i32
  %1 = arith.subi %0, %c1 : i32
  %2 = arith.andi %1, %c31 : i32
  %3 = arith.shli %x, %2 : i32
  %4 = arith.shrui %x, %c1 : i32
  %5 = arith.andi %x, %c1 : i32
  %6 = arith.ori %4, %5 : i32
  %7 = arith.cmpi eq, %0, %c0 : i32
  %8 = arith.select %7, %6, %3 : i32
  %9 = arith.cmpi eq, %x, %c0 : i32
  %10 = arith.select %9, %c0, %8 : i32
  %11 = arith.subi %c157, %0 : i32
  %12 = func.call @aiec_rt_pack_f32_by(%c0, %11, %10, %c5) : (i32, i32, i32, i32) -> i32
  %13 = func.call @aiec_rt_narrow_f32_bf16(%12) : (i32) -> i32
  return %13 : i32
}

// An unsigned number of 64 bits as f16.
func.func @aiec_rt_utof_f16(%x: i64) -> i32 {
  %c0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : i32
  %dc32 = arith.constant 32 : i64
  %c1 = arith.constant 1 : i32
  %c189 = arith.constant 189 : i32
  %dc0 = arith.constant 0 : i64
  %c5 = arith.constant 5 : i32
  %0 = func.call @aiec_rt_clz_i64(%x) : (i64) -> i32
  %1 = arith.andi %0, %c63 : i32
  %2 = func.call @aiec_rt_shl_by(%x, %1) : (i64, i32) -> i64
  %3 = arith.shrui %2, %dc32 : i64
  %4 = arith.trunci %3 : i64 to i32
  %5 = arith.trunci %2 : i64 to i32
  %6 = arith.shrui %4, %c1 : i32
  %7 = arith.andi %4, %c1 : i32
  %8 = arith.ori %7, %5 : i32
  %9 = arith.cmpi ne, %8, %c0 : i32
  %10 = arith.select %9, %c1, %c0 : i32
  %11 = arith.ori %6, %10 : i32
  %12 = arith.subi %c189, %0 : i32
  %13 = arith.cmpi eq, %x, %dc0 : i64
  %14 = arith.select %13, %c0, %11 : i32
  %15 = func.call @aiec_rt_pack_f32_by(%c0, %12, %14, %c5) : (i32, i32, i32, i32) -> i32
  %16 = func.call @aiec_rt_narrow_f32_f16(%15) : (i32) -> i32
  return %16 : i32
}

// An unsigned number of 32 bits as f16.
func.func @aiec_rt_utof_f16_i32(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c31 = arith.constant 31 : i32
  %c157 = arith.constant 157 : i32
  %c5 = arith.constant 5 : i32
  %0 = math.ctlz %x : i32
  %1 = arith.subi %0, %c1 : i32
  %2 = arith.andi %1, %c31 : i32
  %3 = arith.shli %x, %2 : i32
  %4 = arith.shrui %x, %c1 : i32
  %5 = arith.andi %x, %c1 : i32
  %6 = arith.ori %4, %5 : i32
  %7 = arith.cmpi eq, %0, %c0 : i32
  %8 = arith.select %7, %6, %3 : i32
  %9 = arith.cmpi eq, %x, %c0 : i32
  %10 = arith.select %9, %c0, %8 : i32
  %11 = arith.subi %c157, %0 : i32
  %12 = func.call @aiec_rt_pack_f32_by(%c0, %11, %10, %c5) : (i32, i32, i32, i32) -> i32
  %13 = func.call @aiec_rt_narrow_f32_f16(%12) : (i32) -> i32
  return %13 : i32
}

// An f32 to zero, saturated to 64 bits signed; a NaN gives 0.
func.func @aiec_rt_ftos_f32(%x: i32) -> i64 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %dc40 = arith.constant 40 : i64
  %c190 = arith.constant 190 : i32
  %c63 = arith.constant 63 : i32
  %c0 = arith.constant 0 : i32
  %dc0 = arith.constant 0 : i64
  %c127 = arith.constant 127 : i32
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.andi %0, %x7FFFFF : i32
  %3 = arith.ori %2, %x800000 : i32
  %4 = arith.extui %3 : i32 to i64
  %5 = arith.shli %4, %dc40 : i64
  %6 = arith.subi %c190, %1 : i32
  %7 = arith.andi %6, %c63 : i32
  %8 = func.call @aiec_rt_shru_by(%5, %7) : (i64, i32) -> i64
  %9 = arith.cmpi slt, %x, %c0 : i32
  %10 = arith.subi %dc0, %8 : i64
  %11 = arith.select %9, %10, %8 : i64
  %12 = arith.cmpi ult, %1, %c127 : i32
  %13 = arith.select %12, %dc0, %11 : i64
  %14 = arith.select %9, %dx8000000000000000, %dx7FFFFFFFFFFFFFFF : i64
  %15 = arith.cmpi uge, %1, %c190 : i32
  %16 = arith.select %15, %14, %13 : i64
  %17 = arith.cmpi ugt, %0, %x7F800000 : i32
  %18 = arith.select %17, %dc0, %16 : i64
  return %18 : i64
}

// An f32 to zero, saturated to 64 bits unsigned; negative numbers and NaNs give 0.
func.func @aiec_rt_ftou_f32(%x: i32) -> i64 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %dc40 = arith.constant 40 : i64
  %c190 = arith.constant 190 : i32
  %c63 = arith.constant 63 : i32
  %c191 = arith.constant 191 : i32
  %dm1 = arith.constant -1 : i64
  %c0 = arith.constant 0 : i32
  %c127 = arith.constant 127 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %dc0 = arith.constant 0 : i64
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.andi %0, %x7FFFFF : i32
  %3 = arith.ori %2, %x800000 : i32
  %4 = arith.extui %3 : i32 to i64
  %5 = arith.shli %4, %dc40 : i64
  %6 = arith.subi %c190, %1 : i32
  %7 = arith.andi %6, %c63 : i32
  %8 = func.call @aiec_rt_shru_by(%5, %7) : (i64, i32) -> i64
  %9 = arith.cmpi uge, %1, %c191 : i32
  %10 = arith.select %9, %dm1, %8 : i64
  %11 = arith.cmpi slt, %x, %c0 : i32
  %12 = arith.cmpi ult, %1, %c127 : i32
  %13 = arith.cmpi ugt, %0, %x7F800000 : i32
  %14 = arith.ori %11, %12 : i1
  %15 = arith.ori %14, %13 : i1
  %16 = arith.select %15, %dc0, %10 : i64
  return %16 : i64
}

// The lower 32 bits of `aiec_rt_ftos_f32`.
func.func @aiec_rt_ftos_f32_i32(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c150 = arith.constant 150 : i32
  %c0 = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c190 = arith.constant 190 : i32
  %m1 = arith.constant -1 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.andi %0, %x7FFFFF : i32
  %3 = arith.ori %2, %x800000 : i32
  %4 = arith.subi %1, %c150 : i32
  %5 = arith.subi %c0, %4 : i32
  %6 = arith.cmpi ult, %5, %c31 : i32
  %7 = arith.select %6, %5, %c31 : i32
  %8 = arith.cmpi sge, %4, %c0 : i32
  %9 = arith.andi %4, %c31 : i32
  %10 = arith.shli %3, %9 : i32
  %11 = arith.cmpi ult, %4, %c32 : i32
  %12 = arith.select %11, %10, %c0 : i32
  %13 = arith.select %8, %c0, %7 : i32
  %14 = arith.shrui %3, %13 : i32
  %15 = arith.select %8, %12, %14 : i32
  %16 = arith.cmpi slt, %x, %c0 : i32
  %17 = arith.subi %c0, %15 : i32
  %18 = arith.select %16, %17, %15 : i32
  %19 = arith.cmpi uge, %1, %c190 : i32
  %20 = arith.select %16, %c0, %m1 : i32
  %21 = arith.select %19, %20, %18 : i32
  %22 = arith.cmpi ugt, %0, %x7F800000 : i32
  %23 = arith.select %22, %c0, %21 : i32
  return %23 : i32
}

// An f64 to zero, saturated to 64 bits signed; a NaN gives 0.
func.func @aiec_rt_ftos_f64(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %dx10000000000000 = arith.constant 0x0010000000000000 : i64
  %dc11 = arith.constant 11 : i64
  %c1086 = arith.constant 1086 : i32
  %c63 = arith.constant 63 : i32
  %dc0 = arith.constant 0 : i64
  %c1023 = arith.constant 1023 : i32
  %dx8000000000000000 = arith.constant 0x8000000000000000 : i64
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.shrui %0, %dc52 : i64
  %2 = arith.trunci %1 : i64 to i32
  %3 = arith.andi %0, %dxFFFFFFFFFFFFF : i64
  %4 = arith.ori %3, %dx10000000000000 : i64
  %5 = arith.shli %4, %dc11 : i64
  %6 = arith.subi %c1086, %2 : i32
  %7 = arith.andi %6, %c63 : i32
  %8 = func.call @aiec_rt_shru_by(%5, %7) : (i64, i32) -> i64
  %9 = arith.cmpi slt, %x, %dc0 : i64
  %10 = arith.subi %dc0, %8 : i64
  %11 = arith.select %9, %10, %8 : i64
  %12 = arith.cmpi ult, %2, %c1023 : i32
  %13 = arith.select %12, %dc0, %11 : i64
  %14 = arith.cmpi uge, %2, %c1086 : i32
  %15 = arith.select %9, %dx8000000000000000, %dx7FFFFFFFFFFFFFFF : i64
  %16 = arith.select %14, %15, %13 : i64
  %17 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %18 = arith.select %17, %dc0, %16 : i64
  return %18 : i64
}

// The lower 32 bits of `aiec_rt_ftos_f64`.
func.func @aiec_rt_ftos_f64_i32(%x: i64) -> i32 {
  %0 = func.call @aiec_rt_ftos_f64(%x) : (i64) -> i64
  %1 = arith.trunci %0 : i64 to i32
  return %1 : i32
}

// The lower 32 bits of `aiec_rt_ftou_f32`.
func.func @aiec_rt_ftou_f32_i32(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c150 = arith.constant 150 : i32
  %c0 = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c191 = arith.constant 191 : i32
  %m1 = arith.constant -1 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.andi %0, %x7FFFFF : i32
  %3 = arith.ori %2, %x800000 : i32
  %4 = arith.subi %1, %c150 : i32
  %5 = arith.subi %c0, %4 : i32
  %6 = arith.cmpi ult, %5, %c31 : i32
  %7 = arith.select %6, %5, %c31 : i32
  %8 = arith.cmpi sge, %4, %c0 : i32
  %9 = arith.andi %4, %c31 : i32
  %10 = arith.shli %3, %9 : i32
  %11 = arith.cmpi ult, %4, %c32 : i32
  %12 = arith.select %11, %10, %c0 : i32
  %13 = arith.select %8, %c0, %7 : i32
  %14 = arith.shrui %3, %13 : i32
  %15 = arith.select %8, %12, %14 : i32
  %16 = arith.cmpi slt, %x, %c0 : i32
  %17 = arith.cmpi uge, %1, %c191 : i32
  %18 = arith.select %17, %m1, %15 : i32
  %19 = arith.cmpi ugt, %0, %x7F800000 : i32
  %20 = arith.ori %16, %19 : i1
  %21 = arith.select %20, %c0, %18 : i32
  return %21 : i32
}

// An f64 to zero, saturated to 64 bits unsigned; negative numbers and NaNs give 0.
func.func @aiec_rt_ftou_f64(%x: i64) -> i64 {
  %dx7FFFFFFFFFFFFFFF = arith.constant 0x7FFFFFFFFFFFFFFF : i64
  %dc52 = arith.constant 52 : i64
  %dxFFFFFFFFFFFFF = arith.constant 0x000FFFFFFFFFFFFF : i64
  %dx10000000000000 = arith.constant 0x0010000000000000 : i64
  %dc11 = arith.constant 11 : i64
  %c1086 = arith.constant 1086 : i32
  %c63 = arith.constant 63 : i32
  %dc0 = arith.constant 0 : i64
  %c1087 = arith.constant 1087 : i32
  %dm1 = arith.constant -1 : i64
  %c1023 = arith.constant 1023 : i32
  %dx7FF0000000000000 = arith.constant 0x7FF0000000000000 : i64
  %0 = arith.andi %x, %dx7FFFFFFFFFFFFFFF : i64
  %1 = arith.shrui %0, %dc52 : i64
  %2 = arith.trunci %1 : i64 to i32
  %3 = arith.andi %0, %dxFFFFFFFFFFFFF : i64
  %4 = arith.ori %3, %dx10000000000000 : i64
  %5 = arith.shli %4, %dc11 : i64
  %6 = arith.subi %c1086, %2 : i32
  %7 = arith.andi %6, %c63 : i32
  %8 = func.call @aiec_rt_shru_by(%5, %7) : (i64, i32) -> i64
  %9 = arith.cmpi slt, %x, %dc0 : i64
  %10 = arith.cmpi uge, %2, %c1087 : i32
  %11 = arith.select %10, %dm1, %8 : i64
  %12 = arith.cmpi ult, %2, %c1023 : i32
  %13 = arith.cmpi ugt, %0, %dx7FF0000000000000 : i64
  %14 = arith.ori %9, %12 : i1
  %15 = arith.ori %14, %13 : i1
  %16 = arith.select %15, %dc0, %11 : i64
  return %16 : i64
}

// The lower 32 bits of `aiec_rt_ftou_f64`.
func.func @aiec_rt_ftou_f64_i32(%x: i64) -> i32 {
  %0 = func.call @aiec_rt_ftou_f64(%x) : (i64) -> i64
  %1 = arith.trunci %0 : i64 to i32
  return %1 : i32
}

// The f32 with the value of an f16.
func.func @aiec_rt_frombits_f16(%bits: i32) -> i32 {
  %c16 = arith.constant 16 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x7FFF = arith.constant 32767 : i32
  %c10 = arith.constant 10 : i32
  %c13 = arith.constant 13 : i32
  %x38000000 = arith.constant 0x38000000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c0 = arith.constant 0 : i32
  %c133 = arith.constant 133 : i32
  %c23 = arith.constant 23 : i32
  %c8 = arith.constant 8 : i32
  %c31 = arith.constant 31 : i32
  %0 = arith.shli %bits, %c16 : i32
  %1 = arith.andi %0, %x80000000 : i32
  %2 = arith.andi %bits, %x7FFF : i32
  %3 = arith.shrui %2, %c10 : i32
  %4 = arith.shli %2, %c13 : i32
  %5 = arith.addi %4, %x38000000 : i32
  %6 = arith.shli %2, %c13 : i32
  %7 = arith.ori %6, %x7F800000 : i32
  %8 = arith.cmpi eq, %3, %c0 : i32
  %9 = math.ctlz %2 : i32
  %10 = arith.subi %c133, %9 : i32
  %11 = arith.shli %10, %c23 : i32
  %12 = arith.subi %9, %c8 : i32
  %13 = arith.andi %12, %c31 : i32
  %14 = arith.shli %2, %13 : i32
  %15 = arith.addi %11, %14 : i32
  %16 = arith.cmpi eq, %2, %c0 : i32
  %17 = arith.select %16, %c0, %15 : i32
  %18 = arith.cmpi eq, %3, %c31 : i32
  %19 = arith.select %18, %7, %5 : i32
  %20 = arith.select %8, %17, %19 : i32
  %21 = arith.ori %1, %20 : i32
  return %21 : i32
}

// The bits of an f16 that a register holds as an f32, with their sign extended.
func.func @aiec_rt_tobits_f16(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %x38000000 = arith.constant 0x38000000 : i32
  %c13 = arith.constant 13 : i32
  %c126 = arith.constant 126 : i32
  %c31 = arith.constant 31 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c0 = arith.constant 0 : i32
  %x7C00 = arith.constant 31744 : i32
  %c113 = arith.constant 113 : i32
  %c255 = arith.constant 255 : i32
  %c15 = arith.constant 15 : i32
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.subi %0, %x38000000 : i32
  %3 = arith.shrui %2, %c13 : i32
  %4 = arith.subi %c126, %1 : i32
  %5 = arith.cmpi ult, %4, %c31 : i32
  %6 = arith.select %5, %4, %c31 : i32
  %7 = arith.andi %0, %x7FFFFF : i32
  %8 = arith.ori %7, %x800000 : i32
  %9 = arith.shrui %8, %6 : i32
  %10 = arith.cmpi eq, %0, %c0 : i32
  %11 = arith.select %10, %c0, %9 : i32
  %12 = arith.andi %0, %x7FFFFF : i32
  %13 = arith.shrui %12, %c13 : i32
  %14 = arith.ori %13, %x7C00 : i32
  %15 = arith.cmpi ult, %1, %c113 : i32
  %16 = arith.cmpi eq, %1, %c255 : i32
  %17 = arith.select %16, %14, %3 : i32
  %18 = arith.select %15, %11, %17 : i32
  %19 = arith.shrsi %x, %c31 : i32
  %20 = arith.shli %19, %c15 : i32
  %21 = arith.ori %18, %20 : i32
  return %21 : i32
}

// The bits of a bf16 that a register holds as an f32, with their sign extended.
func.func @aiec_rt_tobits_bf16(%x: i32) -> i32 {
  %c16 = arith.constant 16 : i32
  %0 = arith.shrsi %x, %c16 : i32
  return %0 : i32
}
