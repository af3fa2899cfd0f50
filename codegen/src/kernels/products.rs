//! Products of matrices in blocks: a text that multiplies blocks as a whole, several of them at once, so that each block that is
//! loaded is used more than once.

use std::collections::BTreeSet;
use std::fmt::Write;

use aiec_device::Arch;
use aiec_vcode::{ElementType, Sign};

/// Products that are written out at once: the loop over tiles is one block up to that, else the sums of a tile are a loop.
const MAX_WRITTEN_OUT: u64 = 128;
/// Sums of a tile: more gain little, and leave no room for those of the next tile.
const MAX_SUMS: u64 = 8;
/// Sums of a tile from which on blocks of factors take most registers.
const MANY_SUMS: u64 = 4;
/// Vector registers of a core, and those for blocks that are used soon after they are loaded.
const MAX_REGISTERS: u64 = 12;
const LOADED_AHEAD: u64 = 3;
/// Products of one step of a loop over sums.
const MAX_STEP: u64 = 4;
/// Cycles in which a loop's first iteration begins and its last one ends, about.
const RAMP: u64 = 32;

/// The maps of a product of two matrices.
const MAPS: &str = "indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, \
                    affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], \
                    kind = #vector.kind<add>";

/// Conversions between elements of the result and sums.
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

    fn bytes(&self) -> u64 {
        self.len() * bytes(self.element)
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

/// Blocks of the result that are computed at once: rows and columns of them, and how they follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tile {
    high: u64,
    wide: u64,
    /// The inner loop goes down the rows of the result; else along its columns.
    is_down: bool,
    /// Whether all products of a tile are written out.
    is_whole: bool,
    /// Steps by which the sum of a block begins later than that of the block before it, times the number of sums.
    apart: u64,
}

/// The blocks of a product: rows, columns, and those that are summed.
#[derive(Clone, Copy, Debug)]
struct Counts {
    rows: u64,
    columns: u64,
    inner: u64,
}

/// Bytes of an element.
fn bytes(element: ElementType) -> u64 {
    match element {
        ElementType::Int { width, .. } => u64::from(width).div_ceil(8),
        ElementType::Bf16 => 2,
        _ => 4,
    }
}

/// Room for sums and the width of accesses.
struct Array {
    /// Bits of accumulators.
    sum_bits: u64,
    /// Bytes of a load.
    access: u64,
}

impl Array {
    fn of(arch: Arch) -> Array {
        match arch {
            Arch::Aie1 | Arch::Aie2 => Array {
                sum_bits: 9 * 1024,
                access: 32,
            },
            _ => Array {
                sum_bits: 5 * 2048,
                access: 64,
            },
        }
    }

    /// Bits of the sums of a block of the result of such factors: those of 16 bits have sums of 64 in these shapes.
    fn sums_of(factor: ElementType, stored: &Block) -> u64 {
        let is_wide = !factor.is_float() && bytes(factor) == 2;
        stored.len() * if is_wide { 64 } else { 32 }
    }
}

impl Tile {
    /// The tile by which a product takes the least time, by the cycles of its loads, stores and
    /// products.
    fn best(counts: Counts, blocks: [&Block; 3], arch: Arch) -> Tile {
        let array = Array::of(arch);
        let [left, _, stored] = blocks;
        // One more is what a sum is loaded to while another one is stored.
        let bits = Array::sums_of(left.element, stored);
        let most = (array.sum_bits / bits).saturating_sub(1).clamp(1, MAX_SUMS);
        // Sums of 64 bits are loaded and stored by way of vector registers, of which none is left when all is written out; AIE2
        // converts them in its loads and stores.
        let is_narrow = bits <= stored.len() * 32 || arch == Arch::Aie2;
        let accesses = |block: &Block| block.bytes().div_ceil(array.access);
        let sides =
            |blocks: u64| (1..=most.min(blocks)).filter(move |side| blocks.is_multiple_of(*side));
        let mut best: Option<(u64, u64, Tile)> = None;
        for high in sides(counts.rows) {
            for wide in sides(counts.columns).filter(|wide| high * wide <= most) {
                for is_down in [false, true] {
                    let (tall, broad) = (counts.rows / high, counts.columns / wide);
                    let (outer, within) = if is_down {
                        (broad, tall)
                    } else {
                        (tall, broad)
                    };
                    let mut tile = Tile {
                        high,
                        wide,
                        is_down,
                        is_whole: is_narrow && high * wide * counts.inner <= MAX_WRITTEN_OUT,
                        apart: 0,
                    };
                    let sums = high * wide * accesses(stored);
                    tile.apart = tile.least_apart(counts.inner, 2 * sums);
                    let time = outer * tile.time(within, counts.inner, blocks.map(accesses));
                    let registers = tile.registers(counts.inner);
                    let fits = if tile.is_whole {
                        registers <= MAX_REGISTERS
                    } else {
                        high * wide <= MAX_STEP
                    };
                    let is_better =
                        best.is_none_or(|(least, known, _)| (time, registers) < (least, known));
                    if fits && is_better {
                        best = Some((time, registers, tile));
                    }
                }
            }
        }
        let one = Tile {
            high: 1,
            wide: 1,
            is_down: false,
            is_whole: false,
            apart: 0,
        };
        best.map_or(one, |(_, _, tile)| tile)
    }

