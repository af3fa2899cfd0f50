//! Vectors that machine code keeps in registers.

use aiec_aie::ops::OpKind;
use aiec_aie::text::parse_text;
use aiec_codegen::machine_code;
use aiec_core::{CoreArch, CoreProgram, listing};
use aiec_diag::{Diags, FileId};

use super::core;
use super::tile::{Tile, run};

/// Bytes of a buffer of these tests.
const BYTES: usize = 512;

/// A tile whose first two buffers have bytes of all kinds.
fn tile_of_all_kinds() -> Tile {
    let mut tile = Tile::default();
    let pattern = |from: usize| -> Vec<u8> {
        (0..BYTES)
            .map(|at| ((at + from) * 37 % 251) as u8 ^ (at as u8) << 3)
            .collect()
    };
    tile.set(0x400, &pattern(3));
    tile.set(0x800, &pattern(100));
    tile
}

/// Runs a body over three buffers of an element, two of them with bytes of all kinds.
pub fn run_vectors(element: &str, bytes: usize, body: &str) -> Tile {
    let memref = format!("memref<{}x{element}>", BYTES / bytes);
    let tile = tile_of_all_kinds();
    let text = body
        .replace("MEMREF", &memref)
        .replace("COUNT", &(BYTES / bytes).to_string())
        .replace("ELEMENT", element);
    run(&core([&memref, &memref, "memref<16xi32>"], &text), tile)
}

#[test]
fn elementwise_operations_in_a_loop() {
    for (element, bytes, lanes) in [
        ("i8", 1, 64),
        ("i8", 1, 32),
        ("i16", 2, 32),
        ("i16", 2, 64),
        ("i32", 4, 16),
        ("i32", 4, 8),
    ] {
        let vector = format!("vector<{lanes}x{element}>");
        for operation in [
            "addi", "subi", "andi", "ori", "xori", "maxsi", "minsi", "muli",
        ] {
            let body = "%count = arith.constant COUNT : index
                 %step = arith.constant LANES : index
                 %k = arith.constant 5 : ELEMENT
                 %all = vector.broadcast %k : ELEMENT to VECTOR
                 scf.for %i = %c0 to %count step %step {
                   %x = vector.load %a[%i] : MEMREF, VECTOR
                   %y = vector.load %b[%i] : MEMREF, VECTOR
                   %z = arith.OPERATION %x, %y : VECTOR
                   %w = arith.OPERATION %z, %all : VECTOR
                   vector.store %w, %b[%i] : MEMREF, VECTOR
                 }";
            let body = body
                .replace("LANES", &lanes.to_string())
                .replace("VECTOR", &vector)
                .replace("OPERATION", operation);
            let tile = run_vectors(element, bytes, &body);
            assert_ne!(tile.difference(&Tile::default(), 0), None);
        }
    }
}

#[test]
fn carried_vectors_and_those_that_change_places() {
    run_vectors(
        "i32",
        4,
        "%count = arith.constant COUNT : index
         %first = vector.load %a[%c0] : MEMREF, vector<16xi32>
         %second = vector.load %a[%c16] : MEMREF, vector<16xi32>
         %r:2 = scf.for %i = %c0 to %count step %c16 iter_args(%p = %first, %q = %second) -> (vector<16xi32>, vector<16xi32>) {
           %x = vector.load %b[%i] : MEMREF, vector<16xi32>
           %sum = arith.addi %p, %x : vector<16xi32>
           scf.yield %q, %sum : vector<16xi32>, vector<16xi32>
         }
         vector.store %r#0, %b[%c0] : MEMREF, vector<16xi32>
         vector.store %r#1, %b[%c16] : MEMREF, vector<16xi32>",
    );
}

#[test]
fn sums_of_narrow_lanes_that_are_compared_stay_exact() {
    // The sum of two i16 is cut before it is compared.
    run_vectors(
        "i16",
        2,
        "%x = vector.load %a[%c0] : MEMREF, vector<32xi16>
         %y = vector.load %b[%c0] : MEMREF, vector<32xi16>
         %sum = arith.addi %x, %y : vector<32xi16>
         %most = arith.maxsi %sum, %x : vector<32xi16>
         vector.store %most, %b[%c0] : MEMREF, vector<32xi16>",
    );
}

