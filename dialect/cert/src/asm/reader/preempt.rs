//! PREEMPT with the vendor's save and restore programs.
//!
//! The vendor's assembler has programs built in that move the memory tiles to a scratch pad and
//! back; the scopes that PREEMPT names are only place holders there (aiebu:
//! src/cpp/preprocessor/asm/asm_parser.cpp). With [`super::super::Files::has_save_restore`] the
//! same is done here with programs from a folder, such as those that aiebu publishes
//! (specification/aie4/preemption_asm). Each becomes a scope of its own after the text.
//!
//! The fourth operand of PREEMPT may name a map of the memory that is worth saving. For each
//! range of memory there is one pair of programs, whose descriptors are set to that range.

use aiec_diag::{Diag, Span};
use indexmap::IndexMap;

use super::super::codes;
use super::super::scope::{PreemptPoint, ScopeBuilder};
use super::{Reader, State};
use crate::isa::Op;
use crate::program::{DataItem, MAIN_SCOPE, Word};

/// The unit that one bit of a map covers.
const CHUNK_BYTES: u64 = 64 << 10;
/// Memory tile of a column of aie4 (aiebu: asm_parser.cpp, BD range helpers).
const MEM_TILE_BYTES: u64 = 3 << 20;
/// Bytes saved without a map: the memory tiles of three columns.
const DEFAULT_BYTES: u64 = 3 * MEM_TILE_BYTES;
/// Where a memory tile's own memory begins for its DMA, in words.
const MEM_TILE_BASE_WORDS: u64 = 0x80_0000;
/// Bits of a shim BD's first word that are address bits 56:32.
const SHIM_HIGH_MASK: u32 = 0x01FF_FFFF;
/// Descriptors that share a memory tile when it is saved and when it is restored: its shim has
/// two S2MM and four MM2S channels.
const SAVE_PARTS: usize = 2;
const RESTORE_PARTS: usize = 4;

/// Part of the memory tiles, in bytes, counted through the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Range {
    base: u64,
    bytes: u64,
}

impl Range {
    const DEFAULT: Self = Self {
        base: 0,
        bytes: DEFAULT_BYTES,
    };

    /// The range of a map. `Err`: first and last bit of a map with gaps.
    fn of_map(words: &[u32]) -> Result<Self, (u32, u32)> {
        if words.is_empty() {
            return Ok(Self::DEFAULT);
        }
        let set = |&bit: &u32| words[bit as usize / 32] >> (bit % 32) & 1 != 0;
        let mut bits = (0..32 * words.len() as u32).filter(set);
        let Some(first) = bits.next() else {
            return Ok(Self { base: 0, bytes: 0 });
        };
        let (mut last, mut count) = (first, 1);
        for bit in bits {
            (last, count) = (bit, count + 1);
        }
        if last - first + 1 != count {
            return Err((first, last));
        }
        Ok(Self {
            base: u64::from(first) * CHUNK_BYTES,
            bytes: u64::from(count) * CHUNK_BYTES,
        })
    }

    /// Where and how much each descriptor moves if `parts` descriptors share each of `tiles` memory
    /// tiles: equal parts of the tile's share, with the remainder in the last.
    fn parts(self, tiles: usize, parts: usize) -> Vec<Self> {
        let mut pieces = Vec::with_capacity(tiles * parts);
        for tile in 0..tiles as u64 {
            let start = tile * MEM_TILE_BYTES;
            let begin = self.base.max(start);
            let end = (self.base + self.bytes).min(start + MEM_TILE_BYTES);
            if end <= begin {
                let nothing = Self {
                    base: start,
                    bytes: 0,
                };
                pieces.resize(pieces.len() + parts, nothing);
                continue;
            }
            let part = (end - begin) / parts as u64;
            for i in 0..parts as u64 {
                let base = begin + i * part;
                let bytes = if i + 1 == parts as u64 {
                    end - base
                } else {
                    part
                };
                pieces.push(Self { base, bytes });
            }
        }
        pieces
    }

    /// The first words of the shim BD image that moves it.
    fn shim_words(self) -> [u32; 3] {
        let high = (self.base >> 32) as u32 & SHIM_HIGH_MASK;
        [high, self.base as u32 & !3, (self.bytes / 4) as u32]
    }

