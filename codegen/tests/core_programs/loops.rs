//! Loops from element to element: those that are vectorised, those that must not be, and pointers that walk.

use aiec_core::CoreArch;

use super::core;
use super::packed::{counts, run_vectors};
use super::tile::Tile;

/// Bodies over buffers `%a` and `%b` of COUNT elements, with `TRIPS`; the model says what is right.
fn run_loop(element: &str, bytes: usize, trips: usize, body: &str) -> Tile {
    let count = "%trips = arith.constant TRIPS : index\n".replace("TRIPS", &trips.to_string());
    let tile = run_vectors(element, bytes, &(count + body));
    assert_ne!(tile.difference(&Tile::default(), 0), None);
    tile
}

/// A loop of one element after another.
fn each(body: &str) -> String {
    format!("scf.for %i = %c0 to %trips step %c1 {{\n{body}\n}}")
}

const KINDS: [(&str, usize); 3] = [("i8", 1), ("i16", 2), ("i32", 4)];

#[test]
fn elements_are_left_over_or_too_few() {
    for (element, bytes) in KINDS {
        let all = 512 / bytes;
        for trips in [
            all,
            all - 1,
            64 / bytes + 1,
            64 / bytes,
            64 / bytes - 1,
            3,
            1,
        ] {
            for operation in ["addi", "subi", "andi", "xori", "maxsi", "minsi", "muli"] {
                let body = each(
                    "%x = memref.load %a[%i] : MEMREF
                     %y = memref.load %b[%i] : MEMREF
                     %z = arith.OPERATION %x, %y : ELEMENT
                     memref.store %z, %b[%i] : MEMREF",
                );
                run_loop(element, bytes, trips, &body.replace("OPERATION", operation));
            }
        }
    }
}

#[test]
fn an_element_is_combined_with_a_number() {
    for (element, bytes) in KINDS {
        let body = each(
            "%k = arith.constant 7 : ELEMENT
             %zero = arith.constant 0 : ELEMENT
             %x = memref.load %a[%i] : MEMREF
             %y = arith.subi %x, %k : ELEMENT
             %z = arith.maxsi %y, %zero : ELEMENT
             memref.store %z, %b[%i] : MEMREF",
        );
        run_loop(element, bytes, 512 / bytes, &body);
    }
}

#[test]
fn accesses_of_other_iterations() {
    // Ahead, back, and so far back that a vector doesn't reach there.
    for (element, bytes) in KINDS {
        let lanes = 64 / bytes;
        for (to, from) in [
            (0, 1),
            (1, 0),
            (0, 2),
            (2, 0),
            (lanes, 0),
            (lanes - 1, 0),
            (3, 0),
        ] {
            for (load, store) in [("%a", "%a"), ("%a", "%b")] {
                let body = each(
                    "%p = arith.constant FIRST : index
                     %q = arith.constant SECOND : index
                     %k = arith.constant 3 : ELEMENT
                     %from = arith.addi %i, %p : index
                     %to = arith.addi %i, %q : index
                     %x = memref.load LOAD[%from] : MEMREF
                     %y = arith.addi %x, %k : ELEMENT
                     memref.store %y, STORE[%to] : MEMREF",
                );
                let body = body
                    .replace("FIRST", &from.to_string())
                    .replace("SECOND", &to.to_string())
                    .replace("LOAD", load)
                    .replace("STORE", store);
                run_loop(element, bytes, 256 / bytes, &body);
            }
        }
    }
}

