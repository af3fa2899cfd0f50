//! Core bodies that can't be lowered, and the findings about them.

use super::tile::lower;
use super::{I32, core};

pub fn findings(body: &str) -> Vec<String> {
    lower(&core(I32, body)).unwrap_err()
}

#[test]
fn operations_and_types() {
    assert_eq!(
        findings(
            "%x = \"gpu.thread_id\"() : () -> index
             %y = arith.addi %x, %c1 : index
             %p = \"math.erf\"(%y) : (index) -> index
             %t = \"test.tensor\"() : () -> tensor<4xi32>"
        ),
        [
            "core::unsupported-op: `gpu.thread_id` is not supported in cores",
            "core::unsupported-op: cores can't execute `math.erf` in this form",
            "core::unsupported-op: `test.tensor` is not supported in cores",
        ]
    );
    assert_eq!(
        findings("%x = arith.constant 1 : i1024"),
        [
            "core::unsupported-type: `arith.constant` has a type that cores can't compute with: an \
          integer of 1024 bits"
        ]
    );
}

#[test]
fn what_the_core_cannot_see() {
    let far = "aie.device(npu1) {
        %tile = aie.tile(1, 3)
        %far = aie.tile(2, 3)
        %a = aie.buffer(%far) {address = 1024 : i32, sym_name = \"far\"} : memref<4xi32>
        %lock = aie.lock(%far, 0)
        %open = aie.buffer(%tile) {sym_name = \"open\"} : memref<4xi32>
        %free = aie.lock(%tile)
        %core = aie.core(%tile) {
          %c0 = arith.constant 0 : index
          %x = memref.load %a[%c0] : memref<4xi32>
          %y = memref.load %open[%c0] : memref<4xi32>
          aie.use_lock(%lock, Acquire, 1)
          aie.use_lock(%free, Acquire, 1)
          aie.end
        }
      }";
    assert_eq!(
        lower(far).unwrap_err(),
        [
            "core::not-visible: the core at (1, 3) can't see the buffer `far` of tile (2, 3)",
            "core::not-placed: the buffer `open` has no address yet",
            "core::not-visible: the core at (1, 3) can't reach a lock of tile (2, 3)",
            "core::not-placed: the lock has no number of its tile yet",
        ]
    );
}

#[test]
fn limits() {
    let big = "%m = memref.alloca() : memref<300xi32>";
    assert_eq!(
        findings(big),
        ["core::out-of-stack: the core's local data take 1200 bytes, its stack has 1024"]
    );
    let mut long = String::new();
    for i in 0..1100 {
        long += &format!(
            "%x{i} = memref.load %a[%c0] : memref<16xi32>
             memref.store %x{i}, %b[%c0] : memref<16xi32>\n"
        );
    }
    let found = findings(&long);
    assert!(found[0].starts_with("core::too-large: "), "{found:?}");
    let mut wide = String::new();
    for i in 0..300 {
        wide += &format!("%x{i} = memref.load %a[%c0] : memref<16xi32>\n");
    }
    for i in 0..300 {
        wide += &format!("memref.store %x{i}, %b[%c0] : memref<16xi32>\n");
    }
    let found = findings(&wide);
    assert!(
        found[0].starts_with("core::out-of-registers: "),
        "{found:?}"
    );
}

#[test]
fn calls() {
    let text = "aie.device(npu1) {
        %tile = aie.tile(1, 3)
        func.func @even(%n: i32) {
          func.call @odd(%n) : (i32) -> ()
          return
        }
        func.func @odd(%n: i32) {
          func.call @even(%n) : (i32) -> ()
          return
        }
        %core = aie.core(%tile) {
          %n = arith.constant 4 : i32
          func.call @even(%n) : (i32) -> ()
          aie.end
        }
      }";
    let found = lower(text).unwrap_err();
    assert_eq!(
        found,
        ["core::recursion: this call makes a function call itself"]
    );
}

#[test]
fn layouts_that_stay_open() {
    let found = findings(
        "%m = memref.cast %a : memref<16xi32> to memref<?xi32>
         %x = memref.load %m[%c1] : memref<?xi32>
         memref.store %x, %b[%c0] : memref<16xi32>
         %k = scf.if %p -> (memref<?xi32>) {
           scf.yield %m : memref<?xi32>
         } else {
           scf.yield %m : memref<?xi32>
         }"
        .replace("%p", "%q")
        .replace("%k = ", "%q = arith.cmpi eq, %c0, %i : index\n%k = ")
        .replace("%i", "%c1")
        .as_str(),
    );
    assert_eq!(
        found,
        ["core::unsupported-layout: the layout of this memref is not known when it is compiled"]
    );
}
