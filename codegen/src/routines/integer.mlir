// Integers: products, quotients, shifts, powers and counts of bits that cores have no instruction for.

// The 64 bits of the product of two unsigned numbers of 32 bits, by halves of 16 bits.
func.func @aiec_rt_umulw(%a: i32, %b: i32) -> i64 {
  %xFFFF = arith.constant 65535 : i32
  %c16 = arith.constant 16 : i32
  %dc32 = arith.constant 32 : i64
  %a_low = arith.andi %a, %xFFFF : i32
  %a_high = arith.shrui %a, %c16 : i32
  %b_low = arith.andi %b, %xFFFF : i32
  %b_high = arith.shrui %b, %c16 : i32
  %low = arith.muli %a_low, %b_low : i32
  %0 = arith.muli %a_high, %b_low : i32
  %1 = arith.muli %a_low, %b_high : i32
  %2 = arith.muli %a_high, %b_high : i32
  %3 = arith.shrui %low, %c16 : i32
  %middle = arith.addi %3, %1 : i32
  %4 = arith.andi %middle, %xFFFF : i32
  %carry = arith.addi %4, %0 : i32
  %5 = arith.shrui %middle, %c16 : i32
  %6 = arith.addi %2, %5 : i32
  %7 = arith.shrui %carry, %c16 : i32
  %high = arith.addi %6, %7 : i32
  %8 = arith.muli %a, %b : i32
  %9 = arith.extui %high : i32 to i64
  %10 = arith.shli %9, %dc32 : i64
  %11 = arith.extui %8 : i32 to i64
  %12 = arith.ori %10, %11 : i64
  return %12 : i64
}

// a * b, 64 bits.
func.func @aiec_rt_mul_i64(%a: i64, %b: i64) -> i64 {
  %dc32 = arith.constant 32 : i64
  %a_low = arith.trunci %a : i64 to i32
  %0 = arith.shrui %a, %dc32 : i64
  %a_high = arith.trunci %0 : i64 to i32
  %b_low = arith.trunci %b : i64 to i32
  %1 = arith.shrui %b, %dc32 : i64
  %b_high = arith.trunci %1 : i64 to i32
  %2 = func.call @aiec_rt_umulw(%a_low, %b_low) : (i32, i32) -> i64
  %3 = arith.muli %a_high, %b_low : i32
  %4 = arith.muli %a_low, %b_high : i32
  %cross = arith.addi %3, %4 : i32
  %5 = arith.extui %cross : i32 to i64
  %6 = arith.shli %5, %dc32 : i64
  %7 = arith.addi %2, %6 : i64
  return %7 : i64
}

// The upper 64 bits of a * b, unsigned.
func.func @aiec_rt_mulhu(%a: i64, %b: i64) -> i64 {
  %dc32 = arith.constant 32 : i64
  %dxFFFFFFFF = arith.constant 0x00000000FFFFFFFF : i64
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
  return %13 : i64
}

// The upper 64 bits of a * b, signed.
func.func @aiec_rt_mulhs(%a: i64, %b: i64) -> i64 {
  %dc0 = arith.constant 0 : i64
  %0 = func.call @aiec_rt_mulhu(%a, %b) : (i64, i64) -> i64
  %1 = arith.cmpi slt, %a, %dc0 : i64
  %2 = arith.select %1, %b, %dc0 : i64
  %3 = arith.subi %0, %2 : i64
  %4 = arith.cmpi slt, %b, %dc0 : i64
  %5 = arith.select %4, %a, %dc0 : i64
  %6 = arith.subi %3, %5 : i64
  return %6 : i64
}

