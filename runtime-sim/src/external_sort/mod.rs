//! Sorting what doesn't fit into memory: sorted runs are written to scratch files and merged.
//!
//! A [`Sorter`] keeps items up to [`Scratch::room`] bytes, then writes them as a run; as soon as there
//! are [`FAN_IN`] runs of a level they are merged into one of the next. So memory doesn't grow with the
//! number of items, and a run that is short never touches a file. Items with the same key stay
//! in the order in which they came.

mod codec;
mod spilled;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fmt::Debug;
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

pub(crate) use spilled::SpilledItems;

pub(crate) use codec::{Decoder, Encoder, Field, Names, field_enum, field_struct};

/// Runs that are merged at once.
const FAN_IN: usize = 16;
/// Bytes that are read from or written to a run at once.
const BLOCK: usize = 1 << 15;
/// Bytes of the length in front of each item of a run.
const LENGTH_BYTES: usize = size_of::<u32>();
/// Bytes of items that a sorter keeps in memory by default.
const DEFAULT_ROOM: usize = 4 << 20;

/// A file that is gone when it is dropped.
pub trait ScratchFile: Read + Write + Seek {}

impl<T: Read + Write + Seek> ScratchFile for T {}

/// Storage for records that don't fit into a sorter's memory.
pub trait Scratch: Debug {
    /// A new, empty file.
    ///
    /// # Errors
    /// There can't be one.
    fn file(&self) -> io::Result<Box<dyn ScratchFile>>;

    /// Bytes of items that a sorter keeps in memory.
    fn room(&self) -> usize {
        DEFAULT_ROOM
    }
}

/// Scratch files in memory.
#[derive(Debug)]
pub struct MemoryScratch;

impl Scratch for MemoryScratch {
    fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(Cursor::new(Vec::new())))
    }
}

/// Items that can be sorted.
pub(crate) trait Sortable: Field + Clone {
    /// Its sort key.
    type Key: Ord;

    /// Its key.
    fn key(&self) -> Self::Key;

    /// The first part of its key: an item whose first part is less comes before another.
    fn first_of_key(&self) -> u64;

    /// Bytes of it in memory beyond its size.
    fn text_bytes(&self) -> usize {
        0
    }
}

/// A sorted run in a scratch file: items, each after its length in bytes.
struct Run(Box<dyn ScratchFile>);

/// Sorts items by key.
pub(crate) struct Sorter<T: Sortable> {
    scratch: Rc<dyn Scratch>,
    buffer: Vec<T>,
    /// Bytes of the buffer.
    bytes: usize,
    names: Names,
    /// Runs by level, in the order in which their items came.
    levels: Vec<Vec<Run>>,
}

impl<T: Sortable> Debug for Sorter<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let runs: usize = self.levels.iter().map(Vec::len).sum();
        write!(f, "{} items and {runs} runs", self.buffer.len())
    }
}

impl<T: Sortable> Sorter<T> {
    pub fn new(scratch: &Rc<dyn Scratch>) -> Sorter<T> {
        Sorter {
            scratch: scratch.clone(),
            buffer: Vec::new(),
            bytes: 0,
            names: Names::default(),
            levels: Vec::new(),
        }
    }

    /// A sorter of nothing that writes to the same place.
    pub fn emptied(&self) -> Sorter<T> {
        Sorter::new(&self.scratch)
    }

    /// Takes an item.
    ///
    /// # Errors
    /// A scratch file can't be written.
    pub fn push(&mut self, item: T) -> io::Result<()> {
        self.bytes += size_of::<T>() + item.text_bytes();
        self.buffer.push(item);
        if self.bytes > self.scratch.room() {
            self.write_buffer()
        } else {
            Ok(())
        }
    }

