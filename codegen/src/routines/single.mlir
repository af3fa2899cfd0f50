// Arithmetic of f32 on its bits.

// The f32 nearest to a fraction of 31 bits with its leading one in bit 30, the last bit of which is set if bits below it are. The
// exponent is that of an f32's field less one: the leading one adds it. From 254 on it gives an infinity (which a sign of
// 0x00400000 makes the NaN); below 0 the fraction moves down first. A fraction of 0 is a zero.
func.func @aiec_rt_pack_f32(%sign: i32, %exponent: i32, %fraction: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c7 = arith.constant 7 : i32
  %c127 = arith.constant 127 : i32
  %m2 = arith.constant -2 : i32
  %c23 = arith.constant 23 : i32
  %c253 = arith.constant 253 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
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
  %9 = arith.addi %moved, %c64 : i32
  %10 = arith.shrui %9, %c7 : i32
  %11 = arith.andi %moved, %c127 : i32
  %12 = arith.cmpi eq, %11, %c64 : i32
  %13 = arith.andi %10, %m2 : i32
  %rounded = arith.select %12, %13, %10 : i32
  %14 = arith.cmpi eq, %moved, %c0 : i32
  %15 = arith.select %14, %c0, %8 : i32
  %16 = arith.shli %15, %c23 : i32
  %magnitude = arith.addi %16, %rounded : i32
  %17 = arith.cmpi sgt, %8, %c253 : i32
  %18 = arith.cmpi uge, %magnitude, %x7F800000 : i32
  %19 = arith.ori %17, %18 : i1
  %20 = arith.cmpi ne, %fraction, %c0 : i32
  %21 = arith.andi %19, %20 : i1
  %22 = arith.select %21, %x7F800000, %magnitude : i32
  %23 = arith.ori %sign, %22 : i32
  return %23 : i32
}

// a + b. The lesser magnitude moves down to the exponent of the greater one, with what it loses in its last bit; three bits more than
// are kept make the rounding right.
func.func @aiec_rt_add_f32(%a: i32, %b: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c255 = arith.constant 255 : i32
  %c0 = arith.constant 0 : i32
  %x800000 = arith.constant 0x00800000 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %c6 = arith.constant 6 : i32
  %c1 = arith.constant 1 : i32
  %c31 = arith.constant 31 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c253 = arith.constant 253 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c64 = arith.constant 64 : i32
  %c7 = arith.constant 7 : i32
  %c127 = arith.constant 127 : i32
  %m2 = arith.constant -2 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %swap = arith.cmpi ult, %0, %1 : i32
  %great = arith.select %swap, %b, %a : i32
  %small = arith.select %swap, %a, %b : i32
  %2 = arith.shrui %great, %c23 : i32
  %great_exponent = arith.andi %2, %c255 : i32
  %3 = arith.shrui %small, %c23 : i32
  %small_exponent = arith.andi %3, %c255 : i32
  %4 = arith.cmpi ne, %great_exponent, %c0 : i32
  %5 = arith.select %4, %x800000, %c0 : i32
  %6 = arith.cmpi ne, %small_exponent, %c0 : i32
  %7 = arith.select %6, %x800000, %c0 : i32
  %8 = arith.andi %great, %x7FFFFF : i32
  %9 = arith.ori %8, %5 : i32
  %great_fraction = arith.shli %9, %c6 : i32
  %10 = arith.andi %small, %x7FFFFF : i32
  %11 = arith.ori %10, %7 : i32
  %small_fraction = arith.shli %11, %c6 : i32
  %12 = arith.cmpi ne, %great_exponent, %c0 : i32
  %13 = arith.select %12, %great_exponent, %c1 : i32
  %14 = arith.cmpi ne, %small_exponent, %c0 : i32
  %15 = arith.select %14, %small_exponent, %c1 : i32
  %16 = arith.subi %13, %15 : i32
  %17 = arith.cmpi ult, %16, %c31 : i32
  %distance = arith.select %17, %16, %c31 : i32
  %18 = arith.shrui %small_fraction, %distance : i32
  %19 = arith.shli %18, %distance : i32
  %20 = arith.cmpi ne, %19, %small_fraction : i32
  %21 = arith.ori %18, %c1 : i32
  %moved = arith.select %20, %21, %18 : i32
  %22 = arith.xori %a, %b : i32
  %23 = arith.shrsi %22, %c31 : i32
  %24 = arith.xori %moved, %23 : i32
  %25 = arith.subi %24, %23 : i32
  %sum = arith.addi %great_fraction, %25 : i32
  %26 = math.ctlz %sum : i32
  %27 = arith.subi %26, %c1 : i32
  %fraction = arith.shli %sum, %27 : i32
  %exponent = arith.subi %13, %27 : i32
  %sign = arith.andi %great, %x80000000 : i32
  %28 = arith.cmpi eq, %sum, %c0 : i32
  %29 = arith.cmpi eq, %great_exponent, %c255 : i32
  %30 = arith.ori %28, %29 : i1
  %31 = arith.cmpi uge, %exponent, %c253 : i32
  %32 = arith.ori %31, %30 : i1
  %packed = scf.if %32 -> (i32) {
    %33 = arith.cmpi eq, %great_exponent, %c255 : i32
    %34 = scf.if %33 -> (i32) {
      %35 = arith.andi %small, %x7FFFFFFF : i32
      %36 = arith.cmpi eq, %35, %x7F800000 : i32
      %37 = arith.cmpi ne, %23, %c0 : i32
      %38 = arith.andi %36, %37 : i1
      %39 = arith.andi %great, %x7FFFFFFF : i32
      %40 = arith.cmpi ugt, %39, %x7F800000 : i32
      %41 = arith.ori %40, %38 : i1
      %42 = arith.select %41, %x7FC00000, %great : i32
      scf.yield %42 : i32
    } else {
      %43 = func.call @aiec_rt_pack_f32(%sign, %exponent, %fraction) : (i32, i32, i32) -> i32
      %44 = arith.cmpi eq, %sum, %c0 : i32
      %45 = arith.andi %a, %b : i32
      %46 = arith.andi %45, %x80000000 : i32
      %47 = arith.select %44, %46, %43 : i32
      scf.yield %47 : i32
    }
    scf.yield %34 : i32
  } else {
    %48 = arith.addi %fraction, %c64 : i32
    %rounded = arith.shrui %48, %c7 : i32
    %49 = arith.andi %fraction, %c127 : i32
    %50 = arith.cmpi eq, %49, %c64 : i32
    %51 = arith.andi %rounded, %m2 : i32
    %52 = arith.select %50, %51, %rounded : i32
    %53 = arith.shli %exponent, %c23 : i32
    %54 = arith.ori %sign, %53 : i32
    %55 = arith.addi %54, %52 : i32
    scf.yield %55 : i32
  }
  return %packed : i32
}

// a - b.
func.func @aiec_rt_sub_f32(%a: i32, %b: i32) -> i32 {
  %x80000000 = arith.constant 0x80000000 : i32
  %0 = arith.xori %b, %x80000000 : i32
  %1 = func.call @aiec_rt_add_f32(%a, %0) : (i32, i32) -> i32
  return %1 : i32
}