    /// The first words of the memory tile's BD image that moves it.
    fn mem_words(self) -> [u32; 2] {
        let words = (self.base % MEM_TILE_BYTES) / 4 + MEM_TILE_BASE_WORDS;
        [words as u32, (self.bytes / 4) as u32]
    }
}

/// Programs of a point whose map marks no memory: there is nothing to move, but the array is
/// configured again before the program goes on (aiebu: asm_parser.cpp,
/// inject_hintmap_save_restore).
const NOTHING_TO_SAVE: &str = "START_JOB 0\nNOP\nEND_JOB\nEOF\n";
const NOTHING_TO_RESTORE: &str = "START_JOB 0\nLOAD_LAST_PDI\nEND_JOB\nEOF\n";

/// A program that is added.
struct Program<'p> {
    uc: u32,
    /// Index of the controller's group.
    group: usize,
    /// `save` or `restore`.
    verb: &'static str,
    /// Descriptors for each memory tile.
    parts: usize,
    /// Its file.
    file: &'p str,
    text: &'p str,
}

impl Reader<'_> {
    /// Adds the programs that the PREEMPTs of all controllers run.
    pub(super) fn add_save_restore(&mut self) {
        let with_points = |&(_, group): &(u32, usize)| !self.groups[group].points.is_empty();
        let groups = self.by_uc.iter().map(|(&uc, &group)| (uc, group));
        let groups: Vec<(u32, usize)> = groups.filter(with_points).collect();
        let several = groups.len() > 1;
        for (uc, group) in groups {
            self.add_programs(uc, group, several);
        }
    }

    /// The variant of the programs for a controller: those of its column if several controllers
    /// are preempted, else those that move all columns.
    fn variant(&self, uc: u32, several: bool) -> Result<String, Diag> {
        let columns = self.declared.columns.unwrap_or(super::DEFAULT_COLUMNS);
        let none = |what: String| {
            let message = format!("there are no save and restore programs for {what}");
            Err(Diag::error(&codes::PREEMPT, message).help(
                "there are programs for controllers 0, 2 and 4, or for controller 0 and a \
                 `.partition` of 1 to 3 columns",
            ))
        };
        match (several, uc, columns) {
            (true, 0 | 2 | 4, _) => Ok(format!("1c{}", uc / 2)),
            (true, ..) => none(format!("controller {uc}")),
            (false, 0, 1..=3) => Ok(format!("{columns}c")),
            (false, 0, _) => none(format!("a partition of {columns} columns")),
            (false, ..) => none(format!("controller {uc} alone")),
        }
    }

    fn add_programs(&mut self, uc: u32, group: usize, several: bool) {
        let points = std::mem::take(&mut self.groups[group].points);
        let Some(first) = points.first().map(|point| point.span) else {
            return;
        };
        let variant = match self.variant(uc, several) {
            Ok(variant) => variant,
            Err(diag) => return self.lose_points(group, &points, first, diag),
        };
        let files = ["save", "restore"].map(|verb| format!("aie4_{verb}_{variant}.asm"));
        let mut texts = [String::new(), String::new()];
        for (file, text) in files.iter().zip(&mut texts) {
            match self.files.save_restore(file) {
                Some(bytes) => *text = String::from_utf8_lossy(&bytes).into_owned(),
                None => {
                    let message = format!("cannot read the program '{file}' that PREEMPT runs");
                    let diag = Diag::error(&codes::PREEMPT, message).help(
                        "--save-restore names a folder such as specification/aie4/preemption_asm \
                         of aiebu",
                    );
                    return self.lose_points(group, &points, first, diag);
                }
            }
        }
        let number = if several { uc / 2 + 1 } else { 1 };
        let (ranges, default) = self.name_programs(group, number, &points);
        let named = ranges.into_iter().enumerate();
        let named = named.map(|(k, (range, span))| (format!("{number}_{k}"), range, span));
        let default = default.map(|span| (number.to_string(), Range::DEFAULT, span));
        for (name, range, span) in named.chain(default).collect::<Vec<_>>() {
            let sorts = [
                ("save", SAVE_PARTS, NOTHING_TO_SAVE),
                ("restore", RESTORE_PARTS, NOTHING_TO_RESTORE),
            ];
            for ((verb, parts, nothing), (file, text)) in
                sorts.into_iter().zip(files.iter().zip(&texts))
            {
                let text = if range.bytes == 0 { nothing } else { text };
                let program = Program {
                    uc,
                    group,
                    verb,
                    parts,
                    file,
                    text,
                };
                self.add_program(&program, &name, range, span);
            }
        }
    }

    /// Reports why there are no programs. The scopes that the points name are not to blame.
    fn lose_points(&mut self, group: usize, points: &[PreemptPoint], at: Span, why: Diag) {
        self.error(at, why);
        self.unread.loads = true;
        for point in points {
            self.name_scopes(group, point, MAIN_SCOPE, MAIN_SCOPE);
        }
    }

    /// Makes the points of a controller name the programs they run. Ranges of maps in order of
    /// first use, and whether a point has no map, each with the first point that wants it.
    fn name_programs(
        &mut self,
        group: usize,
        number: u32,
        points: &[PreemptPoint],
    ) -> (IndexMap<Range, Span>, Option<Span>) {
        let mut ranges: IndexMap<Range, Span> = IndexMap::new();
        let mut default = None;
        for point in points {
            let Some((hint, hint_span)) = &point.hint else {
                default.get_or_insert(point.span);
                let [save, restore] = ["save", "restore"].map(|verb| format!("{verb}_{number}"));
                self.name_scopes(group, point, &save, &restore);
                continue;
            };
            let words = self.map_words(group, point, hint);
            let range = Range::of_map(&words).unwrap_or_else(|(first, last)| {
                let message =
                    format!("the map of memory to save has gaps between bits {first} and {last}");
                let help = "one range of memory is saved: set all bits of it";
                let diag = Diag::error(&codes::PREEMPT, message).help(help);
                self.error(*hint_span, diag);
                Range::DEFAULT
            });
            let entry = ranges.entry(range);
            let k = entry.index();
            entry.or_insert(point.span);
            let [save, restore] = ["save", "restore"].map(|verb| format!("{verb}_{number}_{k}"));
            self.name_scopes(group, point, &save, &restore);
        }
        (ranges, default)
    }

    fn name_scopes(&mut self, group: usize, point: &PreemptPoint, save: &str, restore: &str) {
        let refs = &mut self.groups[group].scope_refs;
        for (name, scope) in refs.iter_mut().skip(point.first_ref).zip([save, restore]) {
            scope.clone_into(&mut name.name);
        }
    }

    /// The words of a map. The vendor's assembler takes the first label of that name in the
    /// scope, whichever file defines it.
    fn map_words(&self, group: usize, point: &PreemptPoint, hint: &str) -> Vec<u32> {
        let Some(scope) = self.groups[group].scopes.get(point.scope) else {
            return Vec::new();
        };
        let own = || {
            let symbol = *scope.units.get(&point.span.file.0)?.get(hint)?;
            let block = scope.symbols.get(symbol as usize)?.block?;
            scope.scope.block(block)
        };
        let named = || scope.scope.data.iter().find(|block| block.name == hint);
        let block = if self.strict() { own() } else { named() };
        let items = block.map_or(&[][..], |block| &block.items);
        let words = items.iter().filter_map(|item| match item {
            DataItem::Word(Word::Value(word)) => Some(*word),
            _ => None,
        });
        words.collect()
    }

    /// Reads a program as a scope and sets its descriptors to a range.
    fn add_program(&mut self, program: &Program<'_>, name: &str, range: Range, at: Span) {
        let scope = format!("{}_{name}", program.verb);
        let text = format!("{scope}:\n{}\n.endl {scope}\n", program.text);
        let chunks = |bytes: u64| bytes / CHUNK_BYTES;
        let source = format!(
            "{}_{}_{}",
            chunks(range.base),
            chunks(range.bytes),
            program.file
        );
        let file = self.push_source(&source, text.as_bytes(), Some(at));
        self.uc = Some(program.uc);
        self.scopes.clear();
        self.current = None;
        self.states.push(State::Text);
        self.read_file(file);
        self.states.pop();
        if range.bytes == 0 {
            return;
        }
        let path = format!("{MAIN_SCOPE}:{scope}");
        let group = &mut self.groups[program.group];
        let builder = group.find(&path);
        let builder = builder.and_then(|at| group.scopes.get_mut(at));
        let tiles = builder.and_then(|builder| set_range(builder, range, program.parts));
        let span = at;
        match tiles {
            None => {
                let message = format!(
                    "'{}' is not built as a save or restore program",
                    program.file
                );
                let diag = Diag::error(&codes::PREEMPT, message).help(
                    "it needs APPLY_OFFSET_57 with a pad for each shim BD, and after these BDs \
                     as many for memory tiles",
                );
                self.error(span, diag);
            }
            // without a map everything is saved that there is
            Some(tiles) if self.strict() && range != Range::DEFAULT => {
                let chunks = tiles as u64 * MEM_TILE_BYTES / CHUNK_BYTES;
                let end = (range.base + range.bytes) / CHUNK_BYTES;
                if end > chunks {
                    let bit = end - 1;
                    let message = format!(
                        "the map of memory to save sets bit {bit}, there are {chunks} chunks of \
                         64 KiB"
                    );
                    self.error(span, Diag::error(&codes::PREEMPT, message));
                }
            }
            Some(_) => {}
        }
    }
}