// x << n, with n in 0..64.
func.func @aiec_rt_shl_by(%x: i64, %n: i32) -> i64 {
  %dc32 = arith.constant 32 : i64
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %low = arith.trunci %x : i64 to i32
  %0 = arith.shrui %x, %dc32 : i64
  %high = arith.trunci %0 : i64 to i32
  %by = arith.andi %n, %c31 : i32
  %rest = arith.subi %c31, %by : i32
  %1 = arith.andi %n, %c32 : i32
  %whole_word = arith.cmpi ne, %1, %c0 : i32
  %2 = arith.shli %high, %by : i32
  %3 = arith.shrui %low, %c1 : i32
  %4 = arith.shrui %3, %rest : i32
  %upper = arith.ori %2, %4 : i32
  %lower = arith.shli %low, %by : i32
  %5 = arith.select %whole_word, %lower, %upper : i32
  %6 = arith.select %whole_word, %c0, %lower : i32
  %7 = arith.extui %5 : i32 to i64
  %8 = arith.shli %7, %dc32 : i64
  %9 = arith.extui %6 : i32 to i64
  %10 = arith.ori %8, %9 : i64
  return %10 : i64
}

// x >> n, logical, with n in 0..64.
func.func @aiec_rt_shru_by(%x: i64, %n: i32) -> i64 {
  %dc32 = arith.constant 32 : i64
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %low = arith.trunci %x : i64 to i32
  %0 = arith.shrui %x, %dc32 : i64
  %high = arith.trunci %0 : i64 to i32
  %by = arith.andi %n, %c31 : i32
  %rest = arith.subi %c31, %by : i32
  %1 = arith.andi %n, %c32 : i32
  %whole_word = arith.cmpi ne, %1, %c0 : i32
  %2 = arith.shrui %low, %by : i32
  %3 = arith.shli %high, %c1 : i32
  %4 = arith.shli %3, %rest : i32
  %lower = arith.ori %2, %4 : i32
  %upper = arith.shrui %high, %by : i32
  %5 = arith.select %whole_word, %c0, %upper : i32
  %6 = arith.select %whole_word, %upper, %lower : i32
  %7 = arith.extui %5 : i32 to i64
  %8 = arith.shli %7, %dc32 : i64
  %9 = arith.extui %6 : i32 to i64
  %10 = arith.ori %8, %9 : i64
  return %10 : i64
}

// x >> n, arithmetic, with n in 0..64.
func.func @aiec_rt_shrs_by(%x: i64, %n: i32) -> i64 {
  %dc32 = arith.constant 32 : i64
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %low = arith.trunci %x : i64 to i32
  %0 = arith.shrui %x, %dc32 : i64
  %high = arith.trunci %0 : i64 to i32
  %by = arith.andi %n, %c31 : i32
  %rest = arith.subi %c31, %by : i32
  %1 = arith.andi %n, %c32 : i32
  %whole_word = arith.cmpi ne, %1, %c0 : i32
  %2 = arith.shrsi %high, %c31 : i32
  %3 = arith.shrui %low, %by : i32
  %4 = arith.shli %high, %c1 : i32
  %5 = arith.shli %4, %rest : i32
  %lower = arith.ori %3, %5 : i32
  %upper = arith.shrsi %high, %by : i32
  %6 = arith.select %whole_word, %2, %upper : i32
  %7 = arith.select %whole_word, %upper, %lower : i32
  %8 = arith.extui %6 : i32 to i64
  %9 = arith.shli %8, %dc32 : i64
  %10 = arith.extui %7 : i32 to i64
  %11 = arith.ori %9, %10 : i64
  return %11 : i64
}

// x << n; nothing is left from 64 bits on.
func.func @aiec_rt_shl_i64(%x: i64, %n: i64) -> i64 {
  %c63 = arith.constant 63 : i32
  %dc64 = arith.constant 64 : i64
  %dc0 = arith.constant 0 : i64
  %0 = arith.trunci %n : i64 to i32
  %1 = arith.andi %0, %c63 : i32
  %2 = func.call @aiec_rt_shl_by(%x, %1) : (i64, i32) -> i64
  %3 = arith.cmpi ult, %n, %dc64 : i64
  %4 = arith.select %3, %2, %dc0 : i64
  return %4 : i64
}