// a * b: 24 bits by 24 bits in parts of 12. Zeros, infinities, NaNs and subnormals become a sign, an exponent and fractions that the
// same way leads to the right result.
func.func @aiec_rt_mul_f32(%a: i32, %b: i32) -> i32 {
  %c23 = arith.constant 23 : i32
  %c255 = arith.constant 255 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c1 = arith.constant 1 : i32
  %c254 = arith.constant 254 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c8 = arith.constant 8 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %bc1 = arith.constant true
  %xFFFFFC00 = arith.constant -1024 : i32
  %c1024 = arith.constant 1024 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %c12 = arith.constant 12 : i32
  %c4095 = arith.constant 4095 : i32
  %x1FFFF = arith.constant 0x0001FFFF : i32
  %c7 = arith.constant 7 : i32
  %c17 = arith.constant 17 : i32
  %c30 = arith.constant 30 : i32
  %c128 = arith.constant 128 : i32
  %c253 = arith.constant 253 : i32
  %c64 = arith.constant 64 : i32
  %c127 = arith.constant 127 : i32
  %m2 = arith.constant -2 : i32
  %0 = arith.shrui %a, %c23 : i32
  %a_exponent = arith.andi %0, %c255 : i32
  %1 = arith.shrui %b, %c23 : i32
  %b_exponent = arith.andi %1, %c255 : i32
  %2 = arith.xori %a, %b : i32
  %3 = arith.andi %2, %x80000000 : i32
  %4 = arith.subi %a_exponent, %c1 : i32
  %5 = arith.cmpi ult, %4, %c254 : i32
  %6 = arith.subi %b_exponent, %c1 : i32
  %7 = arith.cmpi ult, %6, %c254 : i32
  %usual = arith.andi %5, %7 : i1
  %parts:4 = scf.if %usual -> (i32, i32, i32, i32) {
    %8 = arith.addi %a_exponent, %b_exponent : i32
    %9 = arith.andi %a, %x7FFFFF : i32
    %10 = arith.ori %9, %x800000 : i32
    %11 = arith.andi %b, %x7FFFFF : i32
    %12 = arith.ori %11, %x800000 : i32
    scf.yield %3, %8, %10, %12 : i32, i32, i32, i32
  } else {
    %13 = arith.andi %a, %x7FFFFFFF : i32
    %14 = arith.andi %b, %x7FFFFFFF : i32
    %15 = math.ctlz %13 : i32
    %16 = arith.subi %15, %c8 : i32
    %17 = arith.cmpi eq, %a_exponent, %c0 : i32
    %18 = arith.subi %c1, %16 : i32
    %19 = arith.select %17, %18, %a_exponent : i32
    %20 = arith.select %17, %16, %c0 : i32
    %21 = arith.shli %13, %20 : i32
    %22 = arith.andi %13, %x7FFFFF : i32
    %23 = arith.ori %22, %x800000 : i32
    %24 = arith.select %17, %21, %23 : i32
    %25 = math.ctlz %14 : i32
    %26 = arith.subi %25, %c8 : i32
    %27 = arith.cmpi eq, %b_exponent, %c0 : i32
    %28 = arith.subi %c1, %26 : i32
    %29 = arith.select %27, %28, %b_exponent : i32
    %30 = arith.select %27, %26, %c0 : i32
    %31 = arith.shli %14, %30 : i32
    %32 = arith.andi %14, %x7FFFFF : i32
    %33 = arith.ori %32, %x800000 : i32
    %34 = arith.select %27, %31, %33 : i32
    %35 = arith.cmpi ugt, %13, %x7F800000 : i32
    %36 = arith.cmpi ugt, %14, %x7F800000 : i32
    %37 = arith.ori %35, %36 : i1
    %38 = arith.cmpi eq, %13, %x7F800000 : i32
    %39 = arith.cmpi eq, %14, %x7F800000 : i32
    %40 = arith.ori %38, %39 : i1
    %41 = arith.cmpi eq, %13, %c0 : i32
    %42 = arith.cmpi eq, %14, %c0 : i32
    %43 = arith.ori %41, %42 : i1
    %44 = arith.andi %40, %43 : i1
    %45 = arith.ori %37, %44 : i1
    %46 = arith.xori %45, %bc1 : i1
    %47 = arith.andi %43, %46 : i1
    %48 = arith.ori %45, %40 : i1
    %49 = arith.addi %19, %29 : i32
    %50 = arith.select %47, %xFFFFFC00, %49 : i32
    %51 = arith.select %48, %c1024, %50 : i32
    %52 = arith.ori %45, %40 : i1
    %53 = arith.select %52, %x800000, %24 : i32
    %54 = arith.select %47, %c0, %53 : i32
    %55 = arith.ori %45, %40 : i1
    %56 = arith.select %55, %x800000, %34 : i32
    %57 = arith.select %45, %x400000, %3 : i32
    scf.yield %57, %51, %54, %56 : i32, i32, i32, i32
  }
  %58 = arith.shrui %parts#2, %c12 : i32
  %59 = arith.andi %parts#2, %c4095 : i32
  %60 = arith.shrui %parts#3, %c12 : i32
  %61 = arith.andi %parts#3, %c4095 : i32
  %low = arith.muli %59, %61 : i32
  %62 = arith.muli %58, %61 : i32
  %63 = arith.muli %59, %60 : i32
  %64 = arith.addi %62, %63 : i32
  %65 = arith.shrui %low, %c12 : i32
  %middle = arith.addi %64, %65 : i32
  %66 = arith.muli %58, %60 : i32
  %67 = arith.shrui %middle, %c12 : i32
  %top = arith.addi %66, %67 : i32
  %68 = arith.andi %middle, %c4095 : i32
  %69 = arith.shli %68, %c12 : i32
  %70 = arith.andi %low, %c4095 : i32
  %rest = arith.ori %69, %70 : i32
  %71 = arith.andi %rest, %x1FFFF : i32
  %72 = arith.cmpi ne, %71, %c0 : i32
  %73 = arith.select %72, %c1, %c0 : i32
  %74 = arith.shli %top, %c7 : i32
  %75 = arith.shrui %rest, %c17 : i32
  %76 = arith.ori %74, %75 : i32
  %77 = arith.ori %76, %73 : i32
  %carry = arith.shrui %77, %c30 : i32
  %78 = arith.subi %c1, %carry : i32
  %fraction = arith.shli %77, %78 : i32
  %79 = arith.subi %parts#1, %c128 : i32
  %exponent = arith.addi %79, %carry : i32
  %80 = arith.cmpi uge, %exponent, %c253 : i32
  %packed = scf.if %80 -> (i32) {
    %81 = func.call @aiec_rt_pack_f32(%parts#0, %exponent, %fraction) : (i32, i32, i32) -> i32
    scf.yield %81 : i32
  } else {
    %82 = arith.addi %fraction, %c64 : i32
    %rounded = arith.shrui %82, %c7 : i32
    %83 = arith.andi %fraction, %c127 : i32
    %84 = arith.cmpi eq, %83, %c64 : i32
    %85 = arith.andi %rounded, %m2 : i32
    %86 = arith.select %84, %85, %rounded : i32
    %87 = arith.shli %exponent, %c23 : i32
    %88 = arith.ori %parts#0, %87 : i32
    %89 = arith.addi %88, %86 : i32
    scf.yield %89 : i32
  }
  return %packed : i32
}

// a / b: a bit of the quotient in each round, 26 and one for what is left. Other operands than normal ones as in `aiec_rt_mul_f32`.
func.func @aiec_rt_div_f32(%a: i32, %b: i32) -> i32 {
  %c23 = arith.constant 23 : i32
  %c255 = arith.constant 255 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c1 = arith.constant 1 : i32
  %c254 = arith.constant 254 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c8 = arith.constant 8 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c1024 = arith.constant 1024 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %c125 = arith.constant 125 : i32
  %c126 = arith.constant 126 : i32
  %ic0 = arith.constant 0 : index
  %ic26 = arith.constant 26 : index
  %ic1 = arith.constant 1 : index
  %c5 = arith.constant 5 : i32
  %0 = arith.shrui %a, %c23 : i32
  %a_exponent = arith.andi %0, %c255 : i32
  %1 = arith.shrui %b, %c23 : i32
  %b_exponent = arith.andi %1, %c255 : i32
  %2 = arith.xori %a, %b : i32
  %3 = arith.andi %2, %x80000000 : i32
  %4 = arith.subi %a_exponent, %c1 : i32
  %5 = arith.cmpi ult, %4, %c254 : i32
  %6 = arith.subi %b_exponent, %c1 : i32
  %7 = arith.cmpi ult, %6, %c254 : i32
  %usual = arith.andi %5, %7 : i1
  %parts:4 = scf.if %usual -> (i32, i32, i32, i32) {
    %8 = arith.subi %a_exponent, %b_exponent : i32
    %9 = arith.andi %a, %x7FFFFF : i32
    %10 = arith.ori %9, %x800000 : i32
    %11 = arith.andi %b, %x7FFFFF : i32
    %12 = arith.ori %11, %x800000 : i32
    scf.yield %3, %8, %10, %12 : i32, i32, i32, i32
  } else {
    %13 = arith.andi %a, %x7FFFFFFF : i32
    %14 = arith.andi %b, %x7FFFFFFF : i32
    %15 = math.ctlz %13 : i32
    %16 = arith.subi %15, %c8 : i32
    %17 = arith.cmpi eq, %a_exponent, %c0 : i32
    %18 = arith.subi %c1, %16 : i32
    %19 = arith.select %17, %18, %a_exponent : i32
    %20 = arith.select %17, %16, %c0 : i32
    %21 = arith.shli %13, %20 : i32
    %22 = arith.andi %13, %x7FFFFF : i32
    %23 = arith.ori %22, %x800000 : i32
    %24 = arith.select %17, %21, %23 : i32
    %25 = math.ctlz %14 : i32
    %26 = arith.subi %25, %c8 : i32
    %27 = arith.cmpi eq, %b_exponent, %c0 : i32
    %28 = arith.subi %c1, %26 : i32
    %29 = arith.select %27, %28, %b_exponent : i32
    %30 = arith.select %27, %26, %c0 : i32
    %31 = arith.shli %14, %30 : i32
    %32 = arith.andi %14, %x7FFFFF : i32
    %33 = arith.ori %32, %x800000 : i32
    %34 = arith.select %27, %31, %33 : i32
    %35 = arith.cmpi eq, %13, %x7F800000 : i32
    %36 = arith.cmpi eq, %14, %x7F800000 : i32
    %37 = arith.cmpi eq, %13, %c0 : i32
    %38 = arith.cmpi eq, %14, %c0 : i32
    %39 = arith.cmpi ugt, %13, %x7F800000 : i32
    %40 = arith.cmpi ugt, %14, %x7F800000 : i32
    %41 = arith.ori %39, %40 : i1
    %42 = arith.andi %35, %36 : i1
    %43 = arith.andi %37, %38 : i1
    %44 = arith.ori %42, %43 : i1
    %45 = arith.ori %41, %44 : i1
    %46 = arith.ori %35, %38 : i1
    %47 = arith.ori %37, %36 : i1
    %48 = arith.ori %45, %46 : i1
    %49 = arith.subi %19, %29 : i32
    %50 = arith.select %48, %c1024, %49 : i32
    %51 = arith.select %47, %c0, %24 : i32
    %52 = arith.select %48, %x800000, %51 : i32
    %53 = arith.ori %48, %47 : i1
    %54 = arith.select %53, %x800000, %34 : i32
    %55 = arith.select %45, %x400000, %3 : i32
    scf.yield %55, %50, %52, %54 : i32, i32, i32, i32
  }
  %56 = arith.cmpi ult, %parts#2, %parts#3 : i32
  %57 = arith.addi %parts#2, %parts#2 : i32
  %58 = arith.select %56, %57, %parts#2 : i32
  %59 = arith.addi %parts#1, %c125 : i32
  %60 = arith.addi %parts#1, %c126 : i32
  %exponent = arith.select %56, %59, %60 : i32
  %rest:2 = scf.for %i = %ic0 to %ic26 step %ic1 iter_args(%rest1 = %58, %quotient = %c0) -> (i32, i32) {
    %61 = arith.addi %quotient, %quotient : i32
    %62 = arith.subi %rest1, %parts#3 : i32
    %63 = arith.cmpi ult, %rest1, %parts#3 : i32
    %64 = arith.select %63, %rest1, %62 : i32
    %65 = arith.addi %64, %64 : i32
    %66 = arith.addi %61, %c1 : i32
    %67 = arith.select %63, %61, %66 : i32
    scf.yield %65, %67 : i32, i32
  }
  %68 = arith.shli %rest#1, %c5 : i32
  %69 = arith.cmpi ne, %rest#0, %c0 : i32
  %70 = arith.select %69, %c1, %c0 : i32
  %71 = arith.ori %68, %70 : i32
  %72 = func.call @aiec_rt_pack_f32(%parts#0, %exponent, %71) : (i32, i32, i32) -> i32
  return %72 : i32
}

// What is left of a after whole multiples of b, with the sign of a: long division, one bit of the quotient in each round. It
// is exact.
func.func @aiec_rt_rem_f32(%a: i32, %b: i32) -> i32 {
  %c23 = arith.constant 23 : i32
  %c255 = arith.constant 255 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c0 = arith.constant 0 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c8 = arith.constant 8 : i32
  %c1 = arith.constant 1 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %ic1 = arith.constant 1 : index
  %x80000000 = arith.constant 0x80000000 : i32
  %0 = arith.shrui %a, %c23 : i32
  %a_exponent = arith.andi %0, %c255 : i32
  %1 = arith.shrui %b, %c23 : i32
  %b_exponent = arith.andi %1, %c255 : i32
  %a_magnitude = arith.andi %a, %x7FFFFFFF : i32
  %b_magnitude = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.cmpi uge, %a_magnitude, %x7F800000 : i32
  %3 = arith.cmpi ugt, %b_magnitude, %x7F800000 : i32
  %4 = arith.ori %2, %3 : i1
  %5 = arith.cmpi eq, %b_magnitude, %c0 : i32
  %6 = arith.ori %4, %5 : i1
  %7 = arith.cmpi ult, %a_magnitude, %b_magnitude : i32
  %8 = arith.ori %6, %7 : i1
  %9 = scf.if %8 -> (i32) {
    %10 = arith.select %6, %x7FC00000, %a : i32
    scf.yield %10 : i32
  } else {
    %11 = math.ctlz %a_magnitude : i32
    %12 = arith.subi %11, %c8 : i32
    %13 = arith.cmpi eq, %a_exponent, %c0 : i32
    %14 = arith.subi %c1, %12 : i32
    %15 = arith.select %13, %14, %a_exponent : i32
    %16 = arith.select %13, %12, %c0 : i32
    %17 = arith.shli %a_magnitude, %16 : i32
    %18 = arith.andi %a_magnitude, %x7FFFFF : i32
    %19 = arith.ori %18, %x800000 : i32
    %start = arith.select %13, %17, %19 : i32
    %20 = math.ctlz %b_magnitude : i32
    %21 = arith.subi %20, %c8 : i32
    %22 = arith.cmpi eq, %b_exponent, %c0 : i32
    %23 = arith.subi %c1, %21 : i32
    %24 = arith.select %22, %23, %b_exponent : i32
    %25 = arith.select %22, %21, %c0 : i32
    %26 = arith.shli %b_magnitude, %25 : i32
    %27 = arith.andi %b_magnitude, %x7FFFFF : i32
    %28 = arith.ori %27, %x800000 : i32
    %29 = arith.select %22, %26, %28 : i32
    %30 = arith.subi %15, %24 : i32
    %31 = arith.addi %30, %c1 : i32
    %rounds = arith.index_cast %31 : i32 to index
    %32 = arith.cmpi ult, %start, %29 : i32
    %33 = arith.subi %start, %29 : i32
    %first = arith.select %32, %start, %33 : i32
    %rest = scf.for %i = %ic1 to %rounds step %ic1 iter_args(%rest1 = %first) -> (i32) {
      %34 = arith.addi %rest1, %rest1 : i32
      %35 = arith.cmpi ult, %34, %29 : i32
      %36 = arith.subi %34, %29 : i32
      %37 = arith.select %35, %34, %36 : i32
      scf.yield %37 : i32
    }
    %38 = math.ctlz %rest : i32
    %39 = arith.subi %38, %c8 : i32
    %40 = arith.subi %24, %39 : i32
    %41 = arith.cmpi sgt, %40, %c0 : i32
    %42 = arith.subi %24, %c1 : i32
    %43 = arith.select %41, %39, %42 : i32
    %44 = arith.cmpi slt, %43, %c0 : i32
    %45 = arith.subi %c0, %43 : i32
    %46 = arith.select %44, %45, %c0 : i32
    %47 = arith.shrui %rest, %46 : i32
    %48 = arith.select %44, %c0, %43 : i32
    %49 = arith.shli %rest, %48 : i32
    %50 = arith.select %44, %47, %49 : i32
    %51 = arith.subi %40, %c1 : i32
    %52 = arith.shli %51, %c23 : i32
    %53 = arith.addi %52, %50 : i32
    %54 = arith.select %41, %53, %50 : i32
    %55 = arith.cmpi eq, %rest, %c0 : i32
    %56 = arith.select %55, %c0, %54 : i32
    %57 = arith.andi %a, %x80000000 : i32
    %58 = arith.ori %57, %56 : i32
    scf.yield %58 : i32
  }
  return %9 : i32
}

// The lesser of a and b, the NaN if one of them is one; -0 is less than +0. Bits in order as integers: those of negative numbers but the sign are turned.
func.func @aiec_rt_min_f32(%a: i32, %b: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c31 = arith.constant 31 : i32
  %c1 = arith.constant 1 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %a_nan = arith.cmpi ugt, %0, %x7F800000 : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %b_nan = arith.cmpi ugt, %1, %x7F800000 : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.shrui %2, %c1 : i32
  %4 = arith.xori %a, %3 : i32
  %5 = arith.shrsi %b, %c31 : i32
  %6 = arith.shrui %5, %c1 : i32
  %7 = arith.xori %b, %6 : i32
  %8 = arith.cmpi slt, %4, %7 : i32
  %9 = arith.select %8, %a, %b : i32
  %10 = arith.select %b_nan, %x7FC00000, %9 : i32
  %11 = arith.select %a_nan, %x7FC00000, %10 : i32
  return %11 : i32
}

// The lesser of a and b, the other if one of them is a NaN; -0 is less than +0. Bits in order as integers: those of negative numbers but the sign are turned.
func.func @aiec_rt_minnum_f32(%a: i32, %b: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c31 = arith.constant 31 : i32
  %c1 = arith.constant 1 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %a_nan = arith.cmpi ugt, %0, %x7F800000 : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %b_nan = arith.cmpi ugt, %1, %x7F800000 : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.shrui %2, %c1 : i32
  %4 = arith.xori %a, %3 : i32
  %5 = arith.shrsi %b, %c31 : i32
  %6 = arith.shrui %5, %c1 : i32
  %7 = arith.xori %b, %6 : i32
  %8 = arith.cmpi slt, %4, %7 : i32
  %9 = arith.select %8, %a, %b : i32
  %10 = arith.select %b_nan, %x7FC00000, %b : i32
  %11 = arith.select %b_nan, %a, %9 : i32
  %12 = arith.select %a_nan, %10, %11 : i32
  return %12 : i32
}

// The greater of a and b, the NaN if one of them is one; -0 is less than +0. Bits in order as integers: those of negative numbers but the sign are turned.
func.func @aiec_rt_max_f32(%a: i32, %b: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c31 = arith.constant 31 : i32
  %c1 = arith.constant 1 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %a_nan = arith.cmpi ugt, %0, %x7F800000 : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %b_nan = arith.cmpi ugt, %1, %x7F800000 : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.shrui %2, %c1 : i32
  %4 = arith.xori %a, %3 : i32
  %5 = arith.shrsi %b, %c31 : i32
  %6 = arith.shrui %5, %c1 : i32
  %7 = arith.xori %b, %6 : i32
  %8 = arith.cmpi slt, %4, %7 : i32
  %9 = arith.select %8, %b, %a : i32
  %10 = arith.select %b_nan, %x7FC00000, %9 : i32
  %11 = arith.select %a_nan, %x7FC00000, %10 : i32
  return %11 : i32
}

// The greater of a and b, the other if one of them is a NaN; -0 is less than +0. Bits in order as integers: those of negative numbers but the sign are turned.
func.func @aiec_rt_maxnum_f32(%a: i32, %b: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c31 = arith.constant 31 : i32
  %c1 = arith.constant 1 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %a_nan = arith.cmpi ugt, %0, %x7F800000 : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %b_nan = arith.cmpi ugt, %1, %x7F800000 : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.shrui %2, %c1 : i32
  %4 = arith.xori %a, %3 : i32
  %5 = arith.shrsi %b, %c31 : i32
  %6 = arith.shrui %5, %c1 : i32
  %7 = arith.xori %b, %6 : i32
  %8 = arith.cmpi slt, %4, %7 : i32
  %9 = arith.select %8, %b, %a : i32
  %10 = arith.select %b_nan, %x7FC00000, %b : i32
  %11 = arith.select %b_nan, %a, %9 : i32
  %12 = arith.select %a_nan, %10, %11 : i32
  return %12 : i32
}

// a = b, and neither is a NaN.
func.func @aiec_rt_cmp_f32_oeq(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi eq, %5, %9 : i32
  %11 = arith.cmpi ule, %0, %x7F800000 : i32
  %12 = arith.cmpi ule, %1, %x7F800000 : i32
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a > b, and neither is a NaN.
func.func @aiec_rt_cmp_f32_ogt(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi sgt, %5, %9 : i32
  %11 = arith.cmpi ule, %0, %x7F800000 : i32
  %12 = arith.cmpi ule, %1, %x7F800000 : i32
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a >= b, and neither is a NaN.
func.func @aiec_rt_cmp_f32_oge(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi sge, %5, %9 : i32
  %11 = arith.cmpi ule, %0, %x7F800000 : i32
  %12 = arith.cmpi ule, %1, %x7F800000 : i32
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a < b, and neither is a NaN.
func.func @aiec_rt_cmp_f32_olt(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi slt, %5, %9 : i32
  %11 = arith.cmpi ule, %0, %x7F800000 : i32
  %12 = arith.cmpi ule, %1, %x7F800000 : i32
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a <= b, and neither is a NaN.
func.func @aiec_rt_cmp_f32_ole(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi sle, %5, %9 : i32
  %11 = arith.cmpi ule, %0, %x7F800000 : i32
  %12 = arith.cmpi ule, %1, %x7F800000 : i32
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// a != b, and neither is a NaN.
func.func @aiec_rt_cmp_f32_one(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi ne, %5, %9 : i32
  %11 = arith.cmpi ule, %0, %x7F800000 : i32
  %12 = arith.cmpi ule, %1, %x7F800000 : i32
  %13 = arith.andi %11, %12 : i1
  %14 = arith.andi %13, %10 : i1
  return %14 : i1
}

// Neither a nor b is a NaN.
func.func @aiec_rt_cmp_f32_ord(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.cmpi ule, %0, %x7F800000 : i32
  %3 = arith.cmpi ule, %1, %x7F800000 : i32
  %4 = arith.andi %2, %3 : i1
  return %4 : i1
}

// a = b, or one is a NaN.
func.func @aiec_rt_cmp_f32_ueq(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi eq, %5, %9 : i32
  %11 = arith.cmpi ugt, %0, %x7F800000 : i32
  %12 = arith.cmpi ugt, %1, %x7F800000 : i32
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a > b, or one is a NaN.
func.func @aiec_rt_cmp_f32_ugt(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi sgt, %5, %9 : i32
  %11 = arith.cmpi ugt, %0, %x7F800000 : i32
  %12 = arith.cmpi ugt, %1, %x7F800000 : i32
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a >= b, or one is a NaN.
func.func @aiec_rt_cmp_f32_uge(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi sge, %5, %9 : i32
  %11 = arith.cmpi ugt, %0, %x7F800000 : i32
  %12 = arith.cmpi ugt, %1, %x7F800000 : i32
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a < b, or one is a NaN.
func.func @aiec_rt_cmp_f32_ult(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi slt, %5, %9 : i32
  %11 = arith.cmpi ugt, %0, %x7F800000 : i32
  %12 = arith.cmpi ugt, %1, %x7F800000 : i32
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a <= b, or one is a NaN.
func.func @aiec_rt_cmp_f32_ule(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi sle, %5, %9 : i32
  %11 = arith.cmpi ugt, %0, %x7F800000 : i32
  %12 = arith.cmpi ugt, %1, %x7F800000 : i32
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a != b, or one is a NaN.
func.func @aiec_rt_cmp_f32_une(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c31 = arith.constant 31 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.shrsi %a, %c31 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.xori %3, %2 : i32
  %5 = arith.subi %4, %2 : i32
  %6 = arith.shrsi %b, %c31 : i32
  %7 = arith.andi %b, %x7FFFFFFF : i32
  %8 = arith.xori %7, %6 : i32
  %9 = arith.subi %8, %6 : i32
  %10 = arith.cmpi ne, %5, %9 : i32
  %11 = arith.cmpi ugt, %0, %x7F800000 : i32
  %12 = arith.cmpi ugt, %1, %x7F800000 : i32
  %13 = arith.ori %11, %12 : i1
  %14 = arith.ori %13, %10 : i1
  return %14 : i1
}

// a or b is a NaN.
func.func @aiec_rt_cmp_f32_uno(%a: i32, %b: i32) -> i1 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x7FFFFFFF : i32
  %2 = arith.cmpi ugt, %0, %x7F800000 : i32
  %3 = arith.cmpi ugt, %1, %x7F800000 : i32
  %4 = arith.ori %2, %3 : i1
  return %4 : i1
}

// a * b + c before it is rounded. The lower word is a fraction as `aiec_rt_pack_f32` takes it, with the sign in bit 31; the upper word is the
// exponent, to which 0x10000 is added for a NaN. An infinity is an exponent past all.
func.func @aiec_rt_fused_f32(%a: i32, %b: i32, %c: i32) -> i64 {
  %c23 = arith.constant 23 : i32
  %c255 = arith.constant 255 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %c0 = arith.constant 0 : i32
  %x10000 = arith.constant 65536 : i32
  %c4096 = arith.constant 4096 : i32
  %x40000000 = arith.constant 0x40000000 : i32
  %dc32 = arith.constant 32 : i64
  %c8 = arith.constant 8 : i32
  %c1 = arith.constant 1 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c7 = arith.constant 7 : i32
  %c126 = arith.constant 126 : i32
  %dx2000000000000000 = arith.constant 0x2000000000000000 : i64
  %dc1 = arith.constant 1 : i64
  %dc0 = arith.constant 0 : i64
  %xFFFFFC00 = arith.constant -1024 : i32
  %c6 = arith.constant 6 : i32
  %c63 = arith.constant 63 : i32
  %0 = arith.shrui %a, %c23 : i32
  %a_exponent = arith.andi %0, %c255 : i32
  %1 = arith.shrui %b, %c23 : i32
  %b_exponent = arith.andi %1, %c255 : i32
  %2 = arith.shrui %c, %c23 : i32
  %c_exponent = arith.andi %2, %c255 : i32
  %3 = arith.andi %a, %x7FFFFFFF : i32
  %4 = arith.andi %b, %x7FFFFFFF : i32
  %5 = arith.andi %c, %x7FFFFFFF : i32
  %6 = arith.xori %a, %b : i32
  %product_sign = arith.andi %6, %x80000000 : i32
  %addend_sign = arith.andi %c, %x80000000 : i32
  %7 = arith.cmpi eq, %3, %x7F800000 : i32
  %8 = arith.cmpi eq, %4, %x7F800000 : i32
  %9 = arith.cmpi eq, %3, %c0 : i32
  %10 = arith.cmpi eq, %4, %c0 : i32
  %11 = arith.ori %7, %8 : i1
  %zero_product = arith.ori %9, %10 : i1
  %12 = arith.cmpi eq, %5, %x7F800000 : i32
  %13 = arith.cmpi ugt, %3, %x7F800000 : i32
  %14 = arith.cmpi ugt, %4, %x7F800000 : i32
  %15 = arith.ori %13, %14 : i1
  %16 = arith.cmpi ugt, %5, %x7F800000 : i32
  %17 = arith.andi %11, %zero_product : i1
  %18 = arith.ori %16, %17 : i1
  %19 = arith.ori %15, %18 : i1
  %20 = arith.andi %11, %12 : i1
  %21 = arith.cmpi ne, %product_sign, %addend_sign : i32
  %22 = arith.andi %20, %21 : i1
  %nan = arith.ori %19, %22 : i1
  %23 = arith.ori %11, %12 : i1
  %infinite = arith.ori %nan, %23 : i1
  %24 = scf.if %infinite -> (i64) {
    %25 = arith.select %11, %product_sign, %addend_sign : i32
    %26 = arith.select %nan, %x10000, %c4096 : i32
    %27 = arith.ori %25, %x40000000 : i32
    %28 = arith.extui %26 : i32 to i64
    %29 = arith.shli %28, %dc32 : i64
    %30 = arith.extui %27 : i32 to i64
    %31 = arith.ori %29, %30 : i64
    scf.yield %31 : i64
  } else {
    %32 = math.ctlz %3 : i32
    %33 = arith.subi %32, %c8 : i32
    %34 = arith.cmpi eq, %a_exponent, %c0 : i32
    %35 = arith.subi %c1, %33 : i32
    %36 = arith.select %34, %35, %a_exponent : i32
    %37 = arith.select %34, %33, %c0 : i32
    %38 = arith.shli %3, %37 : i32
    %39 = arith.andi %3, %x7FFFFF : i32
    %40 = arith.ori %39, %x800000 : i32
    %41 = arith.select %34, %38, %40 : i32
    %42 = math.ctlz %4 : i32
    %43 = arith.subi %42, %c8 : i32
    %44 = arith.cmpi eq, %b_exponent, %c0 : i32
    %45 = arith.subi %c1, %43 : i32
    %46 = arith.select %44, %45, %b_exponent : i32
    %47 = arith.select %44, %43, %c0 : i32
    %48 = arith.shli %4, %47 : i32
    %49 = arith.andi %4, %x7FFFFF : i32
    %50 = arith.ori %49, %x800000 : i32
    %51 = arith.select %44, %48, %50 : i32
    %52 = arith.shli %41, %c7 : i32
    %53 = arith.shli %51, %c7 : i32
    %54 = func.call @aiec_rt_umulw(%52, %53) : (i32, i32) -> i64
    %55 = arith.addi %36, %46 : i32
    %56 = arith.subi %55, %c126 : i32
    %57 = arith.cmpi ult, %54, %dx2000000000000000 : i64
    %58 = arith.shli %54, %dc1 : i64
    %59 = arith.select %57, %58, %54 : i64
    %product = arith.select %zero_product, %dc0, %59 : i64
    %60 = arith.subi %56, %c1 : i32
    %61 = arith.select %57, %60, %56 : i32
    %product_exponent = arith.select %zero_product, %xFFFFFC00, %61 : i32
    %62 = math.ctlz %5 : i32
    %63 = arith.subi %62, %c8 : i32
    %64 = arith.cmpi eq, %c_exponent, %c0 : i32
    %65 = arith.subi %c1, %63 : i32
    %66 = arith.select %64, %65, %c_exponent : i32
    %67 = arith.select %64, %63, %c0 : i32
    %68 = arith.shli %5, %67 : i32
    %69 = arith.andi %5, %x7FFFFF : i32
    %70 = arith.ori %69, %x800000 : i32
    %71 = arith.select %64, %68, %70 : i32
    %72 = arith.cmpi eq, %5, %c0 : i32
    %73 = arith.shli %71, %c6 : i32
    %74 = arith.select %72, %c0, %73 : i32
    %75 = arith.extui %74 : i32 to i64
    %76 = arith.shli %75, %dc32 : i64
    %addend_exponent = arith.select %72, %xFFFFFC00, %66 : i32
    %77 = arith.cmpi sgt, %product_exponent, %addend_exponent : i32
    %78 = arith.cmpi eq, %product_exponent, %addend_exponent : i32
    %79 = arith.cmpi uge, %product, %76 : i64
    %80 = arith.andi %78, %79 : i1
    %product_first = arith.ori %77, %80 : i1
    %81 = arith.select %product_first, %product_sign, %addend_sign : i32
    %exponent = arith.select %product_first, %product_exponent, %addend_exponent : i32
    %great = arith.select %product_first, %product, %76 : i64
    %small = arith.select %product_first, %76, %product : i64
    %82 = arith.select %product_first, %addend_exponent, %product_exponent : i32
    %83 = arith.subi %exponent, %82 : i32
    %84 = arith.cmpi ult, %83, %c63 : i32
    %distance = arith.select %84, %83, %c63 : i32
    %85 = func.call @aiec_rt_shr_sticky_i64(%small, %distance) : (i64, i32) -> i64
    %86 = arith.cmpi ne, %product_sign, %addend_sign : i32
    %87 = arith.subi %great, %85 : i64
    %88 = arith.addi %great, %85 : i64
    %sum = arith.select %86, %87, %88 : i64
    %89 = arith.cmpi eq, %sum, %dc0 : i64
    %90 = func.call @aiec_rt_clz_i64(%sum) : (i64) -> i32
    %91 = arith.subi %90, %c1 : i32
    %92 = arith.andi %91, %c63 : i32
    %93 = func.call @aiec_rt_shl_by(%sum, %92) : (i64, i32) -> i64
    %94 = arith.shrui %93, %dc32 : i64
    %95 = arith.trunci %94 : i64 to i32
    %96 = arith.trunci %93 : i64 to i32
    %97 = arith.cmpi ne, %96, %c0 : i32
    %98 = arith.select %97, %c1, %c0 : i32
    %99 = arith.ori %95, %98 : i32
    %100 = arith.subi %exponent, %91 : i32
    %101 = arith.andi %89, %86 : i1
    %102 = arith.select %101, %c0, %81 : i32
    %103 = arith.select %89, %c0, %100 : i32
    %104 = arith.select %89, %c0, %99 : i32
    %105 = arith.ori %104, %102 : i32
    %106 = arith.extui %103 : i32 to i64
    %107 = arith.shli %106, %dc32 : i64
    %108 = arith.extui %105 : i32 to i64
    %109 = arith.ori %107, %108 : i64
    scf.yield %109 : i64
  }
  return %24 : i64
}

// x >> n, logical, with n in 0..64; its last bit is set if bits of 1 were lost.
func.func @aiec_rt_shr_sticky_i64(%x: i64, %n: i32) -> i64 {
  %dc1 = arith.constant 1 : i64
  %0 = func.call @aiec_rt_shru_by(%x, %n) : (i64, i32) -> i64
  %1 = func.call @aiec_rt_shl_by(%0, %n) : (i64, i32) -> i64
  %2 = arith.cmpi ne, %1, %x : i64
  %3 = arith.ori %0, %dc1 : i64
  %4 = arith.select %2, %3, %0 : i64
  return %4 : i64
}

// a * b + c, rounded once.
func.func @aiec_rt_fma_f32(%a: i32, %b: i32, %c: i32) -> i32 {
  %dc32 = arith.constant 32 : i64
  %x10000 = arith.constant 65536 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %0 = func.call @aiec_rt_fused_f32(%a, %b, %c) : (i32, i32, i32) -> i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = arith.shrui %0, %dc32 : i64
  %3 = arith.trunci %2 : i64 to i32
  %4 = arith.cmpi sge, %3, %x10000 : i32
  %5 = arith.andi %1, %x80000000 : i32
  %6 = arith.select %4, %x400000, %5 : i32
  %7 = arith.andi %1, %x7FFFFFFF : i32
  %8 = func.call @aiec_rt_pack_f32(%6, %3, %7) : (i32, i32, i32) -> i32
  return %8 : i32
}

// a * b + c, rounded once to bf16: to an odd f32 first.
func.func @aiec_rt_fma_bf16(%a: i32, %b: i32, %c: i32) -> i32 {
  %dc32 = arith.constant 32 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c5 = arith.constant 5 : i32
  %x10000 = arith.constant 65536 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %0 = func.call @aiec_rt_fused_f32(%a, %b, %c) : (i32, i32, i32) -> i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = arith.shrui %0, %dc32 : i64
  %3 = arith.trunci %2 : i64 to i32
  %4 = arith.andi %1, %x80000000 : i32
  %5 = arith.andi %1, %x7FFFFFFF : i32
  %6 = func.call @aiec_rt_pack_f32_by(%4, %3, %5, %c5) : (i32, i32, i32, i32) -> i32
  %7 = func.call @aiec_rt_narrow_f32_bf16(%6) : (i32) -> i32
  %8 = arith.cmpi sge, %3, %x10000 : i32
  %9 = arith.select %8, %x7FC00000, %7 : i32
  return %9 : i32
}

// a * b + c, rounded once to f16: to an odd f32 first.
func.func @aiec_rt_fma_f16(%a: i32, %b: i32, %c: i32) -> i32 {
  %dc32 = arith.constant 32 : i64
  %x80000000 = arith.constant 0x80000000 : i32
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c5 = arith.constant 5 : i32
  %x10000 = arith.constant 65536 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %0 = func.call @aiec_rt_fused_f32(%a, %b, %c) : (i32, i32, i32) -> i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = arith.shrui %0, %dc32 : i64
  %3 = arith.trunci %2 : i64 to i32
  %4 = arith.andi %1, %x80000000 : i32
  %5 = arith.andi %1, %x7FFFFFFF : i32
  %6 = func.call @aiec_rt_pack_f32_by(%4, %3, %5, %c5) : (i32, i32, i32, i32) -> i32
  %7 = func.call @aiec_rt_narrow_f32_f16(%6) : (i32) -> i32
  %8 = arith.cmpi sge, %3, %x10000 : i32
  %9 = arith.select %8, %x7FC00000, %7 : i32
  return %9 : i32
}

// x without its sign.
func.func @aiec_rt_math_f32_absf(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %0 = arith.andi %x, %x7FFFFFFF : i32
  return %0 : i32
}

// a with the sign of b.
func.func @aiec_rt_math2_f32_copysign(%a: i32, %b: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %0 = arith.andi %a, %x7FFFFFFF : i32
  %1 = arith.andi %b, %x80000000 : i32
  %2 = arith.ori %0, %1 : i32
  return %2 : i32
}

// To negative infinity: bits of the fraction below one go. Numbers below one have none of them, numbers from 2^23 on all.
func.func @aiec_rt_math_f32_floor(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c127 = arith.constant 127 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c31 = arith.constant 31 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %c0 = arith.constant 0 : i32
  %m1 = arith.constant -1 : i32
  %xBF800000 = arith.constant 0xBF800000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %magnitude = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.shrui %magnitude, %c23 : i32
  %exponent = arith.subi %0, %c127 : i32
  %1 = arith.andi %x, %x80000000 : i32
  %2 = arith.andi %exponent, %c31 : i32
  %below = arith.shrui %x7FFFFF, %2 : i32
  %3 = arith.cmpi slt, %x, %c0 : i32
  %4 = arith.select %3, %below, %c0 : i32
  %5 = arith.addi %x, %4 : i32
  %6 = arith.xori %below, %m1 : i32
  %7 = arith.andi %5, %6 : i32
  %8 = arith.cmpi ne, %magnitude, %c0 : i32
  %9 = arith.andi %3, %8 : i1
  %10 = arith.select %9, %xBF800000, %1 : i32
  %11 = arith.cmpi slt, %exponent, %c0 : i32
  %12 = arith.select %11, %10, %7 : i32
  %13 = arith.cmpi sge, %exponent, %c23 : i32
  %14 = arith.select %13, %x, %12 : i32
  %15 = arith.cmpi ugt, %magnitude, %x7F800000 : i32
  %16 = arith.select %15, %x7FC00000, %14 : i32
  return %16 : i32
}

// To positive infinity: bits of the fraction below one go. Numbers below one have none of them, numbers from 2^23 on all.
func.func @aiec_rt_math_f32_ceil(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c127 = arith.constant 127 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c31 = arith.constant 31 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %c0 = arith.constant 0 : i32
  %m1 = arith.constant -1 : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %magnitude = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.shrui %magnitude, %c23 : i32
  %exponent = arith.subi %0, %c127 : i32
  %1 = arith.andi %x, %x80000000 : i32
  %2 = arith.andi %exponent, %c31 : i32
  %below = arith.shrui %x7FFFFF, %2 : i32
  %3 = arith.cmpi slt, %x, %c0 : i32
  %4 = arith.select %3, %c0, %below : i32
  %5 = arith.addi %x, %4 : i32
  %6 = arith.xori %below, %m1 : i32
  %7 = arith.andi %5, %6 : i32
  %8 = arith.cmpi sgt, %x, %c0 : i32
  %9 = arith.cmpi ne, %magnitude, %c0 : i32
  %10 = arith.andi %8, %9 : i1
  %11 = arith.select %10, %x3F800000, %1 : i32
  %12 = arith.cmpi slt, %exponent, %c0 : i32
  %13 = arith.select %12, %11, %7 : i32
  %14 = arith.cmpi sge, %exponent, %c23 : i32
  %15 = arith.select %14, %x, %13 : i32
  %16 = arith.cmpi ugt, %magnitude, %x7F800000 : i32
  %17 = arith.select %16, %x7FC00000, %15 : i32
  return %17 : i32
}

// To zero: bits of the fraction below one go. Numbers below one have none of them, numbers from 2^23 on all.
func.func @aiec_rt_math_f32_trunc(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c127 = arith.constant 127 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c31 = arith.constant 31 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %c0 = arith.constant 0 : i32
  %m1 = arith.constant -1 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %magnitude = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.shrui %magnitude, %c23 : i32
  %exponent = arith.subi %0, %c127 : i32
  %1 = arith.andi %x, %x80000000 : i32
  %2 = arith.andi %exponent, %c31 : i32
  %below = arith.shrui %x7FFFFF, %2 : i32
  %3 = arith.cmpi slt, %x, %c0 : i32
  %4 = arith.andi %x, %m1 : i32
  %5 = arith.xori %below, %m1 : i32
  %6 = arith.andi %x, %5 : i32
  %7 = arith.cmpi slt, %exponent, %c0 : i32
  %8 = arith.select %7, %1, %6 : i32
  %9 = arith.cmpi sge, %exponent, %c23 : i32
  %10 = arith.select %9, %x, %8 : i32
  %11 = arith.cmpi ugt, %magnitude, %x7F800000 : i32
  %12 = arith.select %11, %x7FC00000, %10 : i32
  return %12 : i32
}

// To the nearest, halves away from zero: bits of the fraction below one go. Numbers below one have none of them, numbers from 2^23 on all.
func.func @aiec_rt_math_f32_round(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c127 = arith.constant 127 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c31 = arith.constant 31 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %c0 = arith.constant 0 : i32
  %x400000 = arith.constant 0x00400000 : i32
  %m1 = arith.constant -1 : i32
  %x3F000000 = arith.constant 0x3F000000 : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %magnitude = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.shrui %magnitude, %c23 : i32
  %exponent = arith.subi %0, %c127 : i32
  %1 = arith.andi %x, %x80000000 : i32
  %2 = arith.andi %exponent, %c31 : i32
  %below = arith.shrui %x7FFFFF, %2 : i32
  %3 = arith.cmpi slt, %x, %c0 : i32
  %4 = arith.shrui %x400000, %2 : i32
  %5 = arith.addi %x, %4 : i32
  %6 = arith.xori %below, %m1 : i32
  %7 = arith.andi %5, %6 : i32
  %8 = arith.cmpi uge, %magnitude, %x3F000000 : i32
  %9 = arith.select %8, %x3F800000, %c0 : i32
  %10 = arith.ori %1, %9 : i32
  %11 = arith.cmpi slt, %exponent, %c0 : i32
  %12 = arith.select %11, %10, %7 : i32
  %13 = arith.cmpi sge, %exponent, %c23 : i32
  %14 = arith.select %13, %x, %12 : i32
  %15 = arith.cmpi ugt, %magnitude, %x7F800000 : i32
  %16 = arith.select %15, %x7FC00000, %14 : i32
  return %16 : i32
}

// To the nearest, halves to even: bits of the fraction below one go. Numbers below one have none of them, numbers from 2^23 on all.
func.func @aiec_rt_math_f32_roundeven(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c127 = arith.constant 127 : i32
  %x80000000 = arith.constant 0x80000000 : i32
  %c31 = arith.constant 31 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m1 = arith.constant -1 : i32
  %x3F000000 = arith.constant 0x3F000000 : i32
  %x3F800000 = arith.constant 0x3F800000 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %magnitude = arith.andi %x, %x7FFFFFFF : i32
  %0 = arith.shrui %magnitude, %c23 : i32
  %exponent = arith.subi %0, %c127 : i32
  %1 = arith.andi %x, %x80000000 : i32
  %2 = arith.andi %exponent, %c31 : i32
  %below = arith.shrui %x7FFFFF, %2 : i32
  %3 = arith.cmpi slt, %x, %c0 : i32
  %4 = arith.subi %c23, %exponent : i32
  %5 = arith.andi %4, %c31 : i32
  %6 = arith.shrui %x, %5 : i32
  %7 = arith.andi %6, %c1 : i32
  %8 = arith.cmpi eq, %exponent, %c0 : i32
  %9 = arith.select %8, %c1, %7 : i32
  %10 = arith.shrui %below, %c1 : i32
  %11 = arith.addi %x, %10 : i32
  %12 = arith.addi %11, %9 : i32
  %13 = arith.cmpi eq, %below, %c0 : i32
  %14 = arith.select %13, %x, %12 : i32
  %15 = arith.xori %below, %m1 : i32
  %16 = arith.andi %14, %15 : i32
  %17 = arith.cmpi ugt, %magnitude, %x3F000000 : i32
  %18 = arith.select %17, %x3F800000, %c0 : i32
  %19 = arith.ori %1, %18 : i32
  %20 = arith.cmpi slt, %exponent, %c0 : i32
  %21 = arith.select %20, %19, %16 : i32
  %22 = arith.cmpi sge, %exponent, %c23 : i32
  %23 = arith.select %22, %x, %21 : i32
  %24 = arith.cmpi ugt, %magnitude, %x7F800000 : i32
  %25 = arith.select %24, %x7FC00000, %23 : i32
  return %25 : i32
}

// The square root: a bit of the root in each round, 25 and one for what is left.
func.func @aiec_rt_math_f32_sqrt(%x: i32) -> i32 {
  %x7FFFFFFF = arith.constant 0x7FFFFFFF : i32
  %c23 = arith.constant 23 : i32
  %c0 = arith.constant 0 : i32
  %x7F800000 = arith.constant 0x7F800000 : i32
  %x7FC00000 = arith.constant 0x7FC00000 : i32
  %c8 = arith.constant 8 : i32
  %c1 = arith.constant 1 : i32
  %x7FFFFF = arith.constant 0x007FFFFF : i32
  %x800000 = arith.constant 0x00800000 : i32
  %c7 = arith.constant 7 : i32
  %ic0 = arith.constant 0 : index
  %ic26 = arith.constant 26 : index
  %ic1 = arith.constant 1 : index
  %c2 = arith.constant 2 : i32
  %c30 = arith.constant 30 : i32
  %c5 = arith.constant 5 : i32
  %c127 = arith.constant 127 : i32
  %0 = arith.andi %x, %x7FFFFFFF : i32
  %1 = arith.shrui %0, %c23 : i32
  %2 = arith.cmpi sle, %x, %c0 : i32
  %3 = arith.cmpi uge, %0, %x7F800000 : i32
  %4 = arith.ori %2, %3 : i1
  %5 = scf.if %4 -> (i32) {
    %6 = arith.cmpi eq, %0, %c0 : i32
    %7 = arith.cmpi eq, %x, %x7F800000 : i32
    %8 = arith.select %7, %x, %x7FC00000 : i32
    %9 = arith.select %6, %x, %8 : i32
    scf.yield %9 : i32
  } else {
    %10 = math.ctlz %0 : i32
    %11 = arith.subi %10, %c8 : i32
    %12 = arith.cmpi eq, %1, %c0 : i32
    %13 = arith.subi %c1, %11 : i32
    %14 = arith.select %12, %13, %1 : i32
    %15 = arith.select %12, %11, %c0 : i32
    %16 = arith.shli %0, %15 : i32
    %17 = arith.andi %0, %x7FFFFF : i32
    %18 = arith.ori %17, %x800000 : i32
    %19 = arith.select %12, %16, %18 : i32
    %20 = arith.andi %14, %c1 : i32
    %21 = arith.cmpi eq, %20, %c0 : i32
    %22 = arith.shli %19, %c1 : i32
    %23 = arith.select %21, %22, %19 : i32
    %24 = arith.shli %23, %c7 : i32
    %bits:3 = scf.for %i = %ic0 to %ic26 step %ic1 iter_args(%bits1 = %24, %rest = %c0, %root = %c0) -> (i32, i32, i32) {
      %25 = arith.shli %rest, %c2 : i32
      %26 = arith.shrui %bits1, %c30 : i32
      %27 = arith.ori %25, %26 : i32
      %28 = arith.shli %root, %c2 : i32
      %29 = arith.ori %28, %c1 : i32
      %30 = arith.cmpi ult, %27, %29 : i32
      %31 = arith.addi %root, %root : i32
      %32 = arith.shli %bits1, %c2 : i32
      %33 = arith.subi %27, %29 : i32
      %34 = arith.select %30, %27, %33 : i32
      %35 = arith.addi %31, %c1 : i32
      %36 = arith.select %30, %31, %35 : i32
      scf.yield %32, %34, %36 : i32, i32, i32
    }
    %37 = arith.shli %bits#2, %c5 : i32
    %38 = arith.cmpi ne, %bits#1, %c0 : i32
    %39 = arith.select %38, %c1, %c0 : i32
    %40 = arith.ori %37, %39 : i32
    %41 = arith.addi %14, %c127 : i32
    %42 = arith.shrui %41, %c1 : i32
    %43 = arith.subi %42, %c1 : i32
    %44 = func.call @aiec_rt_pack_f32(%c0, %43, %40) : (i32, i32, i32) -> i32
    scf.yield %44 : i32
  }
  return %5 : i32
}

// 1 / the square root, both in f64, rounded to f32 at last: so is the function defined.
func.func @aiec_rt_math_f32_rsqrt(%x: i32) -> i32 {
  %0 = func.call @aiec_rt_widen(%x) : (i32) -> i64
  %1 = func.call @aiec_rt_math_f64_rsqrt(%0) : (i64) -> i64
  %2 = func.call @aiec_rt_narrow_f64_f32(%1) : (i64) -> i32
  return %2 : i32
}
