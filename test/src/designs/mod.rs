//! Random dataflow designs: an abstract description, its text in the `aie` dialect, and what it
//! means, computed from the description alone. The property test holds the simulated control code
//! to that meaning.
//!
//! A [`Design`] is a set of lanes, one per column used. A [`Lane`] takes a stream of objects from
//! host memory, sends it through a [`Shape`] (pipeline, split, broadcast, zip, mem-tile copy, core
//! streams) and writes the results back. The meaning of every part is a function on lists of objects.

mod body;
mod draw;
mod meaning;
mod more_text;
pub mod runs;
mod sources;
mod text;

pub use draw::draw;

/// Element types that designs use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    /// 8-bit integers.
    I8,
    /// 16-bit integers.
    I16,
    /// 32-bit integers.
    I32,
}

impl Elem {
    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Elem::I8 => 1,
            Elem::I16 => 2,
            Elem::I32 => 4,
        }
    }

    /// The type's text.
    pub fn text(self) -> &'static str {
        match self {
            Elem::I8 => "i8",
            Elem::I16 => "i16",
            Elem::I32 => "i32",
        }
    }

    /// A value wrapped to the type, sign-extended.
    pub fn wrap(self, value: i64) -> i64 {
        match self {
            Elem::I8 => i64::from(value as i8),
            Elem::I16 => i64::from(value as i16),
            Elem::I32 => i64::from(value as i32),
        }
    }
}

/// Function of a core on each element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Map {
    /// Adds a constant.
    Add(i64),
    /// Multiplies by a constant.
    Mul(i64),
    /// Exclusive or with a constant.
    Xor(i64),
    /// The larger of the element and a constant.
    Max(i64),
    /// Adds the element's position in its object.
    AddIndex,
}

/// Function of a pipeline's core on its stream of objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// One object in, one out.
    Map(Map),
    /// Holds `n` objects, writes their element-wise sum, gives one back: a sliding window.
    Window(usize),
    /// Takes two objects and writes their element-wise difference.
    Pairs,
}

/// A fifo's choices that must not change the meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Objects in the fifo, at least what its consumer holds.
    pub depth: usize,
    /// Sent by DMA even between neighbours.
    pub via_dma: bool,
    /// Between cores that share memory: the row of the tile that the objects are on.
    pub allocate: Option<u8>,
}

impl Link {
    /// A plain fifo of two objects.
    const TWO: Link = Link {
        depth: 2,
        via_dma: false,
        allocate: None,
    };
}

/// Flow of the objects of a lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Through cores one after the other, by mem tile or not at either end.
    Pipeline {
        /// Core rows (counted from the first core row) and what each core does.
        cores: Vec<(u8, Stage)>,
        /// Fifos: before each core and after the last.
        links: Vec<Link>,
        /// The input goes through the mem tile.
        mem_in: bool,
        /// The mem tile sends each object that many times (with `mem_in` only).
        repeat: usize,
        /// The output goes through the mem tile.
        mem_out: bool,
        /// Output of the last core (not with `mem_out`).
        last: Last,
    },
    /// Objects are cut into parts in the mem tile, one part per core, and joined again.
    SplitJoin {
        /// Function of each core.
        maps: Vec<Map>,
        /// Elements of each part.
        parts: Vec<usize>,
        /// Times that the mem tile sends each part, and each joined object; 0 without
        /// repeat_count.
        repeats: (usize, usize),
        /// Joined objects that are there from the start: as many as the mem tile holds, or none.
        first: Vec<Vec<i64>>,
    },
    /// All cores get each object; the results are joined in the mem tile.
    BroadcastJoin {
        /// Function of each core.
        maps: Vec<Map>,
        /// Objects at the producer's end and at each core; empty for the same everywhere.
        depths: Vec<usize>,
    },
    /// A core adds the objects of two inputs.
    Zip,
    /// The mem tile transposes each object of `rows` × `cols` 32-bit elements.
    Transpose {
        /// Rows of the object as it comes.
        rows: usize,
        /// Columns of the object as it comes.
        cols: usize,
    },
    /// The mem tile takes objects of `rows` × `cols` 32-bit elements and sends them on changed.
    Retile {
        /// Rows of the object in the mem tile.
        rows: usize,
        /// Columns of the object in the mem tile.
        cols: usize,
        /// Incoming data are written column by column (dimensionsFromStream).
        scatter: bool,
        /// Rows and columns of padding before and after, and what they hold.
        pad: Option<([(usize, usize); 2], i32)>,
        /// The mem tile sends a number of rounds instead of going on without end (iter_count).
        finite: bool,
    },
    /// Through links of tiles, cut into other objects on the way.
    Forward {
        /// The tiles between the shim tile and the shim tile.
        hops: Vec<Hop>,
        /// For each fifo the elements of its producer's objects, of its consumer's, and its depth.
        fifos: Vec<(usize, usize, usize)>,
    },
    /// The mem tile sends its contents repeatedly.
    Constants {
        /// The contents.
        objects: Vec<Vec<i64>>,
        /// Rounds that it sends (iter_count); without end and without locks if none is given
        /// (disable_synchronization).
        rounds: Option<usize>,
    },
    /// A function is registered as the process of the producer's end (register_process): it
    /// writes the `k`-th object that it is given with `k` times 16, plus the element's number.
    Process {
        /// Objects that a pass acquires and releases.
        pattern: (usize, usize),
        /// Objects of the producer's end.
        depth: usize,
        /// Objects that are made.
        made: usize,
    },
    /// A core whose input or output is its stream port (aie_stream).
    Streams {
        /// Its function on each element.
        map: Map,
        /// It reads its input word by word.
        take: bool,
        /// It writes its output word by word.
        put: bool,
    },
}