// x >> n, logical; nothing is left from 64 bits on.
func.func @aiec_rt_shru(%x: i64, %n: i64) -> i64 {
  %c63 = arith.constant 63 : i32
  %dc64 = arith.constant 64 : i64
  %dc0 = arith.constant 0 : i64
  %0 = arith.trunci %n : i64 to i32
  %1 = arith.andi %0, %c63 : i32
  %2 = func.call @aiec_rt_shru_by(%x, %1) : (i64, i32) -> i64
  %3 = arith.cmpi ult, %n, %dc64 : i64
  %4 = arith.select %3, %2, %dc0 : i64
  return %4 : i64
}

// x >> n, arithmetic; the sign is left from 64 bits on.
func.func @aiec_rt_shrs(%x: i64, %n: i64) -> i64 {
  %dc64 = arith.constant 64 : i64
  %c63 = arith.constant 63 : i32
  %0 = arith.cmpi ult, %n, %dc64 : i64
  %1 = arith.trunci %n : i64 to i32
  %2 = arith.select %0, %1, %c63 : i32
  %3 = func.call @aiec_rt_shrs_by(%x, %2) : (i64, i32) -> i64
  return %3 : i64
}

// Quotient (lower word) and remainder (upper word) of n / d, unsigned: restoring division, a bit of the
// quotient in each round. A divisor of 2^31 or more has a quotient of 0 or 1, so that what is left of n fits a word.
func.func @aiec_rt_divide_i32(%n: i32, %d: i32) -> i64 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ic0 = arith.constant 0 : index
  %ic32 = arith.constant 32 : index
  %ic1 = arith.constant 1 : index
  %c31 = arith.constant 31 : i32
  %dc32 = arith.constant 32 : i64
  %0 = arith.cmpi slt, %d, %c0 : i32
  %parts:2 = scf.if %0 -> (i32, i32) {
    %1 = arith.cmpi uge, %n, %d : i32
    %2 = arith.subi %n, %d : i32
    %3 = arith.select %1, %2, %n : i32
    %4 = arith.select %1, %c1, %c0 : i32
    scf.yield %3, %4 : i32, i32
  } else {
    %rest:2 = scf.for %i = %ic0 to %ic32 step %ic1 iter_args(%rest1 = %c0, %quotient = %n) -> (i32, i32) {
      %5 = arith.addi %rest1, %rest1 : i32
      %6 = arith.shrui %quotient, %c31 : i32
      %7 = arith.addi %5, %6 : i32
      %8 = arith.addi %quotient, %quotient : i32
      %9 = arith.cmpi ult, %7, %d : i32
      %10 = arith.subi %7, %d : i32
      %11 = arith.select %9, %7, %10 : i32
      %12 = arith.addi %8, %c1 : i32
      %13 = arith.select %9, %8, %12 : i32
      scf.yield %11, %13 : i32, i32
    }
    scf.yield %rest#0, %rest#1 : i32, i32
  }
  %14 = arith.extui %parts#0 : i32 to i64
  %15 = arith.shli %14, %dc32 : i64
  %16 = arith.extui %parts#1 : i32 to i64
  %17 = arith.ori %15, %16 : i64
  return %17 : i64
}

// The quotient of n / d, unsigned.
func.func @aiec_rt_divu_i32(%n: i32, %d: i32) -> i32 {
  %0 = func.call @aiec_rt_divide_i32(%n, %d) : (i32, i32) -> i64
  %1 = arith.trunci %0 : i64 to i32
  return %1 : i32
}

// The remainder of n / d, unsigned.
func.func @aiec_rt_remu_i32(%n: i32, %d: i32) -> i32 {
  %dc32 = arith.constant 32 : i64
  %0 = func.call @aiec_rt_divide_i32(%n, %d) : (i32, i32) -> i64
  %1 = arith.shrui %0, %dc32 : i64
  %2 = arith.trunci %1 : i64 to i32
  return %2 : i32
}

