//! Drawing random designs.
//!
//! Everything drawn is legal: it fits the devices (channels, memory, BDs, queue depths) and comes
//! to an end. What may vary freely is the point: shapes, depths, types, syntax, access patterns.

use arbitrary::{Result, Unstructured};

use super::draw_shape::{draw_shape, draw_style};
use super::{Access, Design, Elem, Lane, Shape, Stage, Transfers};

/// A device that designs are drawn for.
pub(super) struct Target {
    name: &'static str,
    core_row: u8,
    pub core_rows: u8,
    columns: &'static [u8],
}

/// Devices with their first core row, core rows and shim columns that have a DMA
/// (`mlir-aie: lib/Dialect/AIE/IR/AIETargetModel.cpp`); long lists are cut.
const TARGETS: &[Target] = &[
    Target {
        name: "npu1",
        core_row: 2,
        core_rows: 4,
        columns: &[0, 1, 2, 3],
    },
    Target {
        name: "npu1_1col",
        core_row: 2,
        core_rows: 4,
        columns: &[0],
    },
    Target {
        name: "npu2",
        core_row: 2,
        core_rows: 4,
        columns: &[0, 1, 2, 3, 4, 5, 6, 7],
    },
    Target {
        name: "npu2_2col",
        core_row: 2,
        core_rows: 4,
        columns: &[0, 1],
    },
    Target {
        name: "xcve2302",
        core_row: 2,
        core_rows: 2,
        columns: &[2, 3, 6, 7],
    },
    Target {
        name: "xcve2802",
        core_row: 3,
        core_rows: 8,
        columns: &[2, 3, 6, 7, 14],
    },
    Target {
        name: "xcve3858",
        core_row: 3,
        core_rows: 4,
        columns: &[0, 1, 2, 17, 35],
    },
];

impl Target {
    /// Whether padding can be something else than zero (later devices only).
    pub(super) fn pads_with_any(&self) -> bool {
        let model = aiec_device::DeviceModel::by_name(self.name);
        let mem = model.and_then(|model| model.arch_model().mem.as_ref());
        let dma = mem.and_then(|mem| mem.dma.as_ref());
        dma.is_some_and(|dma| dma.pad_value)
    }
}

/// At most this many transfers per direction of a lane: what a task queue holds.
const MAX_TRANSFERS: usize = 3;

/// Draws a design.
pub fn draw(u: &mut Unstructured<'_>) -> Result<Design> {
    let target = &TARGETS[u.choose_index(TARGETS.len())?];
    let elem = *u.choose(&[Elem::I8, Elem::I16, Elem::I32, Elem::I32])?;
    let count = u.int_in_range(1..=target.columns.len().min(3))?;
    let mut columns = target.columns.to_vec();
    let mut lanes = Vec::new();
    let mut buffers = Vec::new();
    for _ in 0..count {
        let column = columns.remove(u.choose_index(columns.len())?);
        let (lane, sizes) = draw_lane(u, target, elem, column)?;
        lanes.push(lane);
        buffers.extend(sizes);
    }
    Ok(Design {
        device: target.name,
        core_row: target.core_row,
        elem,
        transfers: *u.choose(&[Transfers::Memcpy, Transfers::Tasks])?,
        packets: u.ratio(1, 6)?,
        old_syntax: u.ratio(1, 3)?,
        buffers,
        lanes,
    })
}

fn draw_lane(
    u: &mut Unstructured<'_>,
    target: &Target,
    elem: Elem,
    column: u8,
) -> Result<(Lane, Vec<usize>)> {
    let words = *u.choose(&[1usize, 2, 4, 8, 16])?;
    let mut object = words * 4 / elem.bytes();
    let objects = u.int_in_range(2..=6usize)? * 2;
    let shape = draw_shape(u, target, elem, &mut object)?;
    let mut buffers = Vec::new();
    let mut inputs = Vec::new();
    for _ in 0..shape.inputs() {
        let (accesses, size) = draw_accesses(u, elem, objects * object, false)?;
        inputs.push(accesses);
        buffers.push(size);
    }
    let (made, out_object) = shape.output(objects, object);
    let (outputs, size) = draw_accesses(u, elem, made * out_object, true)?;
    buffers.push(size);
    Ok((
        Lane {
            column,
            object,
            shape,
            style: draw_style(u)?,
            inputs,
            outputs,
        },
        buffers,
    ))
}

impl Shape {
    /// How many streams come from host memory.
    fn inputs(&self) -> usize {
        match self {
            Shape::Zip => 2,
            Shape::Constants { .. } | Shape::Process { .. } => 0,
            _ => 1,
        }
    }

