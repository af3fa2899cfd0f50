//! Products of matrices in blocks: a text that multiplies blocks as a whole, several of them at once, so that each block that is
//! loaded is used more than once.

use std::collections::BTreeSet;
use std::fmt::Write;

use aiec_aie::ops::BFP16_PRODUCTS;
use aiec_device::Arch;
use aiec_vcode::{ElementType, Sign};

use crate::machine::AIE2P_ACCUMULATORS;

/// Products that are written out at once: the loop over tiles is one block up to that, else the sums of a tile are a loop.
const MAX_WRITTEN_OUT: u64 = 128;
/// Sums of a tile: more gain little, and leave no room for those of the next tile.
const MAX_SUMS: u64 = 8;
/// Sums of a tile in blocks: at least one accumulator is left for factors on the way to blocks.
const MAX_BLOCK_SUMS: u64 = AIE2P_ACCUMULATORS as u64 - 1;
/// Vector registers of a right factor on its way to blocks, as it is loaded and transposed, and of the ones that it is multiplied by.
const ON_THE_WAY: u64 = 4;
const REGISTERS_OF_ONES: u64 = 2;
/// Bundles in which an accumulator for factors is taken beyond those in which each of them lands, where left ones follow right ones.
const CHANGE_OF_SIDES: u64 = 1;
/// Vector registers of a core, and those for blocks that are used soon after they are loaded.
const MAX_REGISTERS: u64 = 12;
const LOADED_AHEAD: u64 = 3;
/// Bundles from the load of a sum to its first product, about, beyond those from its last one to the store.
const SUM_LATENCY: u64 = 4;
/// Bytes of a vector register.
const REGISTER_BYTES: u64 = 64;
/// Products of one step of a loop over sums.
const MAX_STEP: u64 = 4;
/// The same where products are done lane by lane, each of which takes more registers.
const MAX_LANE_STEP: u64 = 4;
/// Copies of a tile that are written out at once where its sums are a loop, so that the end of one loop is issued together with the begin
/// of the next one: about 450 bytes each.
const MAX_COPIES: u64 = 8;
/// Tiles of a loop beyond which its begin and end count for little.
const MAX_JOINED_TILES: u64 = 4;
/// Cycles in which a loop's first iteration begins and its last one ends, about.
const RAMP: u64 = 16;

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
    /// Sums that take turns: one such group follows another, so that the sums of one are loaded and stored while those of others
    /// go on. A divisor of their number.
    group: u64,
    /// Whether the sums of a column follow each other, else those of a row.
    by_columns: bool,
    /// Rows of the left and columns of the right factor, from the first on, of which each group loads the blocks again.
    reloads: u64,
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
    /// Bundles from one product of floats to the next one of the same sum.
    float_latency: u64,
}

impl Array {
    fn of(arch: Arch) -> Array {
        match arch {
            Arch::Aie1 | Arch::Aie2 => Array {
                sum_bits: 9 * 1024,
                access: 32,
                float_latency: 4,
            },
            _ => Array {
                sum_bits: 5 * 2048,
                access: 64,
                float_latency: 3,
            },
        }
    }