// n / d, signed, to zero.
func.func @aiec_rt_divs_i32(%n: i32, %d: i32) -> i32 {
  %c31 = arith.constant 31 : i32
  %0 = arith.xori %n, %d : i32
  %sign = arith.shrsi %0, %c31 : i32
  %1 = arith.shrsi %n, %c31 : i32
  %2 = arith.xori %n, %1 : i32
  %3 = arith.subi %2, %1 : i32
  %4 = arith.shrsi %d, %c31 : i32
  %5 = arith.xori %d, %4 : i32
  %6 = arith.subi %5, %4 : i32
  %7 = func.call @aiec_rt_divide_i32(%3, %6) : (i32, i32) -> i64
  %8 = arith.trunci %7 : i64 to i32
  %9 = arith.xori %8, %sign : i32
  %10 = arith.subi %9, %sign : i32
  return %10 : i32
}

// The remainder of n / d, signed, to zero.
func.func @aiec_rt_rems_i32(%n: i32, %d: i32) -> i32 {
  %c31 = arith.constant 31 : i32
  %dc32 = arith.constant 32 : i64
  %0 = arith.shrsi %n, %c31 : i32
  %1 = arith.xori %n, %0 : i32
  %2 = arith.subi %1, %0 : i32
  %3 = arith.shrsi %d, %c31 : i32
  %4 = arith.xori %d, %3 : i32
  %5 = arith.subi %4, %3 : i32
  %6 = func.call @aiec_rt_divide_i32(%2, %5) : (i32, i32) -> i64
  %7 = arith.shrui %6, %dc32 : i64
  %8 = arith.trunci %7 : i64 to i32
  %9 = arith.xori %8, %0 : i32
  %10 = arith.subi %9, %0 : i32
  return %10 : i32
}

// n / d, signed, to negative infinity.
func.func @aiec_rt_divfloor_i32(%n: i32, %d: i32) -> i32 {
  %c31 = arith.constant 31 : i32
  %dc32 = arith.constant 32 : i64
  %c0 = arith.constant 0 : i32
  %0 = arith.xori %n, %d : i32
  %sign = arith.shrsi %0, %c31 : i32
  %1 = arith.shrsi %n, %c31 : i32
  %2 = arith.xori %n, %1 : i32
  %3 = arith.subi %2, %1 : i32
  %4 = arith.shrsi %d, %c31 : i32
  %5 = arith.xori %d, %4 : i32
  %6 = arith.subi %5, %4 : i32
  %7 = func.call @aiec_rt_divide_i32(%3, %6) : (i32, i32) -> i64
  %8 = arith.trunci %7 : i64 to i32
  %9 = arith.xori %8, %sign : i32
  %10 = arith.subi %9, %sign : i32
  %11 = arith.shrui %7, %dc32 : i64
  %12 = arith.trunci %11 : i64 to i32
  %13 = arith.cmpi ne, %12, %c0 : i32
  %14 = arith.addi %10, %sign : i32
  %15 = arith.select %13, %14, %10 : i32
  return %15 : i32
}

// n / d, signed, to positive infinity.
func.func @aiec_rt_divceil_i32(%n: i32, %d: i32) -> i32 {
  %c31 = arith.constant 31 : i32
  %dc32 = arith.constant 32 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = arith.xori %n, %d : i32
  %sign = arith.shrsi %0, %c31 : i32
  %1 = arith.shrsi %n, %c31 : i32
  %2 = arith.xori %n, %1 : i32
  %3 = arith.subi %2, %1 : i32
  %4 = arith.shrsi %d, %c31 : i32
  %5 = arith.xori %d, %4 : i32
  %6 = arith.subi %5, %4 : i32
  %7 = func.call @aiec_rt_divide_i32(%3, %6) : (i32, i32) -> i64
  %8 = arith.trunci %7 : i64 to i32
  %9 = arith.xori %8, %sign : i32
  %10 = arith.subi %9, %sign : i32
  %11 = arith.shrui %7, %dc32 : i64
  %12 = arith.trunci %11 : i64 to i32
  %13 = arith.cmpi ne, %12, %c0 : i32
  %14 = arith.addi %10, %sign : i32
  %15 = arith.addi %14, %c1 : i32
  %16 = arith.select %13, %15, %10 : i32
  return %16 : i32
}