    /// Objects that come out for `objects` in, and their elements.
    fn output(&self, objects: usize, object: usize) -> (usize, usize) {
        match self {
            Shape::Pipeline {
                cores,
                repeat,
                last,
                ..
            } => {
                let made = cores
                    .iter()
                    .fold(objects * repeat, |n, (_, stage)| match stage {
                        Stage::Map(_) => n,
                        Stage::Window(w) => n - w + 1,
                        Stage::Pairs => n / 2,
                    });
                ((made + last.init.len()) * last.repeat.max(1), object)
            }
            Shape::SplitJoin {
                repeats: (parts, whole),
                first,
                ..
            } => {
                let joined = objects * parts.max(&1) + first.len();
                (joined * whole.max(&1), object)
            }
            Shape::Zip | Shape::Transpose { .. } | Shape::Streams { .. } => (objects, object),
            Shape::BroadcastJoin { maps, .. } => (objects, object * maps.len()),
            Shape::Forward { fifos, .. } => {
                let (_, last, _) = fifos.last().copied().unwrap_or((1, object, 1));
                (objects * object / last, last)
            }
            Shape::Constants {
                objects: contents,
                rounds,
            } => (rounds.map_or(objects, |n| n * contents.len()), object),
            Shape::Process { made, .. } => (*made, object),
            Shape::Retile {
                rows, cols, pad, ..
            } => {
                let [(up, down), (left, right)] = pad.unwrap_or_default().0;
                (objects, (rows + up + down) * (cols + left + right))
            }
        }
    }
}

/// Transfers over `elements` elements altogether, and the size of the buffer they need. Transfers
/// to host memory don't overlap.
fn draw_accesses(
    u: &mut Unstructured<'_>,
    elem: Elem,
    elements: usize,
    output: bool,
) -> Result<(Vec<Access>, usize)> {
    // Offsets and lengths are whole words.
    let word = 4 / elem.bytes();
    let mut left = elements / word;
    let mut list = Vec::new();
    let mut end = u.int_in_range(0..=3usize)? * word;
    while left > 0 {
        let last = list.len() + 1 == MAX_TRANSFERS;
        let words = if last || u.arbitrary()? {
            left
        } else {
            u.int_in_range(1..=left)?
        };
        left -= words;
        let access = draw_access(u, word, words, end, output)?;
        let reach = access.walk().max().unwrap_or(0) + 1;
        list.push(access);
        end = reach.max(end).next_multiple_of(word) + u.int_in_range(0..=2usize)? * word;
    }
    Ok((list, end))
}

fn draw_access(
    u: &mut Unstructured<'_>,
    word: usize,
    words: usize,
    offset: usize,
    output: bool,
) -> Result<Access> {
    let divisors: Vec<usize> = (1..=words.min(1000))
        .filter(|d| words.is_multiple_of(*d) && words / d <= 60)
        .collect();
    if divisors.is_empty() {
        return Ok(Access {
            offset,
            sizes: [1, 1, 1, words * word],
            strides: [0, 0, 0, 1],
        });
    }
    let inner = *u.choose(&divisors)?;
    let outer = words / inner;
    let gap = u.int_in_range(0..=3usize)?;
    let row = (inner + gap) * word;
    Ok(match u.int_in_range(0..=5)? {
        // Linear.
        0 => Access {
            offset,
            sizes: [1, 1, 1, words * word],
            strides: [0, 0, 0, 1],
        },
        // The same row again and again; writing it over and over would make the result depend
        // on order alone, which is fine, but hides lost data.
        1 if !output => Access {
            offset,
            sizes: [outer, 1, 1, inner * word],
            strides: [0, 0, 0, 1],
        },
        // Windows that move by a word: with words as elements all strides are one.
        3 if !output => Access {
            offset,
            sizes: [1, 1, outer, inner * word],
            strides: [0, 0, word, 1],
        },
        // One run, as dimensions of which the inner ones are single elements.
        4 if word == 1 => Access {
            offset,
            sizes: [1, outer, inner, 1],
            strides: [0, inner, 1, 1],
        },
        // Rows with gaps, in the outermost dimension (iteration) or an inner one.
        2 => Access {
            offset,
            sizes: [outer, 1, 1, inner * word],
            strides: [row, 0, 0, 1],
        },
        _ => Access {
            offset,
            sizes: [1, 1, outer, inner * word],
            strides: [0, 0, row, 1],
        },
    })
}