#[test]
fn stores_that_later_iterations_load_or_overwrite() {
    // Twice to one place, a load after a store, a sum of neighbours in place.
    for body in [
        "%x = memref.load %a[%i] : MEMREF
         memref.store %x, %b[%i] : MEMREF
         %y = memref.load %b[%i] : MEMREF
         %z = arith.addi %x, %y : ELEMENT
         memref.store %z, %b[%i] : MEMREF",
        "%x = memref.load %a[%i] : MEMREF
         %next = arith.addi %i, %c1 : index
         memref.store %x, %b[%next] : MEMREF
         memref.store %x, %b[%i] : MEMREF",
        "%next = arith.addi %i, %c1 : index
         %after = arith.addi %i, %c2 : index
         %x = memref.load %a[%i] : MEMREF
         %y = memref.load %a[%next] : MEMREF
         %z = memref.load %a[%after] : MEMREF
         %s = arith.addi %x, %y : ELEMENT
         %t = arith.addi %s, %z : ELEMENT
         memref.store %t, %a[%next] : MEMREF",
        "%x = memref.load %a[%i] : MEMREF
         %y = memref.load %a[%c1] : MEMREF
         %z = arith.addi %x, %y : ELEMENT
         memref.store %z, %a[%i] : MEMREF",
    ] {
        for (element, bytes) in KINDS {
            run_loop(element, bytes, 256 / bytes, &each(body));
        }
    }
}

#[test]
fn reductions() {
    for (element, bytes) in KINDS {
        for (operation, init) in [
            ("addi", 5),
            ("maxsi", -100),
            ("minsi", 90),
            ("andi", -1),
            ("ori", 0),
            ("xori", 9),
            ("muli", 3),
        ] {
            for trips in [512 / bytes, 512 / bytes - 1, 64 / bytes, 5] {
                let body = "%init = arith.constant INIT : ELEMENT
                     %r = scf.for %i = %c0 to %trips step %c1 iter_args(%s = %init) -> (ELEMENT) {
                       %x = memref.load %a[%i] : MEMREF
                       %t = arith.OPERATION %s, %x : ELEMENT
                       scf.yield %t : ELEMENT
                     }
                     memref.store %r, %b[%c1] : MEMREF";
                let body = body
                    .replace("INIT", &init.to_string())
                    .replace("OPERATION", operation);
                run_loop(element, bytes, trips, &body);
            }
        }
    }
}

#[test]
fn sums_of_products() {
    for (element, bytes) in KINDS {
        let body = "%zero = arith.constant 0 : ELEMENT
             %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%s = %zero, %last = %zero) -> (ELEMENT, ELEMENT) {
               %x = memref.load %a[%i] : MEMREF
               %y = memref.load %b[%i] : MEMREF
               %p = arith.muli %x, %y : ELEMENT
               %t = arith.addi %s, %p : ELEMENT
               scf.yield %t, %x : ELEMENT, ELEMENT
             }
             memref.store %r#0, %b[%c1] : MEMREF
             memref.store %r#1, %b[%c2] : MEMREF";
        run_loop(element, bytes, 256 / bytes, body);
        let body = "%zero = arith.constant 0 : ELEMENT
             %r = scf.for %i = %c0 to %trips step %c1 iter_args(%s = %zero) -> (ELEMENT) {
               %x = memref.load %a[%i] : MEMREF
               %y = memref.load %b[%i] : MEMREF
               %p = arith.muli %x, %y : ELEMENT
               %t = arith.addi %p, %s : ELEMENT
               scf.yield %t : ELEMENT
             }
             memref.store %r, %b[%c1] : MEMREF";
        run_loop(element, bytes, 256 / bytes, body);
    }
}