#[test]
fn addresses_that_are_no_multiples_of_an_access() {
    run_vectors(
        "i32",
        4,
        "%x = vector.load %a[%c1] : MEMREF, vector<16xi32>
         %y = vector.load %b[%c2] : MEMREF, vector<16xi32>
         %sum = arith.addi %x, %y : vector<16xi32>
         vector.store %sum, %b[%c4] : MEMREF, vector<16xi32>",
    );
}

#[test]
fn lanes_of_vectors_in_registers_are_read() {
    for (element, bytes, lanes) in [
        ("i8", 1, 64),
        ("i16", 2, 32),
        ("i32", 4, 16),
        ("i32", 4, 32),
    ] {
        let body = "%count = arith.constant COUNT : index
             %step = arith.constant LANES : index
             %zero = arith.constant dense<0> : VECTOR
             %sums = scf.for %i = %c0 to %count step %step iter_args(%so_far = %zero) -> (VECTOR) {
               %x = vector.load %a[%i] : MEMREF, VECTOR
               %sum = arith.addi %so_far, %x : VECTOR
               scf.yield %sum : VECTOR
             }
             %all = vector.reduction <add>, %sums : VECTOR into ELEMENT
             %most = vector.reduction <maxsi>, %sums : VECTOR into ELEMENT
             %third = vector.extract %sums[3] : ELEMENT from VECTOR
             memref.store %all, %b[%c0] : MEMREF
             memref.store %most, %b[%c1] : MEMREF
             memref.store %third, %b[%c2] : MEMREF";
        let body = body
            .replace("LANES", &lanes.to_string())
            .replace("VECTOR", &format!("vector<{lanes}x{element}>"));
        run_vectors(element, bytes, &body);
    }
}

/// Number of occurrences of each word in the listing of a core's machine code.
pub fn counts(arch: CoreArch, text: &str, words: &[&str]) -> Vec<usize> {
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), text, &mut diags);
    let body = module.find(module.top(), OpKind::Core)[0];
    let code = machine_code(&module, body, arch, &mut diags);
    let code = code.unwrap_or_else(|_| panic!("{diags:?}"));
    let listing = listing(&CoreProgram::of_code(arch, &code.bytes));
    let count = |word: &&str| listing.matches(*word).count();
    words.iter().map(count).collect()
}

#[test]
fn operations_are_those_of_registers() {
    let text = |operation: &str| {
        let body = "%x = vector.load %a[%c16] : memref<128xi32>, vector<16xi32>
             %y = vector.load %b[%c16] : memref<128xi32>, vector<16xi32>
             %z = OPERATION %x, %y : vector<16xi32>
             vector.store %z, %b[%c16] : memref<128xi32>, vector<16xi32>";
        let types = ["memref<128xi32>", "memref<128xi32>", "memref<16xi32>"];
        core(types, &body.replace("OPERATION", operation))
    };
    let words = ["vadd.32", "vld", "vst"];
    // AIE2 moves halves of registers.
    let add = text("arith.addi");
    assert_eq!(counts(CoreArch::Aie2, &add, &words), [1, 4, 2]);
    assert_eq!(counts(CoreArch::Aie2p, &add, &words), [1, 2, 1]);
    assert_eq!(counts(CoreArch::Aie2ps, &add, &words), [1, 2, 1]);
    let mul = text("arith.muli");
    assert_eq!(counts(CoreArch::Aie2, &mul, &["vmul", "vmac"]), [1, 2]);
}