    /// The items in order of their keys.
    ///
    /// # Errors
    /// A scratch file can't be read.
    pub fn sorted(&mut self) -> io::Result<Merge<'_, T>> {
        let mut sources = Vec::new();
        for run in self.levels.iter_mut().rev().flatten() {
            sources.push(Source::Run(RunReader::new(run)?));
        }
        sources.push(Source::Buffer {
            items: &self.buffer,
            order: ordered(&self.buffer).into_iter(),
        });
        Merge::new(sources, &self.names)
    }

    /// Writes the records in memory as a run, and merges runs where there are enough.
    fn write_buffer(&mut self) -> io::Result<()> {
        let mut writer = RunWriter::new(&*self.scratch)?;
        for number in ordered(&self.buffer) {
            writer.add(&self.buffer[number as usize], &mut self.names)?;
        }
        self.buffer.clear();
        self.bytes = 0;
        let mut run = writer.finish()?;
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            let runs = &mut self.levels[level];
            runs.push(run);
            if runs.len() < FAN_IN {
                return Ok(());
            }
            let mut runs = std::mem::take(runs);
            let sources = runs
                .iter_mut()
                .map(|run| RunReader::new(run).map(Source::Run));
            let sources: io::Result<_> = sources.collect();
            // the merge looks names up while the writer may add some
            let names = self.names.clone();
            let mut merge = Merge::<T>::new(sources?, &names)?;
            let mut writer = RunWriter::new(&*self.scratch)?;
            while let Some(item) = merge.next()? {
                writer.add(&item, &mut self.names)?;
            }
            run = writer.finish()?;
        }
        Ok(())
    }
}

struct RunWriter {
    file: Box<dyn ScratchFile>,
    block: Vec<u8>,
}

impl RunWriter {
    fn new(scratch: &dyn Scratch) -> io::Result<RunWriter> {
        Ok(RunWriter {
            file: scratch.file()?,
            block: Vec::with_capacity(BLOCK),
        })
    }

    fn add(&mut self, item: &impl Field, names: &mut Names) -> io::Result<()> {
        let start = self.block.len();
        self.block.extend([0; LENGTH_BYTES]);
        item.put(&mut Encoder {
            bytes: &mut self.block,
            names,
        });
        let length = (self.block.len() - start - LENGTH_BYTES) as u32;
        self.block[start..start + LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
        if self.block.len() >= BLOCK {
            self.write_block()
        } else {
            Ok(())
        }
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.file.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<Run> {
        self.write_block()?;
        Ok(Run(self.file))
    }
}

/// The numbers of items in the order of their keys; those with the same key stay in their order. Items are not moved, as most are
/// much larger than what they are compared by.
fn ordered<T: Sortable>(items: &[T]) -> Vec<u32> {
    let mut order = by_first_of_key(items);
    let first = |number: &u32| items[*number as usize].first_of_key();
    for group in order.chunk_by_mut(|a, b| first(a) == first(b)) {
        if group.len() > 1 {
            group.sort_by_key(|number| items[*number as usize].key());
        }
    }
    order
}

/// The numbers of items in the order of the first parts of their keys; those with the same stay in their order.
fn by_first_of_key<T: Sortable>(items: &[T]) -> Vec<u32> {
    /// First parts that there may be for each item, so that they are counted.
    const SPREAD: u64 = 8;
    let firsts: Vec<u64> = items.iter().map(Sortable::first_of_key).collect();
    let (Some(&least), Some(&most)) = (firsts.iter().min(), firsts.iter().max()) else {
        return Vec::new();
    };
    if most - least >= SPREAD * firsts.len() as u64 {
        let mut order: Vec<(u64, u32)> = firsts.into_iter().zip(0..).collect();
        order.sort_unstable();
        return order.into_iter().map(|(_, number)| number).collect();
    }
    // Where the next item with a first part goes: after those with a lesser one.
    let mut places = vec![0u32; (most - least) as usize + 2];
    for first in &firsts {
        places[(first - least) as usize + 1] += 1;
    }
    let mut before = 0;
    for place in &mut places {
        before += *place;
        *place = before;
    }
    let mut order = vec![0; firsts.len()];
    for (first, number) in firsts.iter().zip(0..) {
        let place = &mut places[(first - least) as usize];
        order[*place as usize] = number;
        *place += 1;
    }
    order
}

/// Reads the items of a run.
struct RunReader<'a> {
    file: &'a mut dyn ScratchFile,
    /// Bytes of the file, of which those before `at` were read.
    block: Vec<u8>,
    at: usize,
}

impl<'a> RunReader<'a> {
    fn new(run: &'a mut Run) -> io::Result<RunReader<'a>> {
        run.0.seek(SeekFrom::Start(0))?;
        Ok(RunReader {
            file: &mut *run.0,
            block: Vec::new(),
            at: 0,
        })
    }

    /// The next bytes, not fewer than `count` unless the file ends before.
    fn ahead(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.block.len() - self.at < count {
            self.read_block(count)?;
        }
        Ok(&self.block[self.at..])
    }

    #[inline(never)]
    fn read_block(&mut self, count: usize) -> io::Result<()> {
        self.block.drain(..self.at);
        self.at = 0;
        let missing = count.max(BLOCK) - self.block.len();
        self.block.reserve(missing);
        let mut part = (&mut *self.file).take(missing as u64);
        part.read_to_end(&mut self.block)?;
        Ok(())
    }

    /// The bytes of the next item; `None` at the end of the run.
    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let Some(length) = self.ahead(LENGTH_BYTES)?.first_chunk() else {
            return Ok(None);
        };
        let end = LENGTH_BYTES + u32::from_le_bytes(*length) as usize;
        if self.ahead(end)?.len() < end {
            return Err(damaged());
        }
        let start = self.at + LENGTH_BYTES;
        self.at += end;
        Ok(Some(&self.block[start..self.at]))
    }
}

#[cold]
fn damaged() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "a scratch file was changed")
}

