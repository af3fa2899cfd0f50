//! Listings of small cores.

use aiec_core::CoreArch;

use crate::test_cores::test_core;

/// The listing of a core with some buffers and this body, or the findings about it.
fn listing(arch: CoreArch, body: &str) -> String {
    let buffers = "func.func private @elsewhere(i32)
           %a = aie.buffer(%tile) {address = 1024 : i32} : memref<64xi32>
           %b = aie.buffer(%tile) {address = 2048 : i32} : memref<64xi64>";
    let (made, diags) = test_core(arch, buffers, body, 1024);
    match made {
        Ok(core) => core.program.to_string(),
        Err(_) => {
            let messages: Vec<&str> = diags.iter().map(|diag| diag.message.as_str()).collect();
            messages.join("\n")
        }
    }
}

#[test]
fn a_loop_over_a_buffer_has_a_narrow_counter_and_pointers_that_walk() {
    let body = "
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c12 = arith.constant 12 : index
      %k = arith.constant 3 : i32
      scf.for %i = %c0 to %c12 step %c1 {
        %x = memref.load %a[%i] : memref<64xi32>
        %y = arith.muli %x, %k : i32
        %z = arith.addi %y, %x : i32
        memref.store %z, %a[%i] : memref<64xi32>
      }";
    let wanted = "\
f0 core_0_3:
b0: -> b1
  movx %r4, #3
  movxm %p0, #459776
  movxm %p1, #459776
  movx %r2, #12
b1: -> b1, b2
  lda %r3, [%p0, #0]
  mul %r5, %r3, %r4
  add %r6, %r3, %r5
  st %r6, [%p1, #0]
  padda [%p0], #4
  padda [%p1], #4
  count %r2, b1
b2:
  done
";
    // On AIE2 pointers are moved by any number of words, on the others by vectors, or by a register.
    assert_eq!(listing(CoreArch::Aie2, body), wanted);
}

#[test]
fn sums_of_64_bits_take_two_registers() {
    let body = "
      %c0 = arith.constant 0 : index
      %x = memref.load %b[%c0] : memref<64xi64>
      %y = arith.addi %x, %x : i64
      memref.store %y, %b[%c0] : memref<64xi64>";
    let listing = listing(CoreArch::Aie2, body);
    let sum = listing.find("  add ").zip(listing.find("  adc "));
    assert!(sum.is_some_and(|(low, high)| low < high), "{listing}");
}

#[test]
fn products_of_32_bits_are_taken_from_sums_by_one_instruction() {
    let body = "
      %c0 = arith.constant 0 : index
      %x = vector.load %a[%c0] : memref<64xi32>, vector<16xi32>
      %y = arith.muli %x, %x : vector<16xi32>
      vector.store %y, %a[%c0] : memref<64xi32>, vector<16xi32>";
    for (arch, name) in [
        (CoreArch::Aie2, "vsrs.s32.s64 "),
        (CoreArch::Aie2p, "vsrs.2x "),
    ] {
        let listing = listing(arch, body);
        assert_eq!(listing.matches(name).count(), 1, "{listing}");
    }
}

#[test]
fn of_two_sums_of_bf16_one_is_a_factor() {
    let loops = |operation: &str, second: &str| {
        format!(
            "
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %k = arith.constant 3.0 : bf16
      scf.for %i = %c0 to %c64 step %c1 {{
        %x = memref.load %p[%i] : memref<64xbf16>
        %y = memref.load %q[%i] : memref<64xbf16>
        %z = arith.{operation} %x, {second} : bf16
        memref.store %z, %r[%i] : memref<64xbf16>
      }}"
        )
    };
    let buffers = "%p = aie.buffer(%tile) {address = 8192 : i32} : memref<64xbf16>
           %q = aie.buffer(%tile) {address = 16384 : i32} : memref<64xbf16>
           %r = aie.buffer(%tile) {address = 24576 : i32} : memref<64xbf16>";
    for arch in CoreArch::ALL {
        for (operation, second, row) in [
            ("addf", "%y", "vmac.f "),
            ("subf", "%y", "vmsc.f "),
            ("addf", "%k", "vadd.f "),
        ] {
            let (made, diags) = test_core(arch, buffers, &loops(operation, second), 1024);
            let made = made.unwrap_or_else(|_| panic!("{diags:?}"));
            let listing = made.program.to_string();
            let sums = listing.matches(row).count();
            let loads = listing.matches("vlda.conv.fp32.bf16 ").count();
            assert!(sums > 0 && sums == loads, "{arch} {operation}: {listing}");
        }
    }
}

#[test]
fn a_function_that_is_nowhere_is_named() {
    let body = "
      %x = arith.constant 2 : i32
      func.call @elsewhere(%x) : (i32) -> ()";
    let found = listing(CoreArch::Aie2p, body);
    let wanted = "`func.call` has no machine code for aie2p";
    assert!(found.starts_with(wanted), "{found}");
}

/// Buffers of a core with functions of its own.
const FUNCTIONS: &str = "func.func @twice(%x: i32) -> i32 {
       %y = arith.addi %x, %x : i32
       return %y : i32
     }
     func.func @sum(%m: memref<64xi32>, %v: vector<16xi32>) -> (i32, vector<16xi32>) {
       %c0 = arith.constant 0 : index
       %c1 = arith.constant 1 : index
       %c9 = arith.constant 9 : index
       %zero = arith.constant 0 : i32
       %sum = scf.for %i = %c0 to %c9 step %c1 iter_args(%before = %zero) -> (i32) {
         %x = memref.load %m[%i] : memref<64xi32>
         %after = arith.addi %before, %x : i32
         scf.yield %after : i32
       }
       %doubled = func.call @twice(%sum) : (i32) -> i32
       %w = arith.addi %v, %v : vector<16xi32>
       return %doubled, %w : i32, vector<16xi32>
     }
     %a = aie.buffer(%tile) {address = 1024 : i32} : memref<64xi32>";

#[test]
fn functions_that_are_called_in_one_place_are_part_of_their_callers() {
    let call = "%c0 = arith.constant 0 : index
      %v = vector.load %a[%c0] : memref<64xi32>, vector<16xi32>
      %x, %w = func.call @sum(%a, %v) : (memref<64xi32>, vector<16xi32>) -> (i32, vector<16xi32>)
      vector.store %w, %a[%c0] : memref<64xi32>, vector<16xi32>
      memref.store %x, %a[%c0] : memref<64xi32>";
    let functions = |body: &str| {
        let (made, _) = test_core(CoreArch::Aie2, FUNCTIONS, body, 1024);
        let made = made.unwrap_or_else(|_| panic!("no machine code"));
        let functions = made.program.functions.iter();
        let names: Vec<String> = functions.map(|of| of.name.clone()).collect();
        (names, made.sources.len())
    };
    assert_eq!(functions(call), (vec!["core_0_3".to_string()], 3));
    // A function that is called twice stays one, with those in it that it alone calls.
    let twice = format!("{call}\n{}", call.replace('%', "%z").replace("%za", "%a"));
    let names = ["core_0_3", "sum"].map(str::to_string);
    assert_eq!(functions(&twice), (names.to_vec(), 3));
}
