//! Products of matrices in blocks: a text that multiplies blocks as a whole, several of them at once, so that each block that is
//! loaded is used more than once.

use std::fmt::Write;

use aiec_device::Arch;
use aiec_vcode::{ElementType, Sign};

/// Blocks of the result that are computed at once along each side, if there are that many.
const TILE_SIDE: u64 = 2;

/// The maps of a product of two matrices.
const MAPS: &str = "indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, \
                    affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], \
                    kind = #vector.kind<add>";

/// How elements of the result become sums, and these elements again.
struct Sums {
    element: &'static str,
    /// Operations for elements that aren't sums themselves.
    conversions: Option<(&'static str, &'static str)>,
}

impl Sums {
    fn of(factor: ElementType, result: ElementType) -> Option<Sums> {
        let narrow = |element: ElementType| match element {
            ElementType::Int { width, sign } => width <= 16 && sign == Sign::Signless,
            ElementType::Bf16 => true,
            _ => false,
        };
        let is_float = factor == ElementType::Bf16;
        if !narrow(factor) || is_float != result.is_float() {
            return None;
        }
        let is_sum = match result {
            ElementType::Int { width, .. } => width == 32,
            element => element == ElementType::F32,
        };
        let conversions = if is_float {
            ("arith.extf", "arith.truncf")
        } else {
            ("arith.extsi", "arith.trunci")
        };
        (is_sum || narrow(result)).then_some(Sums {
            element: if is_float { "f32" } else { "i32" },
            conversions: (!is_sum).then_some(conversions),
        })
    }
}

/// A block of a matrix, whose elements lie one after another.
struct Block {
    sides: [u64; 2],
    element: ElementType,
}

/// Blocks along two dimensions, as a memref.
struct View<'a> {
    block: &'a Block,
    memref: String,
    counts: [u64; 2],
    strides: [u64; 2],
}

impl Block {
    fn new(sides: [u64; 2], element: ElementType) -> Block {
        Block { sides, element }
    }

    fn len(&self) -> u64 {
        self.sides.iter().product()
    }

    fn matrix(&self) -> String {
        let [rows, columns] = self.sides;
        format!("vector<{rows}x{columns}x{}>", self.element)
    }

    fn flat(&self) -> String {
        format!("vector<{}x{}>", self.len(), self.element)
    }

    /// Blocks in numbers along two dimensions, whose distances are given in blocks.
    fn view(&self, counts: [u64; 2], distances: [u64; 2]) -> View<'_> {
        let len = self.len();
        let strides = distances.map(|distance| distance * len);
        let ([high, wide], [far, near]) = (counts, strides);
        View {
            block: self,
            memref: format!(
                "memref<{high}x{wide}x{len}x{}, strided<[{far}, {near}, 1], offset: ?>>",
                self.element
            ),
            counts,
            strides,
        }
    }
}

impl View<'_> {
    /// The view of a matrix from its place `%name_start` on, `%names`.
    fn cast(&self, name: &str) -> String {
        let ([high, wide], [far, near]) = (self.counts, self.strides);
        format!(
            "%{name}s = memref.reinterpret_cast %{name} to offset: [%{name}_start], \
             sizes: [{high}, {wide}, {}], strides: [{far}, {near}, 1] : !{name} to {}",
            self.block.len(),
            self.memref
        )
    }

    /// The block at a place as a matrix.
    fn load(&self, name: &str, to: &str, place: &str) -> [String; 2] {
        let (flat, matrix) = (self.block.flat(), self.block.matrix());
        [
            format!(
                "%{to}_flat = vector.load %{name}s[{place}, %c0] : {}, {flat}",
                self.memref
            ),
            format!("%{to} = vector.shape_cast %{to}_flat : {flat} to {matrix}"),
        ]
    }
}