/// A product of matrices of `[rows, inner, columns]` that is added to sums over the blocks of a loop.
fn product(elements: [&str; 3], [rows, inner, columns]: [usize; 3], extends: [&str; 2]) -> String {
    let [left, right, sums] = elements;
    let side = |a: usize, b: usize, element: &str| (a * b, format!("vector<{a}x{b}x{element}>"));
    let (many_left, flat_left) = side(rows, inner, left);
    let (many_right, flat_right) = side(inner, columns, right);
    let (many_sums, whole) = side(rows, columns, sums);
    let extend = |op: &str, from: &str, name: &str| match op {
        "" => (String::new(), from.to_owned(), name.to_owned()),
        op => {
            let to = from.replace(&from[from.rfind('x').unwrap_or(0)..], &format!("x{sums}>"));
            let line = format!("%{name}e = arith.{op} %{name} : {from} to {to}");
            (line, to, format!("{name}e"))
        }
    };
    let (left_line, left_type, left_name) = extend(extends[0], &flat_left, "l");
    let (right_line, right_type, right_name) = extend(extends[1], &flat_right, "r");
    format!(
        "%left_step = arith.constant {many_left} : index
         %right_step = arith.constant {many_right} : index
         %lv = memref.view %a[%c0][] : memref<512xi8> to memref<{left_count}x{left}>
         %rv = memref.view %b[%c0][] : memref<512xi8> to memref<{right_count}x{right}>
         %sv = memref.view %n[%c0][] : memref<1024xi8> to memref<{sum_count}x{sums}>
         %s0 = vector.load %sv[%c0] : memref<{sum_count}x{sums}>, vector<{many_sums}x{sums}>
         %start = vector.shape_cast %s0 : vector<{many_sums}x{sums}> to {whole}
         %all = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %start) -> ({whole}) {{
           %la = arith.muli %i, %left_step : index
           %ra = arith.muli %i, %right_step : index
           %l0 = vector.load %lv[%la] : memref<{left_count}x{left}>, vector<{many_left}x{left}>
           %r0 = vector.load %rv[%ra] : memref<{right_count}x{right}>, vector<{many_right}x{right}>
           %l = vector.shape_cast %l0 : vector<{many_left}x{left}> to {flat_left}
           %r = vector.shape_cast %r0 : vector<{many_right}x{right}> to {flat_right}
           {left_line}
           {right_line}
           %p = vector.contract {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>}} %{left_name}, %{right_name}, %acc : {left_type}, {right_type} into {whole}
           scf.yield %p : {whole}
         }}
         %flat = vector.shape_cast %all : {whole} to vector<{many_sums}x{sums}>
         vector.store %flat, %sv[%c0] : memref<{sum_count}x{sums}>, vector<{many_sums}x{sums}>",
        left_count = 512 / width(left),
        right_count = 512 / width(right),
        sum_count = 1024 / width(sums),
    )
}

/// Bytes of an element.
fn width(element: &str) -> usize {
    match element {
        "i8" => 1,
        "i16" | "bf16" => 2,
        _ => 4,
    }
}

const BYTES_OF_ALL_KINDS: [&str; 3] = ["memref<512xi8>", "memref<512xi8>", "memref<1024xi8>"];

#[test]
fn products_of_matrices() {
    for (elements, sides, extends) in [
        (["i8", "i8", "i32"], [4, 8, 8], ["", ""]),
        (["i8", "i8", "i32"], [8, 8, 8], ["", ""]),
        (["i8", "i8", "i32"], [8, 8, 8], ["extsi", "extui"]),
        (["i16", "i8", "i32"], [4, 4, 8], ["", ""]),
        (["i16", "i16", "i32"], [4, 4, 4], ["", ""]),
        (["i16", "i16", "i32"], [4, 4, 8], ["", ""]),
        (["i16", "i16", "i32"], [8, 2, 8], ["extui", "extsi"]),
        (["i16", "i16", "i32"], [4, 2, 8], ["", ""]),
    ] {
        let tile = tile_of_all_kinds();
        let body = product(elements, sides, extends);
        run(&core(BYTES_OF_ALL_KINDS, &body), tile);
    }
}

#[test]
fn matrices_are_multiplied_by_the_array() {
    let words = |elements, sides| {
        let text = core(BYTES_OF_ALL_KINDS, &product(elements, sides, ["", ""]));
        CoreArch::ALL.map(|arch| counts(arch, &text, &["vmac", "st.s", "vst"]))
    };
    // Sums stay in accumulators until they are stored.
    let bytes = words(["i8", "i8", "i32"], [8, 8, 8]);
    assert!(bytes.iter().all(|counts| counts[0] > 0), "{bytes:?}");
    assert_eq!(
        bytes.map(|counts| counts[1..].to_vec()),
        [[0, 8], [0, 4], [0, 4]]
    );
    let wide = words(["i16", "i16", "i32"], [4, 4, 8]);
    assert!(wide[1][0] > 0 && wide[2][0] > 0, "{wide:?}");
}

#[test]
fn carried_sums_stay_in_their_registers() {
    let text = core(
        BYTES_OF_ALL_KINDS,
        &product(["i8", "i8", "i32"], [4, 8, 8], ["", ""]),
    );
    for arch in CoreArch::ALL {
        assert_eq!(counts(arch, &text, &["vmov"]), [0], "{arch}");
    }
}