    /// Products of a tile's steps in the time of all of them, as they begin apart: what takes `span` bundles with one product in each
    /// of `sums` sums takes less, as the first and the last sums leave room.
    fn in_bundles(&self, span: u64, inner: u64) -> u64 {
        let count = self.high * self.wide;
        let all = (count - 1) * self.apart + inner * count;
        span * count * inner / all.max(1)
    }

    /// The least distance of sums at which the bundles between the last product of a sum and its first one in the next tile are
    /// enough for the accesses that load and store all sums, if those are `accesses`.
    fn least_apart(&self, inner: u64, accesses: u64) -> u64 {
        let count = self.high * self.wide;
        let enough = |apart: &u64| {
            let tile = Tile {
                apart: *apart,
                ..*self
            };
            let products = count * inner;
            let begun = tile.in_bundles((count - 1) * apart, inner);
            let ended = tile.in_bundles((inner - 1) * count, inner);
            begun + products >= accesses + ended
        };
        // With many sums, and each as late as the one before it ends, all blocks of a factor would be in registers at once.
        let most = if count > MANY_SUMS {
            (inner - 1).max(1)
        } else {
            inner
        };
        (1..most).find(enough).unwrap_or(most)
    }

    /// Registers for blocks of factors that are under way, about.
    fn registers(&self, inner: u64) -> u64 {
        if !self.is_whole {
            return self.high + self.wide;
        }
        let count = self.high * self.wide;
        let short = self.high.min(self.wide);
        // Those of the shorter side wait for the sums along the other one.
        let kept = self.in_bundles((count - short) * self.apart, inner) * short / count + short;
        kept + LOADED_AHEAD
    }

    /// Bundles of a loop over tiles, by those of products, loads and stores.
    fn time(&self, tiles: u64, inner: u64, [left, right, stored]: [u64; 3]) -> u64 {
        let (high, wide) = (self.high, self.wide);
        let products = high * wide * inner;
        let (left, right) = (inner * high * left, inner * wide * right);
        let sums = high * wide * stored;
        if self.is_whole {
            // A buffer is in one bank, which takes one access in a bundle.
            let ports = (left + right + sums).div_ceil(2);
            let tile = products.max(ports).max(left).max(right).max(2 * sums);
            tiles * tile + RAMP
        } else {
            let tile = products.max((left + right).div_ceil(2)) + 2 * sums + RAMP;
            tiles * tile
        }
    }

    /// The products of a tile that is written out, each with its step of the sum, in an order in which the sums of blocks begin and
    /// end one after another: while some are stored and loaded, others go on.
    fn order(&self, steps: u64) -> Vec<(u64, (u64, u64))> {
        // Blocks of the longer side change fastest: those are used by few sums, one soon after another.
        let count = self.high * self.wide;
        let place = |n: u64| {
            if self.wide > self.high {
                (n % self.high, n / self.high)
            } else {
                (n / self.wide, n % self.wide)
            }
        };
        let all = (0..count).flat_map(|n| (0..steps).map(move |step| (n, step)));
        let mut order: Vec<(u64, u64)> = all.collect();
        order.sort_by_key(|(n, step)| (n * self.apart + step * count, *n));
        order
            .into_iter()
            .map(|(n, step)| (step, place(n)))
            .collect()
    }
}