// n / d, unsigned, upward.
func.func @aiec_rt_divuceil_i32(%n: i32, %d: i32) -> i32 {
  %dc32 = arith.constant 32 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = func.call @aiec_rt_divide_i32(%n, %d) : (i32, i32) -> i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = arith.shrui %0, %dc32 : i64
  %3 = arith.trunci %2 : i64 to i32
  %4 = arith.cmpi ne, %3, %c0 : i32
  %5 = arith.addi %1, %c1 : i32
  %6 = arith.select %4, %5, %1 : i32
  return %6 : i32
}

// The quotient of n / d, unsigned, or the remainder if `wanted` isn't 0: by 32 bits where both fit, else by
// restoring division. What is left of n may need a 65th bit.
func.func @aiec_rt_divide_i64(%n: i64, %d: i64, %wanted: i32) -> i64 {
  %c0 = arith.constant 0 : i32
  %dx100000000 = arith.constant 0x0000000100000000 : i64
  %dc32 = arith.constant 32 : i64
  %dxFFFFFFFF = arith.constant 0x00000000FFFFFFFF : i64
  %dc0 = arith.constant 0 : i64
  %ic0 = arith.constant 0 : index
  %ic64 = arith.constant 64 : index
  %ic1 = arith.constant 1 : index
  %dc1 = arith.constant 1 : i64
  %dc63 = arith.constant 63 : i64
  %bc0 = arith.constant false
  %remainder = arith.cmpi ne, %wanted, %c0 : i32
  %0 = arith.ori %n, %d : i64
  %1 = arith.cmpi ult, %0, %dx100000000 : i64
  %2 = scf.if %1 -> (i64) {
    %3 = arith.trunci %n : i64 to i32
    %4 = arith.trunci %d : i64 to i32
    %5 = func.call @aiec_rt_divide_i32(%3, %4) : (i32, i32) -> i64
    %6 = arith.shrui %5, %dc32 : i64
    %7 = arith.andi %5, %dxFFFFFFFF : i64
    %8 = arith.select %remainder, %6, %7 : i64
    scf.yield %8 : i64
  } else {
    %rest:2 = scf.for %i = %ic0 to %ic64 step %ic1 iter_args(%rest1 = %dc0, %quotient = %n) -> (i64, i64) {
      %9 = arith.shli %rest1, %dc1 : i64
      %10 = arith.shrui %quotient, %dc63 : i64
      %11 = arith.ori %9, %10 : i64
      %12 = arith.shli %quotient, %dc1 : i64
      %13 = arith.cmpi ult, %11, %d : i64
      %14 = arith.cmpi sge, %rest1, %dc0 : i64
      %15 = arith.select %14, %13, %bc0 : i1
      %16 = arith.subi %11, %d : i64
      %17 = arith.select %15, %11, %16 : i64
      %18 = arith.ori %12, %dc1 : i64
      %19 = arith.select %15, %12, %18 : i64
      scf.yield %17, %19 : i64, i64
    }
    %20 = arith.select %remainder, %rest#0, %rest#1 : i64
    scf.yield %20 : i64
  }
  return %2 : i64
}

// The quotient of n / d, unsigned.
func.func @aiec_rt_divu(%n: i64, %d: i64) -> i64 {
  %c0 = arith.constant 0 : i32
  %0 = func.call @aiec_rt_divide_i64(%n, %d, %c0) : (i64, i64, i32) -> i64
  return %0 : i64
}

// The remainder of n / d, unsigned.
func.func @aiec_rt_remu(%n: i64, %d: i64) -> i64 {
  %c1 = arith.constant 1 : i32
  %0 = func.call @aiec_rt_divide_i64(%n, %d, %c1) : (i64, i64, i32) -> i64
  return %0 : i64
}