    /// Bundles from one product of a sum to the next one.
    fn latency(&self, factor: ElementType) -> u64 {
        if factor.is_float() {
            self.float_latency
        } else {
            2
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
    fn best(counts: Counts, blocks: [&Block; 3], (arch, in_blocks): (Arch, bool)) -> Tile {
        let array = Array::of(arch);
        let [left, _, stored] = blocks;
        // One more is what a sum is loaded to while another one is stored.
        let bits = Array::sums_of(left.element, stored);
        let most = if in_blocks {
            MAX_BLOCK_SUMS
        } else {
            (array.sum_bits / bits).saturating_sub(1).clamp(1, MAX_SUMS)
        };
        // The array of AIE2P multiplies no matrices of bf16: what is done lane by lane, or by way of blocks, which takes
        // an accumulator for conversions, isn't written out.
        let is_native = arch != Arch::Aie2p || left.element != ElementType::Bf16;
        // Sums of 64 bits are loaded and stored by way of vector registers, of which none is left when all is written out; AIE2
        // converts them in its loads and stores.
        let is_narrow = bits <= stored.len() * 32 || arch == Arch::Aie2;
        let accesses = |block: &Block| block.bytes().div_ceil(array.access);
        let sides =
            |blocks: u64| (1..=most.min(blocks)).filter(move |side| blocks.is_multiple_of(*side));
        let latency = array.latency(left.element);
        let mut best: Option<((u64, u64, u64), Tile)> = None;
        for high in sides(counts.rows) {
            for wide in sides(counts.columns).filter(|wide| high * wide <= most) {
                let count = high * wide;
                let (inner, sums) = (counts.inner, accesses(stored));
                let has_time = |group: &u64| {
                    *group >= latency
                        && (count - group) * inner + group >= group * sums + SUM_LATENCY
                };
                let groups = sides_of(count).filter(|group| has_time(group) || *group == count);
                let choices = groups.flat_map(|group| {
                    let all = [(false, false), (false, true), (true, false), (true, true)];
                    let all = (0..=high.min(wide)).flat_map(move |reloads| {
                        all.map(|(is_down, by_columns)| (reloads, is_down, by_columns))
                    });
                    all.map(move |(reloads, is_down, columns)| (group, reloads, is_down, columns))
                });
                for (group, reloads, is_down, by_columns) in choices {
                    let (tall, broad) = (counts.rows / high, counts.columns / wide);
                    let (outer, within) = if is_down {
                        (broad, tall)
                    } else {
                        (tall, broad)
                    };
                    let tile = Tile {
                        high,
                        wide,
                        is_down,
                        is_whole: is_narrow && is_native && count * inner <= MAX_WRITTEN_OUT,
                        group,
                        by_columns,
                        reloads,
                    };
                    let accesses = blocks.map(accesses);
                    let mut time = if in_blocks {
                        outer * tile.time_in_blocks(within, inner, accesses)
                    } else {
                        outer * tile.time(within, inner, accesses)
                    };
                    if tile.is_whole && !has_time(&group) {
                        time += outer * within * (group * sums + SUM_LATENCY);
                    }
                    let registers = tile.registers(counts.inner, blocks);
                    let fits = if in_blocks {
                        high + ON_THE_WAY * wide + REGISTERS_OF_ONES <= MAX_REGISTERS
                    } else if tile.is_whole {
                        registers <= MAX_REGISTERS
                    } else {
                        count <= if is_native { MAX_STEP } else { MAX_LANE_STEP }
                    };
                    let is_better =
                        best.is_none_or(|(known, _)| (time, reloads, registers) < known);
                    if fits && is_better {
                        best = Some(((time, reloads, registers), tile));
                    }
                }
            }
        }
        let one = Tile {
            high: 1,
            wide: 1,
            is_down: false,
            is_whole: false,
            group: 1,
            by_columns: false,
            reloads: 0,
        };
        best.map_or(one, |(_, tile)| tile)
    }

    /// Registers for blocks of factors that are under way, about: each block from its first product to its last one.
    fn registers(&self, inner: u64, [left, right, _]: [&Block; 3]) -> u64 {
        if !self.is_whole {
            return self.high + self.wide;
        }
        let kept = |block: &Block, lives: Vec<(u64, u64)>| -> u64 {
            let bundles: u64 = lives.iter().map(|(first, last)| last - first + 1).sum();
            bundles * block.bytes().div_ceil(REGISTER_BYTES)
        };
        let [lefts, rights] = self.lives(inner);
        let bundles = kept(left, lefts) + kept(right, rights);
        bundles.div_ceil(self.high * self.wide * inner) + LOADED_AHEAD
    }

    /// The first and the last product of each loaded block, of the left and of the right factor.
    fn lives(&self, inner: u64) -> [Vec<(u64, u64)>; 2] {
        let order = self.order(inner);
        // By block, step of the sum and load.
        let loads = 1 + order.len() as u64 / (self.group * inner).max(1);
        let places = |blocks: u64| vec![None; (blocks * inner * loads) as usize];
        let mut lives: [Vec<Option<(u64, u64)>>; 2] = [places(self.high), places(self.wide)];
        for (at, (step, (i, j))) in (0..).zip(order) {
            for (lives, block) in lives.iter_mut().zip([i, j]) {
                let load = self.load_of(block, at, inner);
                let place = ((block * inner + step) * loads + load) as usize;
                lives[place].get_or_insert((at, at)).1 = at;
            }
        }
        lives.map(|lives| lives.into_iter().flatten().collect())
    }

    /// Which load of a block a product has, by the block's row or column and the product's place in the order.
    fn load_of(&self, block: u64, at: u64, inner: u64) -> u64 {
        if block < self.reloads {
            at / (self.group * inner)
        } else {
            0
        }
    }

    /// Bundles of a loop over tiles, by those of products, loads and stores.
    fn time(&self, tiles: u64, inner: u64, [left, right, stored]: [u64; 3]) -> u64 {
        let (high, wide) = (self.high, self.wide);
        let products = high * wide * inner;
        let [lefts, rights] = self.lives(inner).map(|lives| lives.len() as u64);
        let (left, right) = (lefts * left, rights * right);
        let sums = high * wide * stored;
        if self.is_whole {
            // A buffer is in one bank, which takes one access in a bundle.
            let ports = (left + right + sums).div_ceil(2);
            let tile = products.max(ports).max(left).max(right).max(2 * sums);
            // Those of the first and the last tile overlap less.
            (tiles + 1) * tile + RAMP
        } else {
            let tile = products.max((left + right).div_ceil(2)) + 2 * sums + RAMP;
            tiles * tile
        }
    }

    /// The same of a loop over sums whose factors become blocks. Each takes the slot of stores for that; a left one takes an
    /// accumulator as long as its loads land, a right one the slot of products too.
    fn time_in_blocks(&self, tiles: u64, inner: u64, [left, right, stored]: [u64; 3]) -> u64 {
        let (high, wide) = (self.high, self.wide);
        let products = high * wide;
        let conversions = high * left + wide + CHANGE_OF_SIDES;
        let step = (products + wide)
            .max(high * left)
            .max(wide * right)
            .max(high + wide)
            .max(conversions.div_ceil(AIE2P_ACCUMULATORS as u64 - products));
        tiles * (inner * step + 2 * products * stored + RAMP) + RAMP
    }

    /// The loops over tiles, the outer one first, where `share` functions like this one are in the design.
    fn loops(&self, counts: Counts, share: u64) -> [TileLoop; 2] {
        let rows = TileLoop::new("i", counts.rows, self.high);
        let columns = TileLoop::new("j", counts.columns, self.wide);
        let [mut outer, mut inner] = if self.is_down {
            [columns, rows]
        } else {
            [rows, columns]
        };
        if self.is_whole {
            let products = self.high * self.wide * counts.inner;
            // Of long loops little is at their ends.
            if inner.tiles <= MAX_JOINED_TILES && outer.tiles > 1 {
                outer.write_out(MAX_WRITTEN_OUT / products / share);
            }
        } else {
            let copies = MAX_COPIES / share;
            inner.write_out(copies);
            if inner.is_whole {
                outer.write_out(copies / inner.copies);
            }
        }
        [outer, inner]
    }

    /// The function with some lines at its head, of the text that computes the tile at `%i` and `%j`.
    fn function(&self, head: String, text: &str, (counts, share): (Counts, u64)) -> String {
        let mut out = head;
        let [outer, inner] = self.loops(counts, share);
        outer.numbers(&mut out);
        inner.numbers(&mut out);
        let ([begin, end], [inner_begin, inner_end]) = (outer.around(), inner.around());
        out += &begin;
        // Loops over tiles that are written out are as often there as the outer loop is.
        let (tile, end) = if self.is_whole {
            (inner_begin + text + &inner_end, end)
        } else {
            out += &inner_begin;
            (text.to_owned(), inner_end + &end)
        };
        let shared: BTreeSet<String> = names(&out).map(|(name, _)| name.to_owned()).collect();
        let inner_copies = if self.is_whole { 1 } else { inner.copies };
        for copy in 0..outer.copies * inner_copies {
            let mut text = outer.place(copy / inner_copies);
            text += &inner.place(copy % inner_copies);
            text += &tile;
            let first = text.find('%').unwrap_or(text.len());
            out += &text[..first];
            for (name, rest) in names(&text) {
                out.push('%');
                out += name;
                if !shared.contains(name) {
                    let _ = write!(out, "_of{copy}");
                }
                out += rest;
            }
        }
        out + &end + "  return\n}\n"
    }

    /// The products of a tile that is written out, each with its step of the sum, in an order in which groups of sums follow each
    /// other: while some are stored and loaded, others go on.
    fn order(&self, steps: u64) -> Vec<(u64, (u64, u64))> {
        let place = |n: u64| {
            if self.by_columns {
                (n % self.high, n / self.high)
            } else {
                (n / self.wide, n % self.wide)
            }
        };
        let count = self.high * self.wide;
        let groups = (0..count).step_by(self.group as usize);
        let products = groups.flat_map(|first| {
            let turns = (0..steps)
                .flat_map(move |step| (first..first + self.group).map(move |n| (step, n)));
            turns.map(|(step, n)| (step, place(n)))
        });
        products.collect()
    }
}

/// A loop over tiles.
#[derive(Clone, Copy, Debug)]
struct TileLoop {
    /// The name of its counter, of blocks.
    counter: &'static str,
    tiles: u64,
    /// Blocks of a tile.
    step: u64,
    /// Tiles of an iteration.
    copies: u64,
    /// Whether all tiles are written out, without a loop.
    is_whole: bool,
}

impl TileLoop {
    fn new(counter: &'static str, blocks: u64, step: u64) -> TileLoop {
        TileLoop {
            counter,
            tiles: blocks / step,
            step,
            copies: 1,
            is_whole: false,
        }
    }

    /// Writes as many tiles out as divide their number, up to `most`.
    fn write_out(&mut self, most: u64) {
        let fitting = sides_of(self.tiles).take_while(|copies| *copies <= most);
        self.copies = fitting.last().unwrap_or(1);
        self.is_whole = self.copies == self.tiles;
    }

    /// Writes the numbers of the loop.
    fn numbers(&self, out: &mut String) {
        let (name, end, step) = (
            self.counter,
            self.tiles * self.step,
            self.copies * self.step,
        );
        let _ = writeln!(
            out,
            "  %{name}_end = arith.constant {end} : index\n  %{name}_step = arith.constant {step} : index"
        );
    }

    /// The begin of the loop and its end, unless all of it is written out.
    fn around(&self) -> [String; 2] {
        if self.is_whole {
            return [const { String::new() }; 2];
        }
        let name = self.counter;
        let ending = if self.copies == 1 { "" } else { "0" };
        [
            format!("  scf.for %{name}{ending} = %c0 to %{name}_end step %{name}_step {{\n"),
            "  }\n".to_owned(),
        ]
    }

    /// The counter of a copy, unless it is that of the loop.
    fn place(&self, copy: u64) -> String {
        let (name, place) = (self.counter, copy * self.step);
        if self.is_whole {
            return format!("  %{name} = arith.constant {place} : index\n");
        }
        if self.copies == 1 {
            return String::new();
        }
        format!(
            "  %{name}_place = arith.constant {place} : index
  %{name} = arith.addi %{name}0, %{name}_place : index\n"
        )
    }
}

/// The names of values in a text, each with the text up to the next one.
fn names(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('%').skip(1).map(|part| {
        let end = part.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        part.split_at(end.unwrap_or(part.len()))
    })
}

/// The divisors of a number.
fn sides_of(count: u64) -> impl Iterator<Item = u64> {
    (1..=count).filter(move |side| count.is_multiple_of(*side))
}

/// The function for `a`, `b` and `out` in these blocks (block rows, block columns, rows, columns), where `share` such functions
/// are in the design; `None` for elements without such a function.
pub(super) fn tiles(
    name: &str,
    elements: (ElementType, ElementType),
    shapes: &[Vec<u64>],
    (arch, in_blocks): (Arch, bool),
    share: u64,
) -> Option<String> {
    let (factor, result) = elements;
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
    let tile = Tile::best(counts, [&left, &right, &stored], (arch, in_blocks));
    let (high, wide) = (tile.high, tile.wide);
    let places: Vec<(u64, u64)> = (0..high)
        .flat_map(|i| (0..wide).map(move |j| (i, j)))
        .collect();
    let sum = format!("vector<{rows}x{columns}x{}>", sums.element);
    // The blocks that are used at once, as memrefs of their own: places in them are constants.
    let left_view = left.view([high, inner_blocks], [inner_blocks, 1]);
    let right_view = right.view([inner_blocks, wide], [column_blocks, 1]);
    let stored_view = stored.view([high, wide], [column_blocks, 1]);
    let mut head = format!("func.func @{name}(%a: !a, %b: !b, %out: !out) {{\n");
    let mut line = |words: String| {
        let _ = writeln!(head, "  {words}");
    };
    let numbers = [
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
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "  {words}");
    };
    line("%a_start = arith.muli %i, %a_row : index".into());
    line(left_view.cast("a"));
    line("%c_start = arith.muli %i, %c_row : index".into());
    line("%b_start = arith.muli %j, %b_column : index".into());
    line(right_view.cast("b"));
    line("%c_offset = arith.muli %j, %c_column : index".into());
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
    let load_left = |[i, step, load]: [u64; 3], at: &str, line: &mut dyn FnMut(String)| {
        let load = left_view.load("a", &format!("a{i}_{step}_{load}"), &format!("%c{i}, {at}"));
        load.into_iter().for_each(&mut *line);
    };
    let load_right = |[j, step, load]: [u64; 3], at: &str, line: &mut dyn FnMut(String)| {
        let load = right_view.load("b", &format!("b{j}_{step}_{load}"), &format!("{at}, %c{j}"));
        load.into_iter().for_each(&mut *line);
    };
    let permission = if in_blocks {
        format!(", {BFP16_PRODUCTS}")
    } else {
        String::new()
    };
    let add = |(i, j): &(u64, u64), step: u64, [a, b]: [u64; 2], to: &str, from: &str| {
        let (left, right) = (left.matrix(), right.matrix());
        format!(
            "{to} = vector.contract {{{MAPS}{permission}}} %a{i}_{step}_{a}, %b{j}_{step}_{b}, {from} : {left}, {right} into {sum}"
        )
    };
    if tile.is_whole {
        let (mut lefts, mut rights) = (BTreeSet::new(), BTreeSet::new());
        for (at, (step, (i, j))) in (0..).zip(tile.order(inner_blocks)) {
            let loads = [i, j].map(|block| tile.load_of(block, at, inner_blocks));
            let at = format!("%c{step}");
            if step == 0 {
                load_sum(&(i, j), &mut line);
            }
            if lefts.insert([i, step, loads[0]]) {
                load_left([i, step, loads[0]], &at, &mut line);
            }
            if rights.insert([j, step, loads[1]]) {
                load_right([j, step, loads[1]], &at, &mut line);
            }
            let from = match step {
                0 => format!("%s{i}_{j}"),
                _ => format!("%x{step}_{i}_{j}"),
            };
            let to = format!("%x{}_{i}_{j}", step + 1);
            line(add(&(i, j), step, loads, &to, &from));
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
        // Left factors become blocks first: a block is read until the next one lands in its register, so that those of a product have to
        // land near each other, and right ones, of which each takes one bundle of the accumulator that all go by, follow at once.
        let sides = [true, false];
        for is_left in sides {
            if is_left {
                (0..high).for_each(|i| load_left([i, 0, 0], "%l", &mut line));
            } else {
                (0..wide).for_each(|j| load_right([j, 0, 0], "%l", &mut line));
            }
        }
        for place in &places {
            let (i, j) = place;
            line(add(
                place,
                0,
                [0, 0],
                &format!("%p{i}_{j}"),
                &format!("%x{i}_{j}"),
            ));
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
    Some(tile.function(head, &text, (counts, share.max(1))))
}