/// The function for `a`, `b` and `out` in these blocks (block rows, block columns, rows, columns); `None` for elements that
/// have none.
pub(super) fn tiles(
    name: &str,
    elements: (ElementType, ElementType),
    shapes: &[Vec<u64>],
    arch: Arch,
) -> Option<String> {
    let (factor, result) = elements;
    // The array of AIE2P multiplies no matrices of bf16: lane by lane, blocks take more room than loops.
    if arch == Arch::Aie2p && factor == ElementType::Bf16 {
        return None;
    }
    let sums = Sums::of(factor, result)?;
    let [a, b, out] = shapes else {
        return None;
    };
    let (&[row_blocks, inner_blocks, rows, inner], &[_, column_blocks, _, columns]) =
        (&a[..], &b[..])
    else {
        return None;
    };
    debug_assert_eq!(out[..], [row_blocks, column_blocks, rows, columns]);
    let side = |blocks: u64| {
        if blocks.is_multiple_of(TILE_SIDE) {
            TILE_SIDE
        } else {
            1
        }
    };
    let (high, wide) = (side(row_blocks), side(column_blocks));
    let places: Vec<(u64, u64)> = (0..high)
        .flat_map(|i| (0..wide).map(move |j| (i, j)))
        .collect();
    let left = Block::new([rows, inner], factor);
    let right = Block::new([inner, columns], factor);
    let stored = Block::new([rows, columns], result);
    let sum = format!("vector<{rows}x{columns}x{}>", sums.element);
    // The blocks that are used at once, as memrefs of their own: places in them are constants.
    let left_view = left.view([high, inner_blocks], [inner_blocks, 1]);
    let right_view = right.view([inner_blocks, wide], [column_blocks, 1]);
    let stored_view = stored.view([high, wide], [column_blocks, 1]);
    let mut text = format!("func.func @{name}(%a: !a, %b: !b, %out: !out) {{\n");
    let mut line = |words: String| {
        let _ = writeln!(text, "  {words}");
    };
    let numbers = [
        ("c0", 0),
        ("c1", 1),
        ("high", high),
        ("wide", wide),
        ("row_blocks", row_blocks),
        ("column_blocks", column_blocks),
        ("inner_blocks", inner_blocks),
        ("a_row", inner_blocks * left.len()),
        ("b_column", right.len()),
        ("c_row", column_blocks * stored.len()),
        ("c_column", stored.len()),
    ];
    for (name, number) in numbers {
        line(format!("%{name} = arith.constant {number} : index"));
    }
    line("scf.for %i0 = %c0 to %row_blocks step %high {".into());
    line("%a_start = arith.muli %i0, %a_row : index".into());
    line(left_view.cast("a"));
    line("%c_start = arith.muli %i0, %c_row : index".into());
    line("scf.for %j0 = %c0 to %column_blocks step %wide {".into());
    line("%b_start = arith.muli %j0, %b_column : index".into());
    line(right_view.cast("b"));
    line("%c_offset = arith.muli %j0, %c_column : index".into());
    line("%out_start = arith.addi %c_start, %c_offset : index".into());
    line(stored_view.cast("out"));
    for (i, j) in &places {
        let loaded = if sums.conversions.is_some() { "c" } else { "s" };
        let place = format!("%c{i}, %c{j}");
        stored_view
            .load("out", &format!("{loaded}{i}{j}"), &place)
            .into_iter()
            .for_each(&mut line);
        if let Some((extend, _)) = sums.conversions {
            let matrix = stored.matrix();
            line(format!("%s{i}{j} = {extend} %c{i}{j} : {matrix} to {sum}"));
        }
    }
    let list = |each: &dyn Fn(&(u64, u64)) -> String| {
        let all: Vec<String> = places.iter().map(each).collect();
        all.join(", ")
    };
    let count = places.len();
    line(format!(
        "%r:{count} = scf.for %l = %c0 to %inner_blocks step %c1 iter_args({}) -> ({}) {{",
        list(&|(i, j)| format!("%x{i}{j} = %s{i}{j}")),
        list(&|_| sum.clone())
    ));
    for i in 0..high {
        let load = left_view.load("a", &format!("a{i}"), &format!("%c{i}, %l"));
        load.into_iter().for_each(&mut line);
    }
    for j in 0..wide {
        let load = right_view.load("b", &format!("b{j}"), &format!("%l, %c{j}"));
        load.into_iter().for_each(&mut line);
    }
    let (left, right) = (left.matrix(), right.matrix());
    for (i, j) in &places {
        line(format!(
            "%p{i}{j} = vector.contract {{{MAPS}}} %a{i}, %b{j}, %x{i}{j} : {left}, {right} into {sum}"
        ));
    }
    line(format!(
        "scf.yield {} : {}",
        list(&|(i, j)| format!("%p{i}{j}")),
        list(&|_| sum.clone())
    ));
    line("}".into());
    for (n, (i, j)) in places.iter().enumerate() {
        let done = match sums.conversions {
            Some((_, truncate)) => {
                let matrix = stored.matrix();
                line(format!("%t{i}{j} = {truncate} %r#{n} : {sum} to {matrix}"));
                format!("%t{i}{j}")
            }
            None => format!("%r#{n}"),
        };
        let (matrix, flat) = (stored.matrix(), stored.flat());
        line(format!(
            "%f{i}{j} = vector.shape_cast {done} : {matrix} to {flat}"
        ));
        line(format!(
            "vector.store %f{i}{j}, %outs[%c{i}, %c{j}, %c0] : {}, {flat}",
            stored_view.memref
        ));
    }
    line("}".into());
    line("}".into());
    line("return".into());
    text.push_str("}\n");
    Some(text)
}