/// The control flow around the work of a core. Which it is must not change the meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A loop.
    Plain,
    /// A loop that counts otherwise.
    Steps,
    /// Some rounds before the loop.
    Before(usize),
    /// A loop of some rounds in the loop.
    Inner(usize),
    /// Two of them.
    Siblings(usize, usize),
    /// Two rounds in each pass.
    Twice,
    /// One round in one branch, two in the other.
    Branches,
    /// One round, and one more in every second pass.
    Sometimes,
    /// Loops that never run, one of them with bounds known at run time, and a round.
    Never,
    /// A loop of as many rounds as the outer one's counter says.
    RunTime,
    /// `scf.while`.
    While,
}

/// Style of the cores of a lane. None of it must change the meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// The control flow.
    pub form: Form,
    /// `dynamic_objfifo_lowering`.
    pub dynamic: bool,
    /// Acquires answer objects instead of a view of them.
    pub direct: bool,
    /// Elements are walked over by affine operations.
    pub affine: bool,
}

/// A tile that a stream of objects passes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hop {
    /// The column's mem tile.
    Mem,
    /// A core tile, by its row (counted from the first core row).
    Core(u8),
}

/// Output of the last core of a pipeline.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Last {
    /// Objects that are in the fifo from the start: as many as it is deep, or none.
    pub init: Vec<Vec<i64>>,
    /// Times that each object is sent; 0 without repeat_count.
    pub repeat: usize,
    /// The core holds one free object more than it fills.
    pub ahead: bool,
}

/// Walk over a part of a host buffer, in elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// First element.
    pub offset: usize,
    /// Sizes, outermost first.
    pub sizes: [usize; 4],
    /// Strides, outermost first.
    pub strides: [usize; 4],
}

impl Access {
    /// Number of elements that it walks over.
    pub fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The element numbers in order.
    pub fn walk(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count()).map(move |mut n| {
            let mut at = self.offset;
            for d in (0..4).rev() {
                at += (n % self.sizes[d]) * self.strides[d];
                n /= self.sizes[d];
            }
            at
        })
    }
}

/// Form of transfers in the sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transfers {
    /// `aiex.npu.dma_memcpy_nd` and `aiex.npu.dma_wait`.
    Memcpy,
    /// `aiex.dma_configure_task_for`, started and awaited.
    Tasks,
}

/// One column's work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// Column.
    pub column: u8,
    /// Elements of an object that leaves host memory.
    pub object: usize,
    /// Flow of objects.
    pub shape: Shape,
    /// Style of its cores.
    pub style: Style,
    /// Transfers from host memory, in order; each input has a list.
    pub inputs: Vec<Vec<Access>>,
    /// Transfers to host memory, in order.
    pub outputs: Vec<Access>,
}

/// A whole design.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Design {
    /// Device name.
    pub device: &'static str,
    /// First core row of the device.
    pub core_row: u8,
    /// Element type.
    pub elem: Elem,
    /// Form of transfers.
    pub transfers: Transfers,
    /// Fifos are connected by packet flows instead of circuits.
    pub packets: bool,
    /// `aiex.runtime_sequence` of early 2025 instead of today's `aie.runtime_sequence`.
    pub old_syntax: bool,
    /// Elements of each host buffer; lane by lane its inputs, then its output.
    pub buffers: Vec<usize>,
    /// The lanes.
    pub lanes: Vec<Lane>,
}