/// Where a merge takes items from.
enum Source<'a, T> {
    Run(RunReader<'a>),
    Buffer {
        items: &'a [T],
        order: std::vec::IntoIter<u32>,
    },
}

impl<T: Sortable> Source<'_, T> {
    fn next(&mut self, names: &Names) -> io::Result<Option<T>> {
        match self {
            Source::Buffer { items, order } => {
                let next = order.next();
                Ok(next.map(|number| items[number as usize].clone()))
            }
            Source::Run(reader) => {
                let Some(bytes) = reader.next()? else {
                    return Ok(None);
                };
                let item = T::get(&mut Decoder { bytes, names });
                item.ok_or_else(damaged).map(Some)
            }
        }
    }
}

/// Items of all sources in order.
pub(crate) struct Merge<'a, T: Sortable> {
    names: &'a Names,
    /// The next item of each source.
    items: Vec<Option<T>>,
    sources: Vec<Source<'a, T>>,
    /// Keys of these items, with the number of the source.
    heads: BinaryHeap<Reverse<(T::Key, usize)>>,
}

impl<'a, T: Sortable> Merge<'a, T> {
    fn new(sources: Vec<Source<'a, T>>, names: &'a Names) -> io::Result<Merge<'a, T>> {
        let mut merge = Merge {
            names,
            items: sources.iter().map(|_| None).collect(),
            heads: BinaryHeap::with_capacity(sources.len()),
            sources,
        };
        for source in 0..merge.sources.len() {
            merge.advance(source)?;
        }
        Ok(merge)
    }

    fn advance(&mut self, source: usize) -> io::Result<()> {
        self.items[source] = self.sources[source].next(self.names)?;
        if let Some(item) = &self.items[source] {
            self.heads.push(Reverse((item.key(), source)));
        }
        Ok(())
    }

    /// The key of the next item.
    pub fn next_key(&self) -> Option<&T::Key> {
        self.heads.peek().map(|Reverse((key, _))| key)
    }

    /// The next item.
    ///
    /// # Errors
    /// A scratch file can't be read.
    pub fn next(&mut self) -> io::Result<Option<T>> {
        let Some(mut head) = self.heads.peek_mut() else {
            return Ok(None);
        };
        let Reverse((key, source)) = &mut *head;
        let item = self.items[*source].take();
        // The next item of the source takes the place of this one among the heads.
        self.items[*source] = self.sources[*source].next(self.names)?;
        match &self.items[*source] {
            Some(next) => *key = next.key(),
            None => {
                PeekMut::pop(head);
            }
        }
        Ok(item)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Scratch files in memory that are counted, and a room for few items.
    #[derive(Debug, Default)]
    struct SmallScratch(Cell<usize>);

    impl Scratch for SmallScratch {
        fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
            self.0.set(self.0.get() + 1);
            MemoryScratch.file()
        }

        fn room(&self) -> usize {
            1000
        }
    }

    #[derive(Clone, Debug, PartialEq)]
    struct Item {
        key: u32,
        number: u64,
        text: String,
        name: &'static str,
    }

    field_struct!(Item {
        key,
        number,
        text,
        name
    });

    impl Sortable for Item {
        type Key = u32;

        fn key(&self) -> u32 {
            self.key
        }

        fn first_of_key(&self) -> u64 {
            self.key.into()
        }

        fn text_bytes(&self) -> usize {
            self.text.len()
        }
    }

    fn item(number: u64) -> Item {
        Item {
            key: (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u32,
            number,
            text: format!("item {number}"),
            name: ["load", "store"][number as usize % 2],
        }
    }

    fn all(sorter: &mut Sorter<Item>) -> Vec<Item> {
        let mut merge = sorter.sorted().expect("memory can be read");
        std::iter::from_fn(|| merge.next().expect("memory can be read")).collect()
    }

    #[test]
    fn items_come_back_sorted_and_memory_stays_bounded() {
        let small = Rc::new(SmallScratch::default());
        let scratch: Rc<dyn Scratch> = small.clone();
        let mut sorter = Sorter::new(&scratch);
        let mut items: Vec<Item> = (0..20_000).map(item).collect();
        for item in &items {
            sorter.push(item.clone()).expect("memory takes it");
            let runs: usize = sorter.levels.iter().map(Vec::len).sum();
            assert!(sorter.bytes <= scratch.room() && sorter.buffer.len() < 20);
            // runs of level n have 16^n runs' items; each has a block when they are merged
            assert!(runs < FAN_IN * sorter.levels.len().max(1) && sorter.levels.len() <= 4);
        }
        assert!(small.0.get() > FAN_IN * FAN_IN);
        items.sort_by_key(Sortable::key);
        assert!(
            all(&mut sorter) == items,
            "in order, equal keys as they came"
        );
        assert!(all(&mut sorter) == items, "the same the second time");
    }

    /// Keys that are close to one another, which are counted, and keys that aren't, beside a plain sort.
    #[test]
    fn numbers_are_in_the_order_of_keys() {
        for spread in [1, 50, 1 << 20] {
            let keyed = |number: u64| Item {
                key: item(number).key * spread,
                ..item(number)
            };
            let items: Vec<Item> = (0..3000).map(keyed).collect();
            let mut plain: Vec<u32> = (0..3000).collect();
            plain.sort_by_key(|number| items[*number as usize].key());
            assert_eq!(ordered(&items), plain);
        }
        assert!(ordered::<Item>(&[]).is_empty());
    }

    #[test]
    fn what_fits_into_memory_needs_no_file() {
        let small = Rc::new(SmallScratch::default());
        let scratch: Rc<dyn Scratch> = small.clone();
        let mut sorter = Sorter::new(&scratch);
        for number in 0..3 {
            sorter.push(item(number)).expect("memory takes it");
        }
        assert_eq!(all(&mut sorter).len(), 3);
        assert_eq!(small.0.get(), 0);
    }
}