// n / d, signed, to zero.
func.func @aiec_rt_divs(%n: i64, %d: i64) -> i64 {
  %dc63 = arith.constant 63 : i64
  %c0 = arith.constant 0 : i32
  %0 = arith.xori %n, %d : i64
  %sign = arith.shrsi %0, %dc63 : i64
  %1 = arith.shrsi %n, %dc63 : i64
  %2 = arith.xori %n, %1 : i64
  %3 = arith.subi %2, %1 : i64
  %4 = arith.shrsi %d, %dc63 : i64
  %5 = arith.xori %d, %4 : i64
  %6 = arith.subi %5, %4 : i64
  %7 = func.call @aiec_rt_divide_i64(%3, %6, %c0) : (i64, i64, i32) -> i64
  %8 = arith.xori %7, %sign : i64
  %9 = arith.subi %8, %sign : i64
  return %9 : i64
}

// The remainder of n / d, signed, to zero.
func.func @aiec_rt_rems(%n: i64, %d: i64) -> i64 {
  %dc63 = arith.constant 63 : i64
  %c1 = arith.constant 1 : i32
  %0 = arith.shrsi %n, %dc63 : i64
  %1 = arith.xori %n, %0 : i64
  %2 = arith.subi %1, %0 : i64
  %3 = arith.shrsi %d, %dc63 : i64
  %4 = arith.xori %d, %3 : i64
  %5 = arith.subi %4, %3 : i64
  %6 = func.call @aiec_rt_divide_i64(%2, %5, %c1) : (i64, i64, i32) -> i64
  %7 = arith.xori %6, %0 : i64
  %8 = arith.subi %7, %0 : i64
  return %8 : i64
}

// n / d, signed, to negative infinity.
func.func @aiec_rt_divfloor(%n: i64, %d: i64) -> i64 {
  %dc63 = arith.constant 63 : i64
  %0 = arith.xori %n, %d : i64
  %sign = arith.shrsi %0, %dc63 : i64
  %1 = func.call @aiec_rt_divs(%n, %d) : (i64, i64) -> i64
  %2 = func.call @aiec_rt_mul_i64(%1, %d) : (i64, i64) -> i64
  %3 = arith.cmpi ne, %2, %n : i64
  %4 = arith.addi %1, %sign : i64
  %5 = arith.select %3, %4, %1 : i64
  return %5 : i64
}

// n / d, signed, to positive infinity.
func.func @aiec_rt_divceil(%n: i64, %d: i64) -> i64 {
  %dc63 = arith.constant 63 : i64
  %dc1 = arith.constant 1 : i64
  %0 = arith.xori %n, %d : i64
  %sign = arith.shrsi %0, %dc63 : i64
  %1 = func.call @aiec_rt_divs(%n, %d) : (i64, i64) -> i64
  %2 = func.call @aiec_rt_mul_i64(%1, %d) : (i64, i64) -> i64
  %3 = arith.cmpi ne, %2, %n : i64
  %4 = arith.addi %1, %sign : i64
  %5 = arith.addi %4, %dc1 : i64
  %6 = arith.select %3, %5, %1 : i64
  return %6 : i64
}

// n / d, unsigned, upward.
func.func @aiec_rt_divuceil(%n: i64, %d: i64) -> i64 {
  %c0 = arith.constant 0 : i32
  %dc1 = arith.constant 1 : i64
  %0 = func.call @aiec_rt_divide_i64(%n, %d, %c0) : (i64, i64, i32) -> i64
  %1 = func.call @aiec_rt_mul_i64(%0, %d) : (i64, i64) -> i64
  %2 = arith.cmpi ne, %1, %n : i64
  %3 = arith.addi %0, %dc1 : i64
  %4 = arith.select %2, %3, %0 : i64
  return %4 : i64
}

// Leading zeros in the lower `bits` bits of x.
func.func @aiec_rt_ctlz_i32(%x: i32, %bits: i32) -> i32 {
  %c32 = arith.constant 32 : i32
  %0 = arith.subi %c32, %bits : i32
  %1 = arith.shli %x, %0 : i32
  %2 = math.ctlz %1 : i32
  %3 = arith.cmpi ult, %2, %bits : i32
  %4 = arith.select %3, %2, %bits : i32
  return %4 : i32
}

