//! Sums and products that keep all their bits, and loops whose step is known at run time only.

use aiec_sim::core::CoreFault;

use super::tile::{Tile, fault, run};
use super::{I32, core, run_i32};

/// Runs the three operations on two integers of a type, which are stored at 0x400 and 0x408; their results follow at
/// 0x800 with 8 bytes each: sum, overflow, low and high half signed, low and high half unsigned.
fn extended(bits: u32, a: i64, b: i64) -> [i64; 6] {
    let mut tile = Tile::default();
    let word = |value: i64| [value as i32, (value >> 32) as i32];
    tile.set_i32(0x400, &[word(a), word(b)].concat());
    let narrow = |value: &str, name: &str| match bits {
        64 => format!("%{name} = arith.addi %{value}, %zero : i64"),
        _ => format!("%{name} = arith.trunci %{value} : i64 to i{bits}"),
    };
    let put = |value: &str, at: usize| {
        let wide = match bits {
            64 => format!("%w{at} = arith.addi %{value}, %zero : i64"),
            _ => format!("%w{at} = arith.extsi %{value} : i{bits} to i64"),
        };
        format!(
            "{wide}\n%k{at} = arith.constant {at} : index\nmemref.store %w{at}, %b[%k{at}] : memref<8xi64>\n"
        )
    };
    let body = format!(
        "%zero = arith.constant 0 : i64
         %x0 = memref.load %a[%c0] : memref<8xi64>
         %y0 = memref.load %a[%c1] : memref<8xi64>
         {}
         {}
         %s, %o = arith.addui_extended %x, %y : i{bits}, i1
         %l, %h = arith.mulsi_extended %x, %y : i{bits}
         %q, %r = arith.mului_extended %x, %y : i{bits}
         %p = arith.extui %o : i1 to i64
         memref.store %p, %b[%c1] : memref<8xi64>
         {}{}{}{}{}",
        narrow("x0", "x"),
        narrow("y0", "y"),
        put("s", 0),
        put("l", 2),
        put("h", 3),
        put("q", 4),
        put("r", 5),
    );
    let types = ["memref<8xi64>", "memref<8xi64>", "memref<16xi32>"];
    let tile = run(&core(types, &body), tile);
    let words = tile.i32s(0x800, 12);
    std::array::from_fn(|at| i64::from(words[2 * at + 1]) << 32 | i64::from(words[2 * at] as u32))
}

#[test]
fn no_bit_is_lost() {
    for bits in [8u32, 16, 32, 40, 64] {
        let mask = u64::MAX >> (64 - bits);
        let cut = |value: u128| {
            let unused = 64 - bits;
            ((value as u64) << unused) as i64 >> unused
        };
        let most = (mask >> 1) as i64;
        for (a, b) in [
            (3, 5),
            (-1, -1),
            (most, most),
            (-most - 1, most),
            (-7, 9),
            (-most - 1, -most - 1),
        ] {
            let (ua, ub) = (u128::from(a as u64 & mask), u128::from(b as u64 & mask));
            let (sa, sb) = (i128::from(cut(ua)), i128::from(cut(ub)));
            let (signed, unsigned) = ((sa * sb) as u128, ua * ub);
            let expected = [
                cut(ua + ub),
                i64::from((ua + ub) >> bits != 0),
                cut(signed),
                cut(signed >> bits),
                cut(unsigned),
                cut(unsigned >> bits),
            ];
            assert_eq!(extended(bits, a, b), expected, "i{bits}: {a}, {b}");
        }
    }
}

#[test]
fn vectors_keep_all_bits_too() {
    let tile = run_i32(
        "%v = vector.load %a[%c0] : memref<16xi32>, vector<8xi32>
         %big = arith.constant dense<-5> : vector<8xi32>
         %s, %o = arith.addui_extended %v, %big : vector<8xi32>, vector<8xi1>
         %l, %h = arith.mului_extended %v, %big : vector<8xi32>
         %w = arith.extui %o : vector<8xi1> to vector<8xi32>
         vector.store %w, %b[%c0] : memref<16xi32>, vector<8xi32>
         vector.store %h, %b[%c8] : memref<16xi32>, vector<8xi32>",
    );
    let expected = [0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(tile.i32s(0x800, 16), expected);
}

#[test]
fn integers_of_four_bits_are_two_in_a_byte() {
    let mut tile = Tile::default();
    tile.set_i32(0x400, &[0x7F21_8043, -1, 0x0123_4567, 0]);
    let body = "%v = vector.load %a[%c0] : memref<16xi32>, vector<4xi32>
         %nib = vector.bitcast %v : vector<4xi32> to vector<32xi4>
         %one = arith.constant dense<1> : vector<32xi4>
         %m = arith.addi %nib, %one : vector<32xi4>
         %w = vector.bitcast %m : vector<32xi4> to vector<4xi32>
         vector.store %w, %b[%c0] : memref<16xi32>, vector<4xi32>
         %first = vector.extract_strided_slice %nib {offsets = [0], sizes = [8], strides = [1]} : vector<32xi4> to vector<8xi4>
         %e = arith.extsi %first : vector<8xi4> to vector<8xi32>
         vector.store %e, %b[%c8] : memref<16xi32>, vector<8xi32>";
    let tile = run(&core(I32, body), tile);
    let expected = [0x8032_9154u32 as i32, 0, 0x1234_5678, 0x1111_1111];
    assert_eq!(tile.i32s(0x800, 4), expected);
    assert_eq!(tile.i32s(0x820, 8), [3, 4, 0, -8, 1, 2, -1, 7]);
}

#[test]
fn a_loop_that_stands_still_stops_the_core() {
    for (unsigned, ty, step) in [("", "index", 0), ("", "index", -1), ("unsigned", "i32", 0)] {
        let cast = match ty {
            "index" => "%s = arith.index_cast %x : i32 to index",
            _ => "%s = arith.addi %x, %zero : i32",
        };
        let bounds = match ty {
            "index" => "%from = arith.constant 0 : index\n%to = arith.constant 4 : index",
            _ => "%from = arith.constant 0 : i32\n%to = arith.constant 4 : i32",
        };
        let end = if ty == "index" { "" } else { ": i32" };
        let body = format!(
            "%zero = arith.constant 0 : i32
             %x = memref.load %a[%c0] : memref<16xi32>
             {cast}
             {bounds}
             scf.for {unsigned} %i = %from to %to step %s {end} {{
               memref.store %x, %b[%c0] : memref<16xi32>
             }}"
        );
        let mut tile = Tile::default();
        tile.set_i32(0x400, &[step]);
        let found = fault(&core(I32, &body), tile);
        assert_eq!(found, CoreFault::Trap { code: 2 }, "{step}");
    }
}
