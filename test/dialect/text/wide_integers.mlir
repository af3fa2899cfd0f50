// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s | aiec opt | FileCheck %s

// Integers above 64 bits keep all of them, up to 128; what is written without sign comes back with
// the sign that its type gives it.

// CHECK: arith.constant 18446744073709551616 : i128
// CHECK: arith.constant 18446744073709551615 : i128
// CHECK: arith.constant -1 : i128
// CHECK: arith.constant -18446744073709551617 : i128
// CHECK: arith.constant 2305843009213693952 : i65
// CHECK: arith.constant dense<[18446744073709551616, -2]> : vector<2xi128>
// CHECK: arith.constant dense<[-1, 5]> : vector<2xi512>
// CHECK: a = 340282366920938463463374607431768211455 : ui128, b = 18446744073709551615 : ui64
func.func @f() {
  %0 = arith.constant 18446744073709551616 : i128
  %1 = arith.constant 0xffffffffffffffff : i128
  %2 = arith.constant 340282366920938463463374607431768211455 : i128
  %3 = arith.constant -18446744073709551617 : i128
  %4 = arith.constant 0x2000000000000000 : i65
  %5 = arith.constant dense<[18446744073709551616, -2]> : vector<2xi128>
  %6 = arith.constant dense<[-1, 5]> : vector<2xi512>
  "a.b"() {a = 340282366920938463463374607431768211455 : ui128, b = 18446744073709551615 : ui64} : () -> ()
  return
}
