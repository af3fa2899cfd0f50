//! Loops that overlap and store parts of words: the core waits for such a store before the next access to memory.

use super::tile::{Tile, run};

/// Addresses of the factors and of the sums.
const MATRICES: [usize; 3] = [0x4000, 0x5000, 0x6000];

/// Adds the product of `[rows, columns, inner]` elements to the sums, in plain loops along the columns.
fn design([m, n, k]: [usize; 3], element: &str) -> String {
    let [a, b, c] = MATRICES;
    let of_a = format!("memref<{m}x{k}x{element}>");
    let of_b = format!("memref<{k}x{n}x{element}>");
    let of_c = format!("memref<{m}x{n}x{element}>");
    format!(
        "aie.device(npu1) {{
           %tile = aie.tile(1, 3)
           %a = aie.buffer(%tile) {{address = {a} : i32, sym_name = \"a\"}} : {of_a}
           %b = aie.buffer(%tile) {{address = {b} : i32, sym_name = \"b\"}} : {of_b}
           %c = aie.buffer(%tile) {{address = {c} : i32, sym_name = \"c\"}} : {of_c}
           %core = aie.core(%tile) {{
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %m = arith.constant {m} : index
             %n = arith.constant {n} : index
             %k = arith.constant {k} : index
             scf.for %i = %c0 to %m step %c1 {{
               scf.for %l = %c0 to %k step %c1 {{
                 scf.for %j = %c0 to %n step %c1 {{
                   %x = memref.load %a[%i, %l] : {of_a}
                   %y = memref.load %b[%l, %j] : {of_b}
                   %s = memref.load %c[%i, %j] : {of_c}
                   %p = arith.muli %x, %y : {element}
                   %t = arith.addi %s, %p : {element}
                   memref.store %t, %c[%i, %j] : {of_c}
                 }}
               }}
             }}
             aie.end
           }}
         }}"
    )
}

#[test]
fn what_is_under_way_while_the_core_waits_comes_too_early_for_no_read() {
    for (sides, element) in [
        ([6, 17, 5], "i8"),
        ([6, 16, 5], "i8"),
        ([6, 12, 5], "i8"),
        ([4, 17, 3], "i16"),
        ([6, 17, 5], "i32"),
    ] {
        let mut tile = Tile::default();
        for at in MATRICES {
            let bytes = (0..1024).map(|i| ((i + at) * 37 % 251) as u8 ^ (i as u8) << 3);
            tile.set(at, &bytes.collect::<Vec<u8>>());
        }
        run(&design(sides, element), tile);
    }
}