// Trailing zeros in the lower `bits` bits of x. The one of no bit is -1, which is no less than `bits`.
func.func @aiec_rt_cttz_i32(%x: i32, %bits: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %0 = arith.subi %c0, %x : i32
  %1 = arith.andi %x, %0 : i32
  %2 = math.ctlz %1 : i32
  %3 = arith.subi %c31, %2 : i32
  %4 = arith.cmpi ult, %3, %bits : i32
  %5 = arith.select %4, %3, %bits : i32
  return %5 : i32
}

// Ones in the lower `bits` bits of x: sums of neighbours of 1, 2, 4 and 8 bits.
func.func @aiec_rt_ctpop_i32(%x: i32, %bits: i32) -> i32 {
  %c32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i32
  %x55555555 = arith.constant 0x55555555 : i32
  %x33333333 = arith.constant 0x33333333 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %xF0F0F0F = arith.constant 0x0F0F0F0F : i32
  %x1010101 = arith.constant 0x01010101 : i32
  %c24 = arith.constant 24 : i32
  %0 = arith.subi %c32, %bits : i32
  %1 = arith.shli %x, %0 : i32
  %2 = arith.shrui %1, %c1 : i32
  %3 = arith.andi %2, %x55555555 : i32
  %4 = arith.subi %1, %3 : i32
  %5 = arith.andi %4, %x33333333 : i32
  %6 = arith.shrui %4, %c2 : i32
  %7 = arith.andi %6, %x33333333 : i32
  %8 = arith.addi %5, %7 : i32
  %9 = arith.shrui %8, %c4 : i32
  %10 = arith.addi %8, %9 : i32
  %11 = arith.andi %10, %xF0F0F0F : i32
  %12 = arith.muli %11, %x1010101 : i32
  %13 = arith.shrui %12, %c24 : i32
  return %13 : i32
}

// Leading zeros of 64 bits.
func.func @aiec_rt_clz_i64(%x: i64) -> i32 {
  %dc32 = arith.constant 32 : i64
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %0 = arith.shrui %x, %dc32 : i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = arith.trunci %x : i64 to i32
  %3 = arith.cmpi eq, %1, %c0 : i32
  %4 = math.ctlz %2 : i32
  %5 = arith.addi %4, %c32 : i32
  %6 = math.ctlz %1 : i32
  %7 = arith.select %3, %5, %6 : i32
  return %7 : i32
}

// Leading zeros in the lower `bits` bits of x.
func.func @aiec_rt_ctlz(%x: i64, %bits: i32) -> i32 {
  %c64 = arith.constant 64 : i32
  %0 = arith.subi %c64, %bits : i32
  %1 = func.call @aiec_rt_shl_by(%x, %0) : (i64, i32) -> i64
  %2 = func.call @aiec_rt_clz_i64(%1) : (i64) -> i32
  %3 = arith.cmpi ult, %2, %bits : i32
  %4 = arith.select %3, %2, %bits : i32
  return %4 : i32
}

// Trailing zeros in the lower `bits` bits of x.
func.func @aiec_rt_cttz(%x: i64, %bits: i32) -> i32 {
  %dc0 = arith.constant 0 : i64
  %c63 = arith.constant 63 : i32
  %0 = arith.subi %dc0, %x : i64
  %1 = arith.andi %x, %0 : i64
  %2 = func.call @aiec_rt_clz_i64(%1) : (i64) -> i32
  %3 = arith.subi %c63, %2 : i32
  %4 = arith.cmpi ult, %3, %bits : i32
  %5 = arith.select %4, %3, %bits : i32
  return %5 : i32
}