/// Sets the descriptors of a program to a range of memory; the number of memory tiles that it
/// moves. Shim BDs are those whose address APPLY_OFFSET_57 adds to a pad; the BDs of the memory
/// tiles are defined after them, in the same order. Single words between them are other
/// registers.
fn set_range(builder: &mut ScopeBuilder, range: Range, parts: usize) -> Option<usize> {
    let applied = builder
        .scope
        .jobs()
        .flat_map(|(_, job)| job.insts())
        .filter(|inst| inst.pad.is_some());
    let mut shims = Vec::new();
    for inst in applied {
        let Op::ApplyOffset57 { table, .. } = inst.op else {
            continue;
        };
        shims.push(builder.symbols.get(table.0 as usize)?.block?);
    }
    let last = shims.iter().max()?.0;
    if !shims.len().is_multiple_of(parts) {
        return None;
    }
    let tiles = shims.len() / parts;
    let pieces = range.parts(tiles, parts);
    let behind = last as usize + 1;
    let blocks = builder.scope.data.iter().enumerate().skip(behind);
    let mems = blocks.filter(|(_, block)| block.items.len() > 1);
    let mems: Vec<usize> = mems.map(|(at, _)| at).take(shims.len()).collect();
    if mems.len() < shims.len() {
        return None;
    }
    for ((shim, mem), piece) in shims.iter().zip(mems).zip(pieces) {
        let data = &mut builder.scope.data;
        let images = [
            (shim.0 as usize, &piece.shim_words()[..]),
            (mem, &piece.mem_words()[..]),
        ];
        for (block, words) in images {
            let items = data.get_mut(block)?.items.get_mut(..words.len())?;
            for (item, &word) in items.iter_mut().zip(words) {
                *item = DataItem::Word(Word::Value(word));
            }
        }
    }
    Some(tiles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_ranges() {
        let range = |base, bytes| {
            let (base, bytes) = (base * CHUNK_BYTES, bytes * CHUNK_BYTES);
            Ok(Range { base, bytes })
        };
        assert_eq!(Range::of_map(&[0, 0]), range(0, 0));
        assert_eq!(Range::of_map(&[0x80]), range(7, 1));
        assert_eq!(Range::of_map(&[0x8000_0000, 3]), range(31, 3));
        assert_eq!(Range::of_map(&[]), Ok(Range::DEFAULT));
        assert_eq!(Range::of_map(&[0x8000_0000, 2]), Err((31, 33)));
    }

    #[test]
    fn descriptors_share_what_lies_in_their_tile() {
        // one chunk before and two after the border of two tiles
        let range = Range {
            base: 47 * CHUNK_BYTES,
            bytes: 3 * CHUNK_BYTES,
        };
        let parts = range.parts(3, 2);
        let bytes: Vec<u64> = parts.iter().map(|part| part.bytes).collect();
        assert_eq!(bytes, [0x8000, 0x8000, 0x1_0000, 0x1_0000, 0, 0]);
        assert_eq!(parts[1].base, 0x2F_8000);
        assert_eq!(parts[3].shim_words(), [0, 0x31_0000, 0x4000]);
        assert_eq!(parts[3].mem_words(), [0x80_4000, 0x4000]);
        assert_eq!(parts[5].base, 2 * MEM_TILE_BYTES);
    }
}