#[test]
fn strides_downward_wide_and_nested() {
    for (element, bytes) in KINDS {
        for body in [
            "%last = arith.constant 60 : index
             scf.for %i = %c0 to %c16 step %c1 {
               %at = arith.subi %last, %i : index
               %x = memref.load %a[%at] : MEMREF
               memref.store %x, %b[%i] : MEMREF
             }",
            "%last = arith.constant 60 : index
             scf.for %i = %c0 to %c16 step %c1 {
               %at = arith.subi %last, %i : index
               %below = arith.subi %at, %c2 : index
               %x = memref.load %a[%at] : MEMREF
               %y = arith.addi %x, %x : ELEMENT
               memref.store %y, %a[%below] : MEMREF
             }",
            "%seven = arith.constant 7 : index
             scf.for %i = %c0 to %c16 step %c1 {
               %at = arith.muli %i, %seven : index
               %x = memref.load %a[%at] : MEMREF
               memref.store %x, %b[%i] : MEMREF
             }",
            "scf.for %j = %c0 to %c4 step %c1 {
               scf.for %i = %c0 to %c16 step %c2 {
                 %row = arith.muli %j, %c16 : index
                 %at = arith.addi %row, %i : index
                 %x = memref.load %a[%at] : MEMREF
                 %y = memref.load %b[%i] : MEMREF
                 %z = arith.subi %x, %y : ELEMENT
                 memref.store %z, %b[%at] : MEMREF
               }
             }",
            "scf.for %i = %c2 to %trips step %c1 {
               %two = arith.subi %i, %c2 : index
               %one = arith.subi %i, %c1 : index
               %x = memref.load %b[%two] : MEMREF
               %y = memref.load %b[%one] : MEMREF
               %z = arith.addi %x, %y : ELEMENT
               memref.store %z, %b[%i] : MEMREF
             }",
            "scf.for %i = %c0 to %trips step %c1 {
               %far = arith.addi %i, %c8 : index
               %x = memref.load %b[%i] : MEMREF
               %y = arith.muli %x, %x : ELEMENT
               memref.store %y, %b[%far] : MEMREF
             }",
        ] {
            run_loop(element, bytes, 100, body);
        }
    }
}

#[test]
fn functions_get_one_of_several_buffers() {
    let text = |calls: &str| {
        let body =
            format!("%some = arith.constant 37 : index\n%k = arith.constant 3 : i32\n{calls}");
        let types = ["memref<128xi32>", "memref<128xi32>", "memref<128xi32>"];
        let function =
            "func.func @scale(%x: memref<128xi32>, %y: memref<128xi32>, %n: index, %f: i32) {
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             scf.for %i = %c0 to %n step %c1 {
               %v = memref.load %x[%i] : memref<128xi32>
               %w = arith.muli %v, %f : i32
               memref.store %w, %y[%i] : memref<128xi32>
             }
             return
           }
           %core = aie.core";
        core(types, &body).replace("%core = aie.core", function)
    };
    let call = |from: &str, to: &str| {
        format!(
            "func.call @scale({from}, {to}, %some, %k) : (memref<128xi32>, memref<128xi32>, index, i32) -> ()\n"
        )
    };
    for calls in [
        call("%a", "%b"),
        call("%a", "%b") + &call("%a", "%n_"),
        call("%a", "%b") + &call("%b", "%a"),
        call("%a", "%a"),
    ] {
        let calls = calls.replace("%n_", "%b");
        let mut tile = Tile::default();
        tile.set_i32(0x400, &(1..=128).collect::<Vec<_>>());
        tile.set_i32(0x800, &(1001..=1128).collect::<Vec<_>>());
        super::tile::run(&text(&calls), tile);
    }
}

#[test]
fn whole_vectors_are_used_where_they_can_be() {
    let text = |body: &str| {
        let types = ["memref<128xi32>", "memref<128xi32>", "memref<16xi32>"];
        let body = format!("%trips = arith.constant 128 : index\n{}", each(body));
        core(types, &body)
    };
    let apart = text(
        "%x = memref.load %a[%i] : memref<128xi32>
         %y = arith.addi %x, %x : i32
         memref.store %y, %b[%i] : memref<128xi32>",
    );
    let dependent = text(
        "%x = memref.load %a[%i] : memref<128xi32>
         %next = arith.addi %i, %c1 : index
         %y = arith.addi %x, %x : i32
         memref.store %y, %a[%next] : memref<128xi32>",
    );
    for arch in CoreArch::ALL {
        assert_ne!(counts(arch, &apart, &["vadd.32"]), [0], "{arch}");
        assert_eq!(counts(arch, &dependent, &["vadd.32"]), [0], "{arch}");
    }
}
