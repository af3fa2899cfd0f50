//! Random dataflow designs: an abstract description, its text in the `aie` dialect, and what it
//! means, computed from the description alone. The property test holds the simulated control code
//! to that meaning.
//!
//! A [`Design`] is a set of lanes, one per column used. A [`Lane`] takes a stream of objects from
//! host memory, sends it through a [`Shape`] (pipeline, split, broadcast, zip, mem-tile copy) and
//! writes the results back. The meaning of every part is a function on lists of objects.

mod draw;
mod meaning;
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

/// What a core does to each element.
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

/// What a core of a pipeline does to its stream of objects.
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
}

/// How the objects of a lane flow.
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
    },
    /// Objects are cut into equal parts in the mem tile, one part per core, and joined again.
    SplitJoin {
        /// What each core does.
        maps: Vec<Map>,
    },
    /// All cores get each object; the results are joined in the mem tile.
    BroadcastJoin {
        /// What each core does.
        maps: Vec<Map>,
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
}

/// How a stretch of a host buffer is walked, in elements.
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
    /// How many elements it walks over.
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

/// How transfers are written in the sequence.
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
    /// How objects flow.
    pub shape: Shape,
    /// Transfers from host memory, in order; several inputs each have a list.
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
    /// How transfers are written.
    pub transfers: Transfers,
    /// `aiex.runtime_sequence` of early 2025 instead of today's `aie.runtime_sequence`.
    pub old_syntax: bool,
    /// Elements of each host buffer; lane by lane its inputs, then its output.
    pub buffers: Vec<usize>,
    /// The lanes.
    pub lanes: Vec<Lane>,
}