// Ones in the lower `bits` bits of x.
func.func @aiec_rt_ctpop(%x: i64, %bits: i32) -> i32 {
  %c64 = arith.constant 64 : i32
  %c32 = arith.constant 32 : i32
  %dc32 = arith.constant 32 : i64
  %0 = arith.subi %c64, %bits : i32
  %1 = func.call @aiec_rt_shl_by(%x, %0) : (i64, i32) -> i64
  %2 = arith.trunci %1 : i64 to i32
  %3 = func.call @aiec_rt_ctpop_i32(%2, %c32) : (i32, i32) -> i32
  %4 = arith.shrui %1, %dc32 : i64
  %5 = arith.trunci %4 : i64 to i32
  %6 = func.call @aiec_rt_ctpop_i32(%5, %c32) : (i32, i32) -> i32
  %7 = arith.addi %3, %6 : i32
  return %7 : i32
}

// The lower 32 bits of b to the power of e, by squares; to zero if e < 0.
func.func @aiec_rt_pows_i32(%b: i32, %e: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m1 = arith.constant -1 : i32
  %ic0 = arith.constant 0 : index
  %ic31 = arith.constant 31 : index
  %ic1 = arith.constant 1 : index
  %0 = arith.cmpi slt, %e, %c0 : i32
  %1 = scf.if %0 -> (i32) {
    %2 = arith.andi %e, %c1 : i32
    %3 = arith.cmpi ne, %2, %c0 : i32
    %4 = arith.select %3, %m1, %c1 : i32
    %5 = arith.cmpi eq, %b, %m1 : i32
    %6 = arith.select %5, %4, %c0 : i32
    %7 = arith.cmpi eq, %b, %c1 : i32
    %8 = arith.select %7, %c1, %6 : i32
    scf.yield %8 : i32
  } else {
    %square:3 = scf.for %i = %ic0 to %ic31 step %ic1 iter_args(%square1 = %b, %rest = %e, %power = %c1) -> (i32, i32, i32) {
      %9 = arith.andi %rest, %c1 : i32
      %10 = arith.cmpi ne, %9, %c0 : i32
      %11 = arith.muli %power, %square1 : i32
      %12 = arith.select %10, %11, %power : i32
      %13 = arith.muli %square1, %square1 : i32
      %14 = arith.shrui %rest, %c1 : i32
      scf.yield %13, %14, %12 : i32, i32, i32
    }
    scf.yield %square#2 : i32
  }
  return %1 : i32
}

// b to the power of e, by squares; to zero if e < 0.
func.func @aiec_rt_pows(%b: i64, %e: i64) -> i64 {
  %dc0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %dm1 = arith.constant -1 : i64
  %dc1 = arith.constant 1 : i64
  %ic0 = arith.constant 0 : index
  %ic63 = arith.constant 63 : index
  %ic1 = arith.constant 1 : index
  %0 = arith.cmpi slt, %e, %dc0 : i64
  %1 = scf.if %0 -> (i64) {
    %2 = arith.trunci %e : i64 to i32
    %3 = arith.andi %2, %c1 : i32
    %4 = arith.cmpi ne, %3, %c0 : i32
    %5 = arith.select %4, %dm1, %dc1 : i64
    %6 = arith.cmpi eq, %b, %dm1 : i64
    %7 = arith.select %6, %5, %dc0 : i64
    %8 = arith.cmpi eq, %b, %dc1 : i64
    %9 = arith.select %8, %dc1, %7 : i64
    scf.yield %9 : i64
  } else {
    %square:3 = scf.for %i = %ic0 to %ic63 step %ic1 iter_args(%square1 = %b, %rest = %e, %power = %dc1) -> (i64, i64, i64) {
      %10 = func.call @aiec_rt_mul_i64(%power, %square1) : (i64, i64) -> i64
      %11 = arith.trunci %rest : i64 to i32
      %12 = arith.andi %11, %c1 : i32
      %13 = arith.cmpi ne, %12, %c0 : i32
      %14 = arith.select %13, %10, %power : i64
      %15 = func.call @aiec_rt_mul_i64(%square1, %square1) : (i64, i64) -> i64
      %16 = arith.shrui %rest, %dc1 : i64
      scf.yield %15, %16, %14 : i64, i64, i64
    }
    scf.yield %square#2 : i64
  }
  return %1 : i64
}