/// The function for `a`, `b` and `out` in these blocks (block rows, block columns, rows, columns);
/// `None` for elements without such a function.
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
    let left = Block::new([rows, inner], factor);
    let right = Block::new([inner, columns], factor);
    let stored = Block::new([rows, columns], result);
    let counts = Counts {
        rows: row_blocks,
        columns: column_blocks,
        inner: inner_blocks,
    };
    let tile = Tile::best(counts, [&left, &right, &stored], arch);
    let (high, wide) = (tile.high, tile.wide);
    let places: Vec<(u64, u64)> = (0..high)
        .flat_map(|i| (0..wide).map(move |j| (i, j)))
        .collect();
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
    let written = if tile.is_whole { inner_blocks } else { 1 };
    for number in 0..=written.max(high).max(wide).max(1) {
        line(format!("%c{number} = arith.constant {number} : index"));
    }
    let down = "scf.for %i0 = %c0 to %row_blocks step %high {";
    let along = "scf.for %j0 = %c0 to %column_blocks step %wide {";
    let loops = if tile.is_down {
        [along, down]
    } else {
        [down, along]
    };
    loops.into_iter().for_each(|words| line(words.into()));
    line("%a_start = arith.muli %i0, %a_row : index".into());
    line(left_view.cast("a"));
    line("%c_start = arith.muli %i0, %c_row : index".into());
    line("%b_start = arith.muli %j0, %b_column : index".into());
    line(right_view.cast("b"));
    line("%c_offset = arith.muli %j0, %c_column : index".into());
    line("%out_start = arith.addi %c_start, %c_offset : index".into());
    line(stored_view.cast("out"));
    let load_sum = |(i, j): &(u64, u64), line: &mut dyn FnMut(String)| {
        let loaded = if sums.conversions.is_some() { "c" } else { "s" };
        let place = format!("%c{i}, %c{j}");
        stored_view
            .load("out", &format!("{loaded}{i}_{j}"), &place)
            .into_iter()
            .for_each(&mut *line);
        if let Some((extend, _)) = sums.conversions {
            let matrix = stored.matrix();
            line(format!(
                "%s{i}_{j} = {extend} %c{i}_{j} : {matrix} to {sum}"
            ));
        }
    };
    let store_sum = |(i, j): &(u64, u64), last: String, line: &mut dyn FnMut(String)| {
        let done = match sums.conversions {
            Some((_, truncate)) => {
                let matrix = stored.matrix();
                line(format!("%t{i}_{j} = {truncate} {last} : {sum} to {matrix}"));
                format!("%t{i}_{j}")
            }
            None => last,
        };
        let (matrix, flat) = (stored.matrix(), stored.flat());
        line(format!(
            "%f{i}_{j} = vector.shape_cast {done} : {matrix} to {flat}"
        ));
        line(format!(
            "vector.store %f{i}_{j}, %outs[%c{i}, %c{j}, %c0] : {}, {flat}",
            stored_view.memref
        ));
    };
    let load_left = |i: u64, step: u64, at: &str, line: &mut dyn FnMut(String)| {
        let load = left_view.load("a", &format!("a{i}_{step}"), &format!("%c{i}, {at}"));
        load.into_iter().for_each(&mut *line);
    };
    let load_right = |j: u64, step: u64, at: &str, line: &mut dyn FnMut(String)| {
        let load = right_view.load("b", &format!("b{j}_{step}"), &format!("{at}, %c{j}"));
        load.into_iter().for_each(&mut *line);
    };
    let add = |(i, j): &(u64, u64), step: u64, to: &str, from: &str| {
        let (left, right) = (left.matrix(), right.matrix());
        format!(
            "{to} = vector.contract {{{MAPS}}} %a{i}_{step}, %b{j}_{step}, {from} : {left}, {right} into {sum}"
        )
    };
    if tile.is_whole {
        let (mut lefts, mut rights) = (BTreeSet::new(), BTreeSet::new());
        for (step, (i, j)) in tile.order(inner_blocks) {
            let at = format!("%c{step}");
            if step == 0 {
                load_sum(&(i, j), &mut line);
            }
            if lefts.insert((i, step)) {
                load_left(i, step, &at, &mut line);
            }
            if rights.insert((j, step)) {
                load_right(j, step, &at, &mut line);
            }
            let from = match step {
                0 => format!("%s{i}_{j}"),
                _ => format!("%x{step}_{i}_{j}"),
            };
            let to = format!("%x{}_{i}_{j}", step + 1);
            line(add(&(i, j), step, &to, &from));
            if step + 1 == inner_blocks {
                store_sum(&(i, j), to, &mut line);
            }
        }
    } else {
        places.iter().for_each(|place| load_sum(place, &mut line));
        let list = |each: &dyn Fn(&(u64, u64)) -> String| {
            let all: Vec<String> = places.iter().map(each).collect();
            all.join(", ")
        };
        let count = places.len();
        line(format!(
            "%r:{count} = scf.for %l = %c0 to %inner_blocks step %c1 iter_args({}) -> ({}) {{",
            list(&|(i, j)| format!("%x{i}_{j} = %s{i}_{j}")),
            list(&|_| sum.clone())
        ));
        (0..high).for_each(|i| load_left(i, 0, "%l", &mut line));
        (0..wide).for_each(|j| load_right(j, 0, "%l", &mut line));
        for place in &places {
            let (i, j) = place;
            line(add(place, 0, &format!("%p{i}_{j}"), &format!("%x{i}_{j}")));
        }
        line(format!(
            "scf.yield {} : {}",
            list(&|(i, j)| format!("%p{i}_{j}")),
            list(&|_| sum.clone())
        ));
        line("}".into());
        for (n, place) in places.iter().enumerate() {
            store_sum(place, format!("%r#{n}"), &mut line);
        }
    }
    line("}".into());
    line("}".into());
    line("return".into());
    text.push_str("}\n");
    Some(text)
}
